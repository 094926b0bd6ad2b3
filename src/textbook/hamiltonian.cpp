#include "chasles/textbook/hamiltonian.hpp"

#include "access.hpp"
#include "chasles/dynamics/energy.hpp"
#include "dynamics/links.hpp"
#include "math/not_computed.hpp"
#include "model/model_data.hpp"

namespace chasles::textbook {
namespace {

using namespace dynamics;

/// Sums over subtrees.
void accumulate(const Model& model, std::vector<Wrench>& x) {
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    if (link.parent >= 0) x[parent_of(link)] += x[i];
  });
}

/// V and Pi of (2), h of (1).
void momenta(const Model& model, const std::vector<Twist>& H, const std::vector<Inertia>& M,
             HamiltonianDynamics& out) {
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    out.V[i] = link.parent < 0 ? Twist{} : out.V[parent_of(link)];
    for (std::size_t k = first; k < last; ++k)
      out.V[i] += out.v[static_cast<Eigen::Index>(k)] * H[k];
    out.Pi[i] = M[i] * out.V[i];
  });
  out.h = out.Pi;
  accumulate(model, out.h);
}

}  // namespace

HamiltonianDynamics::HamiltonianDynamics(const Model& model)
    : v(not_computed<Vector>(model.nv())), p_dot(v), factorization(model) {
  fit(model);
}
void HamiltonianDynamics::fit(const Model& model) {
  require_model("the workspace", factorization.model(), model);
  const std::size_t n = tree_links(model).size();
  v.resize(model.nv()), p_dot.resize(model.nv());
  V.resize(n), Pi.resize(n), h.resize(n), f.resize(n);
}

void hamiltonian_dynamics(const Model& model, const PositionKinematics& kin, ConstVectorRef p,
                          ConstVectorRef Q, HamiltonianDynamics& out, AppliedWrenches applied) {
  require_size("p", p, model.nv());
  require_size("Q", Q, model.nv());
  detail::Access::fit(out, model);
  factorize(model, kin, out.factorization);
  out.factorization.solve(p, out.v);
  const std::vector<Twist>& H = out.factorization.H();
  const std::vector<Inertia>& M = out.factorization.M();
  const Vec3& reference_point = out.factorization.reference_point();
  momenta(model, H, M, out);

  std::fill(out.f.begin(), out.f.end(), Wrench{});
  add_link_wrenches(model, kin, applied, out.f);
  for (std::size_t i = 0; i < out.f.size(); ++i)
    out.f[i] = Ad_inv_dual(about(reference_point, kin.C()[i]), out.f[i]) +
               Wrench{cross(M[i].mc, model.gravity()), M[i].m * model.gravity()};
  accumulate(model, out.f);

  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      Twist H_rate = ad(out.V[i], H[k]);
      if (links::screws_turn(link))
        H_rate += Ad(about(reference_point, kin.C()[i]),
                     links::screw_rate(model, link, kin.q().data() + link.q_index,
                                       out.v.data() + link.v_index, static_cast<int>(k - first)));
      const auto r = static_cast<Eigen::Index>(k);
      out.p_dot[r] = Q[r] + dot(out.f[i], H[k]) + dot(out.h[i], H_rate);
    }
  });
}

void generalized_momenta(const Model& model, const VelocityKinematics& kin, VectorRef p,
                         HamiltonianDynamics& work) {
  require_size("p", p, model.nv());
  detail::Access::fit(work, model);
  require_model("the kinematics", kin.model(), model);
  const Vec3 origin = reference_point(kin);
  for_links(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    const Twist V_b = lie::to_body(kin.V_h()[i], kin.C()[i], Representation::hybrid);
    work.h[i] = Ad_inv_dual(about(origin, kin.C()[i]), link.inertia * V_b);
  });
  accumulate(model, work.h);
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const Wrench h_b = Ad_dual(about(origin, kin.C()[i]), work.h[i]);
    for (std::size_t k = first; k < last; ++k)
      p[static_cast<Eigen::Index>(k)] = dot(h_b, screw_of_v(model, link, kin.q(), k)) +
                                        link.armature * kin.v()[static_cast<Eigen::Index>(k)];
  });
}

double hamiltonian(const Model& model, const PositionKinematics& kin, ConstVectorRef p,
                   const HamiltonianDynamics& dynamics) {
  require_size("p", p, model.nv());
  return 0.5 * p.dot(dynamics.v) + potential_energy(model, kin);
}

}  // namespace chasles::textbook
