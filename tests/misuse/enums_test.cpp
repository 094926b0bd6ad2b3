/// Numbers that are none of an enumeration's, made by a cast, are refused by every function that takes it.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "chasles/chasles.hpp"
#include "support/errors.hpp"
#include "support/small_runs.hpp"
#include "systems/newton_matrix.hpp"

namespace enums_test {

using namespace chasles;

template <class Enum>
Enum wrong() {
  return static_cast<Enum>(99);
}

/// A call that must be refused.
struct Misuse {
  const char* name;
  std::function<void()> call;
};
void expect_refused(const std::vector<Misuse>& table) {
  for (const Misuse& row : table) {
    EXPECT_THROW(row.call(), Error) << row.name;
    EXPECT_NE(test::message(row.call).find("99"), std::string::npos) << row.name;
  }
}

class Enums : public ::testing::Test {
 protected:
  const Model model = test::pendulum();
  const Frame arm = model.frame("arm");
  const Representation rep = wrong<Representation>();
  const Vector q = model.neutral(), v = Vector(model.nv());
  AccelerationKinematics kin{model};
  Enums() { forward_kinematics(model, q, v, v, kin); }
  std::vector<AppliedWrench> pushed(const Frame& frame) const {
    return {{frame, {{1, 0, 0}, {0, 1, 0}}, rep}};
  }
};

TEST_F(Enums, representations_in_kinematics) {
  Matrix6X J(6, model.nv());
  FrameJacobian frame(model);
  TwistDerivatives derivatives(model, 2);
  const Matrix rates(model.nv(), 2);
  const int indices[] = {0};
  const std::vector<Twist> twists(2);
  const MeasuredTwist measured[] = {{arm, {}}};
  const Parameter parameters[] = {parameter(model, "arm", "frame.vx")};
  Matrix6X one(6, 1);
  expect_refused({
      {"twist", [&] { twist(kin, arm, rep); }},
      {"twist of ground", [&] { twist(kin, model.frame("ground"), rep); }},
      {"acceleration", [&] { acceleration(kin, arm, rep); }},
      {"acceleration of ground", [&] { acceleration(kin, model.frame("ground"), rep); }},
      {"jacobian", [&] { jacobian(model, kin, arm, rep, J); }},
      {"frame_jacobian", [&] { jacobian(model, q, arm, rep, frame); }},
      {"jacobian_rate", [&] { jacobian_rate(model, kin, arm, rep, J); }},
      {"jacobian_derivative", [&] { jacobian_derivative(model, kin, arm, rep, indices, J); }},
      {"kinematic_hessian", [&] { kinematic_hessian(model, kin, arm, rep); }},
      {"twist_derivatives", [&] { twist_derivatives(model, q, rates, arm, rep, derivatives); }},
      {"system_kinematics", [&] { system_kinematics(model, kin, rep); }},
      {"inverse_velocities", [&] { inverse_velocities(model, kin, twists, rep); }},
      {"inverse_accelerations", [&] { inverse_accelerations(model, kin, twists, rep); }},
      {"least_squares_velocities", [&] { least_squares_velocities(model, kin, measured, rep); }},
      {"pose_sensitivity", [&] { pose_sensitivity(model, kin, arm, rep, parameters, one); }},
      {"jacobian_sensitivity",
       [&] { jacobian_sensitivity(model, kin, arm, rep, parameters[0], J); }},
  });
}

TEST_F(Enums, representations_of_twists_wrenches_and_inertias) {
  const Representation body = Representation::body;
  expect_refused({
      {"convert a twist from", [&] { convert(Twist{}, SE3{}, rep, body); }},
      {"convert a twist to", [&] { convert(Twist{}, SE3{}, body, rep); }},
      {"convert a twist from and to", [&] { convert(Twist{}, SE3{}, rep, rep); }},
      {"convert a wrench from", [&] { convert(Wrench{}, SE3{}, rep, body); }},
      {"convert a wrench to", [&] { convert(Wrench{}, SE3{}, body, rep); }},
      {"convert an inertia from", [&] { convert(Inertia{}, SE3{}, rep, body); }},
      {"convert an inertia to", [&] { convert(Inertia{}, SE3{}, body, rep); }},
      {"convert_acceleration", [&] { convert_acceleration(Twist{}, Twist{}, SE3{}, body, rep); }},
      {"classical_acceleration", [&] { classical_acceleration(Twist{}, Twist{}, SE3{}, rep); }},
      {"inertia_matrix", [&] { inertia_matrix(Inertia{}, SE3{}, rep); }},
      {"moving_frame", [&] { textbook::moving_frame(SE3{}, Twist{}, rep); }},
      {"newton_euler", [&] { textbook::newton_euler(Inertia{}, SE3{}, Twist{}, Twist{}, rep); }},
  });
}

TEST_F(Enums, representations_in_dynamics) {
  InverseDynamics inverse(model);
  ForwardDynamics forward(model);
  InverseDynamicsDerivatives d(model);
  InverseDynamicsProducts products(model);
  MomentumDynamics momenta(model);
  MechanismState system(model);
  TimeDerivatives series(model, 0);
  ForceSensitivity sensitivity(model, {});
  textbook::RecursiveDynamics recursive(model);
  textbook::InverseDynamicsRates rates(model);
  Vector out(model.nv());
  for (const Frame& frame : {arm, model.frame("ground")}) {
    const auto applied = pushed(frame);
    expect_refused({
        {"inverse_dynamics", [&] { inverse_dynamics(model, q, v, v, inverse, applied); }},
        {"forward_dynamics", [&] { forward_dynamics(model, q, v, v, forward, applied); }},
        {"d_inverse_dynamics", [&] { d_inverse_dynamics(model, q, v, v, d, applied); }},
        {"d_inverse_dynamics_times",
         [&] { d_inverse_dynamics_times(model, q, v, v, v, v, v, products, applied); }},
        {"momentum_rate", [&] { momentum_rate(model, kin, v, out, momenta, applied); }},
        {"MechanismState::forward_dynamics", [&] { system.forward_dynamics(v, applied); }},
        {"forward_dynamics_derivatives",
         [&] { forward_dynamics_derivatives(model, q, v, v, series, applied); }},
        {"force_sensitivity", [&] { force_sensitivity(model, q, v, v, sensitivity, applied); }},
        {"textbook::inverse_dynamics of wrenches",
         [&] {
           textbook::inverse_dynamics(model, kin, v, Representation::body, recursive, applied);
         }},
    });
  }
  expect_refused({
      {"textbook::inverse_dynamics",
       [&] { textbook::inverse_dynamics(model, kin, v, rep, recursive); }},
      {"textbook::forward_dynamics",
       [&] { textbook::forward_dynamics(model, kin, v, rep, recursive); }},
      {"textbook::reaction", [&] { textbook::reaction(model, kin, recursive, 0, rep); }},
      {"textbook::projection_equations", [&] { textbook::projection_equations(model, kin, rep); }},
      {"textbook::projected_mass_matrix",
       [&] { textbook::projected_mass_matrix(model, kin, rep); }},
      {"textbook::inverse_dynamics_rates",
       [&] { textbook::inverse_dynamics_rates(model, kin, v, v, v, rep, rates); }},
      {"body_wrench", [&] { body_wrench(model, {"arm"}, {}, rep); }},
  });
}

TEST_F(Enums, of_batches_and_matrices) {
  Batch<double> batch(model, 1);
  MassMatrix mass(model);
  const std::vector<double> qs(q.begin(), q.end()), vs(v.begin(), v.end()), W(6);
  std::vector<double> tau(vs), V(6), J(6 * vs.size());
  const Frame frames[] = {arm};
  const BatchWrenches<double> wrenches{frames, W, rep};
  expect_refused({
      {"Batch: Layout", [&] { batch.inverse_dynamics(1, qs, vs, vs, tau, wrong<BatchLayout>()); }},
      {"Batch: wrenches",
       [&] { batch.inverse_dynamics(1, qs, vs, vs, tau, BatchLayout::rows, wrenches); }},
      {"Batch::twists", [&] { batch.twists(1, qs, vs, frames, rep, V); }},
      {"Batch::accelerations", [&] { batch.accelerations(1, qs, vs, vs, frames, rep, V); }},
      {"Batch::jacobians", [&] { batch.jacobians(1, qs, arm, rep, J); }},
      {"mass_matrix: Triangle", [&] { mass_matrix(model, q, mass, wrong<Triangle>()); }},
  });
}

TEST_F(Enums, of_groups) {
  const ModelGroup group(model);
  const Model flat = test::slide();
  const ModelGroup flat_group(flat);
  Vector to(model.nq()), x(model.nv()), one(1);
  const auto chart = wrong<Chart>();
  expect_refused({
      {"chart_plus", [&] { group.chart_plus(chart, q, v, to); }},
      {"chart_rate", [&] { group.chart_rate(chart, v, v, x); }},
      {"chart_plus of a vector space", [&] { flat_group.chart_plus(chart, one, one, one); }},
      {"chart_rate of a vector space", [&] { flat_group.chart_rate(chart, one, one, one); }},
  });
}

TEST_F(Enums, of_descriptions) {
  const auto described = [](const auto& change) {
    Mechanism m = MechanismBuilder("m")
                      .body("a", ground, joints::revolute({0, 0, 1}))
                      .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                      .body("b", "a", joints::floating())
                      .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                      .body("c", "a", joints::custom({{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {}, 0}}))
                      .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                      .build();
    m.loops.push_back({.name = "loop", .bodies = {"b", "c"}, .type = JointType::spherical});
    change(m);
    return m;
  };
  const auto compiled = [&](const auto& change) { compile(described(change)); };
  const Mechanism good = described([](Mechanism&) {});
  compile(good);
  expect_refused({
      {"JointType",
       [&] { compiled([](Mechanism& m) { m.bodies[0].joint.type = wrong<JointType>(); }); }},
      {"joint_type_info", [&] { joint_type_info(wrong<JointType>()); }},
      {"Coordinates",
       [&] {
         compiled(
             [](Mechanism& m) { m.bodies[2].joint.parameterization = wrong<Parameterization>(); });
       }},
      {"FreeGroup",
       [&] { compiled([](Mechanism& m) { m.bodies[1].joint.group = wrong<FloatingGroup>(); }); }},
      {"In of a joint",
       [&] {
         compiled([](Mechanism& m) {
           std::get<AxisGeometry>(m.bodies[0].joint.geometry).in = wrong<DescribedIn>();
         });
       }},
      {"In of a pose",
       [&] { compiled([](Mechanism& m) { m.bodies[0].pose.in = wrong<DescribedIn>(); }); }},
      {"JointType of a loop",
       [&] { compiled([](Mechanism& m) { m.loops[0].type = wrong<JointType>(); }); }},
      {"In of a loop",
       [&] {
         compiled([](Mechanism& m) {
           std::get<AxisGeometry>(m.loops[0].geometry).in = wrong<DescribedIn>();
         });
       }},
      {"FreedGroup", [&] { to_maximal_coordinates(good, wrong<BodyGroup>()); }},
      {"FreedGroup of a body",
       [&] {
         to_maximal_coordinates(good, BodyGroup::se3, {{"a", wrong<BodyGroup>()}});
       }},
      {"Description", [&] { redescribe(good, wrong<Description>()); }},
  });
}

TEST_F(Enums, of_runs) {
  const auto run = [](const auto& change) {
    Scenario s = test::spring();
    s.events.push_back({{"middle", [](const State& at) { return at.q[0]; }}, RunEvent::log});
    change(s);
    Simulation simulation(s);
    Trajectory trajectory;
    simulation.run(trajectory);
  };
  run([](Scenario&) {});
  EvaluationState moment(model);
  const Model slide = test::slide();
  expect_refused({
      {"RunEvent::Action",
       [&] { run([](Scenario& s) { s.events[0].action = wrong<RunEvent::Action>(); }); }},
      {"Event::Direction",
       [&] {
         run([](Scenario& s) {
           s.events[0].event.direction = wrong<IntegratorEvent::Direction>();
         });
       }},
      {"impact_event",
       [&] { impact_event(slide, "e", "mass", 0, wrong<IntegratorEvent::Direction>(), 0.5); }},
      {"LimitMode", [&] { run([](Scenario& s) { s.limits = wrong<LimitMode>(); }); }},
      {"Stabilization",
       [&] { run([](Scenario& s) { s.integrator.stabilization = wrong<Stabilization>(); }); }},
      {"LocalCoordinates",
       [&] {
         run([](Scenario& s) {
           s.integrator = {.method = "mk4", .step = 0.01};
           s.integrator.chart = wrong<Chart>();
         });
       }},
      {"ContactSurface::Kind",
       [&] {
         contact(model, {.name = "c",
                         .balls = {"arm", {{}}, 0.1},
                         .against = {.kind = wrong<ContactSurface::Kind>()}});
       }},
      {"CollisionShape::Kind",
       [&] {
         shape_contact(model, {"c",
                               {.kind = wrong<CollisionShape::Kind>(), .body = "arm"},
                               {.kind = CollisionShape::plane, .body = "ground"}});
       }},
      {"has_contact", [&] { has_contact(CollisionShape::plane, wrong<CollisionShape::Kind>()); }},
      {"collision_kind_name", [&] { collision_kind_name(wrong<CollisionShape::Kind>()); }},
      {"Ends",
       [&] {
         references::spline({0, 1, 2}, {0, 1, 0}, wrong<references::Ends>());
       }},
      {"Source", [&] { quantity(model, "q", wrong<QuantitySource>()); }},
      {"Stage", [&] { update(moment, wrong<QuantityStage>()); }},
  });
}

TEST_F(Enums, of_files) {
  const auto path = std::filesystem::temp_directory_path() / "chasles_enums_test.txt";
  std::istringstream run("t,q:pivot\n0,0\n");
  Appearance looks;
  looks.shapes["arm"].push_back({.kind = wrong<VisualShape::Kind>()});
  expect_refused({
      {"Unfinished", [&] { OutputFile(path, {}, wrong<OutputFile::Unfinished>()); }},
      {"RunFormat", [&] { read_recorded_state(run, "run", wrong<RunFormat>(), model); }},
      {"Shape::Kind", [&] { write_view("", model, looks, q); }},
  });
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// Levels of constraint equations and numbers of stages, of mechanisms with and without constraints.
TEST_F(Enums, of_newton_matrices) {
  ModelSystem tree(model);
  ConstrainedSystem constrained(model);
  const auto level = wrong<ConstraintLevel>();
  expect_refused({
      {"ModelSystem::newton", [&] { tree.newton(level, 1); }},
      {"ConstrainedSystem::newton", [&] { constrained.newton(level, 1); }},
      {"MechanicalSystem::newton", [&] { tree.MechanicalSystem::newton(level, 1); }},
      {"-99 stages", [&] { tree.newton(ConstraintLevel::velocity, -99); }},
  });
  EXPECT_SAYS(constrained.newton(ConstraintLevel::position, 0), "0 stages");
}

}  // namespace enums_test
