/// States of a model, drawn at random.
#pragma once

#include <Eigen/Core>
#include <random>
#include <vector>

#include "chasles/model/model.hpp"
#include "model/model_data.hpp"

namespace bench {

struct State {
  Eigen::VectorXd q, v, a, tau;  // nq, nv, nv, nv
};

/// Angles and positions in (-pi, pi), unit quaternions, everything else in (-1, 1).
inline std::vector<State> random_states(const chasles::Model& model, int count) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  const auto vector = [&](int n) {
    return Eigen::VectorXd(Eigen::VectorXd::NullaryExpr(n, [&] { return uniform(generator); }));
  };
  std::vector<State> states;
  for (int k = 0; k < count; ++k) {
    State s{3.14 * vector(model.nq()), vector(model.nv()), vector(model.nv()), vector(model.nv())};
    for (const chasles::Link& link : tree_links(model))
      if (link.nq != link.nv) {  // a quaternion
        for (int i = 0; i < 4; ++i) s.q[link.q_index + i] = normal(generator);
        s.q.segment<4>(link.q_index).normalize();
      }
    states.push_back(std::move(s));
  }
  return states;
}

}  // namespace bench
