#include "simbody_tree.hpp"

#include <Simbody.h>

namespace {

SimTK::Vec3 vector(const double* v) { return {v[0], v[1], v[2]}; }

}  // namespace

struct SimbodyTree::Implementation {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::State state;
  std::vector<int> q_index, u_index;  // Simbody's indices for each of ours: it numbers by depth
  int base_index = 0;
  SimTK::Vector in, out;
  SimTK::Matrix M;
  SimTK::Vector_<SimTK::SpatialVec> accelerations;

  void permute(const double* from, SimTK::Vector& to) const {
    for (std::size_t k = 0; k < u_index.size(); ++k) to[u_index[k]] = from[k];
  }
  /// The dynamics stage collects the weights of the bodies.
  const SimTK::Vector_<SimTK::SpatialVec>& realize(const double* u) {
    permute(u, state.updU());
    system.realize(state, SimTK::Stage::Dynamics);
    return system.getRigidBodyForces(state, SimTK::Stage::Dynamics);
  }
};

SimbodyTree::SimbodyTree(const std::vector<SimbodyLink>& links, const double (&gravity)[3])
    : impl_(new Implementation) {
  Implementation& s = *impl_;
  SimTK::Force::UniformGravity(s.forces, s.matter, vector(gravity));
  std::vector<SimTK::MobilizedBody> bodies;
  for (const SimbodyLink& link : links) {
    const SimTK::Body::Rigid body(SimTK::MassProperties(
        link.mass, vector(link.com), SimTK::Inertia(vector(link.I), vector(link.I + 3))));
    SimTK::Mat33 R;
    for (int k = 0; k < 3; ++k) R(k) = vector(link.R + 3 * k);
    const SimTK::Transform in_parent(SimTK::Rotation(R, true), vector(link.r)), none;
    SimTK::MobilizedBody parent = s.matter.Ground();
    if (link.parent >= 0) parent = bodies[static_cast<std::size_t>(link.parent)];
    if (link.free)
      bodies.push_back(SimTK::MobilizedBody::Free(parent, none, body, none));
    else
      bodies.push_back(SimTK::MobilizedBody::Pin(parent, in_parent, body, none));
  }
  s.state = s.system.realizeTopology();
  s.system.realizeModel(s.state);
  for (const SimTK::MobilizedBody& body : bodies) {
    const int n = body.getNumU(s.state);
    for (int k = 0; k < n; ++k) s.u_index.push_back(body.getFirstUIndex(s.state) + k);
    if (n == 1)
      s.q_index.push_back(body.getFirstQIndex(s.state));
    else
      s.base_index = body.getFirstQIndex(s.state);
  }
  const int nv = static_cast<int>(s.u_index.size());
  s.in.resize(nv);
  s.out.resize(nv);
  s.M.resize(nv, nv);
}
SimbodyTree::~SimbodyTree() = default;

void SimbodyTree::set_positions(const double* base, const double* q) {
  SimTK::Vector& theirs = impl_->state.updQ();
  if (base)
    for (int k = 0; k < 7; ++k) theirs[impl_->base_index + k] = base[k];
  for (std::size_t k = 0; k < impl_->q_index.size(); ++k) theirs[impl_->q_index[k]] = q[k];
}
void SimbodyTree::mass_matrix() {
  impl_->system.realize(impl_->state, SimTK::Stage::Position);
  impl_->matter.calcM(impl_->state, impl_->M);
}
void SimbodyTree::mass_matrix_inverse() {
  impl_->system.realize(impl_->state, SimTK::Stage::Position);
  impl_->matter.calcMInv(impl_->state, impl_->M);
}
void SimbodyTree::inverse_dynamics(const double* u, const double* ud) {
  const auto& weights = impl_->realize(u);
  impl_->permute(ud, impl_->in);
  impl_->matter.calcResidualForceIgnoringConstraints(impl_->state, SimTK::Vector(), weights,
                                                     impl_->in, impl_->out);
}
void SimbodyTree::forward_dynamics(const double* u, const double* f) {
  const auto& weights = impl_->realize(u);
  impl_->permute(f, impl_->in);
  impl_->matter.calcAccelerationIgnoringConstraints(impl_->state, impl_->in, weights, impl_->out,
                                                    impl_->accelerations);
}

double SimbodyTree::entry(int i) const {
  return impl_->out[impl_->u_index[static_cast<std::size_t>(i)]];
}
double SimbodyTree::entry(int i, int j) const {
  return impl_->M(impl_->u_index[static_cast<std::size_t>(i)],
                  impl_->u_index[static_cast<std::size_t>(j)]);
}
