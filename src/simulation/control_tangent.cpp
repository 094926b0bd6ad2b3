#include <algorithm>
#include <cmath>

#include "chasles/simulation/control.hpp"
#include "math/central_difference.hpp"

namespace chasles {
namespace {

/// The command of a control law at a state, without limits. Every call starts from a copy of the law as given.
class Wish {
 public:
  Wish(const Controller& c, double t) : controller_(c), t_(t), kin_(c.model), q_(c.model.nq()) {
    controller_.max_effort.clear();
    controller_.period = controller_.delay = 0;
    controller_.sensors.reset();
  }
  const Vector& operator()(ConstVectorRef q, ConstVectorRef v) {
    forward_kinematics(controller_.model, q, v, kin_);
    out_.tau.setZero(controller_.model.nv());
    control(controller_).law.add(t_, kin_, out_);
    for (Eigen::Index k = 0; k < out_.tau.size(); ++k)
      if (!std::isfinite(out_.tau[k]))
        throw Error("controller '" + controller_.name + "': its effort in joint '" +
                    controller_.model.joint_of_v(static_cast<int>(k)).name + "' is " +
                    to_text(out_.tau[k]) + "; it must be finite");
    return out_.tau;
  }
  /// At (q exp(e), v + dv).
  const Vector& operator()(ConstVectorRef q, ConstVectorRef v, const Vector& e, const Vector& dv) {
    plus(controller_.model, q, e, q_);
    return (*this)(q_, Vector(v + dv));
  }

 private:
  Controller controller_;
  double t_;
  VelocityKinematics kin_;
  Vector q_;
  JointForces out_;
};

}  // namespace

ControlTangent control_tangent(const Controller& c, double t, ConstVectorRef q, ConstVectorRef v,
                               const Matrix& C) {
  control(c);  // for its checks
  const Model& model = c.model;
  const int n = model.nv();
  require_size("q", q, model.nq());
  require_size("v", v, n);
  if (C.rows() != 2 * n)
    throw Error("C has " + std::to_string(C.rows()) + " rows; it needs " + std::to_string(2 * n) +
                ", two for every entry of v");
  std::vector<std::string> names = c.joints;
  if (names.empty())
    for (const ModelJoint& joint : model.joints()) names.push_back(joint.name);
  Wish wish(c, t);
  const Vector wanted = wish(q, v);
  ControlTangent out;
  std::vector<bool> saturated;
  std::vector<double> efforts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ModelJoint& joint = model.joint(names[i]);
    const double most = c.max_effort.empty() ? HUGE_VAL : c.max_effort[i];
    for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k) {
      out.entries.push_back(k);
      saturated.push_back(std::abs(wanted[k]) > most);
      efforts.push_back(std::clamp(wanted[k], -most, most));
    }
  }
  out.effort.resize(static_cast<Eigen::Index>(efforts.size()));
  std::ranges::copy(efforts, out.effort.begin());
  out.gain.setZero(out.effort.size(), C.cols());
  for (Eigen::Index j = 0; j < C.cols(); ++j) {
    const Eigen::VectorXd slope = central_difference([&](double s) {
      return Eigen::VectorXd(
          wish(q, v, Vector(s * C.col(j).head(n)), Vector(s * C.col(j).tail(n))));
    });
    for (std::size_t i = 0; i < out.entries.size(); ++i)
      if (!saturated[i]) out.gain(static_cast<Eigen::Index>(i), j) = slope[out.entries[i]];
  }
  return out;
}

}  // namespace chasles
