/// A random mechanism at a random state, for the tests of the textbook algorithms.
#pragma once

#include <Eigen/Cholesky>

#include "chasles/textbook/closed_form.hpp"
#include "support/matrices.hpp"
#include "support/random_mechanism.hpp"
#include "support/representations.hpp"

namespace chasles::test {

using namespace chasles::textbook;

struct Sample {
  Model model;
  Eigen::VectorXd q, v, a, tau;
  AccelerationKinematics kin;
  Eigen::MatrixXd M;  // sum of J^T M J

  Sample(std::mt19937_64& generator, const RandomMechanismOptions& options)
      : model(compile(random_mechanism(generator, options))),
        q(random_configuration(model, generator)),
        v(random_vector(model.nv(), generator)),
        a(random_vector(model.nv(), generator)),
        tau(random_vector(model.nv(), generator)),
        kin(model) {
    forward_kinematics(model, q, v, a, kin);
    M = projected_mass_matrix(model, kin, Representation::body);
  }

  /// The configuration after the motion t v from q, and the velocities there if v + t a is the
  /// velocity.
  void move(double t, VelocityKinematics& out) const { move(t, v + t * a, out); }
  void move(double t, const Eigen::VectorXd& velocity, VelocityKinematics& out) const {
    Eigen::VectorXd moved(model.nq());
    plus(model, q, t * v, moved);
    forward_kinematics(model, moved, velocity, out);
  }
  /// A wrench on a body or frame in each representation, and one on ground.
  std::vector<AppliedWrench> wrenches(std::mt19937_64& generator) const {
    std::vector<AppliedWrench> list{{model.frame("ground"), {{1, 2, 3}, {4, 5, 6}}}};
    for (const ModelFrame& frame : model.frames())
      list.push_back({frame.frame, random_tangent<Wrench>(generator, 1),
                      all_representations[list.size() % 4]});
    return list;
  }
};

/// A chain or a tree with all kinds of joints whose accelerations are well determined: custom
/// joints may have dependent screws or be near a singularity of their coordinates.
inline Sample regular_sample(std::mt19937_64& generator, bool tree, int bodies = 15) {
  for (;;) {
    Sample sample(generator, {.bodies = bodies, .tree = tree});
    if (condition(sample.M) < 1e5) return sample;
  }
}

}  // namespace chasles::test
