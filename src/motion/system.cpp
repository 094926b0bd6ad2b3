#include "chasles/motion/system.hpp"

namespace chasles {

void System::chart_plus(LocalCoordinates kind, ConstVectorRef q, ConstVectorRef x,
                        Vector out) const {
  if (kind != LocalCoordinates::exponential)
    throw Error("this system has no other local coordinates than exponential");
  plus(q, x, out);
}
void System::chart_rate(LocalCoordinates kind, ConstVectorRef x, ConstVectorRef v,
                        Vector out) const {
  if (kind != LocalCoordinates::exponential)
    throw Error("this system has no other local coordinates than exponential");
  dexp_inv(x, v, out);
}
void System::coordinate_rate(ConstVectorRef, ConstVectorRef, Vector) const {
  throw Error(
      "this system does not give the rate of its coordinates; take a method on the group, such as "
      "mk4 instead of rk4");
}
void System::normalize(Vector) const {
  throw Error("this system does not normalise its coordinates; take a method on the group");
}

}  // namespace chasles
