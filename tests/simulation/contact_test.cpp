/// Contact against closed forms: bounces, slopes, rolling, collisions, and a robot that stands.
#include "chasles/simulation/contact.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"

namespace chasles {
namespace {

using test::End, test::g, test::run;

const Sym3 ball_tensor = Sym3::diagonal(0.008, 0.008, 0.008);  // 2/5 m r^2 of 2 kg, 0.1 m

/// A ball of 2 kg and 0.1 m that slides along z.
Model sliding_ball(double gravity) {
  return compile(MechanismBuilder("slide")
                     .gravity({0, 0, -gravity})
                     .body("ball", ground, joints::prismatic({0, 0, 1}))
                     .inertia(2, {}, ball_tensor)
                     .build());
}
Model flying(const Vec3& gravity, double mass, const Sym3& tensor) {
  return compile(MechanismBuilder("flying")
                     .gravity(gravity)
                     .body("body", ground, joints::floating())
                     .inertia(mass, {}, tensor)
                     .build());
}
Scenario released(const Model& model, Vector q, Vector v, double duration) {
  Scenario s{.model = model, .start = {0, std::move(q), std::move(v)}};
  s.duration = duration;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  return s;
}
Contact ball_on_floor(const ContactLaw& law) { return {"ball", {"ball", {Vec3{}}, 0.1}, {}, law}; }

/// The velocity after the bounce, without gravity: m v dv/dx = -k x^n (1 + c v), c = 3/2 d, has the
/// first integral k x^(n+1) / (n+1) + m (c v - log(1 + c v)) / c^2.
double rebound(double v, double d) {
  const double c = 1.5 * d, G = c * v - std::log1p(c * v);
  double w = 0;
  for (double low = 0, high = std::min(v, 1 / c); w != 0.5 * (low + high);) {
    w = 0.5 * (low + high);
    (-c * w - std::log1p(-c * w) < G ? low : high) = w;
  }
  return w;
}

TEST(Contact, bounces_by_the_first_integral) {
  for (const double exponent : {1.0, 1.5, 2.2})
    for (const double d : {0.05, 0.5, 3.0})
      for (const char* method : {"dop853", "mk4"}) {
        const double v = 1.3;
        Scenario s = released(sliding_ball(0), Vector{0.4}, Vector{-v}, 1);
        if (method != std::string("dop853")) s.integrator = {.method = method, .step = 2e-4};
        s.forces.add(contact(
            s.model, ball_on_floor({.stiffness = 4e4, .exponent = exponent, .dissipation = d})));
        const End end = run(s);
        const double w = rebound(v, d), off = method == std::string("dop853") ? 1e-10 : 1e-7;
        EXPECT_NEAR(end.state.v[0], w, off) << method << exponent << d;
        EXPECT_NEAR(end.summary.end.work, w * w - v * v, 10 * off);  // m = 2
        EXPECT_LT(end.summary.worst.energy, 10 * off);
      }
}

TEST(Contact, restitution_is_one_less_dissipation_times_velocity) {
  const double v = 0.8;
  for (const double d : {1e-3, 1e-2}) {
    Scenario s = released(sliding_ball(0), Vector{0.2}, Vector{-v}, 1);
    s.forces.add(contact(s.model, ball_on_floor({.stiffness = 1e5, .dissipation = d})));
    EXPECT_NEAR(run(s).state.v[0] / v, 1 - d * v, 1.1 * d * v * d * v);
  }
}

/// Heights of bounces under gravity; the contact by the classical Runge-Kutta method in one dimension.
TEST(Contact, bounces_as_high_as_one_dimension_says) {
  const double k = 2e4, d = 0.1, height = 0.5;
  Scenario s = released(sliding_ball(g), Vector{0.1 + height}, Vector{0.0}, 2);
  s.forces.add(contact(s.model, ball_on_floor({.stiffness = k, .dissipation = d})));
  s.events = {{{"top", [&](const State& state) { return state.v[0]; }, IntegratorEvent::falling}}};
  const auto a = [&](double x, double v) {
    return x > 0 ? g - k / 2 * x * std::sqrt(x) * (1 + 1.5 * d * v) : g;
  };
  double t = std::sqrt(2 * height / g), v = std::sqrt(2 * g * height);
  std::vector<double> times;
  for (int bounce = 0; bounce < 3; ++bounce) {
    double x = 0;
    const double h = 2e-7;
    for (bool in = true; in; t += h) {  // down and up again; x = 0 at the end within h
      const double v1 = v, a1 = a(x, v1), v2 = v1 + h / 2 * a1, a2 = a(x + h / 2 * v1, v2),
                   v3 = v1 + h / 2 * a2, a3 = a(x + h / 2 * v2, v3), v4 = v1 + h * a3,
                   a4 = a(x + h * v3, v4);
      x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      in = x > 0 || v > 0;
    }
    // Up to the top, and down until x = 0 again.
    times.push_back(t - v / g);
    const double down = std::sqrt(v * v - 2 * g * x);
    t += (down - v) / g;
    v = down;
  }
  const End end = run(s);
  ASSERT_GE(end.summary.events.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(end.summary.events[i].t, times[i], 1e-8) << i;
  EXPECT_LT(end.summary.worst.energy, 1e-9);
}

/// A block on a slope, in the axes of the slope.
End on_slope(double angle, double mu, double duration) {
  const Model model =
      flying({g * std::sin(angle), 0, -g * std::cos(angle)}, 3, Sym3::diagonal(0.01, 0.01, 0.02));
  Scenario s = released(model, Vector{1, 0, 0, 0, 0, 0, 0.0246}, Vector(6), duration);
  s.forces.add(contact(
      model,
      {"block", {"body", box_corners({0.2, 0.2, 0.05})}, {}, {.dissipation = 5, .friction = mu}}));
  s.every = 0.5;
  s.integrator.tolerance = 1e-10;
  return run(s);
}
TEST(Contact, block_sticks_below_the_angle_of_friction_and_slides_above) {
  const double mu = 0.5, limit = std::atan(mu), velocity = ContactLaw{}.velocity;
  {
    const double angle = 0.9 * limit, s = std::tan(angle);
    const End end = on_slope(angle, mu, 2);
    // What creeps is known: friction at v is mu v / sqrt(v^2 + velocity^2) = tan(angle).
    EXPECT_NEAR(end.state.v[3], velocity * s / std::sqrt(mu * mu - s * s), 1e-8);
    EXPECT_LT(end.state.q[4], 2.5 * 2 * velocity);
    EXPECT_LT(end.summary.worst.energy, 1e-8);
  }
  const double angle = 1.2 * limit;
  const End end = on_slope(angle, mu, 2);
  const State &a = end.path[2], &b = end.path[4];  // at 1 s and 2 s
  const auto speed = [](const State& s) { return s.v[3]; };
  const double full = g * (std::sin(angle) - mu * std::cos(angle));
  // mu g cos v / sqrt(v^2 + velocity^2) lacks (velocity / v)^2 / 2 of itself.
  EXPECT_NEAR(speed(b) - speed(a), full, 2e-6);
  EXPECT_GT(speed(b) - speed(a), full);
  EXPECT_LT(end.summary.worst.energy, 1e-8);
}

TEST(Contact, sphere_rolls_down_with_five_sevenths) {
  const double angle = 0.4, mu = 0.7, r = 0.1;
  const Model model = flying({g * std::sin(angle), 0, -g * std::cos(angle)}, 2, ball_tensor);
  Scenario s = released(model, Vector{1, 0, 0, 0, 0, 0, r}, Vector(6), 2);
  s.forces.add(contact(
      model,
      {"ball", {"body", {Vec3{}}, r}, {}, {.dissipation = 5, .friction = mu, .velocity = 0.01}}));
  s.every = 0.5;
  s.integrator.tolerance = 1e-11;
  const End end = run(s);
  VelocityKinematics kin(model);
  const auto at = [&](const State& state) {
    forward_kinematics(model, state.q, state.v, kin);
    return twist(kin, model.frame("body"), Representation::hybrid);
  };
  const Twist V1 = at(end.path[2]), V2 = at(end.path[4]);
  EXPECT_NEAR(V2.v.x - V1.v.x, 5.0 / 7 * g * std::sin(angle), 1e-8);
  const double ratio = 2.0 / 7 * std::tan(angle);  // of friction and normal force
  EXPECT_NEAR(V2.v.x - r * V2.w.y, 0.01 * ratio / std::sqrt(mu * mu - ratio * ratio), 1e-9);
  EXPECT_LT(end.summary.worst.energy, 1e-7);
}

/// Two balls and a plate that fly.
Model trio() {
  return compile(MechanismBuilder("trio")
                     .gravity({})
                     .body("one", ground, joints::floating())
                     .inertia(2, {0.01, 0, 0.02}, ball_tensor)
                     .body("two", ground, joints::floating(FloatingGroup::so3xr3))
                     .inertia(1, {}, ball_tensor)
                     .body("plate", ground, joints::floating())
                     .inertia(3, {0.1, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.3))
                     .frame("tilted", "plate", {exp(Vec3{0.3, -0.5, 0.2}), {0.1, 0.2, -0.1}})
                     .build());
}
std::vector<Force> contacts_of(const Model& model) {
  const ContactLaw law{.stiffness = 300, .dissipation = 0.3, .friction = 0.4, .velocity = 0.1};
  const ContactLaw linear{.stiffness = 50, .exponent = 1, .dissipation = 2, .friction = 0.4};
  return {
      contact(model, {"balls",
                      {"one", {Vec3{0.1, 0, 0}, Vec3{0, 0.3, 0}}, 0.9},
                      {.kind = ContactSurface::sphere, .body = "two", .radius = 0.8},
                      law}),
      contact(model, {"on the plate",
                      {"one", box_corners({1, 2, 3}, {0.2, 0, 0})},
                      {.body = "tilted", .point = {0.1, 0, 0.3}, .normal = {1, 2, -1}},
                      law}),
      contact(model, {"on ground", {"two", {Vec3{0, 0, 0.1}}, 2}, {.normal = {0, 1, 3}}, linear})};
}

TEST(Contact, does_what_its_energy_says_and_as_much_to_both) {
  const Model model = trio();
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto list = contacts_of(model);
  EXPECT_TRUE(list[0].internal && list[1].internal && !list[2].internal);
  std::vector<int> touched(list.size());
  for (int n = 0; n < 60; ++n) {
    Vector q = model.neutral(), v(model.nv()), d(model.nv()), moved(model.nq());
    for (int i = 0; i < model.nv(); ++i) d[i] = uniform(random), v[i] = uniform(random);
    plus(model, q, d, moved);
    q = moved;
    VelocityKinematics kin(model);
    forward_kinematics(model, q, v, kin);
    PositionKinematics there(model);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Force& force = list[i];
      const double h = 1e-5;
      double U[2];
      for (const int side : {0, 1}) {
        d = (side == 1 ? h : -h) * v;
        plus(model, q, d, moved);
        forward_kinematics(model, moved, there);
        U[side] = force.law.potential(there);
      }
      JointForces out{Vector(model.nv()), {}};
      force.law.add(0, kin, out);
      touched[i] += !out.wrenches.empty();
      const double lost = force.law.power(0, kin);
      EXPECT_LE(lost, 0);
      // Central differences leave h^2 and rounding / h, times stiffness.
      EXPECT_NEAR(out.power(kin), lost - (U[1] - U[0]) / (2 * h), 1e-6 * (1 + std::abs(lost)))
          << force.name;
      if (!force.internal) continue;
      Vec3 f{}, t{};
      double size = 1;
      for (const AppliedWrench& w : out.wrenches) {
        f += w.W.f, t += w.W.t + cross(pose(kin, w.frame).r, w.W.f);
        size = std::max(size, norm(w.W.f));
      }
      EXPECT_EQ(norm(f), 0);
      EXPECT_LE(norm(t), 1e-14 * size);
      // The rate of the gap, if no other point becomes the deepest.
      const ContactQuery::Gap gap = force.touch->gap(kin);
      d = h * v;
      plus(model, q, d, moved);
      VelocityKinematics ahead(model);
      forward_kinematics(model, moved, v, ahead);
      EXPECT_NEAR((force.touch->gap(ahead).distance - gap.distance) / h, gap.rate, 1e-3);
    }
  }
  for (const int count : touched) EXPECT_GT(count, 10);
}

/// Small balls that fly past each other, so fast that no step would see them touch.
TEST(Contact, between_bodies_keeps_momentum_and_is_not_stepped_over) {
  const Model model = compile(MechanismBuilder("pair")
                                  .gravity({})
                                  .body("one", ground, joints::floating(FloatingGroup::so3xr3))
                                  .inertia(1, {}, Sym3::diagonal(4e-5, 4e-5, 4e-5))
                                  .body("two", ground, joints::floating(FloatingGroup::so3xr3))
                                  .inertia(2, {}, Sym3::diagonal(4e-5, 4e-5, 4e-5))
                                  .build());
  Vector q = model.neutral(), v(12);
  q[4] = -5, q[6] = 0.012;
  v[3] = 10;
  Scenario s = released(model, q, v, 1);
  s.forces.add(contact(model, {"hit",
                               {"one", {Vec3{}}, 0.01},
                               {.kind = ContactSurface::sphere, .body = "two", .radius = 0.01},
                               {.stiffness = 1e7, .dissipation = 0.02, .friction = 0.3}}));
  const End end = run(s);
  EXPECT_GT(std::abs(end.state.v[9]), 1);  // the other one flies
  // Linear in the velocities of these joints, so that no method changes it; the other one is not.
  EXPECT_LT(end.summary.worst.linear_momentum, 1e-12);
  EXPECT_LT(end.summary.worst.angular_momentum, 1e-9);
  EXPECT_LT(end.summary.worst.energy, 1e-7);
  EXPECT_TRUE(end.summary.momentum_causes.empty());
}

/// A trunk on four legs, each with a hip and a knee held by motors, dropped from 3 cm.
TEST(Contact, robot_lands_and_stands) {
  MechanismBuilder builder("robot");
  builder.gravity({0, 0, -g})
      .body("trunk", ground, joints::floating())
      .inertia(8, {0, 0, 0.5}, Sym3::diagonal(0.05, 0.2, 0.22));
  Model model;
  std::vector<std::string> legs;
  for (const double x : {-0.3, 0.3})
    for (const double y : {-0.15, 0.15}) {
      const std::string leg = std::to_string(legs.size());
      const auto turn = [&](double px, double z) {
        return joints::custom({ScrewData{.axis = {0, 1, 0}, .point = {px, y, z}}});
      };
      builder.body("hip" + leg, "trunk", turn(x, 0.5))
          .inertia(0.6, {x - 0.05, y, 0.375}, Sym3::diagonal(0.003, 0.003, 0.0002))
          .body("knee" + leg, "hip" + leg, turn(x - 0.1, 0.25))
          .inertia(0.3, {x - 0.05, y, 0.125}, Sym3::diagonal(0.002, 0.002, 0.0001))
          .frame("foot" + leg, "knee" + leg, {{}, {x, y, 0}});
      legs.push_back(leg);
    }
  model = compile(builder.build());
  Vector q = model.neutral();
  q[6] = 0.03;
  Scenario s = released(model, q, Vector(model.nv()), 1.5);
  s.integrator.tolerance = 1e-7;
  for (const std::string& leg : legs) {
    for (const char* joint : {"hip", "knee"})
      s.forces.add(pd_hold(model, joint + leg, 400, 12, {signals::constant(0)}));
    s.forces.add(contact(model, {"foot" + leg,
                                 {"foot" + leg, {Vec3{}}},
                                 {},
                                 {.dissipation = 3, .friction = 0.8, .velocity = 0.02}}));
    s.quantities.push_back("contact:foot" + leg);
  }
  struct Tape : Recorder {
    void sample(const Sample& sample) override {
      forces = depth = 0;
      for (const Matrix& value : sample.values)
        forces += value(0, 0), depth = std::max(depth, value(1, 0));
      most = std::max(most, forces);
    }
    double forces = 0, depth = 0, most = 0;
  } tape;
  Simulation simulation(s);
  simulation.run(tape);
  const double weight = (8 + 4 * 0.9) * g;
  EXPECT_NEAR(tape.forces, weight, 1e-3 * weight);
  EXPECT_GT(tape.most, 1.5 * weight);  // when it landed
  EXPECT_GT(tape.depth, 1e-4);
  EXPECT_LT(tape.depth, 1.5e-3);
  EXPECT_LT(simulation.state().v.lpNorm<Eigen::Infinity>(), 5e-3);  // regularized friction creeps
  EXPECT_LT(simulation.summary().worst.energy, 1e-5);
}

/// A box of 4 kg stands: its corners bear its weight, below its center of mass, which is aside.
TEST(Contact, tells_its_force_and_where) {
  const Model box = compile(MechanismBuilder("box")
                                .gravity({0, 0, -g})
                                .body("box", ground, joints::floating())
                                .inertia(4, {0.05, -0.02, 0}, Sym3::diagonal(0.05, 0.05, 0.05))
                                .build());
  Vector q = box.neutral();
  q[6] = 0.1;
  Scenario s = released(box, q, Vector(6), 4);
  s.integrator.tolerance = 1e-8;
  s.forces.add(
      contact(box, {"floor",
                    {"box", box_corners({0.4, 0.3, 0.2})},
                    {},
                    {.stiffness = 2e4, .exponent = 1, .dissipation = 5, .friction = 0.5}}));
  s.quantities = {"contact_force:floor", "contact:floor"};
  struct Tape : Recorder {
    void sample(const Sample& sample) override {
      push = sample.values[0];
      normal = sample.values[1](0, 0);
    }
    Matrix push;
    double normal = 0;
  } tape;
  Simulation(s).run(tape);
  EXPECT_NEAR(tape.push(2, 0), 4 * g, 1e-4);
  EXPECT_NEAR(tape.push(2, 0), tape.normal, 1e-9);
  EXPECT_NEAR(std::hypot(tape.push(0, 0), tape.push(1, 0)), 0, 1e-4);
  EXPECT_NEAR(tape.push(3, 0), 0.05, 1e-4);
  EXPECT_NEAR(tape.push(4, 0), -0.02, 1e-4);
  EXPECT_LT(tape.push(5, 0), 0);
  EXPECT_GT(tape.push(5, 0), -2e-3);
}

TEST(Contact, that_makes_no_sense_is_refused) {
  const Model model = trio();
  const auto with = [&](auto&& change) {
    Contact c{"c", {"one", {Vec3{}}, 0.1}, {}, {}};
    change(c);
    return contact(model, c);
  };
  EXPECT_SAYS(with([](Contact& c) { c.balls.body = "on"; }), "contact 'c'", "'on'", "one");
  EXPECT_SAYS(with([](Contact& c) { c.against.body = "tow"; }), "contact 'c'", "two");
  EXPECT_SAYS(with([](Contact& c) { c.against.body = "one"; }), "move together");
  EXPECT_SAYS(with([](Contact& c) { c.balls.points.clear(); }), "no points");
  EXPECT_SAYS(with([](Contact& c) { c.balls.radius = -1; }), "radius -1", "not a length");
  EXPECT_SAYS(with([](Contact& c) { c.law.stiffness = -5; }), "stiffness -5", "not positive");
  EXPECT_SAYS(with([](Contact& c) { c.law.exponent = 0.5; }), "exponent 0.5");
  EXPECT_SAYS(with([](Contact& c) { c.law.dissipation = -1; }), "dissipation -1", "negative");
  EXPECT_SAYS(with([](Contact& c) { c.law.friction = NAN; }), "friction", "finite");
  EXPECT_SAYS(with([](Contact& c) { c.law.velocity = 0; }), "velocity 0");
  EXPECT_SAYS(with([](Contact& c) { c.against.normal = {}; }), "normal", "length 0");
  EXPECT_SAYS(with([](Contact& c) {
                c.balls.radius = 0;
                c.against.kind = ContactSurface::sphere;
              }),
              "both radii are 0");
  // Spheres whose centers coincide have no normal.
  Contact inside{"c", {"one", {Vec3{}}, 1}, {.kind = ContactSurface::sphere, .body = "two"}, {}};
  Scenario s = released(model, model.neutral(), Vector(model.nv()), 1);
  s.forces.add(contact(model, inside));
  EXPECT_SAYS(run(s), "contact 'c'", "coincide");
  Scenario taylor = released(model, model.neutral(), Vector(model.nv()), 1);
  taylor.forces.add(contact(model, {"c", {"one", {Vec3{}}, 1}, {.point = {0, 0, -9}}, {}}));
  taylor.integrator = {.method = "taylor"};
  EXPECT_SAYS(run(taylor), "contact 'c'", "expanded");
  taylor.integrator = {};
  taylor.quantities = {"contact:d"};
  EXPECT_SAYS(run(taylor), "there is no contact 'd'", "give c");
}

}  // namespace
}  // namespace chasles
