/// Files that model files name: package://NAME/PATH, model://NAME/PATH, and paths relative to the model file.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "chasles/io/mechanism_file.hpp"

namespace chasles::io {

/// The folders in lists of environment variables, FOLDER:FOLDER, in order; empty parts are skipped.
std::vector<std::filesystem::path> folders_of(std::initializer_list<const char*> variables);

/// Whether a path, with links and `..` resolved, lies in a folder.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// A file or folder NAME/PATH: in one of the folders, or in a folder above `beside`, nearest first.
/// @param inside  NAME/PATH; one that leaves NAME by `..` is never found
std::optional<std::filesystem::path> find_named(const std::filesystem::path& inside,
                                                const std::vector<std::filesystem::path>& folders,
                                                const std::filesystem::path& beside);

/// The file of package://NAME/PATH: in the folder that the options give for NAME, in the folders of ROS_PACKAGE_PATH
/// (which contain packages, or are one) and AMENT_PREFIX_PATH (with packages in `share`), or above `beside`.
std::optional<std::filesystem::path> find_in_package(const std::string& inside,
                                                     const ReadOptions& options,
                                                     const std::filesystem::path& beside);

/// A mesh that is shown: of package://NAME/PATH, file://PATH, or a path relative to a folder. One that is not found in a
/// package has the path beside the model, for the message.
std::filesystem::path find_mesh(const std::string& name, const ReadOptions& options,
                                const std::filesystem::path& folder);

}  // namespace chasles::io
