#include "simulation/maximal_joints.hpp"

#include <Eigen/QR>

#include "chasles/screws/eigen.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

constexpr int most_iterations = 50;
/// Newton steps below this that no longer shrink are rounding; above it, the iteration has failed [rad, m].
constexpr double small_step = 1e-6;

/// The frame of a link of the tree in the model in maximal coordinates, found by a body on the link.
Frame frame_of(const Model& tree, const Model& absolute, int link) {
  if (link < 0) return {};
  for (const ModelBody& body : tree.bodies())
    if (body.frame.link == link) return absolute.frame(body.name).at(inverse(body.frame.offset));
  return {-1, {}, absolute.id()};
}

bool same(const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; }

}  // namespace

MaximalJoints::MaximalJoints(const Model& tree, const Model& absolute, ConstVectorRef q)
    : seen_(tree.joints().size()),
      kin_(tree),
      position_(tree),
      absolute_(absolute),
      q_(checked_configuration(tree, q)),
      v_(tree.nv()),
      step_(tree.nv()),
      there_(tree.nq()),
      near_{0, q_, Vector(tree.nv())},
      state_(near_) {
  const auto& links = tree_links(tree);
  for (int i = 0; i < static_cast<int>(links.size()); ++i)
    frames_.push_back(frame_of(tree, absolute, i));
  const auto frame = [&](int link) {
    return link < 0 ? Frame{} : frames_[static_cast<std::size_t>(link)];
  };
  for (const ModelJoint& joint : tree.joints()) {
    const auto link_of = [&](int v) { return link_of_v(tree)[static_cast<std::size_t>(v)]; };
    const int first = link_of(joint.v_index), last = link_of(joint.v_index + joint.nv - 1);
    joints_.push_back({joint.name, first, last, joint.v_index, joint.nv,
                       frame(links[static_cast<std::size_t>(first)].parent), frame(last)});
  }
}

/// S^+T of joint i at q_, and e = log(J^-1 E).
void MaximalJoints::look_at(std::size_t i, Twist& e) {
  const Joint& joint = joints_[i];
  const Model& model = tree();
  Screws S(6, joint.nv);
  SE3 J;
  for (int k = joint.last; k >= joint.first; --k) {  // J: from link k to the last one
    const Link& link = tree_links(model)[static_cast<std::size_t>(k)];
    const double* q = q_.data() + link.q_index;
    for (int c = 0; c < link.nv; ++c)
      S.col(link.v_index - joint.v + c) = to_eigen(Ad_inv(J, links::screw_of(model, link, q, c)));
    J = links::pose_in_parent(model, link, q) * J;
  }
  seen_[i].S_inverse_T = S.completeOrthogonalDecomposition().pseudoInverse().transpose();
  e = log(inverse(J) * seen_[i].E);
}

/// (1), starting from the last state.
void MaximalJoints::find(double t, const PositionKinematics& absolute) {
  known_q_.resize(0);
  for (std::size_t i = 0; i < joints_.size(); ++i)
    seen_[i].E = relative_pose(absolute, joints_[i].from, joints_[i].to);
  step_ = (t - near_.t) * near_.v;
  plus(tree(), near_.q, step_, q_);
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      Twist e;
      look_at(i, e);
      auto step = step_.segment(joints_[i].v, joints_[i].nv);
      step = seen_[i].S_inverse_T.transpose() * to_eigen(e);
      if (const double size = step.lpNorm<Eigen::Infinity>(); size > 1) step /= size;
    }
    Eigen::Index worst = 0;
    const double size = step_.size() == 0 ? 0 : step_.cwiseAbs().maxCoeff(&worst);
    if (size <= 1e-15 * (1 + q_.lpNorm<Eigen::Infinity>()) || (size < small_step && size >= last))
      return;
    if (iteration == most_iterations || !std::isfinite(size))
      throw ForceError("the coordinates of joint '" +
                       tree().joint_of_v(static_cast<int>(worst)).name +
                       "' cannot be found from the poses of its bodies at t = " + to_text(t));
    last = size;
    plus(tree(), q_, step_, there_);
    q_ = there_;
  }
}

const VelocityKinematics& MaximalJoints::at(double t, const VelocityKinematics& absolute) {
  if (same(known_q_, absolute.q()) && same(known_v_, absolute.v())) return kin_;
  find(t, absolute);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    // relative_twist is in `from`; (2) is in `to`.
    const Twist V = Ad_inv(seen_[i].E, relative_twist(absolute, joint.from, joint.to));
    v_.segment(joint.v, joint.nv) = seen_[i].S_inverse_T.transpose() * to_eigen(V);
  }
  forward_kinematics(tree(), q_, v_, kin_);
  known_q_ = absolute.q(), known_v_ = absolute.v();
  return kin_;
}

const PositionKinematics& MaximalJoints::at(const PositionKinematics& absolute) {
  if (same(known_q_, absolute.q())) return kin_;
  find(near_.t, absolute);
  forward_kinematics(tree(), q_, position_);
  return position_;
}

const State& MaximalJoints::at(const State& absolute) {
  forward_kinematics(absolute_.model(), absolute.q, absolute.v, absolute_);
  const VelocityKinematics& kin = at(absolute.t, absolute_);
  state_.t = absolute.t, state_.q = kin.q(), state_.v = kin.v();
  return state_;
}

void MaximalJoints::follow(const State& absolute) { near_ = at(absolute); }

void MaximalJoints::add(const JointForces& of_tree, JointForces& out) const {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    const auto tau = of_tree.tau.segment(joint.v, joint.nv);
    if ((tau.array() == 0).all()) continue;
    const Eigen::Matrix<double, 6, 1> x = seen_[i].S_inverse_T * tau;
    const Wrench W{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    out.wrenches.push_back({joint.to, W, Representation::body});
    if (joint.from.link >= 0)
      out.wrenches.push_back({joint.from.at(seen_[i].E), -1.0 * W, Representation::body});
  }
  for (const AppliedWrench& w : of_tree.wrenches)
    if (w.frame.link >= 0)
      out.wrenches.push_back({frames_[static_cast<std::size_t>(w.frame.link)].at(w.frame.offset),
                              w.W, w.representation});
}

Force in_maximal_coordinates(const Force& force, const Model& absolute,
                             const std::shared_ptr<MaximalJoints>& joints) {
  using Kin = const VelocityKinematics&;
  const auto acting = std::make_shared<JointForces>(JointForces{Vector(force.model.nv()), {}});
  Force out{force.name, absolute, {}};
  out.law.add = [=, add = force.law.add](double t, Kin kin, JointForces& to) {
    acting->tau.setZero(joints->tree().nv());
    acting->wrenches.clear();
    add(t, joints->at(t, kin), *acting);
    joints->add(*acting, to);
  };
  if (force.law.potential)
    out.law.potential = [=, potential = force.law.potential](const PositionKinematics& kin) {
      return potential(joints->at(kin));
    };
  if (force.law.power)
    out.law.power = [=, power = force.law.power](double t, Kin kin) {
      return power(t, joints->at(t, kin));
    };
  out.next_break = force.next_break;
  out.internal = force.internal, out.actuator = force.actuator;
  if (force.memory && force.memory->sample)
    out.memory = {{}, [=, sample = force.memory->sample](double t, Kin kin) {
                    sample(t, joints->at(t, kin));
                  }};
  return out;
}

}  // namespace chasles
