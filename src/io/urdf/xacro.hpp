/// Macros of URDF, expanded by the program xacro of ROS.
#pragma once

#include <filesystem>
#include <string>

namespace chasles::io {

/// The output of `xacro FILE`, which is started without a shell.
/// @throws Error with its messages if it fails; naming the remedy if it is not installed, takes longer than 30 s, or
///         writes more than `largest_text`
std::string expand_xacro(const std::filesystem::path& path);

}  // namespace chasles::io
