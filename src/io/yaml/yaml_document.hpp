/// A YAML text as values with source locations. Anchors, aliases, tags and multiple documents are rejected:
/// mechanism files do not need them, and aliases can expand a small text to a huge one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/text.hpp"

namespace chasles::io {

struct Value {
  enum class Kind : unsigned char { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;  // a scalar in quotes is text even if it looks like a number
  LineColumn location;
  std::string text{};          // scalar
  std::vector<Value> keys{};   // map: scalars, all different
  std::vector<Value> items{};  // list: its elements; map: one value per key
};

/// @throws Error with line and column: syntax, doubled keys, nesting beyond `deepest_nesting`, ...
Value parse_yaml(std::string_view text, const std::string& name);

}  // namespace chasles::io
