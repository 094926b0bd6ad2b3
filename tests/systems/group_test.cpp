/// The group of a model: the rate of its coordinates is the derivative of its steps.
#include "chasles/systems/group.hpp"

#include <gtest/gtest.h>

#include "chasles/model/model.hpp"
#include "support/random_mechanism.hpp"

namespace group_test {

using namespace chasles;

/// 000 (88), 001 (5): qd = d/ds plus(q, s v) at s = 0, for quaternions, poses and numbers alike.
TEST(ModelGroup, has_coordinate_rates_that_are_derivatives_of_its_steps) {
  std::mt19937_64 generator(51);
  for (const bool tree : {false, true}) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 8,
                                                   .tree = tree,
                                                   .kinds = {{JointType::revolute},
                                                             {JointType::spherical},
                                                             {JointType::floating},
                                                             {JointType::planar}}}));
    const ModelGroup group(model);
    const Vector q = test::random_configuration(model, generator),
                 v = test::random_vector(model.nv(), generator);
    Vector rate(model.nq()), at(model.nq()), step(model.nv());
    group.coordinate_rate(q, v, rate);
    // Differences of order 8.
    constexpr double h = 0.02, weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    Vector difference = Vector::Zero(model.nq());
    for (int k = 1; k <= 4; ++k)
      for (const int sign : {1, -1}) {
        step = sign * k * h * v;
        group.plus(q, step, at);
        difference += sign * weights[k - 1] / h * at;
      }
    EXPECT_LE((rate - difference).cwiseAbs().maxCoeff(), 1e-12);
  }
}

}  // namespace group_test
