/// The <visual> elements of a URDF.
#pragma once

#include "chasles/io/mechanism_file.hpp"
#include "chasles/mechanism/appearance.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io {

/// An unreadable element gives a note, not an error: it does not affect computations.
/// @param model    the file, for the meshes that it names
/// @param options  with the folders of packages
Appearance read_visuals(const tinyxml2::XMLElement& robot, const std::string& name,
                        const std::filesystem::path& model, const ReadOptions& options);

}  // namespace chasles::io
