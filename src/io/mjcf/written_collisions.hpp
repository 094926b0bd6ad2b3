/// Collision shapes as elements <geom> and <contact> of MJCF.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::io::mjcf {

class WrittenCollisions {
 public:
  /// @param names  geoms in use
  /// @param warn   receives what MJCF cannot say
  WrittenCollisions(const Mechanism& m, std::unordered_set<std::string>& names,
                    const std::function<void(const std::string&)>& warn);

  /// The geoms of a body, without masses.
  const std::vector<std::string>& geoms_of(const std::string& body) const;
  /// Pairs and excluded bodies.
  /// @param body_name  the name of a body in the file
  std::string contact(const std::function<std::string(const std::string&)>& body_name) const;

 private:
  const Mechanism& mechanism_;
  std::unordered_map<std::string, std::vector<std::string>> geoms_;  // by body
  std::unordered_map<std::string, std::string> names_;               // in the file
};

}  // namespace chasles::io::mjcf
