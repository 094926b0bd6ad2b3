/// The <visual> elements of a URDF.
#pragma once

#include "chasles/mechanism/appearance.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io {

/// An unreadable element gives a note, not an error: it does not affect computations.
/// @param model  the file, for the meshes that it names
Appearance read_visuals(const tinyxml2::XMLElement& robot, const std::string& name,
                        const std::filesystem::path& model);

}  // namespace chasles::io
