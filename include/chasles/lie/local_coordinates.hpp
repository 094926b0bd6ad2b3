/// How a neighbourhood of a point of a group is written with numbers x.
#pragma once

namespace chasles {

///     exponential   q exp(x)
///     cayley        q cay(x)
///     second_kind   q exp(x_1 e_1) ... exp(x_m e_m)
enum class LocalCoordinates { exponential, cayley, second_kind };

}  // namespace chasles
