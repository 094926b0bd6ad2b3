/// Every public function that takes or fills vectors refuses each of them if it is too short or too long, says
/// which and both sizes, and works as before afterwards.
#include <gtest/gtest.h>

#include "misuse/functions.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

using namespace test;

void expect_sizes_checked(const Function& f, const Model& model, int rows) {
  SCOPED_TRACE(f.name);
  std::mt19937_64 generator(3);
  const std::vector<Vector> right = arguments(f.shape, model, rows, generator);
  const auto call = [&](const std::vector<Vector>& with) {
    std::vector<Vector> own = with;
    Arguments views;
    for (Vector& x : own) views.push_back(view(x));
    f.call(views);
    return own;
  };
  std::vector<Vector> before;
  try {
    before = call(right);
  } catch (const std::exception& e) {
    FAIL() << e.what();
  }
  for (std::size_t k = 0; k < right.size(); ++k)
    for (const Eigen::Index size : {right[k].size() - 1, right[k].size() + 1, Eigen::Index{0}}) {
      if (size < 0 || size == right[k].size()) continue;
      std::vector<Vector> wrong = right;
      wrong[k] = Vector(Eigen::VectorXd::Ones(size));
      EXPECT_THROW(call(wrong), SizeError) << "argument " << k << " of " << size << " numbers";
    }
  const std::vector<Vector> after = call(right);
  for (std::size_t k = 0; k < right.size(); ++k) EXPECT_EQ(before[k], after[k]) << "argument " << k;
}

TEST(Sizes, functions_of_trees_check_their_vectors) {
  std::mt19937_64 generator(1);
  const Model model = compile(random_mechanism(generator, {.bodies = 16}));
  for (const Function& f : tree_functions(model)) expect_sizes_checked(f, model, 0);
  for (const Function& f : group_functions(model)) expect_sizes_checked(f, model, 0);
  for (const Function& f : system_functions(std::make_shared<MechanismState>(model)))
    expect_sizes_checked(f, model, 0);
}
/// The same where all screws are constant, which takes other ways.
TEST(Sizes, functions_of_arms_check_their_vectors) {
  std::mt19937_64 generator(2);
  const Model model =
      compile(random_mechanism(generator, {.bodies = 5, .kinds = {{JointType::revolute}}}));
  for (const Function& f : tree_functions(model)) expect_sizes_checked(f, model, 0);
}
TEST(Sizes, functions_of_closed_mechanisms_check_their_vectors) {
  std::mt19937_64 generator(4);
  const LoopedTree looped = looped_tree(generator, 6, {{JointType::spherical}});
  const Model model = compile(looped.mechanism);
  const auto system = std::make_shared<ConstrainedSystem>(model, ConstraintOptions{}, looped.q);
  for (const Function& f : system_functions(system))
    expect_sizes_checked(f, model, system->constraint_count());
  const auto check = [&](std::string name, std::string shape, auto call) {
    expect_sizes_checked({std::move(name), std::move(shape),
                          [&](Arguments& x) {
                            call(x);
                            return Results{};
                          }},
                         model, system->constraint_count());
  };
  check("forward_dynamics", "qvv",
        [&](Arguments& x) { system->forward_dynamics(x[0], x[1], x[2]); });
  check("violation", "q", [&](Arguments& x) { system->violation(x[0]); });
  check("velocity_violation", "qv", [&](Arguments& x) { system->velocity_violation(x[0], x[1]); });
  check("closed_forward_derivatives", "qvv",
        [&](Arguments& x) { closed_forward_derivatives(*system, x[0], x[1], x[2]); });
  ClosedKinematics closed(*system);
  check("ClosedKinematics::at", "qv", [&](Arguments& x) { closed.at(x[0], x[1]); });
}

/// Matrices that are filled by columns, and lists.
TEST(Sizes, matrices_and_lists_are_checked) {
  std::mt19937_64 generator(1);
  const Model model = compile(random_mechanism(generator, {.bodies = 5}));
  const Vector q = random_configuration(model, generator), v(model.nv());
  AccelerationKinematics kin(model);
  forward_kinematics(model, q, v, v, kin);
  const Frame tip = model.bodies().back().frame, first = model.bodies().front().frame;
  const auto body = Representation::body;
  const Parameter parameters[] = {parameter(model, model.bodies()[0].name, "m")};
  const int indices[] = {0};
  const auto n = static_cast<int>(moving_bodies(model).size()),
             links = static_cast<int>(tree_links(model).size());
  TwistDerivatives twists(model, 3);
  TimeDerivatives series(model, 1);
  using Sized = std::function<void(int)>;
  struct Row {
    const char* name;
    int right;
    Sized call;
  };
  const auto filled = [](const auto& call) {
    return [&call](int size) {
      Matrix6X J(6, size);
      call(J);
    };
  };
  const auto J = [&](Matrix6X& x) { jacobian(model, kin, tip, body, x); };
  const auto J_rate = [&](Matrix6X& x) { jacobian_rate(model, kin, tip, body, x); };
  const auto relative = [&](Matrix6X& x) { relative_jacobian(model, kin, first, tip, x); };
  const auto dJ = [&](Matrix6X& x) { jacobian_derivative(model, kin, tip, body, indices, x); };
  const auto by_pose = [&](Matrix6X& x) { pose_sensitivity(model, kin, tip, body, parameters, x); };
  const auto by_J = [&](Matrix6X& x) {
    jacobian_sensitivity(model, kin, tip, body, parameters[0], x);
  };
  const Row table[] = {
      {"jacobian", model.nv(), filled(J)},
      {"jacobian_rate", model.nv(), filled(J_rate)},
      {"relative_jacobian", model.nv(), filled(relative)},
      {"jacobian_derivative", model.nv(), filled(dJ)},
      {"pose_sensitivity", 1, filled(by_pose)},
      {"jacobian_sensitivity", model.nv(), filled(by_J)},
      {"twist_derivatives, rows", model.nv(),
       [&](int size) { twist_derivatives(model, q, Matrix(size, 3), tip, body, twists); }},
      {"twist_derivatives, columns", 3,
       [&](int size) { twist_derivatives(model, q, Matrix(model.nv(), size), tip, body, twists); }},
      {"inverse_dynamics_derivatives, rows", model.nv(),
       [&](int size) { inverse_dynamics_derivatives(model, q, Matrix(size, 3), series); }},
      {"inverse_dynamics_derivatives, columns", 3,
       [&](int size) { inverse_dynamics_derivatives(model, q, Matrix(model.nv(), size), series); }},
      {"forward_dynamics_derivatives, rows", model.nv(),
       [&](int size) { forward_dynamics_derivatives(model, q, v, Matrix(size, 1), series); }},
      {"inverse_velocities", n,
       [&](int size) {
         inverse_velocities(model, kin, std::vector<Twist>(static_cast<std::size_t>(size)), body);
       }},
      {"inverse_accelerations", n,
       [&](int size) {
         inverse_accelerations(model, kin, std::vector<Twist>(static_cast<std::size_t>(size)),
                               body);
       }},
      {"add_link_wrenches", links,
       [&](int size) {
         std::vector<Wrench> W(static_cast<std::size_t>(size));
         add_link_wrenches(model, kin, {}, W);
       }},
      {"frame_screws", 2, [&](int size) { frame_screws(std::vector<Twist>(2), Vector(size)); }},
  };
  for (const Row& row : table) {
    EXPECT_NO_THROW(row.call(row.right)) << row.name;
    for (const int size : {row.right - 1, row.right + 1, 0}) {
      if (size < 0 || size == row.right) continue;
      EXPECT_THROW(row.call(size), Error) << row.name << ": " << size;
    }
  }
}

TEST(Sizes, states_of_another_size_are_not_projected) {
  std::mt19937_64 generator(5);
  const Model model = compile(random_mechanism(generator, {.bodies = 4}));
  MechanismState system(model);
  State state{0, model.neutral(), Vector(model.nv())}, longer = state, shorter = state;
  longer.q = Vector(model.nq() + 1), shorter.v = Vector(model.nv() - 1);
  EXPECT_SAYS(system.project(longer), "q has");
  EXPECT_SAYS(system.project(shorter), "v has");
  EXPECT_NO_THROW(system.project(state));
}

TEST(Sizes, matrices_have_a_number_of_entries_that_exists) {
  const Eigen::Index large = Eigen::Index{1} << 33;
  EXPECT_SAYS(Matrix(large, large), "8589934592 x 8589934592");
  EXPECT_SAYS(Matrix(-1, 2), "-1 x 2");
  EXPECT_SAYS(Vector(-1), "-1 x 1");
  EXPECT_SAYS(Matrix6X(5, 2), "5 x 2", "6 rows");
  Matrix grown(2, 2);
  EXPECT_SAYS(grown.resize(large, large), "8589934592");
  EXPECT_EQ(grown.rows(), 2);
  EXPECT_EQ(Matrix(0, 5).cols(), 5);
}

}  // namespace
}  // namespace chasles
