#include "simulation/link_sums.hpp"

#include "chasles/screws/eigen.hpp"
#include "chasles/screws/representation.hpp"
#include "model/model_data.hpp"

namespace chasles {

void SkewCoriolis::compute(const Model& model, const VelocityKinematics& kin,
                           Eigen::Ref<Eigen::MatrixXd> out) {
  const auto column = [](const Matrix6X& J, int k) {
    return Twist{{J(0, k), J(1, k), J(2, k)}, {J(3, k), J(4, k), J(5, k)}};
  };
  const auto& links = tree_links(model);
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
    const Frame frame{i, {}, model.id()};
    jacobian(model, kin, frame, Representation::body, J_);
    jacobian_rate(model, kin, frame, Representation::body, J_rate_);
    const Wrench Pi = M * twist(kin, frame, Representation::body);
    path(i, [&](int k) {
      const Wrench F = M * column(J_rate_, k) - ad_dual(column(J_, k), Pi);  // (1)
      path(i, [&](int j) { out(j, k) += dot(F, column(J_, j)); });
    });
  }
}

}  // namespace chasles
