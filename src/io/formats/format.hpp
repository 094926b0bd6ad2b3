/// How each element and attribute of URDF, MJCF and SDF is treated.
///
/// A format is a table (urdf_format.cpp, mjcf_format.cpp, sdf_format.cpp). Each attribute, and each element, is
///
///     obeyed     read and applied
///     changes    affects the mechanics but is not supported: a warning, unless its value is neutral
///     aside      not part of the mechanism (controllers, engine-specific contacts): listed in one line
///     harmless   visuals, sensors, solver settings: not mentioned
///
/// `check_format` compares a file with its table; anything else is reported as unknown. Children of an
/// element that is not obeyed are not examined: they are treated like it.
#pragma once

#include <functional>
#include <span>

#include "io/urdf/xml.hpp"

namespace chasles::io {

enum class Fate : unsigned char { obeyed, changes, aside, harmless };

/// Elements of one kind. Names are separated by spaces.
struct ElementRow {
  std::string_view parents;  // tags; "-": the root element
  std::string_view tags;     // "*": all without a row of their own
  Fate fate;
  std::string_view obeyed{}, changes{}, harmless{};  // attributes; in changes: NAME=NEUTRAL
  std::string_view neutral{};                        // contents that have no effect
  /// The `changes` attributes are looked up with default classes, by the reader (`warn_changes`).
  bool inherits = false;
};
/// What to do instead, for the warning.
struct Remedy {
  std::string_view names;  // attributes or elements
  std::string_view text;
};
struct Format {
  std::span<const ElementRow> rows;
  std::span<const Remedy> remedies;
};
extern const Format urdf_format, mjcf_format, sdf_format;

/// The words of a list.
std::vector<std::string_view> words(std::string_view list);
/// "armature=0": name "armature", neutral value "0"; without one, every value has an effect.
struct NameAndNeutral {
  std::string_view name, neutral;
};
NameAndNeutral split_neutral(std::string_view word);
/// Whether a value is neutral: the same word in any case, or numbers that all equal it.
bool is_neutral(std::string_view value, std::string_view neutral);

/// The row of an element in a parent; null: unknown.
const ElementRow* find_row(const Format& format, std::string_view parent, std::string_view tag);

/// Warns about everything that affects the mechanics and is not supported, is unknown, or is aside.
/// @throws Error naming an unexpanded xacro element
void check_format(const Format& format, const Element& top);

/// Warns about the attributes of one element that affect the mechanics and are not supported.
/// @param value_of  the value of an attribute, including default classes; none: not given
void warn_changes(const Format& format, const ElementRow& row, const Element& element,
                  const std::function<std::optional<std::string>(const char*)>& value_of);

}  // namespace chasles::io
