#pragma once

#include <string_view>

namespace chasles {

/// The version of the library that is linked, such as "0.1.0".
std::string_view version();

}  // namespace chasles
