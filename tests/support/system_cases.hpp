/// Systems of every kind that integrators meet: trees, loops, overconstrained loops, maximal coordinates,
/// couplings, rolling, held joints. Each can be made anew, from the same numbers.
#pragma once

#include <functional>
#include <memory>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "simulation/holding.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "support/overconstrained.hpp"
#include "support/random_mechanism.hpp"

namespace chasles::test {

struct SystemCase {
  std::string name;
  std::function<std::shared_ptr<MechanicalSystem>()> make;
  State start;                     // Phi = 0, B v = 0
  std::vector<Vector> singular{};  // configurations with a singular mass matrix or Jacobian
};

/// A disk on a plane, v = (xd, yd, heading_d, roll_d), that rolls without slipping.
class RollingDisk : public Constraint {
 public:
  static constexpr double r = 0.3;  // [m]
  std::string name() const override { return "rolling"; }
  int constraint_count() const override { return 2; }
  bool binds_positions() const override { return false; }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    const double heading = kin.q()[2];
    B << 1, 0, 0, -r * std::cos(heading), 0, 1, 0, -r * std::sin(heading);
  }
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    const double heading = kin.q()[2], turn = kin.v()[2], roll = kin.v()[3];
    out[0] = r * std::sin(heading) * turn * roll;
    out[1] = -r * std::cos(heading) * turn * roll;
  }
};
inline Model rolling_disk() {
  return compile(MechanismBuilder("disk")
                     .body("fork", ground, joints::of(JointType::planar, {0, 0, 1}))
                     .x_axis({1, 0, 0})
                     .body("disk", "fork", joints::revolute({0, 1, 0}, {0, 0, RollingDisk::r}))
                     .inertia(2, {0.05, 0.02, 0.2}, Sym3::diagonal(0.045, 0.09, 0.045))
                     .build());
}

/// Three revolute joints about z, x, z, only the last body with inertia: at q[1] = 0 the mass matrix is
/// singular, whatever the others are.
inline Model gimbal() {
  return compile(MechanismBuilder("gimbal")
                     .body("outer", ground, joints::revolute({0, 0, 1}))
                     .body("inner", "outer", joints::revolute({1, 0, 0}))
                     .body("rotor", "inner", joints::revolute({0, 0, 1}))
                     .inertia(1, {0, 0, 0.1}, Sym3::diagonal(0.1, 0.1, 0.2))
                     .build());
}

/// A pendulum whose second joint follows its first one.
inline Model mimicking() {
  Joint follower = joints::revolute({0, 1, 0}, {0, 0, -1});
  follower.mimic = Mimic{"upper", -0.5, 0.2};
  return compile(MechanismBuilder("mimic")
                     .body("upper", ground, joints::revolute({0, 1, 0}))
                     .inertia(1, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                     .body("lower", "upper", follower)
                     .inertia(1, {0, 0, -1.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                     .body("hand", "lower", joints::revolute({1, 0, 0}, {0, 0, -2}))
                     .inertia(0.5, {0.1, 0, -2.2}, Sym3::diagonal(0.01, 0.01, 0.01))
                     .build());
}

/// A cam that lifts a mass by its angle, and a wheel that follows the lift by a polynomial.
inline Model cam_and_wheel() {
  const CurveData lift{{}, {{0, 0}, {1, 0.2}, {2, 0.5}, {4, 0.1}, {6, 0}}, Curve::Ends::periodic};
  return compile(MechanismBuilder("cam")
                     .body("cam", ground, joints::revolute({0, 0, 1}))
                     .inertia(1, {0, 0.1, 0}, Sym3::diagonal(0.1, 0.1, 0.2))
                     .body("follower", ground, joints::prismatic({0, 0, 1}))
                     .inertia(0.5, {0, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1))
                     .body("wheel", "follower", joints::revolute({1, 0, 0}))
                     .inertia(0.2, {0, 0.1, 0}, Sym3::diagonal(0.2, 0.1, 0.1))
                     .coupling({"lift", {{"follower", 1}, {"cam", -1, 0, lift}}, 0.1})
                     .coupling({"rack", {{"wheel", 2}, {"follower", 1, 0, {{0.3, 4, -5, 7}, {}}}}})
                     .build());
}

/// Springs and dampers in all joints that can have them, a wrench on the last body; with formulas for their
/// derivatives or as a function that has none.
inline void add_forces(MechanismState& system, bool with_tangent) {
  const Model& model = system.model();
  Forces forces;
  for (const ModelJoint& joint : model.joints())
    if (joint.nv > 0 && joint.type != JointType::floating)
      forces.add(joint_spring_damper(model, joint.name, 3, 0.2,
                                     joint.type == JointType::spherical
                                         ? std::vector<double>{1, 0, 0, 0}
                                         : std::vector<double>{}));
  forces.add(body_wrench(model, {model.bodies().back().name, {0.1, 0, 0}},
                         {0.1, 0.2, -0.1, 0.3, 0.1, 0.2}));
  if (with_tangent)
    system.set_forces(forces.function(), {},
                      [forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                        forces.tangent(t, kin, out);
                      });
  else
    system.set_forces(forces.function());
}

/// The state that is nearest to (q, v).
inline State on_constraints(MechanicalSystem& system, const Vector& q, const Vector& v) {
  State state{0, q, v};
  system.project(state);
  return state;
}

inline SystemCase tree_case(const std::string& name, const Model& model, const State& start,
                            int forces) {  // 0: none, 1: with tangents, 2: without
  return {name,
          [=] {
            auto system = std::make_shared<MechanismState>(model);
            if (forces > 0) add_forces(*system, forces == 1);
            return system;
          },
          start};
}
inline SystemCase closed_case(const std::string& name, const Model& model, const Vector& near = {},
                              int forces = 0, const ConstraintOptions& options = {}) {
  const auto make = [=] {
    auto system = std::make_shared<ConstrainedSystem>(model, options, near);
    if (forces > 0) add_forces(*system, forces == 1);
    return system;
  };
  std::mt19937_64 generator(11);
  ConstrainedSystem system(model, options, near);
  return {name, make,
          on_constraints(system, system.assembled(), random_vector(model.nv(), generator, 0.4))};
}
inline SystemCase absolute_case(const std::string& name, const Mechanism& mechanism,
                                BodyGroup group) {
  const Model tree = compile(mechanism), model = compile(to_maximal_coordinates(mechanism, group));
  ConstrainedSystem relative(tree);
  VelocityKinematics kin(tree);
  forward_kinematics(tree, relative.assembled(), Vector::Zero(tree.nv()), kin);
  Vector q(model.nq()), v(model.nv());
  maximal_state(kin, model, q, v);
  return closed_case(name, model, q);
}
/// The system of another case with the entry k of v held, which is the rate of the entry k of q; -1: none.
inline SystemCase held_case(const SystemCase& of, int k) {
  const auto make = [of, k] {
    auto system = std::make_shared<HeldSystem>(of.make());
    if (k < 0) return system;
    const std::pair<int, int> held[] = {{k, k}};
    system->hold(held, of.start.q);
    return system;
  };
  State start = of.start;
  if (k >= 0) {
    start.v.setZero();
    make()->project(start);
  }
  return {"held_" + std::to_string(k + 1) + "_" + of.name, make, start, of.singular};
}

inline std::vector<SystemCase> system_cases() {
  std::mt19937_64 generator(5);
  const Model every = compile(random_mechanism(generator, {.bodies = 16, .tree = true}));
  const State start{0, random_configuration(every, generator, 0.4),
                    random_vector(every.nv(), generator, 0.4)};
  const Model gimbals = gimbal();
  std::vector<SystemCase> list{
      tree_case("tree", every, start, 0), tree_case("tree_with_tangents", every, start, 1),
      tree_case("tree_with_forces", every, start, 2),
      tree_case("gimbal", gimbals, {0, Vector{0.3, 0.7, -0.2}, Vector{0.5, 0.1, 0.4}}, 0)};
  list.back().singular = {Vector{0.3, 0, -0.2}};
  list.push_back(closed_case("four_bar", compile(studies::four_bar())));
  list.push_back(closed_case("four_bar_with_forces", compile(studies::four_bar()), {}, 1));
  list.push_back(closed_case("bennett", compile(bennett())));
  list.push_back(closed_case("stewart", compile(studies::stewart()), {}, 1));
  list.push_back(absolute_case("four_bar_se3", studies::four_bar(), BodyGroup::se3));
  list.push_back(absolute_case("bennett_so3xr3", bennett(), BodyGroup::so3xr3));
  list.push_back(closed_case("differential", compile(studies::differential())));
  list.push_back(closed_case("mimic", mimicking(), {}, 2));
  list.push_back(
      closed_case("four_bars", compile(studies::n_four_bar(2)), Vector{0.3, -0.3, 0.3, -0.3, 0.3}));
  list.back().singular = {Vector{M_PI / 2, -M_PI / 2, M_PI / 2, -M_PI / 2, M_PI / 2}};
  list.push_back(
      closed_case("rolling", rolling_disk(), {}, 0, {.more = {std::make_shared<RollingDisk>()}}));
  list.push_back(closed_case("cam", cam_and_wheel(), Vector{0.7, 0, 0}, 1));
  for (const int k : {-1, 0}) {
    list.push_back(held_case(list[3], k));
    list.push_back(held_case(list[4], k));
  }
  return list;
}
inline constexpr int system_case_count = 19;

/// The numbers of two lists have the same bits, but for which NaN it is.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return x == y || (std::isnan(x) && std::isnan(y));
         });
}

}  // namespace chasles::test
