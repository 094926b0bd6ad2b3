/// The work that headers promise ("O(n)", "O(n depth)", "O(n^2)") is what the functions of the library take: CPU time
/// of a call at n bodies and at 8 n, which grows by 8 if it is linear and by 64 if it is quadratic. The limits lie
/// between, far from both, and the least of several times counts, so that a busy machine does not matter.

#include <gtest/gtest.h>
#include <malloc.h>
#include <time.h>

#include "chasles/linearization/sensitivities.hpp"
#include "chasles/mechanism/builder.hpp"
#include "house/workspaces.hpp"

namespace complexity_test {

using namespace chasles;
using house::At, house::Call, house::Growth, house::Row;

/// Arms of `depth` revolute joints each, on ground; depth 0: one chain.
Model arms(int bodies, int depth) {
  MechanismBuilder builder("arms");
  if (depth == 0) depth = bodies;
  for (int k = 0; k < bodies; ++k) {
    const double z = 0.1 * (k % depth);
    const std::string parent = k % depth == 0 ? std::string(ground) : "b" + std::to_string(k - 1);
    builder.body("b" + std::to_string(k), parent,
                 joints::revolute(k % 2 == 0 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, {0, 0, -z}));
    builder.pose({{}, {0, 0, -z}})
        .inertia(1, {0.02, 0.01, -0.05}, Sym3::diagonal(0.02, 0.02, 0.01));
  }
  return compile(builder.build());
}

double cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU time of a call [s]: the least of several, each of calls for at least 200 microseconds.
double time_of(const Call& call) {
  call();
  double least = INFINITY;
  for (int k = 0; k < 9; ++k) {
    int calls = 0;
    const double start = cpu_time();
    do call(), ++calls;
    while (cpu_time() - start < 2e-4);
    least = std::min(least, (cpu_time() - start) / calls);
  }
  return least;
}

/// log8 of how much longer a call takes with eight times the bodies: 1 of O(n), 2 of O(n^2).
double exponent(const Row& row, int bodies, int depth) {
  const double few = time_of(row.make(std::make_shared<At>(arms(bodies, depth))));
  const double many = time_of(row.make(std::make_shared<At>(arms(8 * bodies, depth))));
  return std::log(many / few) / std::log(8);
}

void expect_growth(const std::vector<Row>& rows, Growth growth, int bodies, int depth,
                   double limit) {
  int measured = 0;
  for (const Row& row : rows) {
    if (row.growth != growth) continue;
    double p = exponent(row, bodies, depth);
    for (int again = 0; again < 3 && !(p < limit); ++again)
      p = std::min(p, exponent(row, bodies, depth));
    EXPECT_LT(p, limit) << row.name;
    ++measured;
  }
  EXPECT_GT(measured, 0);
}

TEST(Complexity, linear_in_the_length_of_a_chain) {
  expect_growth(house::all_rows(), Growth::linear, 64, 0, 1.4);
}

/// "O(n depth)", in arms of 8 joints.
TEST(Complexity, linear_in_the_number_of_arms) {
  std::vector<Row> rows = house::all_rows();
  rows.push_back({"textbook::coriolis_matrix", Growth::arms, [](std::shared_ptr<At> s) -> Call {
                    return [=] { return textbook::coriolis_matrix(s->model, s->kin)(0, 0); };
                  }});
  expect_growth(rows, Growth::arms, 40, 8, 1.5);
  const Row tensors{"d2_inverse_dynamics", Growth::arms,
                    house::with<SecondDerivatives>([](At& s, auto& w) {
                      return d2_inverse_dynamics(s.model, s.q, s.v, s.a, w).qq(0)(0, 0);
                    })};
  expect_growth({tensors}, Growth::arms, 12, 4, 1.5);
}

/// Matrices that are full: quadratic, not cubic, in the length of a chain.
TEST(Complexity, quadratic_where_all_entries_are_computed) {
  expect_growth(house::all_rows(), Growth::square, 24, 0, 2.5);
}

/// A model under another gravity or with another inertia is a copy of its links.
TEST(Complexity, changed_models_are_copies) {
  const Row row{"Model::with_gravity", Growth::linear, [](std::shared_ptr<At> s) -> Call {
                  return [=] { return s->model.with_gravity({0, 0, -1.62}).gravity().z; };
                }};
  expect_growth({row}, Growth::linear, 64, 0, 1.5);
}

/// The measure tells linear from quadratic: M of a chain is full.
TEST(Complexity, the_measure_tells_growth) {
  for (const Row& row : house::all_rows()) {
    if (row.name != std::string("mass_matrix")) continue;
    double p = exponent(row, 64, 0);
    for (int again = 0; again < 3 && !(p > 1.5); ++again) p = std::max(p, exponent(row, 64, 0));
    EXPECT_GT(p, 1.5);
  }
}

#ifndef __SANITIZE_ADDRESS__  // mallinfo2 is that of the C library
/// Memory that is in use while an adjoint of N steps goes backward, less that of the result [bytes].
double memory_of_adjoint(int steps) {
  const Model model = arms(4, 0);
  ModelSystem system(model);
  DifferentiableStep step(system, "mk4");
  const State start{0, Vector(4), Vector(4)};
  const Matrix U(4, steps);
  const auto in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = in_use();
  std::size_t most = 0;
  adjoint(
      step, start, 1e-4, U, [](const State&) { return Vector(8); },
      [&](int, const State&, VectorRef, VectorRef) { most = std::max(most, in_use()); });
  return static_cast<double>(most - before) - 4.0 * steps * sizeof(double);
}

/// sqrt(64) = 8 times the states; all of them would be 64 times.
TEST(Complexity, an_adjoint_keeps_states_of_the_root_of_its_steps) {
  EXPECT_LT(memory_of_adjoint(64 * 100), 12 * memory_of_adjoint(100));
}
#endif

}  // namespace complexity_test
