/// Laws of all forces: what the power of a force is, that dampers and friction take energy, that springs
/// store it, and that forces between bodies leave the momenta alone. Every function of
/// include/chasles/simulation that returns a Force, and every type of force in scenario files, has a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "chasles/io/scenario_file.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/simulation/actuator_force.hpp"
#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "chasles/simulation/expression_force.hpp"
#include "chasles/simulation/shape_contact.hpp"
#include "chasles/simulation/stops.hpp"
#include "support/difference.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace force_laws {

/// A floating base with an arm of a turn, a slide, a ball and a strut.
Model floating_arm() {
  Joint strut = joints::of(JointType::telescoping, {0, 0, 1});
  Joint slide = joints::prismatic({0, 1, 0});
  slide.limits = JointLimits{-0.1, 0.1, {}, {}};
  slide.dynamics = {.damping = 0.3, .friction = 0.2, .stiffening = {0, 4}, .drag = {0.2, 0.1}};
  return compile(MechanismBuilder("arm")
                     .body("base", ground, joints::floating())
                     .inertia(3, {0, 0, 0.1}, Sym3::diagonal(0.3, 0.2, 0.25))
                     .body("turn", "base", joints::revolute({0, 0, 1}, {0.2, 0, 0}))
                     .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.25))
                     .body("slide", "turn", std::move(slide))
                     .inertia(1, {0.3, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.25))
                     .body("ball", "slide", joints::spherical({0.4, 0, 0}))
                     .inertia(1, {0.5, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.25))
                     .body("strut", "base", std::move(strut))
                     .inertia(1, {0, 0, 0.5}, Sym3::diagonal(0.1, 0.2, 0.25))
                     .build());
}

struct At {
  const Model& model;
  double t;
  const VelocityKinematics& kin;
  double v(std::string_view joint, int k = 0) const {
    return kin.v()[model.joint(joint).v_index + k];
  }
  double q(std::string_view joint, int k = 0) const {
    return kin.q()[model.joint(joint).q_index + k];
  }
};

struct ForceRow {
  std::string function;  // that makes it
  std::string title;
  std::function<Force(const Model&)> make;
  bool dissipates;  // P <= 0
  bool internal;    // between bodies of the arm
  /// The power of all that it does, by a formula of its own; empty: it follows from U and P.
  std::function<double(const At&)> power{};
};

std::vector<ForceRow> force_table() {
  const auto wave = [](double a) { return signals::sinusoid({a, 0.7, 0.3, 0.1}); };
  const auto number = [](double a) { return signals::constant(a); };
  std::vector<ForceRow> rows;
  for (const char* joint : {"turn", "slide", "ball", "strut"}) {
    const auto add = [&](std::string function, std::function<Force(const Model&)> make) {
      rows.push_back({std::move(function), joint, std::move(make), true, true});
    };
    add("joint_spring_damper", [=](const Model& m) { return joint_spring_damper(m, joint, 20); });
    add("joint_spring_damper",
        [=](const Model& m) { return joint_spring_damper(m, joint, 20, 3); });
    add("joint_friction", [=](const Model& m) {
      return joint_friction(m, joint, {.viscous = 0.4, .coulomb = 0.7, .velocity = 0.1});
    });
  }
  rows.push_back({"joint_friction", "that sticks",
                  [](const Model& m) {
                    return joint_friction(m, "turn", {.viscous = 1, .coulomb = 2, .stick = true});
                  },
                  true, true});
  rows.push_back({"joint_stop", "slide",
                  [](const Model& m) {
                    return joint_stop(m, "slide", {.stiffness = 50, .damping = 4, .depth = 0.01});
                  },
                  true, true});
  rows.push_back(
      {"pd_hold", "turn", [=](const Model& m) { return pd_hold(m, "turn", 7, 2, {wave(0.5)}); },
       false, true,
       [=](const At& at) {
         return -at.v("turn") * (7 * (at.q("turn") - wave(0.5)(at.t)) + 2 * at.v("turn"));
       }});
  rows.push_back(
      {"pd_hold", "strut",
       [=](const Model& m) {
         return pd_hold(m, "strut", 7, 2, {number(1), number(0), number(0), number(0), wave(0.2)});
       },
       false, true,
       [=](const At& at) {
         // The angle about x, y, z of a quaternion near one, by its cosine.
         const Vec3 p{at.q("strut", 1), at.q("strut", 2), at.q("strut", 3)},
             w{at.v("strut"), at.v("strut", 1), at.v("strut", 2)};
         const double angle = 2 * std::acos(at.q("strut")) -
                              (at.q("strut") < 0 ? 2 * lie::pi<double> : 0),
                      d = at.v("strut", 3);
         return -7 * angle / norm(p) * dot(p, w) - 2 * dot(w, w) -
                d * (7 * (at.q("strut", 4) - wave(0.2)(at.t)) + 2 * d);
       }});
  rows.push_back({"actuator_force", "a servo on two joints",
                  [=](const Model& m) {
                    return actuator_force(m,
                                          {.name = "servo",
                                           .terms = {{"turn", 2}, {"slide", -0.5}},
                                           .gain = {8, 0, 0},
                                           .bias = {0.1, -8, -0.4}},
                                          wave(0.5));
                  },
                  false, true,
                  [=](const At& at) {
                    const double length = 2 * at.q("turn") - 0.5 * at.q("slide"),
                                 rate = 2 * at.v("turn") - 0.5 * at.v("slide");
                    return rate * (8 * (wave(0.5)(at.t) - length) + 0.1 - 0.4 * rate);
                  }});
  rows.push_back({"joint_torque", "ball",
                  [=](const Model& m) {
                    return joint_torque(m, "ball", {wave(1), wave(2), wave(3)});
                  },
                  false, true,
                  [=](const At& at) {
                    return wave(1)(at.t) * at.v("ball") + wave(2)(at.t) * at.v("ball", 1) +
                           wave(3)(at.t) * at.v("ball", 2);
                  }});
  rows.push_back({"body_wrench", "in the axes of the world",
                  [=](const Model& m) {
                    return body_wrench(m, {"ball", {0.1, 0.2, 0.3}},
                                       {wave(1), number(2), wave(3), wave(4), number(5), wave(6)});
                  },
                  false, false,
                  [=](const At& at) {
                    const Frame p = at.model.frame("ball").at(SE3{{}, {0.1, 0.2, 0.3}});
                    const Twist V = twist(at.kin, p, Representation::hybrid);
                    return dot(Vec3{wave(1)(at.t), 2, wave(3)(at.t)}, V.w) +
                           dot(Vec3{wave(4)(at.t), 5, wave(6)(at.t)}, V.v);
                  }});
  rows.push_back(
      {"point_spring_damper", "between bodies",
       [](const Model& m) {
         return point_spring_damper(m, {"base", {1, 0, 0}}, {"ball", {0, 1, 0}}, 30, 2, 0.5);
       },
       true, true});
  rows.push_back(
      {"point_spring_damper", "to ground",
       [](const Model& m) {
         return point_spring_damper(m, {"ground", {1, 0, 0}}, {"ball", {0, 1, 0}}, 30, 2, 0.5);
       },
       true, false});
  rows.push_back({"expression_force", "expression of other joints",
                  [](const Model& m) {
                    return expression_force(m, "turn",
                                            {"-k*(q.slide - 0.3) - 2*v.turn^3 + sin(t)*v.strut.3"},
                                            {{"k", 7}});
                  },
                  false, true,
                  [](const At& at) {
                    const double v = at.v("turn");
                    return v * (-7 * (at.q("slide") - 0.3) - 2 * v * v * v +
                                std::sin(at.t) * at.v("strut", 3));
                  }});
  // T = 30 d^2 - 4 d', between a point of the base and one of the ball.
  rows.push_back(
      {"point_expression", "between bodies",
       [](const Model& m) {
         return point_expression(m, {"base", {1, 0, 0}}, {"ball", {0, 1, 0}}, "30*d^2 - 4*d_dot");
       },
       false, true,
       [](const At& at) {
         const Frame a = at.model.frame("base").at(SE3{{}, {1, 0, 0}}),
                     b = at.model.frame("ball").at(SE3{{}, {0, 1, 0}});
         const Vec3 r = pose(at.kin, b).r - pose(at.kin, a).r,
                    r_dot = twist(at.kin, b, Representation::hybrid).v -
                            twist(at.kin, a, Representation::hybrid).v;
         const double d = norm(r), d_dot = dot(r, r_dot) / d;
         return -(30 * d * d - 4 * d_dot) * d_dot;
       }});
  Bushing mount{{"base", {0.1, 0.2, 0}}, {"ball", {0, 0.3, 0.1}}, exp(Vec3{0.3, 0.2, 0.1}), {}};
  for (std::size_t i = 0; i < 6; ++i)
    mount.stiffness[7 * i] = 10.0 + static_cast<double>(i), mount.damping[7 * i] = 0.5;
  mount.stiffness[3] = mount.stiffness[18] = 2;  // a moment by a displacement along x
  rows.push_back(
      {"bushing", "between bodies", [=](const Model& m) { return bushing(m, mount); }, true, true});
  mount.a.body = "ground", mount.damping = {};
  rows.push_back(
      {"bushing", "to ground", [=](const Model& m) { return bushing(m, mount); }, true, false});
  for (const auto kind : {TableInterpolation::linear, TableInterpolation::cubic})
    rows.push_back(
        {"joint_spring_table", "turn",
         [=](const Model& m) {
           return joint_spring_table(m, "turn", {-2, -0.5, 0, 1}, {5, 3, 0, -2}, 0.3, kind);
         },
         true, true});
  rows.push_back({"joint_progressive", "slide",
                  [](const Model& m) { return joint_progressive(m, "slide"); }, true, true});
  rows.push_back({"tendon_stop", "of joints",
                  [](const Model& m) {
                    return tendon_stop(m,
                                       {.name = "t",
                                        .terms = {{"turn", 2}, {"slide", -0.5}},
                                        .range = std::array<double, 2>{-0.1, 0.2}},
                                       {.stiffness = 50, .damping = 4, .depth = 0.01});
                  },
                  true, true});
  rows.push_back({"tendon_force", "of joints",
                  [](const Model& m) {
                    return tendon_force(m, {.name = "t",
                                            .terms = {{"turn", 2}, {"slide", -0.5}},
                                            .stiffness = 9,
                                            .damping = 0.4,
                                            .rest = {-0.1, 0.2}});
                  },
                  true, true});
  for (const char* from : {"base", "ground"})
    rows.push_back({"tendon_force", "through points",
                    [=](const Model& m) {
                      return tendon_force(
                          m, {.name = "t",
                              .points = {{from}, {"slide", 0.5}, {"ball", 0}, {"turn"}, {"strut"}},
                              .stiffness = 30,
                              .damping = 2,
                              .rest = {0.1, 0.1}});
                    },
                    true, from == std::string("base")});
  rows.push_back({"point_drag", "in still air",
                  [](const Model& m) {
                    return point_drag(m, {"ball", {0.1, 0.2, 0}}, {.viscous = 1, .quadratic = 2});
                  },
                  true, false,
                  [](const At& at) {
                    const Frame p = at.model.frame("ball").at(SE3{{}, {0.1, 0.2, 0}});
                    const Vec3 v = twist(at.kin, p, Representation::hybrid).v;
                    return -dot(v, v) - 2 * std::pow(dot(v, v), 1.5);
                  }});
  const ContactLaw law{.stiffness = 200,
                       .dissipation = 0.3,
                       .friction = 0.6,
                       .velocity = 0.1,
                       .torsional_friction = 0.2,
                       .rolling_friction = 0.1,
                       .angular_velocity = 0.5};
  rows.push_back({"contact", "with ground",
                  [=](const Model& m) {
                    return contact(m, {.name = "floor",
                                       .balls = {"ball", {Vec3{}, Vec3{0.1, 0, 0}}, 0.1},
                                       .against = {.point = {0, 0, 3}},
                                       .law = law});
                  },
                  true, false});
  rows.push_back({"contact", "of two bodies",
                  [=](const Model& m) {
                    return contact(
                        m,
                        {.name = "each other",
                         .balls = {"ball", {Vec3{}}, 2},
                         .against = {.kind = ContactSurface::sphere, .body = "base", .radius = 2},
                         .law = law});
                  },
                  true, true});
  const auto shape = [](CollisionShape::Kind kind, const char* body, const Vec3& size,
                        const SE3& pose = {}) {
    return CollisionShape{.kind = kind, .body = body, .size = size, .pose = pose};
  };
  const CollisionShape high = shape(CollisionShape::plane, "ground", {}, {{}, {0, 0, 3}});
  for (const auto& [kind, size] : {std::pair{CollisionShape::cylinder, Vec3{0.3, 0.5, 0}},
                                   {CollisionShape::ellipsoid, Vec3{0.3, 0.5, 0.4}},
                                   {CollisionShape::box, Vec3{0.3, 0.5, 0.4}}})
    rows.push_back({"shape_contact", "with ground",
                    [=](const Model& m) {
                      return shape_contact(m, {"floor", shape(kind, "ball", size), high, law, 0.1});
                    },
                    true, false});
  // Capsules whose axes stay apart: where they cross, the normal turns around.
  for (const auto& [a, b] :
       {std::pair{shape(CollisionShape::capsule, "ball", {2.5, 20, 0}),
                  shape(CollisionShape::capsule, "base", {2, 0.001, 0}, {{}, {0, 3, 0}})},
        {shape(CollisionShape::sphere, "ball", {7, 0, 0}),
         shape(CollisionShape::box, "base", {20, 20, 2}, {{}, {0, 0, -5}})},
        {shape(CollisionShape::capsule, "ball", {4, 0.5, 0}),
         shape(CollisionShape::plane, "base", {})}})
    rows.push_back({"shape_contact", "of two bodies",
                    [=](const Model& m) {
                      return shape_contact(m, {"each other", a, b, law, 0.05});
                    },
                    true, true});
  rows.push_back({"control", "PD",
                  [](const Model& m) {
                    return control(pd_control(m, {"turn"}, {Reference(0.4)},
                                              {.stiffness = {5}, .damping = {0.5}}));
                  },
                  false, true,
                  [](const At& at) {
                    return at.v("turn") * (5 * (0.4 - at.q("turn")) - 0.5 * at.v("turn"));
                  }});
  return rows;
}

/// tau + sum J^T W, by the Jacobians.
Eigen::VectorXd generalized(const At& at, const JointForces& out) {
  Eigen::VectorXd Q = out.tau;
  Matrix6X J(6, at.model.nv());
  for (const AppliedWrench& w : out.wrenches) {
    jacobian(at.model, at.kin, w.frame, w.representation, J);
    Q += J.transpose() * to_eigen(w.W);
  }
  return Q;
}

class ForceLaws : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Every, ForceLaws, ::testing::Range<std::size_t>(0, force_table().size()));

TEST_P(ForceLaws, hold) {
  const ForceRow row = force_table()[GetParam()];
  const std::string what = row.function + ", " + row.title;
  const Model model = floating_arm();
  const Force force = row.make(model);
  EXPECT_EQ(force.internal, row.internal) << what;
  std::mt19937_64 generator(5);
  VelocityKinematics kin(model);
  double most = 0;
  for (int sample = 0; sample < 20; ++sample) {
    const double t = 0.1 * sample;
    const Eigen::VectorXd q = test::random_configuration(model, generator),
                          v = test::random_vector(model.nv(), generator);
    forward_kinematics(model, q, v, kin);
    const At at{model, t, kin};
    JointForces out{Vector(model.nv()), {}};
    out.tau.setZero();
    force.law.add(t, kin, out);
    const Eigen::VectorXd Q = generalized(at, out);
    const double all = Q.dot(v), size = 1 + std::abs(all);
    most = std::max(most, Q.cwiseAbs().maxCoeff());
    // Joint forces and wrenches work as they say.
    EXPECT_NEAR(out.power(kin), all, 1e-12 * size) << what;

    // P = power - (-dU/dt).
    double storing = 0;
    if (force.law.potential) {
      storing = test::derivative(
          [&](double s) {
            Eigen::VectorXd there(model.nq());
            plus(model, q, s * v, there);
            PositionKinematics k(model);
            forward_kinematics(model, there, k);
            return force.law.potential(k);
          },
          1e-3);
      EXPECT_GE(force.law.potential(kin), 0) << what;
    }
    const double P = force.law.power ? force.law.power(t, kin) : force.law.potential ? 0 : all;
    EXPECT_NEAR(P, all + storing, 1e-8 * (size + std::abs(storing))) << what;
    if (row.dissipates) {
      EXPECT_LE(P, 1e-12 * size) << what;
    } else {
      ASSERT_TRUE(row.power) << what << ": a force that drives needs a formula of its power";
    }
    if (row.power) {
      EXPECT_NEAR(all, row.power(at), 1e-12 * (size + Q.norm())) << what;
    }

    // The whole, moved as one body, feels nothing: the wrenches on it sum up to zero.
    const ModelJoint& base = model.joint("base");
    const double on_all = Q.segment(base.v_index, base.nv).cwiseAbs().maxCoeff();
    if (row.internal) {
      EXPECT_LE(on_all, 1e-13 * (1 + Q.norm())) << what;
    }
  }
  EXPECT_GT(most, 0.1) << what << " does nothing at these states";
}

/// What is in every run by itself is made of the forces above.
TEST(ForceTypes, lists_are_made_of_forces_with_laws) {
  const Model model = floating_arm();
  ASSERT_EQ(joint_dynamics(model).size(), 2u);
  EXPECT_EQ(joint_dynamics(model)[0].name, joint_friction(model, "slide", {}).name);
  EXPECT_EQ(joint_dynamics(model)[1].name, joint_progressive(model, "slide").name);
  ASSERT_EQ(soft_stops(model, model.neutral()).size(), 1u);
  EXPECT_EQ(soft_stops(model, model.neutral())[0].name, joint_stop(model, "slide", {1, 1}).name);
}

/// A force that is new has a row.
TEST(ForceTypes, all_have_laws) {
  std::set<std::string> known;
  for (const ForceRow& row : force_table()) known.insert(row.function);
  const std::regex makes("(?:^|\n)Force ([a-z_]+)\\(");
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator("include/chasles/simulation")) {
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    const std::string all = text.str();
    for (std::sregex_iterator it(all.begin(), all.end(), makes), end; it != end; ++it, ++found)
      EXPECT_TRUE(known.contains((*it)[1])) << (*it)[1] << " of " << file.path() << " has no law";
  }
  EXPECT_GE(found, static_cast<int>(known.size()));
  for (const std::string_view type : force_type_names()) {
    const std::string name(type);  // that of its function, or without _force
    EXPECT_TRUE(known.contains(name) || known.contains(name + "_force"))
        << name << " of scenario files has no law";
  }
}

}  // namespace force_laws
}  // namespace chasles
