/// Bytes as a mechanism: every byte is a choice or a number, so that any change of the bytes is a
/// change of the mechanism. Lengths are some meters and masses some kilograms: what is far or tiny has
/// tests of its own.
#include <cmath>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/mechanism/redescribe.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "chasles/textbook/recursive.hpp"
#include "fuzz/targets.hpp"
#include "model/model_data.hpp"

namespace chasles::fuzz {
namespace {

constexpr int most_bodies = 12;

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool left() const { return !bytes_.empty(); }
  int byte() {
    if (bytes_.empty()) return 0;
    const int value = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  int below(int n) { return byte() % n; }
  bool flag() { return byte() % 2 == 1; }
  /// In [-2, 2]; 0 for a zero byte.
  double number() {
    const int b = byte();
    return (b < 128 ? b : b - 256) / 64.0;
  }
  double positive() { return (1 + byte()) / 64.0; }
  Vec3 vector() { return {number(), number(), number()}; }
  Vec3 direction() {
    const Vec3 x = vector();
    return max_abs(x) > 0 ? x : Vec3{0, 0, 1};
  }
  SE3 pose() {
    const Vec3 turn = vector();
    return SE3{exp(turn), vector()};
  }

 private:
  std::string_view bytes_;
};

Joint read_joint(Bytes& in, BodyPose& pose) {
  Joint joint;
  joint.type = static_cast<JointType>(in.below(14));
  const JointTypeInfo& info = joint_type_info(joint.type);
  const int description = in.below(4);
  const Vec3 axis = in.direction();
  std::optional<Vec3> x_axis;
  if (in.flag()) {
    const Vec3 across = cross(axis, in.direction());
    if (max_abs(across) > 0.01) x_axis = across;
  }
  if (description == 3) {
    const SE3 parent = in.pose();
    joint.geometry = FramesGeometry{parent, in.pose(), axis, x_axis};
  } else {
    joint.geometry = AxisGeometry{axis, in.vector(), x_axis, static_cast<DescribedIn>(description)};
    pose = {in.pose(), in.flag() ? DescribedIn::world : DescribedIn::parent};
  }
  if (info.takes_pitch) joint.pitch = in.number();
  if (joint.type == JointType::floating && in.flag()) joint.group = FloatingGroup::so3xr3;
  if (joint.type == JointType::custom) {
    joint.parameterization = in.flag() ? Parameterization::sum : Parameterization::product;
    for (int n = 1 + in.below(4); n > 0; --n) {
      const Vec3 direction = in.direction();
      joint.screws.push_back({direction, in.vector(),
                              in.flag() ? std::numeric_limits<double>::infinity() : in.number()});
    }
  }
  if (in.flag() && info.motions[1] == ElementaryMotion::none &&
      info.motions[0] != ElementaryMotion::spherical && joint.type != JointType::floating &&
      joint.type != JointType::custom && joint.type != JointType::fixed) {
    const double lower = in.number();
    joint.limits = JointLimits{lower, lower + in.positive(), in.positive(), in.positive()};
  }
  return joint;
}

Mechanism read(Bytes& in) {
  Mechanism mechanism{.name = "fuzz", .gravity = in.vector()};
  for (int k = 0; k < most_bodies && in.left(); ++k) {
    Body body;
    body.name = "b" + std::to_string(k);
    if (const int parent = in.below(k + 1); parent > 0)
      body.parent = "b" + std::to_string(k - parent);
    body.joint = read_joint(in, body.pose);
    body.joint.name = "j" + std::to_string(k);
    if (in.below(4) > 0) {  // a box
      const double m = in.positive(), x = in.positive(), y = in.positive(), z = in.positive();
      const Vec3 com = in.vector();
      body.inertia = BodyInertia{m, com,
                                 Sym3::diagonal(m / 12 * (y * y + z * z), m / 12 * (x * x + z * z),
                                                m / 12 * (x * x + y * y))};
    }
    mechanism.bodies.push_back(body);
    if (in.flag()) mechanism.frames.push_back({"f" + std::to_string(k), body.name, in.pose()});
  }
  return mechanism;
}

Eigen::VectorXd configuration(const Model& model, Bytes& in) {
  Eigen::VectorXd q(model.nq());
  for (double& x : q) x = in.number();
  for (const Link& link : tree_links(model))
    if (link.nq != link.nv) {
      auto quaternion = q.segment<4>(link.q_index);
      if (quaternion.norm() < 0.01) quaternion[0] = 1;
      quaternion.normalize();
    }
  return q;
}
Eigen::VectorXd velocity(const Model& model, Bytes& in) {
  Eigen::VectorXd v(model.nv());
  for (double& x : v) x = in.number();
  return v;
}

void near(const Eigen::MatrixXd& got, const Eigen::MatrixXd& want, double scale, const char* what) {
  const double off = (got - want).size() == 0 ? 0 : (got - want).cwiseAbs().maxCoeff();
  require(off <= 1e-10 * scale,
          std::string(what) + " is off by " + std::to_string(off) + " of " + std::to_string(scale));
}

void check_dynamics(const Model& model, Bytes& in) {
  const Eigen::VectorXd q = configuration(model, in), v = velocity(model, in),
                        a = velocity(model, in);
  InverseDynamics work(model);
  const Eigen::VectorXd tau = inverse_dynamics(model, q, v, a, work), h = bias(model, q, v, work);
  MassMatrix mass(model);
  const Eigen::MatrixXd M = mass_matrix(model, q, mass);
  // What adds up to tau, so what it is rounded to: body by body, not after it has canceled.
  const double scale = 1 + 100 * (1 + v.squaredNorm() + a.norm()) * (1 + q.squaredNorm());
  near(M, M.transpose(), scale, "M - M'");
  near(M * a + h, tau, scale, "M a + h - tau");

  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  textbook::RecursiveDynamics recursive(model);
  for (const auto rep : {Representation::body, Representation::spatial, Representation::hybrid})
    near(textbook::inverse_dynamics(model, kin, a, rep, recursive), tau, scale, "textbook - fast");

  ForwardDynamics forward(model);
  try {
    const Eigen::VectorXd b = forward_dynamics(model, q, v, a, forward);  // a as a force
    const double force = scale * (1 + b.norm());
    near(inverse_dynamics(model, q, v, b, work), a, force, "inverse of forward dynamics");
  } catch (const SingularError&) {  // a joint that moves nothing
  }
}

}  // namespace

void mechanism(std::string_view bytes) {
  Bytes in(bytes);
  const Mechanism described = read(in);
  std::optional<Model> model;
  try {
    model = compile(described);
  } catch (const Error&) {
    return;
  }
  if (described.bodies.empty()) return;  // which files do not describe
  const std::string text = write_yaml(described);
  require(write_yaml(read_yaml(text, "fuzz.yaml")) == text, "written twice, it differs");
  if (model->nv() == 0) return;
  Bytes state = in;
  check_dynamics(*model, in);
  const Model again = compile(redescribe(described, Description::frames));
  require(again.nv() == model->nv(), "redescribed, it has other joints");
  const Eigen::VectorXd q = configuration(*model, state), v = velocity(*model, state);
  InverseDynamics one(*model), other(again);
  const double scale = 1 + 100 * (1 + v.squaredNorm()) * (1 + q.squaredNorm());
  near(bias(*model, q, v, one), bias(again, q, v, other), scale, "the bias, described by frames,");
}

/// Loops of any joint type between bodies, closed at q = 0. Constraints that hold and are far from depending on each other
/// hold for accelerations, too: B a + Bd v = 0, whatever acts.
void closed(std::string_view bytes) {
  Bytes in(bytes);
  try {
    const int loops = 1 + in.below(3);
    std::vector<Joint> joints;
    for (int k = 0; k < loops; ++k) {
      BodyPose unused;
      joints.push_back(read_joint(in, unused));
    }
    const int first = in.byte(), second = in.byte();
    Mechanism mechanism = read(in);
    const int n = static_cast<int>(mechanism.bodies.size());
    for (int k = 0; k < loops && n > 0; ++k) {
      const Joint& joint = joints[static_cast<std::size_t>(k)];
      if (joint.type == JointType::floating || joint.type == JointType::fixed) continue;
      const auto body = [&](int i) {
        return mechanism.bodies[static_cast<std::size_t>(i % n)].name;
      };
      JointGeometry geometry = joint.geometry;
      if (std::holds_alternative<FramesGeometry>(geometry)) continue;  // open at q = 0
      std::get<AxisGeometry>(geometry).in = DescribedIn::world;
      mechanism.loops.push_back(
          {.name = "loop" + std::to_string(k),
           .bodies = {(first + k) % 3 == 0 ? std::string(ground) : body(first + k),
                      body(second + 2 * k)},
           .type = joint.type,
           .geometry = geometry,
           .pitch = joint.pitch,
           .screws = joint.screws,
           .parameterization = joint.parameterization});
    }
    const Model model = compile(mechanism);
    ConstrainedSystem system(model);
    if (system.constraint_count() == 0) return;
    const Vector q = system.assembled();
    require(system.violation(q) < 1e-6, "loops that are closed at q = 0 are open");
    Vector v = consistent_velocity(system.constraints(), q, velocity(model, in));
    const Vector a = system.forward_dynamics(q, v, Vector(model.nv()));
    require(a.allFinite(), "accelerations that are not finite");
    if (!(system.reciprocal_condition() > 0.01)) return;
    Vector rates(system.constraint_count()), bias(system.constraint_count());
    system.constraint_times(a, rates);
    system.constraint_bias(bias);
    const double scale = 1 + a.norm() + bias.norm() + v.squaredNorm();
    near(rates, -bias, 1e4 * scale, "the acceleration of constraints");
  } catch (const Error&) {
  }
}

}  // namespace chasles::fuzz
