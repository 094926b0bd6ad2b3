#include "chasles/dynamics/joint_reactions.hpp"

#include "dynamics/link_wrenches.hpp"
#include "model/assembly.hpp"

namespace chasles {

using namespace dynamics;

JointReactions::JointReactions(const Model& model)
    : W(model.joints().size()), model_(model), F_(tree_links(model).size()) {}

const std::vector<Wrench>& joint_reactions(const Model& model, const AccelerationKinematics& kin,
                                           Representation rep, JointReactions& out,
                                           AppliedWrenches applied, AppliedWrenches more_applied) {
  require_model("the workspace", out.model_, model);
  require_model("the kinematics", kin.model(), model);
  lie::require_known(rep);
  std::vector<Wrench>& F = out.F_;
  for (std::size_t i = 0; i < F.size(); ++i)
    F[i] = link_wrench(tree_links(model)[i].inertia, kin.C()[i], kin.V_h()[i], kin.A_h()[i],
                       model.gravity());
  subtract_applied(model, kin, applied, F.data());
  subtract_applied(model, kin, more_applied, F.data());
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    add_to_parent(link, i, kin, F.data());
  });
  out.W.resize(model.joints().size());  // a caller may have moved it out
  for (std::size_t k = 0; k < out.W.size(); ++k) {
    const auto child = static_cast<std::size_t>(model.joints()[k].child);
    const Frame& frame = model.bodies()[child].frame;
    const auto i = static_cast<std::size_t>(frame.link);
    const SE3 C = pose(kin, frame);
    const Inertia rotor{0, {}, detail::data_of(model).assembly->geometry->own_rotors[child]};
    const Twist V = twist(kin, frame, Representation::hybrid),
                A = acceleration(kin, frame, Representation::hybrid);
    // The rotor is on the parent, although its inertia is on the body.
    const Wrench of_rotor = link_wrench(rotor, C, V, A, {}),
                 at_frame{F[i].t - cross(C.r - kin.C()[i].r, F[i].f) - of_rotor.t, F[i].f};
    out.W[k] = lie::convert(at_frame, C, Representation::hybrid, rep);
  }
  return out.W;
}

}  // namespace chasles
