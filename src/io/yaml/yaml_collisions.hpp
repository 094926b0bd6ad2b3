/// `collisions` of YAML models.
#pragma once

#include <functional>

#include "chasles/mechanism/mechanism.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

/// The size of a shape by the keys of its kind: `radius`, `length`, `size` or `semiaxes` [m]; those of others are refused.
Vec3 read_shape_size(const Fields& shape, CollisionShape::Kind kind);
/// The same as text, after a comma.
std::string shape_size_text(CollisionShape::Kind kind, const Vec3& size);

/// The key `collisions` of a model file, if present.
void read_collisions(const Fields& file, Mechanism& mechanism);
/// The same as text; empty if there are none.
/// @param pose_text  the entries of a pose
std::string collisions_text(const Collisions& all,
                            const std::function<std::string(const SE3&)>& pose_text);

}  // namespace chasles::io
