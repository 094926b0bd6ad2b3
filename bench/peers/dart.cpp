/// DART. Its floating joint has our velocity: the body-fixed twist (angular; linear). Debian builds it
/// with assertions.
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "chasles/screws/eigen.hpp"
#include "chasles/screws/inertia.hpp"
#include "model/model_data.hpp"
#include "peer.hpp"

namespace {

using namespace chasles;
namespace dd = dart::dynamics;

Eigen::Isometry3d isometry(const SE3& C) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = to_eigen(C.R.matrix());
  T.translation() = to_eigen(C.r);
  return T;
}

class Dart : public Peer {
 public:
  explicit Dart(const Model& model) : Peer(model), skeleton_(dd::Skeleton::create("model")) {
    std::vector<dd::BodyNode*> nodes;
    for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
      const Link& link = tree_links(model)[i];
      dd::BodyNode* parent =
          link.parent < 0 ? nullptr : nodes[static_cast<std::size_t>(link.parent)];
      dd::BodyNode::Properties body;
      body.mName = "link" + std::to_string(i);
      const Eigen::Matrix3d I = to_eigen(central_inertia(link.inertia));
      body.mInertia = dd::Inertia(link.inertia.m, to_eigen(center_of_mass(link.inertia)), I);
      if (link.motion == LinkMotion::floating_se3) {
        dd::FreeJoint::Properties joint;
        joint.mName = body.mName;
        nodes.push_back(
            skeleton_->createJointAndBodyNodePair<dd::FreeJoint>(parent, joint, body).second);
      } else {
        dd::RevoluteJoint::Properties joint;
        joint.mName = body.mName;
        joint.mAxis = Eigen::Vector3d::UnitZ();
        joint.mT_ParentBodyToJoint = isometry(link.P);
        nodes.push_back(
            skeleton_->createJointAndBodyNodePair<dd::RevoluteJoint>(parent, joint, body).second);
      }
    }
    skeleton_->setGravity(to_eigen(model.gravity()));
    q_ = Eigen::VectorXd::Zero(model.nv());
  }
  std::string name() const override { return "DART"; }
  bool has(Work work) const override { return work != Work::poses && work != Work::jacobian; }

  void run(Work work, std::size_t i) override {
    const Converted& s = state(i);
    const Eigen::Index joints = s.q.size();
    if (free_base()) q_.head<6>() = dd::FreeJoint::convertToPositions(isometry(s.C));
    q_.tail(joints) = s.q;
    skeleton_->setPositions(q_);
    if (work == Work::mass_matrix || work == Work::mass_matrix_inverse) {
      M_ = work == Work::mass_matrix ? &skeleton_->getMassMatrix() : &skeleton_->getInvMassMatrix();
      return;
    }
    skeleton_->setVelocities(s.u);
    if (work == Work::inverse_dynamics) {
      skeleton_->setAccelerations(s.ud);
      skeleton_->computeInverseDynamics();
    } else {
      skeleton_->setForces(s.f);
      skeleton_->computeForwardDynamics();
    }
  }

 private:
  Eigen::MatrixXd raw(Work work) const override {
    if (work == Work::inverse_dynamics) return skeleton_->getForces();
    if (work == Work::forward_dynamics) return skeleton_->getAccelerations();
    return *M_;
  }

  dd::SkeletonPtr skeleton_;
  Eigen::VectorXd q_;
  const Eigen::MatrixXd* M_ = nullptr;
};

}  // namespace

std::unique_ptr<Peer> make_dart(const Model& model, std::string&) {
  return std::make_unique<Dart>(model);
}
