/// Names in MJCF and the attributes that refer to them, for copies that are renamed.
#pragma once

#include <tinyxml2.h>

#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

namespace chasles::io::mjcf {

/// Names by kind: body, joint, geom, site, tendon, mesh, class.
using NamesByKind = std::map<std::string, std::unordered_set<std::string>, std::less<>>;

/// Adds the names of an element and of all elements in it.
void collect_names(const tinyxml2::XMLElement& xml, NamesByKind& names);

/// Puts a prefix and a suffix on these names in an element and in all elements in it, where they are given and where
/// they are referred to.
void rename(tinyxml2::XMLElement& xml, const NamesByKind& names, const std::string& prefix,
            const std::string& suffix);

/// References of an element, and of all elements in it, to bodies, joints, geoms, sites and tendons.
struct References {
  int inside = 0, outside = 0;  // to these names; to others
};
References count_references(const tinyxml2::XMLElement& xml, const NamesByKind& names);

/// Whether a section of <mujoco> refers to the tree of bodies, and belongs to the mechanics.
inline bool is_reference_section(std::string_view tag) {
  return tag == "tendon" || tag == "equality" || tag == "actuator" || tag == "contact";
}

}  // namespace chasles::io::mjcf
