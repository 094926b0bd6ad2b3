/// How a row of the table of verbs is written.
#pragma once

#include "verb.hpp"

namespace chasles::python {

inline constexpr unsigned frame = Verb::frame, rep = Verb::representation, applied = Verb::applied;

constexpr Verb row(const char* name, std::array<const char*, 6> inputs, const char* sizes,
                   const char* result, unsigned takes, OneState one, ManyStates many,
                   const char* documentation) {
  return {name,        inputs,  sizes,     result,          takes,        one.make,
          one.destroy, one.one, many.many, many.many_float, documentation};
}

/// The rows with derivatives.
std::span<const Verb> derivative_verbs();

}  // namespace chasles::python
