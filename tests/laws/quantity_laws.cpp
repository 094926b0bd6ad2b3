/// Every quantity of the list against something that does not share code with it: products of exponentials,
/// differences in time, Newton's and Euler's equations body by body, and runs that follow by hand.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <set>

#include "chasles/constraints/point_constraints.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/driver.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/simulation.hpp"
#include "chasles/textbook/closed_form.hpp"
#include "support/difference.hpp"
#include "support/quantity_name.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace quantity_laws {

using Values = Eigen::MatrixXd;
using Vec6 = Eigen::Matrix<double, 6, 1>;
const test::QuantityArguments arguments{"hand", "hand:hybrid", "upper:body", "floor"};

/// All frames of bodies are that of the world at q = 0, and all coordinates are scalars.
Model arm() {
  return compile(
      MechanismBuilder("arm")
          .gravity({1, -2, -9})
          .body("cart", ground, joints::prismatic({1, 0, 1}))
          .inertia(2, {0.1, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.25))
          .body("upper", "cart", joints::of(JointType::universal, {0, 0, 1}, {0.1, 0.2, 0}))
          .inertia(1, {0, 0.1, -1}, Sym3::diagonal(0.1, 0.2, 0.25))
          .armature(0.4)
          .body("hand", "upper", joints::helical({0, 1, 0}, {0, 0, -1}, 0.3))
          .inertia(1.5, {0.1, 0, -1.5}, Sym3::diagonal(0.1, 0.15, 0.2))
          .body("other", "cart", joints::revolute({0, 1, 0}, {0.5, 0, 0}))
          .inertia(0.7, {0.5, 0.2, 0}, Sym3::diagonal(0.1, 0.15, 0.2))
          .build());
}

Vec6 stacked(const Vec3& a, const Vec3& b) {
  return (Vec6() << a.x, a.y, a.z, b.x, b.y, b.z).finished();
}
Vec3 first(const Vec6& x) { return {x[0], x[1], x[2]}; }
Vec3 last(const Vec6& x) { return {x[3], x[4], x[5]}; }
Values unhat(const Eigen::Matrix4d& X) {
  return (Vec6() << X(2, 1), X(0, 2), X(1, 0), X(0, 3), X(1, 3), X(2, 3)).finished();
}

/// A state of the arm, and what follows from it by definition.
struct Definition {
  Model model = arm();
  Eigen::VectorXd q, v, a, jerk, snap, tau;
  Wrench W{{1, -2, 3}, {4, 5, -6}};  // on the hand, in the axes of the world

  Definition() {
    std::mt19937_64 generator(9);
    for (Eigen::VectorXd* x : {&q, &v, &a, &jerk, &snap, &tau})
      *x = test::random_vector(model.nv(), generator);
  }
  EvaluationState moment(double t = 0) const {
    EvaluationState m(model);
    m.q = q_at(t);
    m.v = v + t * a + t * t / 2 * jerk + t * t * t / 6 * snap;
    m.a = a + t * jerk + t * t / 2 * snap;
    m.jerk = jerk + t * snap;
    m.snap = snap;
    m.acting.tau = tau;
    m.acting.wrenches = {{model.frame("hand"), W, Representation::hybrid}};
    return m;
  }
  VelocityKinematics kinematics() const {
    VelocityKinematics kin(model);
    forward_kinematics(model, q, v, kin);
    return kin;
  }
  Eigen::VectorXd q_at(double t) const {
    return q + t * v + t * t / 2 * a + t * t * t / 6 * jerk + t * t * t * t / 24 * snap;
  }
  Values library(const std::string& name, EvaluationState at) const {
    Evaluation evaluation(model, std::vector<std::string>{name}, QuantitySource::state);
    evaluation.at(at);
    return evaluation.values()[0];
  }
  /// Along the motion.
  Values rate(const std::string& name) const {
    return test::derivative([&](double t) -> Values { return library(name, moment(t)); }, 2e-3);
  }

  /// The product of exponentials of the screws in the world.
  Eigen::Matrix4d pose(int body, const Eigen::VectorXd& at) const {
    Eigen::Matrix4d C = Eigen::Matrix4d::Identity();
    for (int b = body; b >= 0; b = model.bodies()[static_cast<std::size_t>(b)].parent)
      for (const ModelJoint& joint : model.joints()) {
        if (joint.child != b) continue;
        Eigen::Matrix4d own = Eigen::Matrix4d::Identity();
        for (int k = 0; k < joint.nv; ++k)
          own = own * to_eigen(exp(at[joint.q_index + k] * joint.Y[static_cast<std::size_t>(k)]));
        C = own * C;
      }
    return C;
  }
  int bodies() const { return static_cast<int>(model.bodies().size()); }
  const Inertia& inertia(int b) const {
    return model.bodies()[static_cast<std::size_t>(b)].inertia;
  }
  int body(std::string_view name) const {
    for (int b = 0; b < bodies(); ++b)
      if (model.bodies()[static_cast<std::size_t>(b)].name == name) return b;
    return -1;
  }
  /// Body-fixed twist of a body for a rate of q, by differences.
  Vec6 twist_of(int b, const Eigen::VectorXd& at, const Eigen::VectorXd& rate) const {
    const Eigen::Matrix4d C_dot =
        test::derivative([&](double s) -> Eigen::Matrix4d { return pose(b, at + s * rate); });
    return unhat(pose(b, at).inverse() * C_dot);
  }
  Values jacobian_of(int b) const {
    Values J(6, model.nv());
    for (int k = 0; k < model.nv(); ++k)
      J.col(k) = twist_of(b, q, Eigen::VectorXd::Unit(model.nv(), k));
    return J;
  }
  Mat3 rotation(int b) const {
    const Eigen::Matrix4d C = pose(b, q);
    return {{C(0, 0), C(1, 0), C(2, 0)}, {C(0, 1), C(1, 1), C(2, 1)}, {C(0, 2), C(1, 2), C(2, 2)}};
  }
  Vec3 position(int b) const {
    const Eigen::Matrix4d C = pose(b, q);
    return {C(0, 3), C(1, 3), C(2, 3)};
  }
  /// (angular; linear) in the world, about its origin, of a body-fixed wrench or momentum.
  Vec6 in_world(int b, const Vec6& x) const {
    const Vec3 f = rotation(b) * last(x);
    return stacked(rotation(b) * first(x) + cross(position(b), f), f);
  }
  Vec6 momentum_of(int b, const Vec6& V) const {
    const Inertia& I = inertia(b);
    return stacked(I.I * first(V) + cross(I.mc, last(V)), I.m * last(V) - cross(I.mc, first(V)));
  }
  /// What moves a body, besides gravity: the rate of its momentum in the frame of the body.
  Vec6 wrench_on(int b, const Eigen::VectorXd& v_, const Eigen::VectorXd& a_) const {
    const auto at = [&](double t) -> Eigen::VectorXd { return q + t * v_ + t * t / 2 * a_; };
    const auto V_at = [&](double t) -> Vec6 {
      return unhat(pose(b, at(t)).inverse() * test::derivative([&](double s) -> Eigen::Matrix4d {
                     return pose(b, at(t + s));
                   }));
    };
    const Vec6 V = V_at(0), P = momentum_of(b, V), F = momentum_of(b, test::derivative(V_at));
    const Vec3 g = transpose(rotation(b)) * model.gravity();
    return stacked(
        first(F) + cross(first(V), first(P)) + cross(last(V), last(P)) - cross(inertia(b).mc, g),
        last(F) + cross(first(V), last(P)) - inertia(b).m * g);
  }
  Values joint_forces(const Eigen::VectorXd& v_, const Eigen::VectorXd& a_) const {
    Values Q = test::armatures(model).cwiseProduct(a_);
    for (int b = 0; b < bodies(); ++b) Q += jacobian_of(b).transpose() * wrench_on(b, v_, a_);
    return Q;
  }
  Values zero() const { return Values::Zero(model.nv(), 1); }
  /// Of the wrench on the hand.
  Vec6 applied() const {
    const Mat3 R = rotation(body("hand"));
    return stacked(transpose(R) * W.t, transpose(R) * W.f);
  }
  Values applied_forces() const { return jacobian_of(body("hand")).transpose() * applied(); }
  Values mass_matrix() const {
    Values M = test::armatures(model).asDiagonal();
    for (int b = 0; b < bodies(); ++b) {
      const Values J = jacobian_of(b);
      for (int k = 0; k < model.nv(); ++k) M.col(k) += J.transpose() * momentum_of(b, J.col(k));
    }
    return M;
  }
  double kinetic() const { return (v.transpose() * mass_matrix() * v / 2)(0); }
  Vec3 first_moment() const {
    Vec3 sum;
    for (int b = 0; b < bodies(); ++b)
      sum += rotation(b) * inertia(b).mc + inertia(b).m * position(b);
    return sum;
  }
  double potential() const { return -dot(model.gravity(), first_moment()); }
  Vec6 momentum() const {
    Vec6 sum = Vec6::Zero();
    for (int b = 0; b < bodies(); ++b) sum += in_world(b, momentum_of(b, twist_of(b, q, v)));
    return sum;
  }
  Vec3 center() const { return 1 / model.mass() * first_moment(); }
  Values hybrid(const Values& x) const {  // twists of the hand, or their columns
    Values out = x;
    const Mat3 R = rotation(body("hand"));
    for (Eigen::Index k = 0; k < x.cols(); ++k) {
      const Vec6 c = x.col(k);
      out.col(k) = stacked(R * first(c), R * last(c));
    }
    return out;
  }
  /// Of all bodies beyond the joint, at the origin of the frame of its body.
  Vec6 reaction(int child) const {
    Vec6 sum = -in_world(body("hand"), applied());
    for (int b = 0; b < bodies(); ++b)
      for (int up = b; up >= 0; up = model.bodies()[static_cast<std::size_t>(up)].parent)
        if (up == child) sum += in_world(b, wrench_on(b, v, a));
    const Mat3 R = transpose(rotation(child));
    return stacked(R * (first(sum) - cross(position(child), last(sum))), R * last(sum));
  }
  /// Derivatives of a quantity by entries of the state, by differences.
  Values by(const std::string& name, Vector EvaluationState::*x) const {
    return partial(name, [x](EvaluationState& m) -> Vector& { return m.*x; });
  }
  Values by_tau(const std::string& name) const {
    return partial(name, [](EvaluationState& m) -> Vector& { return m.acting.tau; });
  }
  Values partial(const std::string& name,
                 const std::function<Vector&(EvaluationState&)>& entry) const {
    Values D(model.nv(), model.nv());
    for (int k = 0; k < model.nv(); ++k)
      D.col(k) = test::derivative([&](double s) -> Values {
        EvaluationState there = moment();
        entry(there)[k] += s;
        return library(name, there);
      });
    return D;
  }
};
Values below(std::initializer_list<Values> parts) {
  Values all(parts.begin()->rows() * static_cast<Eigen::Index>(parts.size()),
             parts.begin()->cols());
  Eigen::Index at = 0;
  for (const Values& part : parts) all.middleRows(at, part.rows()) = part, at += part.rows();
  return all;
}
Values number(double x) { return Values::Constant(1, 1, x); }
Values three(const Vec3& x) { return Eigen::Vector3d(x.x, x.y, x.z); }

using Rows = std::map<std::string, std::function<Values(const Definition&)>>;
using D = Definition;

/// Of a state.
Rows state_rows() {
  return {
      {"q", [](const D& d) -> Values { return d.q; }},
      {"v", [](const D& d) -> Values { return d.v; }},
      {"a", [](const D& d) -> Values { return d.a; }},
      {"tau", [](const D& d) -> Values { return d.tau; }},
      {"inverse_dynamics",
       [](const D& d) -> Values { return d.joint_forces(d.v, d.a) - d.applied_forces(); }},
      {"bias", [](const D& d) { return d.joint_forces(d.v, d.zero()); }},
      {"gravity", [](const D& d) { return d.joint_forces(d.zero(), d.zero()); }},
      {"forward_dynamics",
       [](const D& d) -> Values {
         return d.mass_matrix().ldlt().solve(d.tau + d.applied_forces() -
                                             d.joint_forces(d.v, d.zero()));
       }},
      {"inverse_dynamics_rate", [](const D& d) { return d.rate("inverse_dynamics"); }},
      {"inverse_dynamics_rate2", [](const D& d) { return d.rate("inverse_dynamics_rate"); }},
      {"d_inverse_dynamics",
       [](const D& d) {
         const std::string name = "inverse_dynamics";
         return below({d.by(name, &EvaluationState::q), d.by(name, &EvaluationState::v),
                       d.by(name, &EvaluationState::a)});
       }},
      {"d_forward_dynamics",
       [](const D& d) {
         const std::string name = "forward_dynamics";
         return below(
             {d.by(name, &EvaluationState::q), d.by(name, &EvaluationState::v), d.by_tau(name)});
       }},
      {"mass_matrix", [](const D& d) { return d.mass_matrix(); }},
      {"mass_matrix_inverse", [](const D& d) -> Values { return d.mass_matrix().inverse(); }},
      {"coriolis",
       [](const D& d) -> Values { return textbook::coriolis_matrix(d.model, d.kinematics()); }},
      {"christoffel",
       [](const D& d) -> Values { return textbook::christoffel_matrix(d.model, d.kinematics()); }},
      {"reaction", [](const D& d) -> Values { return d.reaction(d.body("upper")); }},
      {"kinetic_energy", [](const D& d) { return number(d.kinetic()); }},
      {"potential_energy", [](const D& d) { return number(d.potential()); }},
      {"energy", [](const D& d) { return number(d.kinetic() + d.potential()); }},
      {"power", [](const D& d) { return number((d.tau + d.applied_forces()).col(0).dot(d.v)); }},
      {"momentum", [](const D& d) -> Values { return d.momentum(); }},
      {"centroidal_momentum",
       [](const D& d) -> Values {
         const Vec6 h = d.momentum();
         return stacked(first(h) - cross(d.center(), last(h)), last(h));
       }},
      {"com", [](const D& d) { return three(d.center()); }},
      {"pose", [](const D& d) -> Values { return d.pose(d.body("hand"), d.q); }},
      {"position", [](const D& d) { return three(d.position(d.body("hand"))); }},
      {"orientation",
       [](const D& d) -> Values {
         const Eigen::Quaterniond p(
             Eigen::Matrix3d(d.pose(d.body("hand"), d.q).topLeftCorner<3, 3>()));
         const double sign = p.w() < 0 ? -1 : 1;
         return sign * Eigen::Vector4d(p.w(), p.x(), p.y(), p.z());
       }},
      {"twist", [](const D& d) { return d.hybrid(d.twist_of(d.body("hand"), d.q, d.v)); }},
      {"acceleration", [](const D& d) { return d.rate("twist:hand:hybrid"); }},
      {"jerk", [](const D& d) { return d.rate("acceleration:hand:hybrid"); }},
      {"snap", [](const D& d) { return d.rate("jerk:hand:hybrid"); }},
      {"jacobian", [](const D& d) { return d.hybrid(d.jacobian_of(d.body("hand"))); }},
      {"jacobian_rate", [](const D& d) { return d.rate("jacobian:hand:hybrid"); }},
  };
}

TEST(QuantityLaws, of_a_state_are_their_definitions) {
  const Definition d;
  const Rows rows = state_rows();
  for (const QuantityInfo& row : quantity_list()) {
    const auto found = rows.find(std::string(row.name));
    if (found == rows.end()) continue;
    EvaluationState moment = d.moment();
    const Values got = d.library(test::quantity_name(row, arguments), moment),
                 want = found->second(d);
    ASSERT_EQ(got.rows(), want.rows()) << row.name;
    ASSERT_EQ(got.cols(), want.cols()) << row.name;
    // Second differences in time have ten digits.
    EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 1e-8 * (1 + want.cwiseAbs().maxCoeff()))
        << row.name << "\n"
        << got << "\n\n"
        << want;
  }
}

TEST(QuantityLaws, of_one_joint_are_entries_of_those_of_all) {
  const Definition d;
  int compared = 0;
  for (const QuantityInfo& row : quantity_list()) {
    if (row.argument != Argument::optional_joint || only_in_runs(row.stage)) continue;
    const Values all = d.library(std::string(row.name), d.moment());
    for (const ModelJoint& joint : d.model.joints()) {
      const bool is_q = row.rows == QuantityInfo::nq;
      const Values one = d.library(std::string(row.name) + ":" + joint.name, d.moment());
      EXPECT_EQ(one, Values(all.middleRows(is_q ? joint.q_index : joint.v_index,
                                           is_q ? joint.nq : joint.nv)))
          << row.name << " " << joint.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 10 * 3);
}

TEST(QuantityLaws, of_a_reaction_in_the_frame_of_the_joint) {
  // A bar of 2 kg along its own x, on a hinge about y at the point (0.3, 0, 0.2); its frame is elsewhere.
  const Model model = compile(MechanismBuilder("bar")
                                  .body("bar", ground, joints::revolute({0, 1, 0}, {0.3, 0, 0.2}))
                                  .pose({{}, {1, 2, 3}})
                                  .inertia(2, {-0.2, -2, -2.8}, Sym3::diagonal(1, 1, 1))
                                  .build());
  EvaluationState m(model);
  Evaluation evaluation(model, std::vector<std::string>{"reaction:bar", "reaction:bar:spatial"},
                        QuantitySource::state);
  evaluation.at(m);
  // z of the joint is the world's y, x is its z: the weight 19.62 N is held along x, at (0.8, 0, 0.2), 0.5 m from
  // the hinge: (0.5, 0, 0) x (0, 0, F) = (0, -0.5 F, 0).
  const double F = 2 * 9.81;
  Values want(6, 1);
  want << 0, 0, -0.5 * F, F, 0, 0;
  EXPECT_LE((evaluation.values()[0] - want).norm(), 1e-13) << evaluation.values()[0];
  Values world(6, 1);
  world << 0, -0.8 * F, 0, 0, 0, F;
  EXPECT_LE((evaluation.values()[1] - world).norm(), 1e-13) << evaluation.values()[1];
}

/// Of a run: a point of 1 kg on a vertical slide, 10 mm deep in the floor, is lifted by 3 N.
struct Lift {
  double q, v;  // now
  static constexpr double start = -0.01, lift = 3, stiffness = 1000;
  double depth() const { return std::max(0.0, -q); }
  double normal() const { return stiffness * std::pow(depth(), 1.5); }
  double lifted() const { return lift * (q - start); }
};
std::map<std::string, std::function<Values(const Lift&)>> run_rows() {
  return {
      {"work", [](const Lift& l) { return number(l.lifted()); }},
      {"motor_torque", [](const Lift& l) { return number(l.lift); }},
      {"motor_power", [](const Lift& l) { return number(l.lift * l.v); }},
      {"motor_energy", [](const Lift& l) { return number(l.lifted()); }},
      {"contact", [](const Lift& l) -> Values { return Eigen::Vector2d(l.normal(), l.depth()); }},
      {"contact_force",
       [](const Lift& l) -> Values {
         return stacked({0, 0, l.normal()}, {0, 0, l.q});
       }},
  };
}
struct Tape : Recorder {
  std::function<void(const Sample&)> look;
  void sample(const Sample& sample) override { look(sample); }
};

TEST(QuantityLaws, of_a_run_follow_by_hand) {
  Scenario s{.model = compile(MechanismBuilder("lift")
                                  .body("mass", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build()),
             .start = {0, Eigen::VectorXd{{Lift::start}}, Eigen::VectorXd{{0.5}}},
             .duration = 0.1,
             .every = 0.01};
  s.integrator = {.method = "dop853", .tolerance = 1e-13};
  s.forces.add(joint_torque(s.model, "mass", {signals::constant(Lift::lift)}));
  s.forces.add(contact(
      s.model,
      {.name = "floor", .balls = {"mass", {Vec3{}}}, .law = {.stiffness = Lift::stiffness}}));
  const auto rows = run_rows();
  for (const QuantityInfo& row : quantity_list())
    if (rows.contains(std::string(row.name)))
      s.quantities.push_back(test::quantity_name(row, arguments));
  ASSERT_EQ(s.quantities.size(), rows.size());
  Tape tape;
  int samples = 0;
  tape.look = [&](const Sample& sample) {
    const Lift at{sample.state.q[0], sample.state.v[0]};
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      const std::string& name = sample.quantities[i].name;
      const Values want = rows.at(name.substr(0, name.find(':')))(at), got = sample.values[i];
      EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 1e-10) << name << "\n" << got;
    }
    ++samples;
  };
  Simulation(s).run(tape);
  EXPECT_EQ(samples, 11);
}

/// Two sliders of 1 kg and 3 kg, 2 q_2 = q_1, the first pushed by 5 N: with c = (1, -2) and
/// M a = f - c lambda, lambda = 5 m_2 / (m_2 + 4 m_1).
std::map<std::string, double> closed_rows() {
  return {{"constraint_violation", 0},
          {"multipliers", 5 * 3.0 / (3 + 4)},
          {"constraint_reciprocal_condition", 1}};
}
TEST(QuantityLaws, of_a_coupling_follow_by_hand) {
  Mechanism m = MechanismBuilder("gear")
                    .gravity({})
                    .body("one", ground, joints::prismatic({1, 0, 0}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                    .body("two", ground, joints::prismatic({0, 1, 0}))
                    .inertia(3, {}, Sym3::diagonal(1, 1, 1))
                    .build();
  m.couplings.push_back({.name = "gear", .terms = {{"one", 1}, {"two", -2}}});
  Scenario s{.model = compile(m),
             .start = {0, Eigen::VectorXd{{0.2, 0.1}}, Eigen::VectorXd{{0.4, 0.2}}},
             .duration = 1,
             .every = 0.5};
  s.forces.add(joint_torque(s.model, "one", {signals::constant(5)}));
  const auto rows = closed_rows();
  for (const auto& [name, value] : rows) s.quantities.push_back(name);
  Tape tape;
  tape.look = [&](const Sample& sample) {
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      const std::string& name = sample.quantities[i].name;
      ASSERT_EQ(sample.values[i].size(), 1) << name;
      EXPECT_NEAR(sample.values[i](0, 0), rows.at(name), 1e-12) << name;
    }
  };
  Simulation(s).run(tape);
}

/// A cart of 2 kg is driven by q = t^2: 4 N, at the speed 2 t.
std::map<std::string, std::function<double(double)>> driver_rows() {
  return {{"driver_force", [](double) { return 4.0; }},
          {"driver_power", [](double t) { return 8 * t; }}};
}
TEST(QuantityLaws, of_a_driver_follow_by_hand) {
  Scenario s{.model = compile(MechanismBuilder("cart")
                                  .body("cart", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(2, {}, Sym3::diagonal(1, 1, 1))
                                  .build()),
             .start = {0, Vector(1), Vector(1)},
             .duration = 1,
             .every = 0.25};
  s.constraints.more = {joint_driver(s.model, "cart", references::polynomial({0, 0, 1}))};
  const auto rows = driver_rows();
  for (const auto& row : rows) s.quantities.push_back(row.first + ":cart");
  Tape tape;
  int samples = 0;
  tape.look = [&](const Sample& sample) {
    ++samples;
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      const std::string& name = sample.quantities[i].name;
      EXPECT_NEAR(sample.values[i](0, 0), rows.at(name.substr(0, 12))(sample.state.t), 1e-12);
    }
  };
  Simulation(s).run(tape);
  EXPECT_EQ(samples, 5);
}

/// Masses of 3 and 2 kg on a cable over a fixed point: the tension is 2 m1 m2 g / (m1 + m2).
TEST(QuantityLaws, of_a_constraint_follow_by_hand) {
  Scenario s{.model = compile(MechanismBuilder("atwood")
                                  .body("one", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(3, {}, {})
                                  .body("two", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(2, {}, {})
                                  .build()),
             .start = {0, Vector(2), Vector(2)},
             .duration = 0.5,
             .every = 0.25};
  s.constraints.more = {
      cable_constraint(s.model, "cable", {{"one", {}}, {"ground", {0, 0, 5}}, {"two", {}}}, 10)};
  s.quantities = {"constraint_force:cable"};
  Tape tape;
  int samples = 0;
  tape.look = [&](const Sample& sample) {
    ++samples;
    EXPECT_NEAR(sample.values[0](0, 0), 2.4 * 9.81, 1e-11);
  };
  Simulation(s).run(tape);
  EXPECT_EQ(samples, 3);
  // The same at a state that is given, and the names are checked.
  ConstrainedSystem closed(s.model, s.constraints, s.start.q);
  EvaluationState moment(s.model);
  moment.closed = &closed;
  moment.gives_a = false;
  Evaluation evaluation(s.model, s.quantities, QuantitySource::state);
  evaluation.at(moment);
  EXPECT_NEAR(evaluation.values()[0](0, 0), 2.4 * 9.81, 1e-11);
  for (const char* wrong : {"constraint_force:cabel", "driver_force:cable"}) {
    Evaluation misspelled(s.model, std::vector<std::string>{wrong}, QuantitySource::state);
    EXPECT_THROW(misspelled.at(moment), Error) << wrong;
  }
}

TEST(QuantityLaws, of_every_quantity) {
  std::set<std::string> known;
  for (const auto& row : state_rows()) known.insert(row.first);
  for (const auto& row : run_rows()) known.insert(row.first);
  for (const auto& row : closed_rows()) known.insert(row.first);
  for (const auto& row : driver_rows()) known.insert(row.first);
  known.insert("constraint_force");
  for (const QuantityInfo& row : quantity_list())
    EXPECT_TRUE(known.erase(std::string(row.name)) == 1)
        << "quantity " << row.name << " is compared with nothing";
  EXPECT_TRUE(known.empty()) << *known.begin() << " is not a quantity";
}

}  // namespace quantity_laws
}  // namespace chasles
