#pragma once

#include "chasles/io/mechanism_file.hpp"

namespace chasles::io {

/// The mechanism in the text of a file: read_mechanism of a file that has been read.
Mechanism read_mechanism(const std::string& text, const std::filesystem::path& path,
                         const ReadOptions& options);

}  // namespace chasles::io
