/// The kernels of registers that this machine may not have: eight doubles, sixteen floats, and one
/// state in registers of four. The compiler makes them of what there is.
#include <gtest/gtest.h>

#include "kernels/kernel_runner.hpp"

namespace chasles::kernels::wide {

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units
#include "kernels/dynamics_table.inl"

const KernelTable<double>& eight = table<Lanes<Pack<double, 8>, double>>;
const KernelTable<float>& sixteen = table<Lanes<Pack<float, 16>, float>>;
const KernelTable<double>& quad = table<Quad<double>>;

}  // namespace chasles::kernels::wide

namespace chasles::kernels {
namespace {

TEST(WideKernels, compute_what_one_state_computes) {
  std::mt19937_64 generator(5);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 15, .tree = true}));
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(model.nv(), generator),
                        f = test::random_vector(model.nv(), generator);
  Runner<double> run(model);
  Runner<float> run_float(model);
  const SE3 offset = model.frames().back().frame.offset;
  run.frames = {frame_constants<double>(9, offset, Representation::mixed)};
  run_float.frames = {frame_constants<float>(9, offset, Representation::mixed)};
  run.wrenches = run_float.wrenches = {1, -2, 3, 0.5, 0.6, -0.7};
  for (int a = 0; a < algorithm_count; ++a) {
    const auto algorithm = static_cast<Algorithm>(a);
    if (algorithm >= frame_poses) continue;
    const bool solves = algorithm == forward_dynamics || algorithm == mass_matrix_inverse;
    const auto expected = run(single_kernels(), algorithm, model, q, v, f);
    EXPECT_LE(difference(run(wide::eight, algorithm, model, q, v, f), expected),
              solves ? 1e-10 : 1e-14)
        << a;
    EXPECT_LE(difference(run(wide::quad, algorithm, model, q, v, f), expected),
              solves ? 1e-10 : 1e-14)
        << a;
    EXPECT_LE(difference(run_float(wide::sixteen, algorithm, model, q, v, f), expected),
              solves ? 0.05 : 1e-5)
        << a;
  }
}

template <class Real>
void expect_transposed(const KernelTable<Real>& table, const std::string& name) {
  const int lanes = table.lanes;
  for (const int n : {1, 2, 3, 7, 8, 16, 19, 38})
    for (int used = 1; used <= lanes; ++used) {
      std::vector<Real> rows(static_cast<std::size_t>(n * used));
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Real>(i);
      Aligned<Real> block;
      block.resize(static_cast<std::size_t>(n * lanes));
      table.gather(rows.data(), n, used, block.data());
      for (int e = 0; e < n; ++e)
        for (int l = 0; l < lanes; ++l)
          ASSERT_EQ(block.data()[e * lanes + l],
                    rows[static_cast<std::size_t>(std::min(l, used - 1) * n + e)])
              << name;
      std::vector<Real> back(rows.size() + 1, Real(-1));
      table.scatter(block.data(), n, used, back.data());
      EXPECT_EQ(back.back(), Real(-1)) << name;
      back.pop_back();
      EXPECT_EQ(back, rows) << name;
    }
}

TEST(WideKernels, transpositions_of_every_width) {
  expect_transposed(wide::eight, "eight");
  expect_transposed(wide::sixteen, "sixteen");
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) continue;
    expect_transposed(*set.lanes, set.name);
    expect_transposed(*set.float_lanes, set.name);
  }
}

}  // namespace
}  // namespace chasles::kernels
