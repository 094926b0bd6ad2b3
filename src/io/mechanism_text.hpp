#pragma once

#include "chasles/io/mechanism_file.hpp"

namespace chasles::io {

/// read_mechanism for a file that is already in memory.
Mechanism read_mechanism(const std::string& text, const std::filesystem::path& path,
                         const ReadOptions& options);

}  // namespace chasles::io
