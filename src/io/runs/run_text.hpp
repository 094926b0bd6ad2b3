/// What the writers and the reader of recorded runs agree on.
#pragma once

#include <string>

#include "chasles/model/model.hpp"

namespace chasles::io {

/// "[3]".
std::string subscript(int i);
/// A field of CSV, in quotes if it needs them.
std::string csv_field(const std::string& text);
/// A text of JSON, in quotes.
std::string json_text(const std::string& text);
/// The names of t, q and v, separated by commas: "t,q:base[0],..,q:elbow,v:base[0],..".
std::string csv_header(const Model& model);

}  // namespace chasles::io
