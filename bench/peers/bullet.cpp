/// Bullet's btMultiBody: forward dynamics only, as its packages have no inverse dynamics. Its links
/// have frames at the center of mass along the principal axes. The velocity of a free base is
/// (angular, linear) of the center of mass, in the world; its dynamics world adds the weight of each
/// link as a force, which here is done once, before timing.
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include "chasles/lie/quaternion.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/inertia.hpp"
#include "model/model_data.hpp"
#include "peer.hpp"

namespace {

using namespace chasles;

btVector3 vector(const Vec3& v) { return {v.x, v.y, v.z}; }
btQuaternion orientation(const SO3& R) {
  const Quaternion q = quaternion(R);
  return {q.x, q.y, q.z, q.w};
}
SO3 inverted(const SO3& R) { return inverse(R); }

class Bullet : public Peer {
 public:
  explicit Bullet(const Model& model) : Peer(model) {
    const std::vector<Link>& links = tree_links(model);
    const int bases = free_base() ? 1 : 0;
    std::vector<Principal> p;
    for (const Link& link : links) p.push_back(principal(link.inertia));
    const Principal fixed{0, {}, {}};
    const Principal& base = free_base() ? p.front() : fixed;
    base_frame_ = base.frame;
    body_ = std::make_unique<btMultiBody>(static_cast<int>(links.size()) - bases, base.mass,
                                          vector(base.moments), !free_base(), false);
    for (std::size_t i = static_cast<std::size_t>(bases); i < links.size(); ++i) {
      const Link& link = links[i];
      const SE3 parent = link.parent < 0 ? SE3{} : p[static_cast<std::size_t>(link.parent)].frame;
      const SE3 &frame = p[i].frame, to_joint = inverse(parent) * link.P;
      const SO3 to_this = inverted(to_joint.R * frame.R);
      body_->setupRevolute(static_cast<int>(i) - bases, p[i].mass, vector(p[i].moments),
                           link.parent - bases, orientation(to_this),
                           vector(inverted(frame.R) * Vec3{0, 0, 1}), vector(to_joint.r),
                           vector(inverted(frame.R) * frame.r), true);
    }
    body_->finalizeMultiDof();
    body_->setLinearDamping(0);
    body_->setAngularDamping(0);
    const btVector3 g = vector(model.gravity());
    for (int i = 0; i < body_->getNumLinks(); ++i)
      body_->addLinkForce(i, body_->getLinkMass(i) * g);
    base_weight_ = base.mass * g;
  }
  std::string name() const override { return "Bullet"; }
  bool has(Work work) const override { return work == Work::forward_dynamics; }

  void run(Work, std::size_t i) override {
    const Converted& s = state(i);
    const int offset = free_base() ? 6 : 0;
    if (free_base()) {
      const SE3 C = s.C * base_frame_;
      const auto at = [](const Eigen::VectorXd& x, int k) {
        return btVector3(x[k], x[k + 1], x[k + 2]);
      };
      body_->setBasePos(vector(C.r));
      body_->setWorldToBaseRot(orientation(inverted(C.R)));
      body_->setBaseOmega(at(s.u, 0));
      body_->setBaseVel(at(s.u, 3));
      body_->addBaseTorque(at(s.f, 0) - body_->getBaseTorque());
      body_->addBaseForce(at(s.f, 3) + base_weight_ - body_->getBaseForce());
    }
    for (int k = 0; k < body_->getNumLinks(); ++k) {
      body_->setJointPos(k, s.q[k]);
      body_->setJointVel(k, s.u[offset + k]);
      body_->getLink(k).m_jointTorque[0] = s.f[offset + k];
    }
    body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, numbers_, vectors_, matrices_,
                                                                false, false, false);
  }

 private:
  void base(const SE3& C, const Vector6& v, Matrix6& T, Vector6& gamma) const override {
    const Eigen::Matrix3d R = to_eigen(C.R.matrix()), c = to_eigen(hat(base_frame_.r));
    T << R, Eigen::Matrix3d::Zero(), -R * c, R;
    const Vec3 w{v[0], v[1], v[2]}, at_com = Vec3{v[3], v[4], v[5]} + cross(w, base_frame_.r);
    gamma << Eigen::Vector3d::Zero(), R * to_eigen(cross(w, at_com));
  }
  /// The accelerations stay in the scratch space, after as many other numbers as there are joints:
  /// six of the base, which are skipped if it is fixed, then those of the joints.
  Eigen::MatrixXd raw(Work) const override {
    const int skip = body_->getNumDofs() + (free_base() ? 0 : 6);
    return Eigen::Map<const Eigen::VectorXd>(&numbers_[skip], model().nv());
  }

  std::unique_ptr<btMultiBody> body_;
  SE3 base_frame_;
  btVector3 base_weight_{0, 0, 0};
  btAlignedObjectArray<btScalar> numbers_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
};

}  // namespace

std::unique_ptr<Peer> make_bullet(const Model& model, std::string&) {
  return std::make_unique<Bullet>(model);
}
