/// Meshes in scenes: COLLADA (.dae) and glTF (.gltf, .glb), read by assimp. Its library is looked for when the first such
/// mesh is read, so that programs which read none neither load nor link it.
///
/// All meshes of the scene, moved as its nodes say, in meters: COLLADA names its unit, glTF has meters. Which axis is up:
/// robot descriptions, and RViz and Gazebo, take the coordinates of COLLADA files as they are, whatever <up_axis> says;
/// in glTF y is up, which becomes z.
#pragma once

#include "io/meshes/mesh_file.hpp"

namespace chasles::io {

/// Whether files of this ending, in lower case, are scenes.
bool is_scene(std::string_view ending);
/// @throws Error with the mistake, or with what to install
TriangleMesh read_scene(const std::string& bytes, std::string_view ending);
/// The same of a file, which may name others that are beside it.
TriangleMesh read_scene_file(const std::filesystem::path& path);

}  // namespace chasles::io
