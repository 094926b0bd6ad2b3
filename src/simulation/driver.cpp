#include "chasles/simulation/driver.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"

namespace chasles {

Driver::Driver(std::string name, std::string joint, Reference motion)
    : name_(std::move(name)), joint_(std::move(joint)), motion_(std::move(motion)) {}

void Driver::error_at(double t, const PositionKinematics& kin, VectorRef Phi) const {
  const double wanted = motion_(t).q;
  Phi[0] = coordinate(kin, wanted) - wanted;
}
void Driver::time_rate_at(double t, const PositionKinematics&, VectorRef out) const {
  out[0] = -motion_(t).v;
}
void Driver::bias_at(double t, const VelocityKinematics& kin, VectorRef out) const {
  out[0] = coordinate_bias(kin) - motion_(t).a;
}

namespace {

/// An entry of q whose rate is an entry of v.
class CoordinateDriver : public Driver {
 public:
  CoordinateDriver(std::string name, const ModelJoint& joint, int coordinate, Reference motion)
      : Driver(std::move(name), joint.name, std::move(motion)),
        q_(joint.q_index + coordinate),
        v_(joint.v_index + coordinate) {}
  std::vector<int> entries() const override { return {v_}; }
  void matrix_at(double, const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
    B(0, v_) = 1;
  }
  void matrix_rate(const VelocityKinematics&, Eigen::Ref<Eigen::MatrixXd>) const override {}

 protected:
  double coordinate(const PositionKinematics& kin, double) const override { return kin.q()[q_]; }
  double coordinate_bias(const VelocityKinematics&) const override { return 0; }

 private:
  int q_, v_;
};

/// x = n . r(q) of a frame: B = n^T J, linear part in world axes.
class FrameDriver : public Driver {
 public:
  FrameDriver(std::string name, const Frame& frame, const Vec3& axis, Reference motion)
      : Driver(std::move(name), "", std::move(motion)), frame_(frame), axis_(axis) {}
  void matrix_at(double, const PositionKinematics& kin,
                 Eigen::Ref<Eigen::MatrixXd> B) const override {
    Matrix6X J(6, kin.model().nv());
    jacobian(kin.model(), kin, frame_, Representation::hybrid, J);
    B.row(0) = along(J);
  }
  void matrix_rate(const VelocityKinematics& kin,
                   Eigen::Ref<Eigen::MatrixXd> B_rate) const override {
    B_rate.row(0) = rate(kin);
  }

 protected:
  double coordinate(const PositionKinematics& kin, double) const override {
    return dot(axis_, pose(kin, frame_).r);
  }
  double coordinate_bias(const VelocityKinematics& kin) const override {
    return rate(kin).dot(kin.v());
  }

 private:
  Eigen::RowVectorXd along(const Matrix6X& J) const {
    return axis_.x * J.row(3) + axis_.y * J.row(4) + axis_.z * J.row(5);
  }
  Eigen::RowVectorXd rate(const VelocityKinematics& kin) const {
    Matrix6X J_rate(6, kin.model().nv());
    jacobian_rate(kin.model(), kin, frame_, Representation::hybrid, J_rate);
    return along(J_rate);
  }
  Frame frame_;
  Vec3 axis_;
};

/// The coordinate of a loop joint with one degree of freedom. Its screw S is constant in the frame `to`, so with
/// W = S / |S|^2 and E the pose of `to` in `from`
///
///     x = W . log(E),     x' = W . V_rel,     B = W^T (J_to - J_opposite)                     (2)
///
/// where `opposite` is the frame on `from` that coincides with `to`, both in their own axes.
class LoopDriver : public Driver {
 public:
  LoopDriver(std::string name, const ModelLoop& loop, Reference motion)
      : Driver(std::move(name), loop.name, std::move(motion)), from_(loop.from), to_(loop.to) {
    const Twist S = loop.joint.joints().at(0).X.at(0);
    const double size = dot(S.w, S.w) + dot(S.v, S.v);
    W_ = {(1 / size) * S.w, (1 / size) * S.v};
    turns_ = dot(S.w, S.w) > 0 && dot(S.v, S.v) == 0;
  }
  void matrix_at(double, const PositionKinematics& kin,
                 Eigen::Ref<Eigen::MatrixXd> B) const override {
    const Model& model = kin.model();
    Matrix6X J(6, model.nv()), J_p = J;
    jacobian(model, kin, to_, Representation::body, J);
    jacobian(model, kin, opposite(kin), Representation::body, J_p);
    B.row(0) = row() * (J - J_p);
  }
  void matrix_rate(const VelocityKinematics& kin,
                   Eigen::Ref<Eigen::MatrixXd> B_rate) const override {
    B_rate.row(0) = rate(kin);
  }

 protected:
  double coordinate(const PositionKinematics& kin, double near) const override {
    const Twist e = log(relative_pose(kin, from_, to_));
    const double x = dot(W_, e);
    return turns_ ? x + 2 * M_PI * std::round((near - x) / (2 * M_PI)) : x;
  }
  double coordinate_bias(const VelocityKinematics& kin) const override {
    return rate(kin).dot(kin.v());
  }

 private:
  Frame opposite(const PositionKinematics& kin) const {
    return from_.at(relative_pose(kin, from_, to_));
  }
  Eigen::Matrix<double, 1, 6> row() const { return to_eigen(W_).transpose(); }
  /// d/dt Ad_E^-1 = -ad_{V_rel} Ad_E^-1, as for loops (constraints.cpp).
  Eigen::RowVectorXd rate(const VelocityKinematics& kin) const {
    const Model& model = kin.model();
    const auto b = Representation::body;
    const Frame other = opposite(kin);
    Matrix6X J_p(6, model.nv()), to = J_p, from = J_p;
    jacobian(model, kin, other, b, J_p);
    jacobian_rate(model, kin, to_, b, to);
    jacobian_rate(model, kin, other, b, from);
    const Twist V_rel = twist(kin, to_, b) + -1.0 * twist(kin, other, b);
    Eigen::RowVectorXd out = row() * (to - from);
    for (Eigen::Index c = 0; c < J_p.cols(); ++c)
      out[c] += dot(W_, ad(V_rel, from_eigen<Twist>(J_p.col(c))));
    return out;
  }
  Frame from_, to_;
  Wrench W_;
  bool turns_;
};

std::string driver_text(std::string_view of) { return "driver of '" + std::string(of) + "': "; }

}  // namespace

std::shared_ptr<const Driver> joint_driver(const Model& model, std::string_view joint,
                                           Reference motion, int coordinate, std::string name) {
  if (name.empty()) name = joint;
  if (const auto loop = std::ranges::find(model.loops(), joint, &ModelLoop::name);
      loop != model.loops().end()) {
    if (loop->joint.nv() != 1 || coordinate != 0)
      throw Error(driver_text(joint) + "a loop joint with " + std::to_string(loop->joint.nv()) +
                  " degrees of freedom; only those with one can be driven, at coordinate 0");
    return std::make_shared<LoopDriver>(std::move(name), *loop, std::move(motion));
  }
  const ModelJoint& driven = model.joint(joint);
  const auto count = static_cast<int>(driven.coordinates.size());
  if (coordinate < 0 || coordinate >= count || !driven.is_vector())
    throw Error(driver_text(joint) + "coordinate " + std::to_string(coordinate) + " of a " +
                std::string(joint_type_info(driven.type).name) + " joint is " +
                (coordinate < 0 || coordinate >= count
                     ? "not there; it has " + std::to_string(count)
                     : "not a scalar; drive the position of a frame of its body instead"));
  return std::make_shared<CoordinateDriver>(std::move(name), driven, coordinate, std::move(motion));
}

std::shared_ptr<const Driver> frame_driver(const Model& model, std::string_view frame,
                                           const Vec3& axis, Reference motion, std::string name) {
  const double length = norm(axis);
  if (!(length > 0 && std::isfinite(length)))
    throw Error(driver_text(frame) + "the axis " + tuple_text(std::array{axis.x, axis.y, axis.z}) +
                " has no direction; give one in world axes");
  const Frame at = model.frame(frame);
  if (at.link < 0)
    throw Error(driver_text(frame) + "it is fixed to ground and does not move; name another frame");
  if (name.empty()) name = frame;
  return std::make_shared<FrameDriver>(std::move(name), at, (1 / length) * axis, std::move(motion));
}

}  // namespace chasles
