/// Constraint elements of a model as JSON for viewer/closure.js, which keeps them while sliders move.
#pragma once

#include <string>
#include <vector>

#include "chasles/model/model.hpp"

namespace chasles::io {

// Parts of JSON shared with model_json.cpp.
std::string vec3_json(const Vec3& a);
/// "link", and "A", the pose in the world at q = 0, where the links are at J.
std::string frame_json(const Frame& frame, const std::vector<SE3>& J);
SE3 pose_at_zero(const Frame& frame, const std::vector<SE3>& J);

/// Elements {"name", "kind"} with their points as places {"link", "A"}:
///
///     cable   "points", "length"
///     flat    "point" in a plane (one of the "normals") or on a line (two), in axes of the place "frame"
///     curve   "point" on a curve in axes of "frame": "nodes" [s, c, c', c''], between which it is a polynomial of fifth
///             degree; "flat": without z; "closed"; "straight": beyond its ends, where it is not defined otherwise
///     wheel   "point", the center; "axis" in its axes, none for a ball; "radius"; a point of the "plane" and its "normal";
///             "contact": whether it stays on the plane
std::string constraints_json(const Model& model, const std::vector<SE3>& J);

}  // namespace chasles::io
