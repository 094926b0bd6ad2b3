#include "chasles/dynamics/mass_matrix.hpp"
#include "io/mjcf/settings.hpp"
#include "math/decompositions.hpp"

namespace chasles::io::mjcf {

void apply_spring_dampers(Mechanism& mechanism, const std::vector<SpringDamper>& list,
                          const Flags& flags) {
  if (list.empty()) return;
  const Model model = compile(mechanism);
  if (model.nv() > most_coordinates)
    return list.front().element.warn("springdamper is not kept: the model has more than " +
                                     std::to_string(most_coordinates) + " coordinates");
  MassMatrix work(model);
  const Eigen::MatrixXd M = mass_matrix(model, model.neutral(), work);
  // The diagonal of M^-1 = L^-T L^-1: squared columns of L^-1.
  const Eigen::MatrixXd half =
      solve_cholesky_half(M, Eigen::MatrixXd::Identity(M.rows(), M.cols()));
  const Eigen::VectorXd inverse = half.colwise().squaredNorm();
  for (const SpringDamper& one : list) {
    const ModelJoint& joint = model.joint(one.joint);
    const double inertia = 1 / inverse.segment(joint.v_index, joint.nv).mean();
    if (!std::isfinite(inertia))
      one.element.refuse("springdamper needs the inertia that the joint moves, and there is none");
    const double reach = one.time_constant * one.ratio;
    for (Body& body : mechanism.bodies) {
      if (body.joint.name != one.joint) continue;
      JointDynamics& dynamics = body.joint.dynamics;
      if (flags.damper) dynamics.damping = 2 * inertia / one.time_constant;
      if (flags.spring) dynamics.stiffness = inertia / (reach * reach);
      if (flags.spring && one.rest != 0) dynamics.rest = {one.rest};
    }
  }
}

}  // namespace chasles::io::mjcf
