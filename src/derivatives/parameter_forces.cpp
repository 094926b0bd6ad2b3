/// (10) to (14) of parameters.hpp.
#include "derivatives/parameter_change.hpp"
#include "dynamics/links.hpp"
#include "math/not_computed.hpp"
#include "math/overlap.hpp"
#include "model/model_data.hpp"

namespace chasles {

/// Motion and forces, body-fixed in link frames, and their derivatives with respect to a parameter:
/// V, A, u   twist, acceleration, joint twist      W   transmitted wrench      X   joint screws
/// eta       displacement of a link                dV, dA   derivatives of V and A
struct ForceSensitivity::Scratch {
  AccelerationKinematics kin;
  std::vector<SE3> C_rel;          // links, in the parent
  std::vector<Twist> X;            // nv
  std::vector<Twist> u, V, A;      // links; A includes the acceleration -g of the ground
  std::vector<Wrench> W;           // links: wrench transmitted by the joint
  std::vector<Twist> eta, dV, dA;  // links
  std::vector<Wrench> dW;
  explicit Scratch(const Model& model)
      : kin(model),
        C_rel(tree_links(model).size()),
        X(static_cast<std::size_t>(model.nv())),
        u(C_rel.size()),
        V(C_rel.size()),
        A(C_rel.size()),
        W(C_rel.size()),
        eta(C_rel.size()),
        dV(C_rel.size()),
        dA(C_rel.size()),
        dW(C_rel.size()) {}
};

namespace {

using namespace dynamics;

/// Inverse dynamics, body-fixed.
template <class Scratch>
void prepare(const Model& model, AppliedWrenches applied, Scratch& s) {
  const double *q = s.kin.q().data(), *v = s.kin.v().data();
  std::fill(s.W.begin(), s.W.end(), Wrench{});
  add_link_wrenches(model, s.kin, applied, s.W);
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const SE3& C = s.kin.C()[i];
    s.C_rel[i] = links::pose_in_parent(model, link, q + link.q_index);
    s.u[i] = {};
    for (std::size_t k = first; k < last; ++k) {
      s.X[k] = screw_of_v(model, link, s.kin.q(), k);
      s.u[i] += v[k] * s.X[k];
    }
    s.V[i] = lie::to_body(s.kin.V_h()[i], C, Representation::hybrid);
    s.A[i] = lie::convert_acceleration(s.kin.A_h()[i], s.kin.V_h()[i], C, Representation::hybrid,
                                       Representation::body);
    s.A[i].v -= inverse_times(C.R, model.gravity());
    s.W[i] = newton_euler(link.inertia, s.V[i], s.A[i]) - s.W[i];
  });
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    if (link.parent >= 0) s.W[parent_of(link)] += Ad_inv_dual(s.C_rel[i], s.W[i]);
  });
}

/// Change of an applied wrench, body-fixed at its frame, when the frame is displaced by eta.
Wrench applied_change(const AppliedWrench& a, const SE3& C, const Twist& eta) {
  const Wrench W = lie::to_body(a.W, C, a.representation);
  switch (a.representation) {
    case Representation::body:
      return {};
    case Representation::spatial:
      return ad_dual(eta, W);
    case Representation::hybrid:
      return {cross(W.t, eta.w), cross(W.f, eta.w)};
    case Representation::mixed:
      break;
  }
  return {{}, cross(W.f, eta.w)};
}

/// (13) from a link to ground: dW is the change of the wrench transmitted by its joint.
template <class Scratch>
void hand_inward(const Model& model, int link, Wrench dW, const Scratch& s, double* dtau) {
  for_links_inward_from(model, static_cast<std::size_t>(link), [&](const Link& l, std::size_t i) {
    for (int k = l.v_index; k < l.v_index + l.nv; ++k)
      dtau[k] = dot(dW, s.X[static_cast<std::size_t>(k)]);
    dW = Ad_inv_dual(s.C_rel[i], dW);
  });
}

/// (4): the wrench of a body with the parameters e_j.
template <class Scratch>
void inertia_column(const Model& model, const Parameter& parameter, const Scratch& s,
                    double* dtau) {
  const Frame& frame = model.bodies()[static_cast<std::size_t>(parameter.owner)].frame;
  if (frame.link < 0) return;
  const auto i = static_cast<std::size_t>(frame.link);
  std::array<double, 10> unit{};
  unit[static_cast<std::size_t>(parameter.entry)] = 1;
  const Wrench W = newton_euler(inertia_from_parameters(unit), Ad_inv(frame.offset, s.V[i]),
                                Ad_inv(frame.offset, s.A[i]));
  hand_inward(model, frame.link, Ad_inv_dual(frame.offset, W), s, dtau);
}

/// (8), (10) to (12) for link i.
/// @param change  of this link; null: none
/// @param first   the first link that changes
template <class Scratch>
void outward(const Model& model, int i, int first, const LinkChange* change, Scratch& s) {
  const auto n = static_cast<std::size_t>(i);
  const Link& link = tree_links(model)[n];
  const bool follows = link.parent >= first;
  const auto from_parent = [&](const std::vector<Twist>& x) {
    return follows ? Ad_inv(s.C_rel[n], x[parent_of(link)]) : Twist{};
  };
  Twist eta = from_parent(s.eta), dV = from_parent(s.dV), dA = from_parent(s.dA);
  if (change) {
    const Twist A_p = link.parent < 0 ? Twist{{}, -model.gravity()} : s.A[parent_of(link)];
    eta += change->delta;
    dV += change->du - ad(change->delta, s.V[n] - s.u[n]);
    dA += change->dud + ad(s.V[n], change->du) - ad(change->delta, Ad_inv(s.C_rel[n], A_p));
  }
  dA += ad(dV, s.u[n]);
  s.eta[n] = eta, s.dV[n] = dV, s.dA[n] = dA;
  const Inertia& M = link.inertia;
  s.dW[n] = M * dA - ad_dual(dV, M * s.V[n]) - ad_dual(s.V[n], M * dV);
}

/// One column of dtau for a parameter of a joint.
template <class Scratch>
void joint_column(const Model& model, const Parameter& parameter, ConstVectorRef a,
                  AppliedWrenches applied, Scratch& s, double* dtau) {
  const ParameterChange changes =
      change_of(model, parameter, s.kin.q().data(), s.kin.v().data(), a.data());
  const int first = changes.begin()->link,
            end = tree_links(model)[static_cast<std::size_t>(first)].end;
  const auto change_at = [&](int i) -> const LinkChange* {
    for (const LinkChange& change : changes)
      if (change.link == i) return &change;
    return nullptr;
  };
  for (int i = first; i < end; ++i) outward(model, i, first, change_at(i), s);
  for (const AppliedWrench& w : applied) {
    if (w.frame.link < first || w.frame.link >= end) continue;
    const auto i = static_cast<std::size_t>(w.frame.link);
    const Twist eta = Ad_inv(w.frame.offset, s.eta[i]);
    s.dW[i] -= Ad_inv_dual(w.frame.offset, applied_change(w, pose(s.kin, w.frame), eta));
  }
  for (int i = end - 1; i >= first; --i) {
    const auto n = static_cast<std::size_t>(i);
    const Link& link = tree_links(model)[n];
    const LinkChange* change = change_at(i);
    Wrench dW = s.dW[n];
    for (int k = 0; k < link.nv; ++k) {
      double& out = dtau[link.v_index + k];
      out = dot(dW, s.X[static_cast<std::size_t>(link.v_index + k)]);
      if (change) out += dot(s.W[n], change->dX[static_cast<std::size_t>(k)]);
    }
    if (change) dW -= ad_dual(change->delta, s.W[n]);
    dW = Ad_inv_dual(s.C_rel[n], dW);
    if (i > first)
      s.dW[parent_of(link)] += dW;
    else if (link.parent >= 0)
      hand_inward(model, link.parent, dW, s, dtau);
  }
}

}  // namespace

ForceSensitivity::ForceSensitivity(const Model& model, std::span<const Parameter> parameters)
    : model_(model),
      parameters_(parameters.begin(), parameters.end()),
      dtau_(not_computed<Matrix>(model.nv(), static_cast<Eigen::Index>(parameters.size()))),
      scratch_(ValuePtr<Scratch>::make(model)) {
  for (const Parameter& parameter : parameters) require_parameter(model, parameter);
}

const Matrix& force_sensitivity(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                ConstVectorRef a, ForceSensitivity& out, AppliedWrenches applied) {
  require_model("the workspace", out.model_, model);
  require_size("a", a, model.nv());
  if (begins_in(a, out.dtau_)) [[unlikely]]  // out is written while a is still being read
    return force_sensitivity(model, q, v, Vector(a), out, applied);
  ForceSensitivity::Scratch& s = *out.scratch_;
  forward_kinematics(model, q, v, a, s.kin);
  prepare(model, applied, s);
  out.dtau_.setZero();
  for (std::size_t l = 0; l < out.parameters_.size(); ++l) {
    const Parameter& parameter = out.parameters_[l];
    double* dtau = out.dtau_.data() + l * static_cast<std::size_t>(model.nv());
    if (parameter.kind == Parameter::Kind::inertia)
      inertia_column(model, parameter, s, dtau);
    else
      joint_column(model, parameter, a, applied, s, dtau);
  }
  return out.dtau_;
}

AccelerationSensitivity::AccelerationSensitivity(const Model& model,
                                                 std::span<const Parameter> parameters)
    : forces_(model, parameters),
      forward_(model),
      inverse_(model),
      da_(not_computed<Matrix>(model.nv(), static_cast<Eigen::Index>(parameters.size()))) {}

const Matrix& acceleration_sensitivity(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                       ConstVectorRef tau, AccelerationSensitivity& out,
                                       AppliedWrenches applied) {
  for (const auto* x : {&q, &v})  // results are written while these are still being read
    if (begins_in(*x, out.a()) || begins_in(*x, out.forces_.dtau())) [[unlikely]]
      return acceleration_sensitivity(model, Vector(q), Vector(v), Vector(tau), out, applied);
  const Vector& a = forward_dynamics(model, q, v, tau, out.forward_, applied);
  const Matrix& dtau = force_sensitivity(model, q, v, a, out.forces_, applied);
  const Matrix& M_inv = mass_matrix_inverse(model, q, out.inverse_);
  // Column by column: matrix products would allocate.
  for (Eigen::Index l = 0; l < dtau.cols(); ++l) out.da_.col(l).noalias() = M_inv * dtau.col(l);
  out.da_ = -out.da_;
  return out.da_;
}

}  // namespace chasles
