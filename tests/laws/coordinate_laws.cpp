/// What an entry of q is, for every joint type: units, names, rates and the coordinates that stops and
/// impacts may have follow from ModelJoint::coordinates.
#include <gtest/gtest.h>

#include "chasles/derivatives/parameters.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/simulation.hpp"
#include "chasles/simulation/stops.hpp"
#include "io/runs/run_text.hpp"
#include "model/coordinate_name.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace coordinate_laws {

/// Against the screws and the steps of the joint, which do not know kinds.
TEST(JointCoordinates, are_those_of_screws_and_steps) {
  std::mt19937_64 generator(17);
  for (const test::JointKind& kind : test::all_joint_kinds())
    for (int sample = 0; sample < 4; ++sample) {
      const Model model =
          compile(test::random_mechanism(generator, {.bodies = 2, .kinds = {kind}}));
      const Vector q = test::random_configuration(model, generator),
                   v = test::random_vector(model.nv(), generator);
      for (const ModelJoint& joint : model.joints()) {
        const std::string_view name = joint_type_info(joint.type).name;
        int at_q = joint.q_index, at_v = joint.v_index;
        for (const JointCoordinate& c : joint.coordinates) {
          ASSERT_EQ(c.q_index, at_q) << name;
          ASSERT_EQ(c.v_index, at_v) << name;
          for (int k = c.v_index; k < c.v_index + c.nv; ++k) {
            const Twist& X = joint.X[static_cast<std::size_t>(k - joint.v_index)];
            EXPECT_EQ(c.is_angular(), max_abs(X.w) > 0) << name;
          }
          const auto moved = [&](double t) {
            Eigen::VectorXd out(model.nq());
            plus(model, q, t * v, out);
            return Eigen::VectorXd(out.segment(c.q_index, c.nq));
          };
          const Eigen::VectorXd rate = test::derivative(moved);
          if (c.is_scalar()) {
            EXPECT_NEAR(rate[0], v[c.v_index], 1e-11) << name;
          }
          if (c.kind == CoordinateKind::quaternion) {
            EXPECT_NEAR(moved(0.7).norm(), 1, 1e-14) << name;
            EXPECT_EQ(model.neutral()[c.q_index], 1) << name;
            EXPECT_NEAR(rate.norm(), v.segment(c.v_index, 3).norm() / 2, 1e-11) << name;
          }
          at_q += c.nq, at_v += c.nv;
        }
        EXPECT_EQ(at_q, joint.q_index + joint.nq) << name;
        EXPECT_EQ(at_v, joint.v_index + joint.nv) << name;
      }
    }
}

/// A strut with a ball joint at ground that becomes longer and shorter.
Mechanism strut() {
  return MechanismBuilder("strut")
      .body("hip", ground, joints::revolute({0, 0, 1}))
      .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.21))
      .body("strut", "hip", joints::of(JointType::telescoping, {0, 0.6, 0.8}))
      .inertia(2, {0, 0.2, 0.3}, Sym3::diagonal(0.1, 0.2, 0.21))
      .build();
}

TEST(JointCoordinates, name_and_measure_a_joint_of_mixed_kinds) {
  const Model model = compile(strut());
  const ModelJoint& joint = model.joint("strut");
  using Units = std::vector<std::string>;
  EXPECT_EQ(io::q_units(joint), (Units{"1", "1", "1", "1", "m"}));
  EXPECT_EQ(io::v_units(joint), (Units{"rad/s", "rad/s", "rad/s", "m/s"}));
  EXPECT_EQ(io::csv_names(model),
            (Units{"t [s]", "q:hip [rad]", "q:strut[0] [1]", "q:strut[1] [1]", "q:strut[2] [1]",
                   "q:strut[3] [1]", "q:strut[4] [m]", "v:hip [rad/s]", "v:strut[0] [rad/s]",
                   "v:strut[1] [rad/s]", "v:strut[2] [rad/s]", "v:strut[3] [m/s]"}));
  EXPECT_EQ(io::csv_names(quantity(model, "q", QuantitySource::state), model),
            (Units{"q:hip [rad]", "q:strut[0] [1]", "q:strut[1] [1]", "q:strut[2] [1]",
                   "q:strut[3] [1]", "q:strut[4] [m]"}));
  EXPECT_EQ(io::csv_names(quantity(model, "tau", QuantitySource::state), model),
            (Units{"tau:hip [N m]", "tau:strut[0] [N m]", "tau:strut[1] [N m]",
                   "tau:strut[2] [N m]", "tau:strut[3] [N]"}));
  EXPECT_EQ(io::csv_names(quantity(model, "tau:strut", QuantitySource::state), model),
            (Units{"tau:strut[0] [N m]", "tau:strut[1] [N m]", "tau:strut[2] [N m]",
                   "tau:strut[3] [N]"}));
  EXPECT_EQ(io::csv_names(quantity(model, "a:hip", QuantitySource::state), model),
            (Units{"a:hip [rad/s^2]"}));
  EXPECT_EQ(coordinate_name(model, 0), "joint 'hip'");
  EXPECT_EQ(coordinate_name(model, 2), "joint 'strut', component 2 of 4 (angular y)");
  EXPECT_EQ(coordinate_name(model, 4), "joint 'strut', component 4 of 4");
  EXPECT_EQ(position_name(model, 1), "joint 'strut', component 1 of 5 (quaternion w)");
  EXPECT_EQ(position_name(model, 4), "joint 'strut', component 4 of 5 (quaternion z)");
  EXPECT_EQ(position_name(model, 5), "joint 'strut', component 5 of 5");
  EXPECT_FALSE(joint.is_vector());
  EXPECT_TRUE(model.joint("hip").is_vector());
  EXPECT_SAYS((void)joint.coordinate_of_v(0), "entry 0 of v", "'strut'", "1 ... 4");
  EXPECT_SAYS((void)joint.coordinate_of_q(6), "entry 6 of q", "'strut'", "1 ... 5");
}

Scenario swinging() {
  const Model model = compile(strut());
  Scenario s{.model = model,
             .start = {0, Eigen::VectorXd{{0.3, 0.8, 0, 0.6, 0, 0.2}},
                       Eigen::VectorXd{{1, 0.5, -1, 2, 0.5}}},
             .duration = 2,
             .every = 0.1};
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  return s;
}

/// The longest strut of a run.
struct Highest : Recorder {
  void sample(const Sample& sample) override { most = std::max(most, sample.state.q[5]); }
  double most = -1;
};

/// Energy is conserved only if the force of the spring is the derivative of its energy.
TEST(JointCoordinates, springs_of_mixed_kinds_conserve_energy) {
  Scenario s = swinging();
  Highest highest;
  s.forces.add(joint_spring_damper(s.model, "strut", 30, 0, {0.6, 0, 0.8, 0, 0.1}));
  Simulation run(s);
  run.run(highest);
  EXPECT_LE(run.summary().worst.energy, 1e-9);
  EXPECT_SAYS(joint_spring_damper(s.model, "strut", 30, 0, {0.6, 0, 0.8, 0.1, 0.1}), "unit");
  EXPECT_SAYS(joint_spring_damper(s.model, "strut", 30, 0, {1, 0, 0, 0}), "rest", "4", "5");
}

/// It bounces along its distance, which is entry 4 of q and entry 3 of v.
TEST(JointCoordinates, of_mixed_kinds_bounce_where_they_are_scalars) {
  Scenario s = swinging();
  EXPECT_SAYS(impact_event(s.model, "bounce", "strut", 0.21, IntegratorEvent::rising, 1, 3),
              "coordinate 3", "neither an angle nor a distance");
  EXPECT_SAYS(impact_event(s.model, "bounce", "strut", 0.21, IntegratorEvent::rising, 1, 5),
              "coordinate 5", "there are 5");
  s.events.push_back(impact_event(s.model, "bounce", "strut", 0.21, IntegratorEvent::rising, 1, 4));
  EXPECT_EQ(s.events[0].hit.v, 4);
  Highest highest;
  Simulation run(s);
  run.run(highest);
  EXPECT_GE(run.summary().events.size(), 1u);
  EXPECT_LE(highest.most, 0.21 + 1e-9);
}

/// The first link of the joint has three screws that change together, the last one its own.
TEST(JointCoordinates, of_mixed_kinds_have_no_single_screws) {
  const Model model = compile(strut());
  EXPECT_SAYS(screw_parameter(model, "strut", 3, Twist{}), "'strut'", "telescoping", "together");
  EXPECT_NO_THROW(screw_parameter(model, "hip", 0, Twist{{0, 0, 1}, {}}));
}

}  // namespace coordinate_laws
}  // namespace chasles
