#include "chasles/textbook/time_derivatives.hpp"

#include "access.hpp"
#include "math/not_computed.hpp"
#include "math/overlap.hpp"
#include "model/model_data.hpp"
#include "textbook/rate_forms.hpp"

namespace chasles::textbook {

using namespace dynamics;

/// Inputs of the recursions.
struct InverseDynamicsRates::Scratch {
  std::vector<links::LinkSeries> series;  // links
  std::vector<double> v;                  // 4 x nv: coefficients of the rates
  std::vector<SE3> C_rel;                 // links, in the parent
  std::vector<Jet<Twist>> X, J;           // nv: screws, body-fixed and in the representation
  std::vector<Jet<Wrench>> W_app;         // links, body-fixed
  explicit Scratch(const Model& model)
      : v(4 * static_cast<std::size_t>(model.nv())),
        C_rel(tree_links(model).size()),
        X(static_cast<std::size_t>(model.nv())),
        J(X.size()),
        W_app(C_rel.size()) {
    for (const Link& link : tree_links(model)) series.emplace_back(model, link, 4);
  }
};

namespace {

using RatesScratch = InverseDynamicsRates::Scratch;

/// The screws and their derivatives; constant for most joints.
void find_screws(const Model& model, const VelocityKinematics& kin, RatesScratch& out) {
  const std::size_t nv = out.X.size();
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    links::LinkSeries& series = out.series[i];
    series.start(model, link, kin.q().data() + link.q_index);
    out.C_rel[i] = link.P * series.pose();
    if (series.screws_turn())
      for (std::size_t k = 0; k < 3; ++k) series.extend(model, link, &out.v[first], nv, k);
    for (std::size_t c = first; c < last; ++c) {
      constexpr double factorial[] = {1, 1, 2, 6};
      out.X[c] = {series.X(0, c - first)};
      for (std::size_t k = 1; series.screws_turn() && k < 4; ++k)
        out.X[c][k] = factorial[k] * series.X(k, c - first);
    }
  });
}

/// An applied wrench in the axes of its frame and its derivatives there. With V the twist that rotates it,
/// and A the derivative of V,
///
///     Y' = Y_1 + ad_V^T Y,    Y'' = Y_2 + 2 ad_V^T Y_1 + ad_A^T Y + ad_V^T ad_V^T Y
///
/// V is the twist for spatial wrenches, (w; 0) for hybrid ones and for the force of mixed ones.
Jet<Wrench> wrench_at_frame(const AppliedWrench& applied, const WrenchRates& rates, const SE3& C,
                            Twist V, Twist A) {
  const Representation rep = applied.representation;
  Jet<Wrench> Y{lie::to_body(applied.W, C, rep), lie::to_body(rates.W_dot, C, rep),
                lie::to_body(rates.W_ddot, C, rep)};
  if (rep == Representation::body) return Y;
  if (rep != Representation::spatial) V.v = A.v = {};
  const auto turned = [&](const Twist& X, const Wrench& W) {
    return ad_dual(X, rep == Representation::mixed ? Wrench{{}, W.f} : W);
  };
  return {Y[0], Y[1] + turned(V, Y[0]),
          Y[2] + 2.0 * turned(V, Y[1]) + turned(A, Y[0]) + turned(V, turned(V, Y[0]))};
}

void find_wrenches(const VelocityKinematics& kin, AppliedWrenches applied,
                   std::span<const WrenchRates> rates, const std::vector<Twist>& A_b,
                   RatesScratch& out) {
  std::fill(out.W_app.begin(), out.W_app.end(), Jet<Wrench>{});
  for (std::size_t w = 0; w < applied.size(); ++w) {
    const Frame& frame = applied[w].frame;
    if (frame.link < 0) continue;
    const auto i = static_cast<std::size_t>(frame.link);
    const Jet<Wrench> Y =
        wrench_at_frame(applied[w], rates.empty() ? WrenchRates{} : rates[w], pose(kin, frame),
                        twist(kin, frame, Representation::body), Ad_inv(frame.offset, A_b[i]));
    for (std::size_t k = 0; k < 3; ++k) out.W_app[i][k] += Ad_inv_dual(frame.offset, Y[k]);
  }
}

/// (2) without gravity: the accelerations of links, body-fixed.
void find_accelerations(const Model& model, const double* v, const double* a,
                        const RatesScratch& in, std::vector<Twist>& V, std::vector<Twist>& A) {
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    Twist u, u1;
    for (std::size_t c = first; c < last; ++c) {
      u += v[c] * in.X[c][0];
      u1 += a[c] * in.X[c][0] + v[c] * in.X[c][1];
    }
    V[i] = u, A[i] = u1;
    if (link.parent < 0) return;
    const Twist U = Ad_inv(in.C_rel[i], V[parent_of(link)]);
    V[i] += U;
    A[i] += Ad_inv(in.C_rel[i], A[parent_of(link)]) - ad(u, U);
  });
}

template <class Form>
void recursion(const Model& model, const VelocityKinematics& kin, const double* const (&v)[4],
               RatesScratch& scratch, InverseDynamicsRates& out) {
  const auto form_of = [&](const Link& link, std::size_t i) {
    return Form{kin.C()[i], scratch.C_rel[i], link.parent < 0 ? SE3{} : kin.C()[parent_of(link)]};
  };
  const auto motion = [&](std::size_t i) {
    return Jet<Twist>{out.V[i], out.A[i], out.B[i], out.D[i]};
  };
  const Jet<Twist> ground{Twist{}, Twist{{}, -model.gravity()}};
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const Jet<Twist> V_p = link.parent < 0 ? ground : motion(parent_of(link));
    const std::span J(&scratch.J[first], last - first);
    const Form form = form_of(link, i);
    const Jet<Twist> V = form.outward(V_p, {&scratch.X[first], J.size()}, v, first, J);
    out.V[i] = V[0], out.A[i] = V[1], out.B[i] = V[2], out.D[i] = V[3];
    const Jet<Wrench> W = form.newton_euler(link.inertia, V);
    const Jet<Wrench> applied = form.wrench(scratch.W_app[i], V);
    out.W[i] = W[0] - applied[0];
    out.W_dot[i] = W[1] - applied[1];
    out.W_ddot[i] = W[2] - applied[2];
  });
  for_links_inward(
      model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        const Jet<Wrench> W{out.W[i], out.W_dot[i], out.W_ddot[i]};
        for (std::size_t c = first; c < last; ++c) {  // (8)
          const auto k = static_cast<Eigen::Index>(c);
          const Jet<Twist>& J = scratch.J[c];
          const double I_a = link.armature;
          out.Q[k] = dot(W[0], J[0]) + I_a * v[1][c];
          out.Q_dot[k] = dot(W[1], J[0]) + dot(W[0], J[1]) + I_a * v[2][c];
          out.Q_ddot[k] = dot(W[2], J[0]) + 2 * dot(W[1], J[1]) + dot(W[0], J[2]) + I_a * v[3][c];
        }
        if (link.parent < 0) return;
        const std::size_t p = parent_of(link);
        Jet<Twist> u{};  // of the joint, body-fixed
        for (std::size_t c = first; c < last; ++c) {
          u[0] += v[0][c] * scratch.X[c][0];
          u[1] += v[1][c] * scratch.X[c][0] + v[0][c] * scratch.X[c][1];
        }
        const Jet<Wrench> to_parent = form_of(link, i).inward(W, u, motion(p), motion(i));  // (9)
        out.W[p] += to_parent[0];
        out.W_dot[p] += to_parent[1];
        out.W_ddot[p] += to_parent[2];
      });
}

}  // namespace

InverseDynamicsRates::InverseDynamicsRates(const Model& model)
    : model_(model), scratch_(ValuePtr<Scratch>::make(model)) {
  fit(model);
  for (Vector* x : {&Q, &Q_dot, &Q_ddot}) *x = not_computed<Vector>(model.nv());
}

InverseDynamicsRates::Scratch& InverseDynamicsRates::fit(const Model& model) {
  require_model("the workspace", model_, model);
  for (Vector* x : {&Q, &Q_dot, &Q_ddot}) x->resize(model.nv());
  for (auto* list : {&V, &A, &B, &D}) list->resize(tree_links(model).size());
  for (auto* list : {&W, &W_dot, &W_ddot}) list->resize(tree_links(model).size());
  return *scratch_;
}

void inverse_dynamics_rates(const Model& model, const VelocityKinematics& kin, ConstVectorRef a,
                            ConstVectorRef jerk, ConstVectorRef snap, Representation rep,
                            InverseDynamicsRates& out, AppliedWrenches applied,
                            std::span<const WrenchRates> rates) {
  RatesScratch& scratch = detail::Access::fit(out, model);
  require_model("the kinematics", kin.model(), model);
  lie::require_known(rep);
  require_size("a", a, model.nv());
  require_size("jerk", jerk, model.nv());
  require_size("snap", snap, model.nv());
  for (const auto* x : {&a, &jerk, &snap})  // results are written while these are still being read
    if (begins_in(*x, out.Q) || begins_in(*x, out.Q_dot) || begins_in(*x, out.Q_ddot)) [[unlikely]]
      return inverse_dynamics_rates(model, kin, Vector(a), Vector(jerk), Vector(snap), rep, out,
                                    applied, rates);
  if (!rates.empty() && rates.size() != applied.size())
    throw Error("there are " + std::to_string(rates.size()) + " rates of " +
                std::to_string(applied.size()) + " wrenches; give one for each, or none");
  for (const AppliedWrench& w : applied) require_frame(w.frame, model);
  const double* const v[4] = {kin.v().data(), a.data(), jerk.data(), snap.data()};
  const std::size_t nv = scratch.X.size();
  for (std::size_t k = 0; k < nv; ++k) {
    scratch.v[k] = v[0][k];
    scratch.v[nv + k] = v[1][k];
    scratch.v[2 * nv + k] = v[2][k] / 2;
    scratch.v[3 * nv + k] = v[3][k] / 6;
  }
  find_screws(model, kin, scratch);
  find_accelerations(model, v[0], v[1], scratch, out.V, out.A);
  find_wrenches(kin, applied, rates, out.A, scratch);
  switch (rep) {
    case Representation::body:
      return recursion<BodyRates>(model, kin, v, scratch, out);
    case Representation::spatial:
      return recursion<SpatialRates>(model, kin, v, scratch, out);
    case Representation::hybrid:
      return recursion<HybridRates>(model, kin, v, scratch, out);
    case Representation::mixed:
      throw Error(
          "derivatives of inverse dynamics have no mixed form; take body, spatial or hybrid");
  }
}

}  // namespace chasles::textbook
