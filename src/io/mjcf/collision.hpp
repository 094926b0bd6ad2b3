/// Collision shapes of MJCF: geoms with contype or conaffinity, <pair> and <exclude> of <contact>.
#pragma once

#include <functional>
#include <unordered_set>

#include "io/mjcf/settings.hpp"

namespace chasles::io::mjcf {

class CollisionReader {
 public:
  using BodyNamed = std::function<std::string(const Element& element, const char* attribute)>;
  /// Geoms that a <contact> lists in pairs are read even if their contype and conaffinity are 0.
  void add_names(const Element& contact);
  void add_geom(const Setting& geom, const std::string& body, const Compiler& compiler,
                Collisions& out) const;
  /// After all geoms.
  void add_contact(const Element& contact, const Defaults& defaults, const BodyNamed& body_named,
                   Collisions& out) const;

 private:
  std::unordered_set<std::string> in_pairs_;
};

}  // namespace chasles::io::mjcf
