/// All of them, for tests that run over them.
#pragma once

#include "chasles/screws/representation.hpp"

namespace chasles::test {

inline constexpr Representation all_representations[] = {
    Representation::body, Representation::spatial, Representation::hybrid, Representation::mixed};

}  // namespace chasles::test
