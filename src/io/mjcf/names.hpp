/// Names in MJCF, which are optional.
#pragma once

#include <unordered_set>

#include "io/urdf/xml.hpp"

namespace chasles::io::mjcf {

/// Names of one kind: those in the file, and those generated or read so far.
class Names {
 public:
  void give(const Element& e) {
    if (e.has("name")) given_.insert(e.text("name"));
  }
  bool contains(const std::string& name) const { return used_.contains(name); }
  /// An unused name.
  std::string fresh(std::string name) {
    while (name == ground || given_.contains(name) || !used_.insert(name).second) name += '_';
    return name;
  }
  /// The name of an element, or one generated from the object it belongs to.
  std::string of(const Element& e, const std::string& otherwise) {
    if (!e.has("name")) return fresh(otherwise);
    std::string name = e.text("name");
    if (!used_.insert(name).second) e.refuse("the name " + quote(name) + " is used twice");
    return name;
  }

 private:
  std::unordered_set<std::string> given_, used_;
};

}  // namespace chasles::io::mjcf
