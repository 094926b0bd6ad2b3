/// `collisions` of YAML models.
#pragma once

#include <functional>

#include "chasles/mechanism/mechanism.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

/// The key `collisions` of a model file, if present.
void read_collisions(const Fields& file, Mechanism& mechanism);
/// The same as text; empty if there are none.
/// @param pose_text  the entries of a pose
std::string collisions_text(const Collisions& all,
                            const std::function<std::string(const SE3&)>& pose_text);

}  // namespace chasles::io
