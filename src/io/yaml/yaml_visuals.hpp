/// `visuals` of the bodies of YAML models: what reports show of them.
#pragma once

#include <functional>

#include "chasles/io/mechanism_file.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

/// The key `visuals` of a body, if present.
void read_visuals(const Fields& body, const ReadOptions& options, Appearance& out);
/// The same as lines of its body; empty if it has none. Paths of meshes are absolute.
/// @param pose_text  the entries of a pose
std::string visuals_text(const Appearance& appearance, const std::string& body,
                         const std::function<std::string(const SE3&)>& pose_text);

}  // namespace chasles::io
