#include "viewer_page.hpp"

#include "viewer_page_text.hpp"

std::string_view viewer_page() { return {viewer_page_text, sizeof viewer_page_text - 1}; }
