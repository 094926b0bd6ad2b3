/// Charts: local coordinates x in a neighborhood of a point q of a Lie group.
#pragma once

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

///     exponential   q exp(x)
///     cayley        q cay(x)
///     second_kind   q exp(x_1 e_1) ... exp(x_m e_m)
enum class Chart { exponential, cayley, second_kind };

}  // namespace CHASLES_API
