/// Simbody. The velocity of its floating joint is (angular, linear) in the axes of the parent. Debian
/// builds it with assertions.
#include "chasles/screws/eigen.hpp"
#include "peer.hpp"
#include "simbody_links.hpp"

namespace {

using namespace chasles;

class Simbody : public Peer {
 public:
  explicit Simbody(const Model& model)
      : Peer(model),
        tree_(simbody_links(model), {model.gravity().x, model.gravity().y, model.gravity().z}) {}
  std::string name() const override { return "Simbody"; }
  bool has(Work work) const override { return work != Work::poses && work != Work::jacobian; }

  void run(Work work, std::size_t i) override {
    const Converted& s = state(i);
    const Quaternion& p = s.orientation;
    const double base[7] = {p.w, p.x, p.y, p.z, s.C.r.x, s.C.r.y, s.C.r.z};
    tree_.set_positions(free_base() ? base : nullptr, s.q.data());
    switch (work) {
      case Work::inverse_dynamics:
        tree_.inverse_dynamics(s.u.data(), s.ud.data());
        break;
      case Work::forward_dynamics:
        tree_.forward_dynamics(s.u.data(), s.f.data());
        break;
      case Work::mass_matrix:
        tree_.mass_matrix();
        break;
      case Work::mass_matrix_inverse:
        tree_.mass_matrix_inverse();
        break;
      case Work::poses:
      case Work::jacobian:
        break;
    }
  }

 private:
  void base(const SE3& C, const Vector6& v, Matrix6& T, Vector6& gamma) const override {
    const Eigen::Matrix3d R = to_eigen(C.R.matrix());
    T << R, Eigen::Matrix3d::Zero(), Eigen::Matrix3d::Zero(), R;
    const Vec3 w{v[0], v[1], v[2]}, linear{v[3], v[4], v[5]};
    gamma << Eigen::Vector3d::Zero(), R * to_eigen(cross(w, linear));
  }
  Eigen::MatrixXd raw(Work work) const override {
    const int n = model().nv();
    if (work == Work::inverse_dynamics || work == Work::forward_dynamics)
      return Eigen::VectorXd::NullaryExpr(
          n, [&](Eigen::Index i) { return tree_.entry(static_cast<int>(i)); });
    return Eigen::MatrixXd::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
      return tree_.entry(static_cast<int>(i), static_cast<int>(j));
    });
  }
  SimbodyTree tree_;
};

}  // namespace

std::unique_ptr<Peer> make_simbody(const Model& model, std::string&) {
  return std::make_unique<Simbody>(model);
}
