/// The tangent of a system at a state, with what it accelerates there.
#pragma once

#include <string>

#include "chasles/motion/mechanical_system.hpp"

namespace chasles {

struct TangentAt {
  Vector a;
  MechanicalSystem::Tangent tangent;

  TangentAt(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v)
      : a(system.group().nv()) {
    require_size("q", q, system.group().nq());
    require_size("v", v, system.group().nv());
    if (system.rows() > 0)
      throw Error("a system with " + std::to_string(system.rows()) +
                  " rows of constraints has no linear system of joint coordinates");
    for (Eigen::Index k = 0; k < q.size(); ++k)
      if (!std::isfinite(q[k])) throw Error("q[" + std::to_string(k) + "] is not a finite number");
    for (Eigen::Index k = 0; k < v.size(); ++k)
      if (!std::isfinite(v[k])) throw Error("v[" + std::to_string(k) + "] is not a finite number");
    Vector velocity(v.size());
    system.rates(t, q, v, velocity, a);
    system.tangent(a, tangent);
  }
};

}  // namespace chasles
