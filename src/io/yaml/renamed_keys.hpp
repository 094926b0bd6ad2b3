/// Keys and values of files that have a new name. The old ones are read for one version more, each with a
/// warning that names the new one; what they mean has not changed.
#pragma once

#include "io/yaml/yaml_document.hpp"

namespace chasles::io {

/// Gives everything in the document its present name.
/// @param name      of the file
/// @param warnings  null: nowhere
void use_present_names(Value& document, const std::string& name,
                       std::vector<std::string>* warnings);

}  // namespace chasles::io
