#pragma once

#include <string_view>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// The version of the linked library, such as "0.1.0".
std::string_view version();

}  // namespace CHASLES_API
