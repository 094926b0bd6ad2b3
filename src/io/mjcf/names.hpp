/// Names in MJCF, which need not be given.
#pragma once

#include <unordered_set>

#include "io/urdf/xml.hpp"

namespace chasles::io::mjcf {

/// Names of one kind: those that the file gives, and those that were made or met so far.
class Names {
 public:
  void give(const Element& e) {
    if (e.has("name")) given_.insert(e.text("name"));
  }
  bool contains(const std::string& name) const { return used_.contains(name); }
  /// A name that nothing has yet.
  std::string fresh(std::string name) {
    while (name == ground || given_.contains(name) || !used_.insert(name).second) name += '_';
    return name;
  }
  /// The name of an element, or one that is made from what it belongs to.
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
