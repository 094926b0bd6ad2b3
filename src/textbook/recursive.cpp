#include "chasles/textbook/recursive.hpp"

#include <algorithm>

#include "access.hpp"
#include "model/assembly.hpp"
#include "textbook/pivots.hpp"
#include "textbook/recursive_core.hpp"

namespace chasles::textbook {

/// Inputs of the recursions.
struct RecursiveDynamics::Scratch {
  std::vector<SE3> C_rel;               // links, in the parent
  std::vector<Twist> X_b, X_rate_v;     // nv, links: body-fixed screws, and Xd v
  std::vector<Inertia> M_b, composite;  // links, body-fixed; and of the subtrees
  std::vector<Wrench> W_app;            // links
  std::vector<int> D_index;             // links
  Vector least_pivot;                   // nv
  std::vector<double> sizes;            // 3 links
  explicit Scratch(const Model& model)
      : C_rel(tree_links(model).size()),
        X_b(static_cast<std::size_t>(model.nv())),
        X_rate_v(C_rel.size()),
        W_app(C_rel.size()),
        D_index(dynamics::square_offsets(model)),
        least_pivot(model.nv()),
        sizes(3 * C_rel.size()) {
    for (const Link& link : tree_links(model)) M_b.push_back(link.inertia);
    composite = M_b;
  }
};

namespace {

using namespace dynamics;

using RecursiveScratch = RecursiveDynamics::Scratch;

/// The poses in the parents, the screws and the applied wrenches.
void prepare(const Model& model, const VelocityKinematics& kin, AppliedWrenches applied,
             RecursiveScratch& out) {
  const double *q = kin.q().data(), *v = kin.v().data();
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    out.C_rel[i] = links::pose_in_parent(model, link, q + link.q_index);
    out.X_rate_v[i] = {};
    for (std::size_t k = first; k < last; ++k) {
      out.X_b[k] = screw_of_v(model, link, kin.q(), k);
      if (links::screws_turn(link))
        out.X_rate_v[i] += v[k] * links::screw_rate(model, link, q + link.q_index, v + link.v_index,
                                                    static_cast<int>(k - first));
    }
  });
  std::fill(out.W_app.begin(), out.W_app.end(), Wrench{});
  add_link_wrenches(model, kin, applied, out.W_app);
}

Recursion<double> recursion(const Model& model, const VelocityKinematics& kin,
                            AppliedWrenches applied, RecursiveDynamics& out,
                            RecursiveScratch& scratch) {
  return {tree_links(model),
          kin.C().data(),
          scratch.C_rel.data(),
          scratch.X_b.data(),
          scratch.X_rate_v.data(),
          scratch.M_b.data(),
          applied.empty() ? nullptr : scratch.W_app.data(),
          model.gravity(),
          kin.v().data(),
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
          scratch.D_index.data(),
          scratch.least_pivot.data(),
          scratch.sizes.data()};
}

}  // namespace

RecursiveDynamics::RecursiveDynamics(const Model& model)
    : model_(model), scratch_(ValuePtr<Scratch>::make(model)) {
  fit(model);
  Q.setConstant(std::numeric_limits<double>::quiet_NaN());
  a = Q;
}

RecursiveDynamics::Scratch& RecursiveDynamics::fit(const Model& model) {
  require_model("the workspace", model_, model);
  const std::size_t n = tree_links(model).size(), nv = static_cast<std::size_t>(model.nv());
  for (Vector* x : {&a, &Q, &eps}) x->resize(model.nv());
  X.resize(nv), U.resize(nv), G.resize(nv);
  V.resize(n), V_dot.resize(n), zeta.resize(n), W.resize(n), M.resize(n), P.resize(n);
  D.resize(static_cast<std::size_t>(scratch_->D_index.back()));
  return *scratch_;
}

const Vector& inverse_dynamics(const Model& model, const VelocityKinematics& kin, ConstVectorRef a,
                               Representation rep, RecursiveDynamics& out,
                               AppliedWrenches applied) {
  RecursiveScratch& scratch = detail::Access::fit(out, model);
  require_model("the kinematics", kin.model(), model);
  lie::require_known(rep);
  require_size("a", a, model.nv());
  prepare(model, kin, applied, scratch);
  out.a = a;
  out.rep = rep;
  Recursion<double> r = recursion(model, kin, applied, out, scratch);
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

const Vector& forward_dynamics(const Model& model, const VelocityKinematics& kin, ConstVectorRef Q,
                               Representation rep, RecursiveDynamics& out,
                               AppliedWrenches applied) {
  RecursiveScratch& scratch = detail::Access::fit(out, model);
  require_model("the kinematics", kin.model(), model);
  lie::require_known(rep);
  require_size("Q", Q, model.nv());
  prepare(model, kin, applied, scratch);
  find_least_pivots(model, scratch.C_rel, scratch.X_b, scratch.composite,
                    scratch.least_pivot.data());
  out.Q = Q;
  out.rep = rep;
  Recursion<double> r = recursion(model, kin, applied, out, scratch);
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
  require_model("the workspace", dynamics.model(), model);
  require_model("the kinematics", kin.model(), model);
  if (joint >= model.joints().size())
    throw Error("there is no joint " + std::to_string(joint) + "; model '" + model.name() +
                "' has " + std::to_string(model.joints().size()));
  const auto child = static_cast<std::size_t>(model.joints()[joint].child);
  const Frame& frame = model.bodies()[child].frame;
  const auto i = static_cast<std::size_t>(frame.link);
  if (i >= dynamics.W.size()) throw Error("the reactions were moved out of the workspace");
  const SE3 C = pose(kin, frame);
  Wrench W = Ad_dual(frame.offset, lie::to_body(dynamics.W[i], kin.C()[i], dynamics.rep));
  // The rotor is on the parent, although its inertia is on the body.
  const Sym3& K = detail::data_of(model).assembly->geometry->own_rotors[child];
  const bool world =
      dynamics.rep == Representation::spatial || dynamics.rep == Representation::hybrid;
  const SO3& axes = world ? C.R : frame.offset.R;
  const Vec3 w = inverse_times(axes, dynamics.V[i].w),
             al = inverse_times(axes, dynamics.V_dot[i].w);
  W.t -= K * al + cross(w, K * w);
  return lie::from_body(W, C, rep);
}

}  // namespace chasles::textbook
