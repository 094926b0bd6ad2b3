/// Motions whose equations are written here by hand, and a solver that has nothing to do with the
/// library: midpoint steps extrapolated (Gragg 1965, Bulirsch & Stoer) in long double, on coordinates.
#pragma once

#include <array>
#include <functional>
#include <utility>

#include "support/motions.hpp"

namespace chasles::test {

using Real = long double;
using Numbers = std::vector<Real>;
/// The rate of y at the time t.
using Rate = std::function<Numbers(Real t, const Numbers& y)>;

/// From y at t over H, with 2, 4, ..., 2 k substeps: order 2 k.
inline Numbers extrapolated_step(const Rate& f, Real t, const Numbers& y, Real H, int k) {
  const std::size_t n = y.size();
  const Numbers rate_0 = f(t, y);
  std::vector<Numbers> row;  // of Neville's scheme in (H / m)^2
  for (int j = 0; j < k; ++j) {
    const int m = 2 * (j + 1);
    const Real h = H / m;
    Numbers before = y, now = y;
    for (std::size_t i = 0; i < n; ++i) now[i] += h * rate_0[i];
    for (int s = 1; s < m; ++s) {
      const Numbers rate = f(t + s * h, now);
      for (std::size_t i = 0; i < n; ++i)
        before[i] = std::exchange(now[i], before[i] + 2 * h * rate[i]);
    }
    const Numbers rate = f(t + H, now);
    for (std::size_t i = 0; i < n; ++i) now[i] = (now[i] + before[i] + h * rate[i]) / 2;
    row.push_back(now);
    for (int l = j - 1; l >= 0; --l) {
      const Real ratio = static_cast<Real>(j + 1) / (l + 1);
      Numbers& coarse = row[static_cast<std::size_t>(l)];
      const Numbers& fine = row[static_cast<std::size_t>(l) + 1];
      for (std::size_t i = 0; i < n; ++i)
        coarse[i] = fine[i] + (fine[i] - coarse[i]) / (ratio * ratio - 1);
    }
  }
  return row[0];
}

/// q and v as one list, and back.
inline Numbers numbers_of(const State& s) {
  Numbers y(s.q.begin(), s.q.end());
  y.insert(y.end(), s.v.begin(), s.v.end());
  return y;
}
inline State state_of(Real t, const Numbers& y, int nq) {
  State s{static_cast<double>(t), Vector(nq), Vector(static_cast<int>(y.size()) - nq)};
  for (int i = 0; i < static_cast<int>(y.size()); ++i)
    (i < nq ? s.q[i] : s.v[i - nq]) = static_cast<double>(y[static_cast<std::size_t>(i)]);
  return s;
}

/// The solution through a state, asked at times that increase. Order 2 k over the longest step, less
/// over shorter ones.
class Solution {
 public:
  Solution(Rate rate, const State& start, Real longest = 0.05L, int k = 10)
      : rate_(std::move(rate)),
        t_(start.t),
        y_(numbers_of(start)),
        nq_(static_cast<int>(start.q.size())),
        longest_(longest),
        k_(k) {}
  State at(Real t) {
    const int steps = static_cast<int>(std::ceil((t - t_) / longest_));
    for (int left = steps; left > 0; --left) {
      const Real h = (t - t_) / left;
      const int k = h > 0.3L * longest_ ? k_ : h > 0.05L * longest_ ? k_ - 2 : k_ - 4;
      y_ = extrapolated_step(rate_, t_, y_, h, k);
      t_ += h;
    }
    t_ = t;
    return state_of(t, y_, nq_);
  }

 private:
  Rate rate_;
  Real t_;
  Numbers y_;
  int nq_;
  Real longest_;
  int k_;
};

/// The rate of a quaternion at the body-fixed angular velocity w: q (0, w) / 2.
inline void quaternion_rate(const Real* q, const Real* w, Real* out) {
  out[0] = -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) / 2;
  out[1] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2;
  out[2] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2;
  out[3] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2;
}
/// Rows of the rotation matrix of a unit quaternion: the third is the vertical seen from the body.
inline std::array<std::array<Real, 3>, 3> rotation_rows(const Real* q) {
  const Real w = q[0], x = q[1], y = q[2], z = q[3];
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

struct ExactMotion {
  Motion motion;
  Rate rate;
};

inline ExactMotion exact_heavy_top() {
  return {heavy_top(), [](Real, const Numbers& y) {
            const Real *q = y.data(), *w = q + 4, J[] = {0.55L, 0.6L, 0.2L};
            const auto up = rotation_rows(q)[2];
            const Real weight = 9.81L * 0.5L;  // at (0, 0, 1/2): torque c x (-m g up)
            Numbers d(7);
            quaternion_rate(q, w, d.data());
            d[4] = ((J[1] - J[2]) * w[1] * w[2] + weight * up[1]) / J[0];
            d[5] = ((J[2] - J[0]) * w[2] * w[0] - weight * up[0]) / J[1];
            d[6] = (J[0] - J[1]) * w[0] * w[1] / J[2];
            return d;
          }};
}

/// The center of mass falls; about it the body is Euler's top.
inline ExactMotion exact_free_body() {
  return {free_body(), [](Real, const Numbers& y) {
            const Real *q = y.data(), *w = q + 7, *u = q + 10;
            const Real J[] = {0.1L, 0.2L, 0.25L}, c[] = {0.1L, 0.05L, 0.02L};
            const auto R = rotation_rows(q);
            const auto cross = [](const Real* a, const Real* b, int i) {
              const int j = (i + 1) % 3, k = (i + 2) % 3;
              return a[j] * b[k] - a[k] * b[j];
            };
            Numbers d(13);
            quaternion_rate(q, w, d.data());
            Real wd[3], v_c[3];
            for (int i = 0; i < 3; ++i) {
              const int j = (i + 1) % 3, k = (i + 2) % 3;
              wd[i] = (J[j] - J[k]) * w[j] * w[k] / J[i];
              v_c[i] = u[i] + cross(w, c, i);
            }
            for (int i = 0; i < 3; ++i) {
              const auto at = static_cast<std::size_t>(i);
              d[4 + at] = R[at][0] * u[0] + R[at][1] * u[1] + R[at][2] * u[2];
              d[7 + at] = wd[i];
              d[10 + at] = -9.81L * R[2][at] - cross(w, v_c, i) - cross(wd, c, i);
            }
            return d;
          }};
}

/// Lagrange's equations in the angles from the vertical, a and b = a + relative angle.
inline ExactMotion exact_double_pendulum() {
  return {double_pendulum(), [](Real, const Numbers& y) {
            const Real g = 9.81L, a = y[0], b = y[0] + y[1], ad = y[2], bd = y[2] + y[3];
            const Real c = std::cos(a - b), s = std::sin(a - b);
            const Real f = -bd * bd * s - 2 * g * std::sin(a), h = ad * ad * s - g * std::sin(b);
            const Real det = 2 - c * c, add = (f - c * h) / det, bdd = (2 * h - c * f) / det;
            return Numbers{y[2], y[3], add, bdd - add};
          }};
}

/// Any mechanism: its own forward dynamics, on coordinates, quaternions without renormalization.
inline Rate coordinate_rates(const Model& model) {
  const auto work = std::make_shared<ForwardDynamics>(model);
  return [model, work](Real, const Numbers& y) {
    const State s = state_of(0, y, model.nq());
    const Vector tau(model.nv());
    const Vector a = forward_dynamics(model, s.q, s.v, tau, *work);
    Numbers d(y.size());
    for (const ModelJoint& joint : model.joints()) {
      for (const JointCoordinate& c : joint.coordinates) {
        const Real *q = y.data() + c.q_index, *v = y.data() + model.nq() + c.v_index;
        Real* out = d.data() + c.q_index;
        if (c.kind == CoordinateKind::quaternion) {
          quaternion_rate(q, v, out);
        } else if (c.kind == CoordinateKind::position && joint.group == FloatingGroup::se3) {
          const auto R = rotation_rows(y.data() + joint.q_index);
          for (std::size_t i = 0; i < 3; ++i)
            out[i] = R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2];
        } else {
          std::copy(v, v + c.nv, out);
        }
      }
    }
    for (int i = 0; i < model.nv(); ++i) d[static_cast<std::size_t>(model.nq() + i)] = a[i];
    return d;
  };
}

}  // namespace chasles::test
