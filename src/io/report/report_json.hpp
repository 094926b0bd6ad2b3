/// The JSON read by viewer/, with large arrays in base64.
#pragma once

#include "chasles/io/report.hpp"
#include "io/json/json_write.hpp"
#include "io/runs/run_text.hpp"

namespace chasles::io {

std::string base64(std::span<const unsigned char> bytes);
/// Doubles, as they are.
std::string base64(std::span<const double> numbers);

/// Numbers quantized to multiples of a step above the minimum of their column:
///
///     x = least + k step,   0 <= k <= 256^bytes - 2;   256^bytes - 1 is not a number          (1)
///
/// {"rows", "columns", "bytes", "least": [..], "step": [..], "data": base64 of k, row by row}
std::string quantised(std::span<const double> table, std::size_t columns, std::size_t bytes);

/// A model with the visuals of its bodies.
/// @param notes  receives a warning for every mesh that cannot be displayed as it is
std::string model_json(const Model& model, const Appearance& appearance,
                       std::vector<std::string>& notes);

/// The box that has the inertia of a body; a small one for a body without mass.
/// @param small  the edge of that [m]
VisualShape equivalent_box(const Inertia& inertia, double small);

}  // namespace chasles::io
