#include "integrators/explicit/coordinate_runge_kutta.hpp"

#include "integrators/explicit/combine.hpp"

namespace chasles {

using integrators::combine;

CoordinateRungeKutta::CoordinateRungeKutta(DynamicalSystem& system,
                                           const IntegratorOptions& options, const Tableau& tableau)
    : OneStep(system, options), tableau_(&tableau) {
  Q_.setZero(system.nq(), tableau.stages);
  a_.setZero(system.nv(), tableau.stages);
  q_i_.setZero(system.nq());
  v_i_.setZero(system.nv());
  w_i_ = v_i_;
}

double CoordinateRungeKutta::attempt(double h) {
  const Tableau& t = *tableau_;
  group().coordinate_rate(before_.q, V_0_, Q_.col(0));
  a_.col(0) = a_0_;
  const double* a = t.a.data();
  for (int i = 1; i < t.stages; a += i, ++i) {
    combine(a, i, h, Q_, q_i_);  // (1)
    combine(a, i, h, a_, v_i_);
    q_i_ += before_.q;
    v_i_ += before_.v;
    rates(before_.t + t.c[static_cast<std::size_t>(i)] * h, q_i_, v_i_, w_i_, a_.col(i));
    group().coordinate_rate(q_i_, w_i_, Q_.col(i));
  }
  combine(t.b.data(), t.stages, h, Q_, now_.q);
  combine(t.b.data(), t.stages, h, a_, now_.v);
  now_.q += before_.q;
  now_.v += before_.v;
  group().normalize(now_.q);
  group().minus(now_.q, before_.q, x_);
  return 0;
}

}  // namespace chasles
