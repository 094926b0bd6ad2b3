#pragma once

#include <string_view>

/// The page that reports are filled into: viewer/ with three.js and dygraphs.
std::string_view viewer_page();
