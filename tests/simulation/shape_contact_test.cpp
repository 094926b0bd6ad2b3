/// Contact of collision shapes against closed forms: rest, sliding, rolling, tipping, distances; and which shapes may
/// touch.
#include "chasles/simulation/shape_contact.hpp"

#include <gtest/gtest.h>

#include <random>

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace shape_contact_test {

using test::End, test::g, test::run;
using enum CollisionShape::Kind;

const CollisionShape floor_plane{.kind = plane, .body = std::string(ground)};

Model free_body(const Vec3& gravity, double mass, const Sym3& tensor) {
  return compile(MechanismBuilder("free")
                     .gravity(gravity)
                     .body("body", ground, joints::floating())
                     .inertia(mass, {}, tensor)
                     .build());
}
Vector at(const SO3& R, const Vec3& r) {
  const Quaternion u = quaternion(R);
  return Vector{u.w, u.x, u.y, u.z, r.x, r.y, r.z};
}
Vector at_rest() { return Vector{0, 0, 0, 0, 0, 0}; }
VelocityKinematics state(const Model& model, const Vector& q, const Vector& v) {
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  return kin;
}
CollisionShape shape_of(CollisionShape::Kind kind, const Vec3& size, const SE3& pose = {}) {
  return {.kind = kind, .body = "body", .size = size, .pose = pose};
}

/// A shape in an orientation: how far its lowest point is below its center, and on how many points it rests.
struct Resting {
  CollisionShape shape;
  SO3 R;
  double below;
  int points;
};
std::vector<Resting> resting() {
  const SO3 lying = exp(Vec3{M_PI / 2, 0, 0}), tilted = exp(Vec3{0.7, 0, 0});
  const double s = std::sin(0.7), c = std::cos(0.7);
  return {
      {shape_of(sphere, {0.1, 0, 0}), tilted, 0.1, 1},
      {shape_of(capsule, {0.1, 0.4, 0}), lying, 0.1, 2},
      {shape_of(capsule, {0.1, 0.4, 0}), {}, 0.3, 1},
      {shape_of(capsule, {0.1, 0.4, 0}), tilted, 0.1 + 0.2 * c, 1},
      {shape_of(box, {0.2, 0.3, 0.4}), {}, 0.2, 4},
      {shape_of(box, {0.2, 0.3, 0.4}), tilted, 0.2 * c + 0.15 * s, 2},
      {shape_of(cylinder, {0.1, 0.4, 0}), {}, 0.2, 1},
      {shape_of(cylinder, {0.1, 0.4, 0}), lying, 0.1 * (std::sqrt(1 + 1e-4) - 0.01),
       2},  // a disc of tilt 0.01
      {shape_of(cylinder, {0.1, 0.4, 0}), tilted, 0.2 * c + 0.1 * (std::sqrt(s * s + 1e-4) - 0.01),
       1},
      {shape_of(ellipsoid, {0.1, 0.2, 0.3}), {}, 0.3, 1},
      {shape_of(ellipsoid, {0.1, 0.2, 0.3}), tilted, std::sqrt(0.04 * s * s + 0.09 * c * c), 1}};
}

TEST(ShapeContact, bears_the_weight_at_the_depth_of_the_force_law) {
  const double m = 2, k = 3e5;
  const Model model = free_body({0, 0, -g}, m, test::small_tensor);
  for (const double exponent : {1.0, 1.5})
    for (const double margin : {0.0, 0.02})
      for (const Resting& r : resting()) {
        const double x = std::pow(m * g / (r.points * k), 1 / exponent);
        const VelocityKinematics kin =
            state(model, at(r.R, {0.3, -0.2, r.below - x + margin}), at_rest());
        const Force force = shape_contact(
            model, {"it", r.shape, floor_plane, {.stiffness = k, .exponent = exponent}, margin});
        EXPECT_NEAR(force.touch->normal_force(kin), m * g, 1e-7)
            << collision_kind_name(r.shape.kind);
        EXPECT_NEAR(force.touch->gap(kin).distance, -x, 1e-12);
        EXPECT_NEAR(force.law.potential(kin), m * g * x / (exponent + 1), 1e-9);
        JointForces out;
        out.tau.setZero(6);
        force.law.add(0, kin, out);
        ASSERT_EQ(out.wrenches.size(), 1U);
        EXPECT_NEAR(out.wrenches[0].W.f.z, m * g, 1e-7);
      }
}

TEST(ShapeContact, of_a_shape_away_from_the_origin_of_its_body) {
  // The same sphere at the end of an arm, and a plane that is tilted and moves with a body.
  const Model model = free_body({}, 1, test::small_tensor);
  const CollisionShape ball = shape_of(sphere, {0.1, 0, 0}, {{}, {0.5, 0.2, -0.3}});
  const SE3 C{exp(Vec3{0.4, -0.2, 0.9}), {0.1, 0.2, 0.05}};
  const Vec3 center = C * Vec3{0.5, 0.2, -0.3};
  CollisionShape slope = floor_plane;
  slope.pose = {exp(Vec3{0.5, 0.1, 0}), {0, 0, 0.3}};
  const Force force = shape_contact(model, {"it", ball, slope, {.stiffness = 1}, 0});
  const Vec3 n = slope.pose.R * Vec3{0, 0, 1};
  EXPECT_NEAR(force.touch->gap(state(model, at(C.R, C.r), at_rest())).distance,
              dot(n, center - Vec3{0, 0, 0.3}) - 0.1, 1e-14);
}

TEST(ShapeContact, a_box_slides_with_friction_times_gravity) {
  const double m = 1, mu = 0.3, k = 1e6, v0 = 1.5, x = std::pow(m * g / (4 * k), 1 / 1.5);
  Scenario s{.model = free_body({0, 0, -g}, m, Sym3::diagonal(0.01, 0.01, 0.01)), .start = {}};
  s.start = {0, at({}, {0, 0, 0.025 - x}), Vector{0, 0, 0, v0, 0, 0}};
  s.duration = 0.3;
  s.forces.add(
      shape_contact(s.model, {"box",
                              shape_of(box, {0.4, 0.4, 0.05}),
                              floor_plane,
                              {.stiffness = k, .dissipation = 30, .friction = mu, .velocity = 1e-4},
                              0}));
  const End end = run(s);
  EXPECT_NEAR(end.state.v[3], v0 - mu * g * 0.3, 2e-3);
  EXPECT_NEAR(end.state.q[4], v0 * 0.3 - mu * g * 0.045, 1e-3);
  EXPECT_NEAR(end.state.q[6], 0.025 - x, 1e-5);
  EXPECT_LT(end.summary.worst.energy, 1e-4);
}

TEST(ShapeContact, a_sliding_sphere_ends_up_rolling_with_five_sevenths) {
  const double m = 2, r = 0.1, I = 0.4 * m * r * r, k = 1e5, v0 = 1;
  for (const CollisionShape& ball : {shape_of(sphere, {r, 0, 0}), shape_of(ellipsoid, {r, r, r}),
                                     shape_of(capsule, {r, 0, 0})}) {
    Scenario s{.model = free_body({0, 0, -g}, m, Sym3::diagonal(I, I, I)), .start = {}};
    // A capsule of length 0 rests on its two ends, which coincide.
    const int points = ball.kind == capsule ? 2 : 1;
    s.start = {0, at({}, {0, 0, r - std::pow(m * g / (points * k), 1 / 1.5)}),
               Vector{0, 0, 0, v0, 0, 0}};
    s.duration = 0.5;  // it rolls after 2 v0 / (7 mu g) = 0.06 s
    s.forces.add(
        shape_contact(s.model, {"ball", ball, floor_plane, {.stiffness = k, .friction = 0.5}, 0}));
    const End end = run(s);
    const VelocityKinematics kin = state(s.model, end.state.q, end.state.v);
    EXPECT_NEAR(kin.V_h()[0].v.x, 5.0 / 7 * v0, 1e-5);
    EXPECT_NEAR(kin.V_h()[0].w.y, 5.0 / 7 * v0 / r, 1e-4);
  }
}

/// A ball on the floor, as a collision shape and as a contact of a scenario.
std::vector<Force> ball_on_floor(const Model& model, double radius, const ContactLaw& law) {
  return {shape_contact(model, {"shape", shape_of(sphere, {radius, 0, 0}), floor_plane, law, 0}),
          contact(model, {.name = "ball", .balls = {"body", {Vec3{}}, radius}, .law = law})};
}
/// A spinning ball: I w' = -c m g w / s with s = sqrt(w^2 + w_r^2), so s - w_r artanh(w_r / s) falls at the rate
/// 5/2 c g / r^2: it stops after 2/5 w_0 r^2 / (c g), up to the regularization.
TEST(TurningResistance, a_spinning_ball_stops) {
  const double m = 2, r = 0.1, I = 0.4 * m * r * r, k = 1e5, c = 2e-4, w_r = 0.5, w0 = 6;
  const auto integral = [&](double w) {
    const double s = std::hypot(w, w_r);
    return s - w_r * std::atanh(w_r / s);
  };
  for (const int kind : {0, 1}) {
    Scenario s{.model = free_body({0, 0, -g}, m, Sym3::diagonal(I, I, I)), .start = {}};
    s.start = {0, at({}, {0, 0, r - std::pow(m * g / k, 1 / 1.5)}), Vector{0, 0, w0, 0, 0, 0}};
    s.forces.add(ball_on_floor(s.model, r,
                               {.stiffness = k,
                                .friction = 0.3,
                                .torsional_friction = c,
                                .rolling_friction = 0.7,
                                .angular_velocity = w_r})[static_cast<std::size_t>(kind)]);
    const double rate = 2.5 * c * g / (r * r), stop = w0 / rate;
    s.duration = 0.9 * stop;
    const End end = run(s);
    EXPECT_NEAR(integral(end.state.v[2]), integral(w0) - rate * s.duration, 1e-8);
    EXPECT_LT(end.summary.worst.energy, 1e-8);
    s.duration = 1.5 * stop;
    EXPECT_LT(std::abs(run(s).state.v[2]), 0.05 * w_r);
  }
}
/// A rolling ball: (I + m r^2) w' = -c m g, so v' = -5/7 c g / r, and it comes to rest after 7/10 v_0^2 r / (c g).
TEST(TurningResistance, a_rolling_ball_stops) {
  const double m = 2, r = 0.1, I = 0.4 * m * r * r, k = 1e5, c = 2e-3, v0 = 0.7;
  const double rate = 5.0 / 7 * c * g / r;
  for (const int kind : {0, 1}) {
    Scenario s{.model = free_body({0, 0, -g}, m, Sym3::diagonal(I, I, I)), .start = {}};
    s.start = {0, at({}, {0, 0, r - std::pow(m * g / k, 1 / 1.5)}), Vector{0, v0 / r, 0, v0, 0, 0}};
    s.forces.add(ball_on_floor(s.model, r,
                               {.stiffness = k,
                                .friction = 0.4,
                                .velocity = 1e-4,
                                .rolling_friction = c,
                                .angular_velocity = 1e-3})[static_cast<std::size_t>(kind)]);
    s.duration = 0.5;
    const End end = run(s);
    const VelocityKinematics kin = state(s.model, end.state.q, end.state.v);
    EXPECT_NEAR(kin.V_h()[0].v.x, v0 - rate * 0.5, 1e-5);  // it first creeps, by up to `velocity`
    EXPECT_NEAR(kin.V_h()[0].w.y, (v0 - rate * 0.5) / r, 1e-4);
    s.duration = 1.2 * v0 / rate;
    EXPECT_NEAR(run(s).state.q[4], v0 * v0 / (2 * rate), 2e-4);
  }
}
/// On a ball that is held by the other body both torques are opposite.
TEST(TurningResistance, acts_on_both_bodies) {
  const Model model = compile(MechanismBuilder("two")
                                  .body("body", ground, joints::floating())
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .body("other", ground, joints::floating())
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  Vector q(14), v(12);
  q << 1, 0, 0, 0, 0, 0, 0.15, 1, 0, 0, 0, 0, 0, 0;
  v << 1, 2, 3, 0, 0, 0, -2, 0.5, 1, 0, 0, 0;
  const ContactLaw law{.stiffness = 1e3,
                       .exponent = 1,
                       .torsional_friction = 0.01,
                       .rolling_friction = 0.02,
                       .angular_velocity = 1e-9};
  CollisionShape other = shape_of(sphere, {0.1, 0, 0});
  other.body = "other";
  const Force forces[] = {
      shape_contact(model, {"it", shape_of(sphere, {0.1, 0, 0}), other, law, 0}),
      contact(model, {.name = "it",
                      .balls = {"body", {Vec3{}}, 0.1},
                      .against = {.kind = ContactSurface::sphere, .body = "other", .radius = 0.1},
                      .law = law})};
  for (const Force& force : forces) {
    JointForces out;
    out.tau.setZero(12);
    force.law.add(0, state(model, q, v), out);
    ASSERT_EQ(out.wrenches.size(), 2U);
    // f_n = 1e3 * 0.05 N along z; w = (3, 1.5, 2) relative to the other one.
    const Vec3 torque = out.wrenches[0].W.t, back = out.wrenches[1].W.t;
    EXPECT_NEAR(torque.z, -50 * 0.01, 1e-9);
    EXPECT_NEAR(torque.x, -50 * 0.02 * 3 / std::hypot(3, 1.5), 1e-9);
    EXPECT_NEAR(torque.y, -50 * 0.02 * 1.5 / std::hypot(3, 1.5), 1e-9);
    EXPECT_LT(norm(torque + back), 1e-9);
  }
}
TEST(TurningResistance, is_checked) {
  const Model model = free_body({}, 1, test::small_tensor);
  const auto with = [&](const ContactLaw& law) { return ball_on_floor(model, 0.1, law); };
  EXPECT_SAYS(with({.stiffness = 1, .torsional_friction = -1}), "torsional_friction -1");
  EXPECT_SAYS(with({.stiffness = 1, .rolling_friction = NAN}), "rolling_friction nan");
  EXPECT_SAYS(with({.stiffness = 1, .angular_velocity = 0}), "angular_velocity 0 is not positive");
}

TEST(ShapeContact, a_box_on_an_incline_stands_slides_or_tips) {
  // Width 0.1, height 0.2: it tips beyond tan = 0.5 and slides beyond tan = friction.
  const auto ends = [](double slope, double friction) {
    const double m = 1, k = 1e6, c = 1 / std::sqrt(1 + slope * slope);
    Scenario s{
        .model = free_body({g * slope * c, 0, -g * c}, m, Sym3::diagonal(0.005, 0.004, 0.003)),
        .start = {}};
    s.start = {0, at({}, {0, 0, 0.1 - std::pow(m * g * c / (4 * k), 1 / 1.5)}), at_rest()};
    s.duration = 0.4;
    s.forces.add(shape_contact(s.model, {"box",
                                         shape_of(box, {0.1, 0.3, 0.2}),
                                         floor_plane,
                                         {.stiffness = k, .dissipation = 20, .friction = friction},
                                         0}));
    const End end = run(s);
    const double tilt = 2 * std::atan2(std::abs(end.state.q[2]), std::abs(end.state.q[0]));
    return std::pair{tilt, end.state.q[4]};
  };
  const auto [stands, crept] = ends(0.4, 0.8);
  EXPECT_LT(stands, 0.01);
  EXPECT_LT(crept, 0.005);
  const auto [upright, slid] = ends(0.4, 0.2);
  EXPECT_LT(upright, 0.01);
  EXPECT_NEAR(slid, 0.5 * g * (0.4 - 0.2) / std::sqrt(1.16) * 0.16, 0.003);
  EXPECT_GT(ends(0.6, 0.9).first, 0.1);
}

/// Two floating bodies at given poses.
Model two_bodies() {
  return compile(MechanismBuilder("two")
                     .gravity({})
                     .body("one", ground, joints::floating())
                     .inertia(1, {}, test::small_tensor)
                     .body("two", ground, joints::floating())
                     .inertia(1, {}, test::small_tensor)
                     .build());
}
VelocityKinematics two_at(const Model& model, const SE3& A, const SE3& B) {
  const Vector a = at(A.R, A.r), b = at(B.R, B.r);
  Vector q, v;
  q.setZero(14), v.setZero(12);
  for (int k = 0; k < 7; ++k) q[k] = a[k], q[7 + k] = b[k];
  return state(model, q, v);
}
SE3 random_pose(std::mt19937& random, double far) {
  std::uniform_real_distribution<double> any(-1, 1);
  return {exp(Vec3{3 * any(random), 3 * any(random), 3 * any(random)}),
          {far * any(random), far * any(random), far * any(random)}};
}

TEST(ShapeContact, distances_of_pairs_are_those_of_a_search) {
  const Model model = two_bodies();
  std::mt19937 random(7);
  const auto capsule_points = [](const SE3& C, double length) {
    std::vector<Vec3> points;
    for (int k = 0; k <= 400; ++k) points.push_back(C * Vec3{0, 0, length * (k / 400.0 - 0.5)});
    return points;
  };
  for (int n = 0; n < 60; ++n) {
    const SE3 A = random_pose(random, 0.8), B = random_pose(random, 0.8);
    const VelocityKinematics kin = two_at(model, A, B);
    const CollisionShape a{.kind = capsule, .body = "one", .size = {0.05, 0.6, 0}},
        b{.kind = capsule, .body = "two", .size = {0.1, 0.9, 0}},
        ball{.kind = sphere, .body = "one", .size = {0.05, 0, 0}},
        block{.kind = box, .body = "two", .size = {0.4, 0.6, 0.9}};
    double capsules = HUGE_VAL, ball_capsule = HUGE_VAL;
    for (const Vec3& q : capsule_points(B, 0.9)) {
      ball_capsule = std::min(ball_capsule, norm(A.r - q));
      for (const Vec3& p : capsule_points(A, 0.6)) capsules = std::min(capsules, norm(p - q));
    }
    const auto distance = [&](const CollisionShape& x, const CollisionShape& y) {
      return shape_contact(model, {"it", x, y, {.stiffness = 1}, 0}).touch->gap(kin).distance;
    };
    // The search is off by at most a spacing squared over the distance.
    EXPECT_NEAR(distance(a, b) + 0.15, capsules, 1e-3);
    EXPECT_LE(distance(a, b) + 0.15, capsules + 1e-12);
    EXPECT_NEAR(distance(ball, b) + 0.15, ball_capsule, 1e-3);
    const Vec3 y = inverse(B) * A.r;
    Vec3 beyond;
    double inside = -HUGE_VAL;
    const Vec3 half{0.2, 0.3, 0.45};
    for (int k = 0; k < 3; ++k) {
      const double d = std::abs(y[k]) - half[k];
      beyond[k] = std::max(0.0, d), inside = std::max(inside, d);
    }
    EXPECT_NEAR(distance(ball, block) + 0.05, inside < 0 ? inside : norm(beyond), 1e-12);
    EXPECT_NEAR(distance(block, ball) + 0.05, inside < 0 ? inside : norm(beyond), 1e-12);
  }
  // Parallel axes.
  const VelocityKinematics side = two_at(model, {{}, {0.5, 0, 0.2}}, {});
  const CollisionShape rod{.kind = capsule, .body = "one", .size = {0.1, 1, 0}},
      other{.kind = capsule, .body = "two", .size = {0.1, 1, 0}};
  EXPECT_NEAR(
      shape_contact(model, {"it", rod, other, {.stiffness = 1}, 0}).touch->gap(side).distance, 0.3,
      1e-14);
}

TEST(ShapeContact, spheres_collide_like_those_of_contact) {
  // The same collision by both, with friction: bit for bit is not needed, rounding is.
  const auto collide = [](bool shapes) {
    Scenario s{.model = two_bodies(), .start = {}};
    Vector q, v;
    q.setZero(14), v.setZero(12);
    q[0] = q[7] = 1, q[4] = -0.3, q[5] = 0.05;
    v[3] = 1, v[2] = 3;
    s.start = {0, q, v};
    s.duration = 0.5;
    s.integrator = {.method = "dop853", .tolerance = 1e-12};
    const ContactLaw law{.stiffness = 1e4, .dissipation = 0.2, .friction = 0.4};
    if (shapes)
      s.forces.add(shape_contact(s.model, {"it",
                                           {.kind = sphere, .body = "one", .size = {0.1, 0, 0}},
                                           {.kind = sphere, .body = "two", .size = {0.1, 0, 0}},
                                           law,
                                           0}));
    else
      s.forces.add(contact(s.model, {"it",
                                     {"one", {Vec3{}}, 0.1},
                                     {.kind = ContactSurface::sphere, .body = "two", .radius = 0.1},
                                     law}));
    return run(s);
  };
  const End a = collide(true), b = collide(false);
  for (int k = 0; k < 12; ++k) EXPECT_NEAR(a.state.v[k], b.state.v[k], 1e-9);
  EXPECT_LT(a.summary.worst.linear_momentum, 1e-12);
  EXPECT_LT(a.summary.worst.angular_momentum, 1e-11);
  EXPECT_LT(a.summary.worst.energy, 1e-9);
  EXPECT_GT(a.state.v[9], 0.3);  // the second one was hit
}

TEST(ShapeContact, mistakes_are_named) {
  const Model model = two_bodies();
  const CollisionShape ball{.kind = sphere, .body = "one", .size = {0.1, 0, 0}},
      block{.kind = box, .body = "two", .size = {1, 1, 1}}, none{.kind = sphere, .body = "noe"},
      negative{.kind = sphere, .body = "two", .size = {-1, 0, 0}};
  EXPECT_SAYS(shape_contact(model, {"it", block, {.kind = capsule, .body = "one"}, {}, 0}),
              "contact 'it'", "box", "capsule");
  EXPECT_SAYS(shape_contact(model, {"it", none, floor_plane, {}, 0}), "noe", "one");
  EXPECT_SAYS(shape_contact(model, {"it", ball, ball, {}, 0}), "move together");
  EXPECT_SAYS(shape_contact(model, {"it", ball, negative, {}, 0}), "-1 is not a length");
  EXPECT_SAYS(shape_contact(model, {"it", ball, block, {}, NAN}), "not a length");
  EXPECT_SAYS(shape_contact(model, {"it", ball, block, {.friction = -1}, 0}), "friction -1");
  EXPECT_SAYS(shape_contact(model, {"it", ball, block, {.exponent = 0}, 0}), "exponent 0");
  const Force force = shape_contact(
      model, {"it", ball, {.kind = sphere, .body = "two", .size = {0.1, 0, 0}}, {}, 0});
  EXPECT_SAYS(force.touch->gap(two_at(model, {}, {})), "no normal");
  EXPECT_FALSE(has_contact(plane, plane));
  EXPECT_FALSE(has_contact(mesh, plane));
}

/// A leg of three bodies, two of them on a fixed joint, and a massless one between.
Mechanism leg() {
  Mechanism m = MechanismBuilder("leg")
                    .body("base", ground, joints::floating())
                    .inertia(1, {}, test::small_tensor)
                    .body("between", "base", joints::revolute({1, 0, 0}))
                    .body("thigh", "between", joints::revolute({0, 1, 0}))
                    .inertia(1, {}, test::small_tensor)
                    .body("shank", "thigh", joints::revolute({0, 1, 0}, {0, 0, -0.3}))
                    .inertia(1, {}, test::small_tensor)
                    .body("foot", "shank", joints::fixed())
                    .build();
  for (const char* body : {"base", "thigh", "shank", "foot"})
    m.collisions.shapes.push_back(
        {.kind = sphere, .name = std::string("on ") + body, .body = body, .size = {0.05, 0, 0}});
  m.collisions.shapes.push_back({.kind = plane, .name = "floor", .body = std::string(ground)});
  return m;
}
std::vector<std::pair<int, int>> pairs_of(const Mechanism& m) {
  std::vector<std::pair<int, int>> pairs;
  for (const CollidingShapes& pair : colliding_pairs(m)) pairs.emplace_back(pair.a, pair.b);
  return pairs;
}

TEST(Collisions, of_neighbors_layers_exclusions_and_pairs) {
  using Pairs = std::vector<std::pair<int, int>>;
  // 0 base, 1 thigh, 2 shank, 3 foot (with the shank), 4 floor.
  Mechanism m = leg();
  EXPECT_EQ(pairs_of(m), (Pairs{{0, 2}, {0, 3}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}));
  m.collisions.neighbors = true;
  EXPECT_EQ(pairs_of(m),
            (Pairs{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 4}, {3, 4}}));
  m.collisions.neighbors = false;
  m.collisions.excluded = {{"shank", "base"}, {"thigh", "ground"}};
  EXPECT_EQ(pairs_of(m), (Pairs{{0, 3}, {0, 4}, {2, 4}, {3, 4}}));
  for (CollisionShape& shape : m.collisions.shapes) shape.layers = 0;
  m.collisions.shapes[4].layers = 2;
  m.collisions.shapes[3].touches = 6;
  EXPECT_EQ(pairs_of(m), (Pairs{{3, 4}}));
  m.collisions.shapes[0].friction = 0.3, m.collisions.shapes[1].friction = 0.4;
  m.collisions.shapes[0].margin = 0.01;
  m.collisions.pairs = {{{"on base", "on thigh"}, {}, {}, ""},
                        {{"on foot", "floor"}, 0.7, 0.002, ""}};
  const auto found = colliding_pairs(m);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].friction, 0.4);
  EXPECT_EQ(found[0].margin, 0.01);
  EXPECT_EQ(found[1].friction, 0.7);
  EXPECT_EQ(found[1].margin, 0.002);
}

TEST(Collisions, mistakes_are_named) {
  const auto broken = [](const auto& change) {
    Mechanism m = leg();
    change(m.collisions);
    check(m);
    colliding_pairs(m);
  };
  EXPECT_SAYS(broken([](Collisions& c) { c.shapes[0].body = "bse"; }), "'on base'", "'bse'",
              "base");
  EXPECT_SAYS(broken([](Collisions& c) { c.shapes[0].name = "floor"; }), "another one");
  EXPECT_SAYS(broken([](Collisions& c) { c.shapes[0].size.x = -1; }), "-1 is not a length");
  EXPECT_SAYS(broken([](Collisions& c) { c.shapes[0].friction = NAN; }), "friction nan");
  EXPECT_SAYS(broken([](Collisions& c) { c.shapes[0].margin = -1; }), "margin -1");
  EXPECT_SAYS(broken([](Collisions& c) { c.shapes[0].pose.r.x = NAN; }), "not finite");
  EXPECT_SAYS(broken([](Collisions& c) { c.excluded = {{"base", "foto"}}; }), "'foto'", "foot");
  EXPECT_SAYS(broken([](Collisions& c) {
                c.pairs = {{{"on fot", "floor"}, {}, {}, ""}};
              }),
              "'on fot'", "on foot");
  EXPECT_SAYS(
      broken([](Collisions& c) { c.shapes[0].kind = static_cast<CollisionShape::Kind>(99); }),
      "kind of collision shape");
}

TEST(ModelContacts, default_law_follows_from_weight_and_extent) {
  const Mechanism m = leg();
  const Model model = compile(m);
  const ModelContacts contacts = model_contacts(model, m);
  ASSERT_EQ(contacts.list.size(), 6U);
  EXPECT_EQ(contacts.list[2].name, "on base");  // on the only shape of ground
  EXPECT_EQ(contacts.list[0].name, "on base/on shank");
  // Spheres of 0.05 at 0 and at the shank, whose frame is that of the assembly: a cube of 0.1.
  const double L = 0.1 * std::sqrt(3.0);
  const ContactLaw& law = contacts.list[0].law;
  EXPECT_NEAR(*law.stiffness * std::pow(1e-3 * L, 1.5), 3 * 9.81, 1e-9);
  EXPECT_NEAR(law.dissipation, std::sqrt(1 / (1.5 * 9.81 * 1e-3 * L)), 1e-9);
  EXPECT_EQ(law.friction, 1);
  const ModelContacts own =
      model_contacts(model, m, {.stiffness = 5, .dissipation = 6, .friction = 0.2, .floor = -1.0});
  EXPECT_EQ(*own.list[0].law.stiffness, 5);
  EXPECT_EQ(own.list[0].law.friction, 0.2);
  EXPECT_EQ(own.list.size(), 10U);  // two floors
  Mechanism blocks = m;
  for (CollisionShape& shape : blocks.collisions.shapes)
    if (shape.kind == sphere) shape.kind = box, shape.size = {0.1, 0.1, 0.1};
  const ModelContacts some = model_contacts(model, blocks);
  ASSERT_EQ(some.notes.size(), 1U);
  EXPECT_NE(some.notes[0].find("box and box (2)"), std::string::npos) << some.notes[0];
  EXPECT_EQ(some.list.size(), 4U);
  blocks.collisions = {};
  EXPECT_SAYS(model_contacts(model, blocks), "no collision shapes", "collisions");
  EXPECT_SAYS(model_contacts(model, m, {.floor = NAN}), "floor nan");
}

}  // namespace shape_contact_test
}  // namespace chasles
