#include "chasles/textbook/newton_euler.hpp"

#include "textbook/forms.hpp"

namespace chasles::textbook {

MovingFrame moving_frame(const SE3& C_j, const Twist& V_j, const SE3& C_k, const Twist& V_k) {
  // The velocity of the origin of F_j, from the axes of F_j to those of F_k.
  return {{C_k.R, C_j.r}, {V_k.w, inverse_times(C_k.R, C_j.R * V_j.v)}};
}

MovingFrame moving_frame(const SE3& C, const Twist& V_b, Representation rep) {
  switch (rep) {
    case Representation::body:
      return {C, V_b};
    case Representation::spatial:
      return {};
    case Representation::hybrid:
      return {{{}, C.r}, {{}, C.R * V_b.v}};
    case Representation::mixed:
      break;
  }
  lie::require_known(rep);
  throw Error(
      "the mixed representation is not in one frame; use newton_euler(M, C, V, V_dot, rep)");
}

BodyInFrame in_frame(const Inertia& M_b, const SE3& C, const Twist& V_b, const Twist& V_b_dot,
                     const MovingFrame& frame) {
  const SE3 E = inverse(frame.F) * C;
  const Twist V = Ad(E, V_b);
  // d/dt Ad_E V_b = Ad_E Vd_b + ad_{V - U} V, the twist of the body relative to F being V - U.
  return {V, Ad(E, V_b_dot) - ad(frame.U, V), transform(E, M_b)};
}

Wrench newton_euler(const BodyInFrame& body, const MovingFrame& frame) {
  const auto& [V, V_dot, M] = body;
  return M * (V_dot + ad(frame.U, V)) - ad_dual(V, M * V);
}

Wrench momentum_rate(const Wrench& W, const Wrench& Pi, const MovingFrame& frame) {
  return W + ad_dual(frame.U, Pi);
}

Wrench newton_euler(const Inertia& M_b, const SE3& C, const Twist& V, const Twist& V_dot,
                    Representation rep) {
  lie::require_known(rep);
  const LinkPose<double> pose{C, C, nullptr};
  const auto in = [&](const auto& form) {
    const Inertia M = form.inertia(M_b);
    return form.product(M, V_dot) + form.gyroscopic(M, V);
  };
  switch (rep) {
    case Representation::spatial:
      return in(SpatialForm<double>{pose});
    case Representation::hybrid:
      return in(HybridForm<double>{pose});
    case Representation::mixed:
      return in(MixedForm<double>{pose});
    case Representation::body:
      break;
  }
  return in(BodyForm<double>{pose});
}

}  // namespace chasles::textbook
