/// The <visual> elements of a URDF.
#pragma once

#include "chasles/mechanism/appearance.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io {

/// An element that cannot be read is a note, not an error: nothing is computed with it.
/// @param model  the file, for the meshes that it names
Appearance read_visuals(const tinyxml2::XMLElement& robot, const std::string& name,
                        const std::filesystem::path& model);

}  // namespace chasles::io
