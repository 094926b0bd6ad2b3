/// Renamed keys and values of files. The old names are accepted for one more version, with a warning that
/// gives the new name; their meaning is unchanged.
#pragma once

#include "io/yaml/yaml_document.hpp"

namespace chasles::io {

/// Replaces old names in the document by the current ones.
/// @param name      of the file
/// @param warnings  may be null
void use_present_names(Value& document, const std::string& name,
                       std::vector<std::string>* warnings);

}  // namespace chasles::io
