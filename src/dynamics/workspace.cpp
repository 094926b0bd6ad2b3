#include "dynamics/kernel_memory.hpp"

namespace chasles {

Workspace::Workspace(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

const double* Workspace::Memory::link_wrenches(const Model& model, ConstVectorRef at,
                                               AppliedWrenches applied) {
  if (!kin) {
    kin = std::make_unique<PositionKinematics>(model);
    W.resize(model.links().size());
  }
  positions(model, at, *kin);
  std::fill(W.begin(), W.end(), Wrench{});
  add_link_wrenches(model, *kin, applied, W);
  static_assert(sizeof(Wrench) == 6 * sizeof(double));
  return &W.data()->t.x;
}

void Workspace::Memory::throw_singular(const Model& model, int link, bool finite) {
  if (!finite) throw Error("q is not finite");
  const int v = model.links()[static_cast<std::size_t>(link)].v_index;
  for (const ModelJoint& joint : model.joints())
    if (joint.v_index <= v && v < joint.v_index + joint.nv)
      throw SingularError("joint '" + joint.name +
                          "' moves no inertia, so no acceleration follows from forces; give the "
                          "bodies that it moves mass, or inertia about its axis");
  throw SingularError("the mass matrix is singular");
}

}  // namespace chasles
