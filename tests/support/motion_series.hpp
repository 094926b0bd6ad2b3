/// Motions of bodies as power series of 4x4 matrices in quadruple precision, by the product of
/// exponentials of the spatial joint screws, 003 (10):
///
///     C_i(t) = exp(Y_1 q_1(t)) ... exp(Y_i q_i(t)) A_i
///
/// Twists come from C^-1 Cd. Nothing is shared with the recursions of the library.
#pragma once

#include <Eigen/Core>
#include <random>
#include <span>
#include <vector>

#include "chasles/lie/quaternion.hpp"
#include "chasles/model/model.hpp"
#include "chasles/screws/representation.hpp"
#include "model/model_data.hpp"
#include "support/random_mechanism.hpp"
#include "support/reference.hpp"

namespace chasles::reference {

/// Coefficients of t^0, t^1, ..., all matrices of one length.
using MatrixSeries = std::vector<QMatrix<4>>;

inline MatrixSeries operator*(const MatrixSeries& a, const MatrixSeries& b) {
  MatrixSeries c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; i + j < a.size(); ++j) c[i + j] = sum(c[i + j], a[i] * b[j]);
  return c;
}
inline MatrixSeries constant(const QMatrix<4>& m, std::size_t length) {
  MatrixSeries s(length);
  s[0] = m;
  return s;
}
inline MatrixSeries exp(const MatrixSeries& X) {
  MatrixSeries power = constant(QMatrix<4>::identity(), X.size()), result = power;
  for (int n = 1; n < 400; ++n) {
    power = power * X;
    Quad size = 0;
    for (std::size_t k = 0; k < X.size(); ++k) {
      power[k] = scaled(power[k], Quad(1) / n);
      result[k] = sum(result[k], power[k]);
      size = std::max(size, largest(power[k]));
    }
    if (n > 40 && size < Quad(1e-34)) break;
  }
  return result;
}
/// One coefficient less.
inline MatrixSeries derivative(const MatrixSeries& a) {
  MatrixSeries d(a.size() - 1);
  for (std::size_t k = 0; k < d.size(); ++k) d[k] = scaled(a[k + 1], static_cast<Quad>(k + 1));
  return d;
}
/// Of rigid motions.
inline MatrixSeries inverse(const MatrixSeries& C) {
  MatrixSeries R_t(C.size()), r(C.size());
  for (std::size_t k = 0; k < C.size(); ++k)
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) R_t[k](i, j) = C[k](j, i);
      r[k](i, 3) = -C[k](i, 3);
    }
  MatrixSeries result = R_t * r;
  for (std::size_t k = 0; k < C.size(); ++k) result[k] = sum(result[k], R_t[k]);
  result[0](3, 3) = 1;
  return result;
}

/// The derivatives (k = 0, 1, ...) of the curve of twists whose hats are the series.
inline std::vector<Twist> twists(const MatrixSeries& hats) {
  std::vector<Twist> V(hats.size());
  Quad factorial = 1;
  for (std::size_t k = 0; k < hats.size(); ++k) {
    const auto x = reference::vee(scaled(hats[k], factorial));
    V[k] = {{double(x[0]), double(x[1]), double(x[2])}, {double(x[3]), double(x[4]), double(x[5])}};
    factorial *= static_cast<Quad>(k + 1);
  }
  return V;
}
/// The hats of the twists of the poses C(t) that move by dC(t).
inline MatrixSeries hats(const MatrixSeries& C, const MatrixSeries& dC, Representation rep) {
  if (rep == Representation::spatial) return dC * inverse(C);
  MatrixSeries body = inverse(C) * dC;
  if (rep == Representation::body) return body;
  // R w~ R^T for the world axes; rd is in the last column of dC.
  MatrixSeries angular = body, R = C;
  for (std::size_t k = 0; k < R.size(); ++k)
    for (int i = 0; i < 3; ++i) R[k](i, 3) = angular[k](i, 3) = 0;
  if (rep == Representation::hybrid) angular = R * angular * inverse(R);
  for (std::size_t k = 0; k < angular.size(); ++k)
    for (int i = 0; i < 3; ++i) angular[k](i, 3) = dC[k](i, 3);
  return angular;
}
/// V, Vd, ... of the motion C(t), one less than its coefficients.
inline std::vector<Twist> twist_derivatives(const MatrixSeries& C, Representation rep) {
  return twists(hats({C.begin(), C.end() - 1}, derivative(C), rep));
}

/// exp(X) and its derivative along Y.
inline std::pair<MatrixSeries, MatrixSeries> exp_along(const MatrixSeries& X,
                                                       const MatrixSeries& Y) {
  const std::size_t n = X.size();
  MatrixSeries power = constant(QMatrix<4>::identity(), n), rate(n), sum_0 = power, sum_1 = rate;
  for (int k = 1; k < 400; ++k) {
    MatrixSeries next = rate * X;
    const MatrixSeries turned = power * Y;
    power = power * X;
    Quad size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = scaled(sum(next[i], turned[i]), Quad(1) / k);
      power[i] = scaled(power[i], Quad(1) / k);
      sum_0[i] = sum(sum_0[i], power[i]), sum_1[i] = sum(sum_1[i], next[i]);
      size = std::max({size, largest(power[i]), largest(next[i])});
    }
    rate = next;
    if (k > 40 && size < Quad(1e-34)) break;
  }
  return {sum_0, sum_1};
}

/// The mixed derivative of the Jacobian of exp(Y_1 q_1 + Y_2 q_2 + ...) A along the coordinates of
/// `indices`, by the coefficients of t^nu at q + t sum_k c_k e_k: over all signs c_k = +-1, the sum of
/// prod(c) times it is 2^nu times the mixed derivative. Opposite signs give the same: the first is +1.
/// One result per representation.
inline std::vector<Eigen::MatrixXd> mixed_jacobian_derivative(
    const std::vector<Twist>& Y, const Eigen::VectorXd& q, const SE3& A,
    const std::vector<int>& indices, std::span<const Representation> representations) {
  const std::size_t order = indices.size();
  std::vector<Eigen::MatrixXd> D(representations.size(),
                                 Eigen::MatrixXd::Zero(6, static_cast<Eigen::Index>(Y.size())));
  std::vector<QMatrix<4>> Y_hat;
  Y_hat.reserve(Y.size());
  for (const Twist& y : Y) Y_hat.push_back(quad(hat(y)));
  const MatrixSeries at_zero = constant(quad(lie::matrix(A)), order + 1);
  for (std::size_t j = 0; j < Y.size(); ++j)
    for (std::size_t signs = 0; signs < std::size_t{1} << order; signs += 2) {
      MatrixSeries X(order + 1);
      for (std::size_t k = 0; k < Y.size(); ++k)
        X[0] = sum(X[0], Y_hat[k], q[static_cast<Eigen::Index>(k)]);
      Quad sign = Quad(2) / static_cast<Quad>(1 << order);
      for (std::size_t k = 0; k < order; ++k) {
        const Quad c = (signs >> k) & 1 ? -1 : 1;
        sign *= c;
        X[1] = sum(X[1], Y_hat[static_cast<std::size_t>(indices[k])], c);
      }
      const auto [E, dE] = exp_along(X, constant(Y_hat[j], order + 1));
      const MatrixSeries C = E * at_zero, dC = dE * at_zero;
      for (std::size_t r = 0; r < D.size(); ++r) {
        const auto x = reference::vee(scaled(hats(C, dC, representations[r])[order], sign));
        for (int i = 0; i < 6; ++i)
          D[r](i, static_cast<Eigen::Index>(j)) += static_cast<double>(x[std::size_t(i)]);
      }
    }
  return D;
}

/// A random motion of a model: q at t = 0, the derivatives of v there, and what the factors
/// exp(Y q(t)) of each joint are.
class RandomMotion {
 public:
  Eigen::VectorXd q;      // nq
  Eigen::MatrixXd rates;  // nv x order: v, vd, ...

  RandomMotion(const Model& model, int order, std::mt19937_64& generator, double speed = 1,
               double amplitude = 1)
      : q(test::random_configuration(model, generator, amplitude)),
        rates(model.nv(), order),
        length_(static_cast<std::size_t>(order) + 1) {
    for (int n = 0; n < order; ++n)
      rates.col(n) = test::random_vector(model.nv(), generator, std::pow(speed, n + 1));
    for (const ModelJoint& joint : model.joints()) factors_.push_back(factor(model, joint));
  }

  /// 003 (10). A: the pose of the body, or of a frame on it, in the world at q = 0.
  MatrixSeries pose(const Model& model, int body, const SE3& A) const {
    MatrixSeries C = constant(quad(lie::matrix(A)), length_);
    for (int b = body; b >= 0; b = model.bodies()[static_cast<std::size_t>(b)].parent)
      for (std::size_t j = 0; j < model.joints().size(); ++j)
        if (model.joints()[j].child == b) C = factors_[j] * C;
    return C;
  }

 private:
  /// sum_k Y_k x_k(t) where x_k has the given value and derivatives.
  MatrixSeries combine(const std::vector<Twist>& Y, const std::vector<Quad>& value,
                       const std::vector<std::vector<Quad>>& derivatives) const {
    MatrixSeries X(length_);
    for (std::size_t k = 0; k < Y.size(); ++k) {
      const QMatrix<4> Y_hat = quad(hat(Y[k]));
      X[0] = sum(X[0], Y_hat, value[k]);
      Quad factorial = 1;
      for (std::size_t n = 1; n < length_; ++n) {
        factorial *= static_cast<Quad>(n);
        X[n] = sum(X[n], Y_hat, derivatives[k][n - 1] / factorial);
      }
    }
    return X;
  }
  std::vector<Quad> given_rates(int k) const {
    std::vector<Quad> list;
    for (Eigen::Index n = 0; n < rates.cols(); ++n) list.push_back(static_cast<Quad>(rates(k, n)));
    return list;
  }

  MatrixSeries factor(const Model& model, const ModelJoint& joint) {
    std::vector<std::vector<Quad>> given;
    given.reserve(static_cast<std::size_t>(joint.nv));
    for (int k = 0; k < joint.nv; ++k) given.push_back(given_rates(joint.v_index + k));
    if (joint.group == FloatingGroup::so3xr3) return direct_factor(joint, given);
    if (joint.has_position()) return group_factor(joint.Y, given, joint.q_index, joint.v_index);
    const double* at = q.data() + joint.q_index;
    const std::vector<Quad> value(at, at + joint.nq);
    for (const Link& link : tree_links(model))
      if (link.v_index == joint.v_index && link.motion == LinkMotion::custom)
        return reference::exp(combine(joint.Y, value, given));
    MatrixSeries product = constant(QMatrix<4>::identity(), length_);
    for (const JointCoordinate& c : joint.coordinates) {
      const auto k = static_cast<std::size_t>(c.v_index - joint.v_index);
      const auto n = static_cast<std::ptrdiff_t>(k), end = n + c.nv;
      const std::vector<Twist> Y(joint.Y.begin() + n, joint.Y.begin() + end);
      const std::vector<std::vector<Quad>> own(given.begin() + n, given.begin() + end);
      product = product * (c.is_scalar()
                               ? reference::exp(combine(Y, {static_cast<Quad>(q[c.q_index])}, own))
                               : group_factor(Y, own, c.q_index, c.v_index));
    }
    return product;
  }

  /// exp(Y a) exp(Y x(t)), x(0) = 0, of a quaternion, and a position if there are six screws: q is from a,
  /// and the derivatives of v from those of x, which the random rates become.
  MatrixSeries group_factor(const std::vector<Twist>& Y,
                            const std::vector<std::vector<Quad>>& given, int q_index, int v_index) {
    const std::vector<Quad> zero(6);
    const int nv = static_cast<int>(Y.size());
    std::vector<Twist> units;
    for (int k = 0; k < nv; ++k) {
      units.push_back({});
      (k < 3 ? units.back().w : units.back().v)[k % 3] = 1;
    }
    const MatrixSeries E = reference::exp(combine(units, zero, given));
    const std::vector<Twist> v = reference::twist_derivatives(E, Representation::body);
    for (std::size_t n = 0; n < v.size(); ++n)
      for (int k = 0; k < nv; ++k)
        rates(v_index + k, static_cast<Eigen::Index>(n)) = coordinates(v[n])[std::size_t(k)];

    const double* p = q.data() + q_index;
    SE3 T{lie::rotation(Quaternion{p[0], p[1], p[2], p[3]}), {}};
    if (nv == 6) T.r = {p[4], p[5], p[6]};
    const auto a = coordinates(log(T));
    const std::vector<std::vector<Quad>> still(6, std::vector<Quad>(length_));
    return reference::exp(combine(Y, {a.begin(), a.end()}, still)) *
           reference::exp(combine(Y, zero, given));
  }

  /// exp(Y r(t)) exp(Y a) exp(Y x(t)): the position, then the rotation.
  MatrixSeries direct_factor(const ModelJoint& joint, const std::vector<std::vector<Quad>>& given) {
    const std::vector<Quad> zero(3);
    const std::vector<std::vector<Quad>> turning(given.begin(), given.begin() + 3),
        sliding(given.begin() + 3, given.end()), still(3, std::vector<Quad>(length_));
    const MatrixSeries E =
        reference::exp(combine({{{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{0, 0, 1}, {}}}, zero, turning));
    const std::vector<Twist> v = reference::twist_derivatives(E, Representation::body);
    for (std::size_t n = 0; n < v.size(); ++n)
      for (int k = 0; k < 3; ++k)
        rates(joint.v_index + k, static_cast<Eigen::Index>(n)) = coordinates(v[n])[std::size_t(k)];
    const double* c = q.data() + joint.q_index;
    const auto a = coordinates(log(lie::rotation(Quaternion{c[0], c[1], c[2], c[3]})));
    const std::vector<Twist> turns(joint.Y.begin(), joint.Y.begin() + 3),
        slides(joint.Y.begin() + 3, joint.Y.end());
    return reference::exp(combine(slides, {c[4], c[5], c[6]}, sliding)) *
           reference::exp(combine(turns, {a.begin(), a.end()}, still)) *
           reference::exp(combine(turns, zero, turning));
  }

  std::size_t length_;
  std::vector<MatrixSeries> factors_;
};

}  // namespace chasles::reference
