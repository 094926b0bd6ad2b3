#include "chasles/textbook/recursive.hpp"

#include <algorithm>

#include "dynamics/links.hpp"
#include "textbook/recursive_core.hpp"

namespace chasles::textbook {
namespace {

using namespace dynamics;

/// The poses in the parents, the screws and the applied wrenches.
void prepare(const Model& model, const VelocityKinematics& kin, AppliedWrenches applied,
             RecursiveDynamics& out) {
  const double *q = kin.q.data(), *v = kin.v.data();
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    out.C_rel[i] = pose_in_parent(model, link, q);
    out.X_rate_v[i] = {};
    for (std::size_t k = first; k < last; ++k) {
      out.X_b[k] = screw_of_v(model, link, kin.q, k);
      if (link.motion == LinkMotion::exponential)
        out.X_rate_v[i] +=
            v[k] * kinematics::screw_rate(model, link, q + link.q_index, v + link.v_index,
                                          static_cast<int>(k - first));
    }
  });
  std::fill(out.W_app.begin(), out.W_app.end(), Wrench{});
  add_link_wrenches(model, kin, applied, out.W_app);
}

/// The diagonal of the mass matrix, from composite bodies: the scale of the pivots.
void find_least_pivots(const Model& model, RecursiveDynamics& out) {
  out.composite = out.M_b;
  for_links_inward(model,
                   [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                     for (std::size_t k = first; k < last; ++k)
                       out.least_pivot[static_cast<Eigen::Index>(k)] =
                           2 * rounding * kinetic_energy(out.composite[i], out.X_b[k]);
                     if (link.parent >= 0)
                       out.composite[parent_of(link)] += transform(out.C_rel[i], out.composite[i]);
                   });
}

Recursion<double> recursion(const Model& model, const VelocityKinematics& kin,
                            AppliedWrenches applied, RecursiveDynamics& out) {
  return {model.links(),
          kin.C.data(),
          out.C_rel.data(),
          out.X_b.data(),
          out.X_rate_v.data(),
          out.M_b.data(),
          applied.empty() ? nullptr : out.W_app.data(),
          model.gravity(),
          kin.v.data(),
          out.a.data(),
          out.Q.data(),
          out.X.data(),
          out.M.data(),
          out.V.data(),
          out.V_dot.data(),
          out.zeta.data(),
          out.W.data(),
          out.P.data(),
          out.U.data(),
          out.G.data(),
          out.D.data(),
          out.eps.data(),
          out.D_index.data(),
          out.least_pivot.data()};
}

}  // namespace

RecursiveDynamics::RecursiveDynamics(const Model& model) : D_index(square_offsets(model)) {
  const std::size_t n = model.links().size(), nv = static_cast<std::size_t>(model.nv());
  for (Eigen::VectorXd* x : {&a, &Q, &eps, &least_pivot}) x->setZero(model.nv());
  for (auto* x : {&X, &X_b}) x->resize(nv);
  for (auto* x : {&U, &G}) x->resize(nv);
  for (auto* x : {&V, &V_dot, &zeta, &X_rate_v}) x->resize(n);
  for (auto* x : {&W, &W_app}) x->resize(n);
  for (const Link& link : model.links()) M_b.push_back(link.inertia);
  M = composite = M_b;
  P.resize(n);
  C_rel.resize(n);
  D.resize(static_cast<std::size_t>(D_index.back()));
}

const Eigen::VectorXd& inverse_dynamics(const Model& model, const VelocityKinematics& kin,
                                        ConstVectorRef a, Representation rep,
                                        RecursiveDynamics& out, AppliedWrenches applied) {
  require_size("a", static_cast<std::size_t>(a.size()), model.nv());
  prepare(model, kin, applied, out);
  out.a = a;
  out.rep = rep;
  Recursion<double> r = recursion(model, kin, applied, out);
  switch (rep) {
    case Representation::body:
      inverse_recursion<BodyForm>(r);
      break;
    case Representation::spatial:
      inverse_recursion<SpatialForm>(r);
      break;
    case Representation::hybrid:
      inverse_recursion<HybridForm>(r);
      break;
    case Representation::mixed:
      inverse_recursion<MixedForm>(r);
      break;
  }
  return out.Q;
}

const Eigen::VectorXd& forward_dynamics(const Model& model, const VelocityKinematics& kin,
                                        ConstVectorRef Q, Representation rep,
                                        RecursiveDynamics& out, AppliedWrenches applied) {
  require_size("Q", static_cast<std::size_t>(Q.size()), model.nv());
  prepare(model, kin, applied, out);
  find_least_pivots(model, out);
  out.Q = Q;
  out.rep = rep;
  Recursion<double> r = recursion(model, kin, applied, out);
  int failed = -1;
  switch (rep) {
    case Representation::body:
      failed = forward_recursion<BodyForm>(r);
      break;
    case Representation::spatial:
      failed = forward_recursion<SpatialForm>(r);
      break;
    case Representation::hybrid:
      failed = forward_recursion<HybridForm>(r);
      break;
    case Representation::mixed:
      failed = forward_recursion<MixedForm>(r);
      break;
  }
  if (failed >= 0) throw_singular(model, failed);
  return out.a;
}

Wrench reaction(const Model& model, const PositionKinematics& kin,
                const RecursiveDynamics& dynamics, std::size_t joint, Representation rep) {
  if (joint >= model.joints().size())
    throw Error("there is no joint " + std::to_string(joint) + "; model '" + model.name() +
                "' has " + std::to_string(model.joints().size()));
  const auto child = static_cast<std::size_t>(model.joints()[joint].child);
  const Place& place = model.bodies()[child].place;
  const auto i = static_cast<std::size_t>(place.link);
  const Wrench W_b = lie::to_body(dynamics.W[i], kin.C[i], dynamics.rep);
  return lie::from_body(Ad_dual(place.offset, W_b), pose(kin, place), rep);
}

}  // namespace chasles::textbook
