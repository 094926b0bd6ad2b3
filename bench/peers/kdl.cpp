/// KDL, as its URDF reader builds it: a segment per link, moved about an axis in its parent. Inverse
/// dynamics of trees; everything else, and that faster, of chains. No free base.
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "chasles/screws/inertia.hpp"
#include "model/model_data.hpp"
#include "peer.hpp"

namespace {

using namespace chasles;

KDL::Vector vector(const Vec3& v) { return {v.x, v.y, v.z}; }

KDL::Segment segment(const Link& link, std::size_t i) {
  const Mat3& R = link.P.R.matrix();
  const KDL::Frame P(KDL::Rotation(vector(R.c0), vector(R.c1), vector(R.c2)), vector(link.P.r));
  const Sym3 I = central_inertia(link.inertia);
  const std::string name = "link" + std::to_string(i);
  const KDL::RigidBodyInertia inertia(link.inertia.m, vector(center_of_mass(link.inertia)),
                                      KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
  return KDL::Segment(name, KDL::Joint(name, P.p, vector(R.c2), KDL::Joint::RotAxis), P, inertia);
}

class Kdl : public Peer {
 public:
  explicit Kdl(const Model& model)
      : Peer(model),
        q_(static_cast<unsigned>(model.nv())),
        v_(q_),
        in_(q_),
        out_(q_),
        forces_(is_chain() ? tree_links(model).size() : 0, KDL::Wrench::Zero()),
        frames_(tree_links(model).size()),
        J_(static_cast<unsigned>(model.nv())),
        M_(static_cast<unsigned>(model.nv())) {
    for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
      const Link& link = tree_links(model)[i];
      if (is_chain())
        chain_.addSegment(segment(link, i));
      else
        tree_.addSegment(segment(link, i),
                         link.parent < 0 ? "root" : "link" + std::to_string(link.parent));
    }
    const KDL::Vector g = vector(model.gravity());
    fk_ = std::make_unique<KDL::ChainFkSolverPos_recursive>(chain_);
    jacobian_ = std::make_unique<KDL::ChainJntToJacSolver>(chain_);
    inverse_ = std::make_unique<KDL::ChainIdSolver_RNE>(chain_, g);
    forward_ = std::make_unique<KDL::ChainFdSolver_RNE>(chain_, g);
    parameters_ = std::make_unique<KDL::ChainDynParam>(chain_, g);
    tree_inverse_ = std::make_unique<KDL::TreeIdSolver_RNE>(tree_, g);
  }
  std::string name() const override { return "KDL"; }
  bool has(Work work) const override {
    return work == Work::inverse_dynamics || (is_chain() && work != Work::mass_matrix_inverse);
  }

  void run(Work work, std::size_t i) override {
    q_.data = state(i).q;
    switch (work) {
      case Work::poses:
        fk_->JntToCart(q_, frames_);
        break;
      case Work::jacobian:
        jacobian_->JntToJac(q_, J_);
        break;
      case Work::mass_matrix:
        parameters_->JntToMass(q_, M_);
        break;
      case Work::inverse_dynamics:
        v_.data = state(i).u;
        in_.data = state(i).ud;
        if (!forces_.empty())
          inverse_->CartToJnt(q_, v_, in_, forces_, out_);
        else
          tree_inverse_->CartToJnt(q_, v_, in_, {}, out_);
        break;
      case Work::forward_dynamics:
        v_.data = state(i).u;
        in_.data = state(i).f;
        forward_->CartToJnt(q_, v_, in_, forces_, out_);
        break;
      case Work::mass_matrix_inverse:
        break;
    }
  }
  SE3 tip() const override {
    const KDL::Frame& f = frames_.back();
    Mat3 R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R(i, j) = f.M(i, j);
    return {SO3::unchecked(R), {f.p.x(), f.p.y(), f.p.z()}};
  }

 private:
  Eigen::MatrixXd raw(Work work) const override {
    return work == Work::mass_matrix ? M_.data : Eigen::MatrixXd(out_.data);
  }

  KDL::Chain chain_;
  KDL::Tree tree_{"root"};
  KDL::JntArray q_, v_, in_, out_;
  KDL::Wrenches forces_;
  std::vector<KDL::Frame> frames_;
  KDL::Jacobian J_;
  KDL::JntSpaceInertiaMatrix M_;
  std::unique_ptr<KDL::ChainFkSolverPos_recursive> fk_;
  std::unique_ptr<KDL::ChainJntToJacSolver> jacobian_;
  std::unique_ptr<KDL::ChainIdSolver_RNE> inverse_;
  std::unique_ptr<KDL::ChainFdSolver_RNE> forward_;
  std::unique_ptr<KDL::ChainDynParam> parameters_;
  std::unique_ptr<KDL::TreeIdSolver_RNE> tree_inverse_;
};

}  // namespace

std::unique_ptr<Peer> make_kdl(const Model& model, std::string& why) {
  if (tree_links(model).front().motion == LinkMotion::revolute) return std::make_unique<Kdl>(model);
  why = "it has no floating joint";
  return nullptr;
}
