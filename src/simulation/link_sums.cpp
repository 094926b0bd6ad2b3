#include "simulation/link_sums.hpp"

#include <algorithm>

#include "chasles/screws/eigen.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles {

Wrench JointReaction::compute(const Model& model, const AccelerationKinematics& kin,
                              AppliedWrenches applied, AppliedWrenches binding, std::size_t joint,
                              Representation representation) {
  const Place& place = model.bodies()[static_cast<std::size_t>(model.joints()[joint].child)].place;
  const auto first = static_cast<std::size_t>(place.link),
             end = static_cast<std::size_t>(model.links()[first].end);
  std::ranges::fill(applied_, Wrench{});
  add_link_wrenches(model, kin, applied, applied_);
  add_link_wrenches(model, kin, binding, applied_);
  const SE3 C = pose(kin, place);
  Wrench sum{};  // at the place, body-fixed there
  for (std::size_t i = first; i < end; ++i) {
    const SE3& C_i = kin.C()[i];
    const Place link{static_cast<int>(i), {}, model.id()};
    const Twist V = twist(kin, link, Representation::body);
    Twist A = acceleration(kin, link, Representation::body);
    A.v -= inverse(C_i.R) * model.gravity();
    const Inertia& M = model.links()[i].inertia;
    const Wrench W = M * A - ad_dual(V, M * V) - applied_[i];  // (1)
    sum += Ad_dual(inverse(C_i) * C, W);
  }
  return lie::from_body(sum, C, representation);
}

void SkewCoriolis::compute(const Model& model, const VelocityKinematics& kin,
                           Eigen::Ref<Eigen::MatrixXd> out) {
  const auto column = [](const Matrix6X& J, int k) {
    return Twist{{J(0, k), J(1, k), J(2, k)}, {J(3, k), J(4, k), J(5, k)}};
  };
  const auto& links = model.links();
  // Calls each(k) for the columns of the links between link i and ground.
  const auto path = [&](int i, const auto& each) {
    for (; i >= 0; i = links[static_cast<std::size_t>(i)].parent) {
      const Link& link = links[static_cast<std::size_t>(i)];
      for (int k = link.v_index; k < link.v_index + link.nv; ++k) each(k);
    }
  };
  out.setZero();
  for (int i = 0; i < static_cast<int>(links.size()); ++i) {
    const Inertia& M = links[static_cast<std::size_t>(i)].inertia;
    const Place place{i, {}, model.id()};
    jacobian(model, kin, place, Representation::body, J_);
    jacobian_rate(model, kin, place, Representation::body, J_rate_);
    const Wrench Pi = M * twist(kin, place, Representation::body);
    path(i, [&](int k) {
      const Wrench F = M * column(J_rate_, k) - ad_dual(column(J_, k), Pi);  // (3)
      path(i, [&](int j) { out(j, k) += dot(F, column(J_, j)); });
    });
  }
}

}  // namespace chasles
