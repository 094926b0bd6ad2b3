/// What becomes of every element and attribute of URDF, MJCF and SDF.
///
/// A format is a table (urdf_format.cpp, mjcf_format.cpp, sdf_format.cpp). Each attribute, and each element, is
///
///     obeyed     read, and acted upon
///     changes    part of the mechanics, and not obeyed: a warning names it, unless its value is the neutral one
///     aside      not part of the mechanism (controllers, contacts of a certain engine): one line names all of these
///     harmless   pictures, sensors, solver settings: not mentioned
///
/// `check_format` compares a file with its table; what is in neither is named as unknown. Below an element that is
/// not obeyed nothing is looked at: all of it has its fate.
#pragma once

#include <functional>
#include <span>

#include "io/urdf/xml.hpp"

namespace chasles::io {

enum class Fate : unsigned char { obeyed, changes, aside, harmless };

/// Elements of one kind. Names stand between spaces.
struct ElementRow {
  std::string_view parents;  // tags; "-": it is the outermost
  std::string_view tags;     // "*": all that have no row of their own
  Fate fate;
  std::string_view obeyed{}, changes{}, harmless{};  // attributes; those that change: NAME=NEUTRAL
  std::string_view neutral{};                        // contents with which it changes nothing
  /// The attributes that change are looked up with default classes, by the reader (`warn_changes`).
  bool inherits = false;
};
/// What to do instead, for the warning.
struct Remedy {
  std::string_view names;  // of attributes or elements
  std::string_view text;
};
struct Format {
  std::span<const ElementRow> rows;
  std::span<const Remedy> remedies;
};
extern const Format urdf_format, mjcf_format, sdf_format;

/// The words of a list.
std::vector<std::string_view> words(std::string_view list);
/// "armature=0" has the name "armature" and the neutral value "0"; none: every value changes something.
struct NameAndNeutral {
  std::string_view name, neutral;
};
NameAndNeutral split_neutral(std::string_view word);
/// Whether a value is a neutral one: the same word in any case, or numbers that all equal it.
bool is_neutral(std::string_view value, std::string_view neutral);

/// The row of an element in a parent; null: unknown.
const ElementRow* find_row(const Format& format, std::string_view parent, std::string_view tag);

/// Warns about all that changes the mechanics and is not obeyed, is unknown, or stands aside.
/// @throws Error naming an element that is left over from xacro
void check_format(const Format& format, const Element& top);

/// Warns about the attributes of one element that change the mechanics.
/// @param value_of  the value of an attribute, by default classes too; none: it is not given
void warn_changes(const Format& format, const ElementRow& row, const Element& element,
                  const std::function<std::optional<std::string>(const char*)>& value_of);

}  // namespace chasles::io
