#include "peer.hpp"

#if __has_include(<kdl/chain.hpp>)
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

namespace {

using namespace chasles;

/// Joint axes in the world at q = 0, so that KDL's product of joint motions is exp(Y1 q1) exp(Y2 q2) ...
class Kdl : public Peer {
 public:
  Kdl(const Mechanism& mechanism, const Model& model)
      : chain_(make(mechanism)),
        fk_(chain_),
        jac_(chain_),
        q_(chain_.getNrOfJoints()),
        J_(chain_.getNrOfJoints()),
        frames_(chain_.getNrOfSegments()),
        A_(reference_geometry(mechanism).A.back()) {
    (void)model;
  }
  std::string name() const override { return "KDL"; }
  void positions(const Eigen::VectorXd& q) override {
    q_.data = q;
    fk_.JntToCart(q_, frames_);
  }
  SE3 tip() const override {
    const KDL::Frame& f = frames_.back();
    Mat3 R;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R(i, j) = f.M(i, j);
    return SE3{SO3::unchecked(R), {f.p.x(), f.p.y(), f.p.z()}} * A_;
  }
  bool jacobian(const Eigen::VectorXd& q) override {
    q_.data = q;
    jac_.JntToJac(q_, J_);
    return true;
  }

 private:
  static KDL::Chain make(const Mechanism& mechanism) {
    KDL::Chain chain;
    const ReferenceGeometry g = reference_geometry(mechanism);
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
      const Vec3 &p = g.J[i].r, &z = g.J[i].R.matrix().c2;
      chain.addSegment(KDL::Segment(KDL::Joint(mechanism.bodies[i].name, KDL::Vector(p.x, p.y, p.z),
                                               KDL::Vector(z.x, z.y, z.z), KDL::Joint::RotAxis)));
    }
    return chain;
  }
  KDL::Chain chain_;
  KDL::ChainFkSolverPos_recursive fk_;
  KDL::ChainJntToJacSolver jac_;
  KDL::JntArray q_;
  KDL::Jacobian J_;
  std::vector<KDL::Frame> frames_;
  SE3 A_;
};

}  // namespace

std::unique_ptr<Peer> make_kdl(const chasles::Mechanism& mechanism, const chasles::Model& model) {
  return std::make_unique<Kdl>(mechanism, model);
}
#else
std::unique_ptr<Peer> make_kdl(const chasles::Mechanism&, const chasles::Model&) { return nullptr; }
#endif
