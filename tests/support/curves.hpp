/// Motions of a model that are known for all times: coordinates are random polynomials of degree 5, and
/// joints on a group move along one screw each, q exp(phi(t) x), at the velocity phi'(t) x.
///
///     Curve curve(model, generator);
///     Eigen::VectorXd q = curve.q(0.1);
///     Eigen::MatrixXd rates = curve.rates(0.1, 3);      // v, v', v''
#pragma once

#include "chasles/kinematics/kinematics.hpp"
#include "model/model_data.hpp"
#include "support/random_mechanism.hpp"

namespace chasles::test {

class Curve {
 public:
  Curve(const Model& model, std::mt19937_64& generator, double speed = 1)
      : model_(model), q_(random_configuration(model, generator)), c_(model.nv(), 6) {
    c_.col(0).setZero();
    for (int k = 1; k < 6; ++k)
      c_.col(k) = random_vector(model.nv(), generator) * (std::pow(speed, k) / (k * k));
    for (const Link& link : tree_links(model))
      if (link.nq != link.nv)
        for (int k = 1; k < 6; ++k)
          c_.block(link.v_index, k, link.nv, 1) =
              (c_(link.v_index, k) / speed) * c_.block(link.v_index, 1, link.nv, 1);
  }
  const Model& model() const { return model_; }

  Eigen::VectorXd q(double t) const {
    Eigen::VectorXd at(model_.nq());
    plus(model_, q_, derivative(t, 0), at);
    return at;
  }
  /// nv x count: v and its derivatives.
  Eigen::MatrixXd rates(double t, int count) const {
    Eigen::MatrixXd all(model_.nv(), count);
    for (int n = 0; n < count; ++n) all.col(n) = derivative(t, n + 1);
    return all;
  }

 private:
  /// The n-th derivative of the polynomials.
  Eigen::VectorXd derivative(double t, int n) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(model_.nv());
    for (int k = 5; k >= n; --k) {
      double factor = 1;
      for (int j = 0; j < n; ++j) factor *= k - j;
      sum = t * sum + factor * c_.col(k);
    }
    return sum;
  }
  const Model& model_;
  Eigen::VectorXd q_;
  Eigen::MatrixXd c_;
};

}  // namespace chasles::test
