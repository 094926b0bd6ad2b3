/// The hot operations of lie/ compared with Eigen's Isometry3d, AngleAxisd and 6x6 matrices. Each iteration
/// runs through 256 random inputs, to defeat register reuse and branch prediction.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>
#include <vector>

#include "chasles/lie/geodesic.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/inertia.hpp"

namespace {

using namespace chasles;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr std::size_t count = 256;

struct Inputs {
  std::vector<Twist> X, Y;
  std::vector<SE3> C;
  std::vector<Inertia> M;
  std::vector<Vector6> x, y;
  std::vector<Eigen::Isometry3d> c;
  std::vector<Matrix6> m;

  Inputs() {
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> angle(0, M_PI);
    for (std::size_t i = 0; i < count; ++i) {
      Twist V = random_tangent<Twist>(generator);
      V.w = (angle(generator) / norm(V.w)) * V.w;  // angles uniform in (0, pi)
      X.push_back(V);
      Y.push_back(random_tangent<Twist>(generator));
      C.push_back(exp(V));
      M.push_back(compose_inertia(1.0, Y.back().w, Sym3::diagonal(0.2, 0.3, 0.4)));
      x.emplace_back(to_eigen(V));
      y.emplace_back(to_eigen(Y.back()));
      c.emplace_back(to_eigen(C.back()));
      m.emplace_back(to_eigen(matrix(M.back())));
    }
  }
};

const Inputs& inputs() {
  static const Inputs all;
  return all;
}

/// ns per call of f(i), i < count, is the reported time divided by `count`: shown as the counter
/// ns_per_call.
template <class F>
void run(benchmark::State& state, const F& f) {
  for (auto _ : state)
    for (std::size_t i = 0; i < count; ++i) benchmark::DoNotOptimize(f(i));
  state.counters["per_call"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

Eigen::Matrix3d skew(const Eigen::Vector3d& w) {
  Eigen::Matrix3d m;
  m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return m;
}
Matrix6 eigen_Ad(const Eigen::Isometry3d& c) {
  Matrix6 a;
  a << c.linear(), Eigen::Matrix3d::Zero(), skew(c.translation()) * c.linear(), c.linear();
  return a;
}
Matrix6 eigen_ad(const Vector6& x) {
  Matrix6 a;
  a << skew(x.head<3>()), Eigen::Matrix3d::Zero(), skew(x.tail<3>()), skew(x.head<3>());
  return a;
}
Eigen::Matrix3d eigen_dexp_inv_so3(const Eigen::Vector3d& w) {
  const double t = w.norm();
  const Eigen::Matrix3d W = skew(w);
  return Eigen::Matrix3d::Identity() - 0.5 * W +
         (1 - 0.5 * t / std::tan(0.5 * t)) / (t * t) * W * W;
}

void compose(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return in.C[i] * in.C[i ^ 1]; });
}
void compose_eigen(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return Eigen::Isometry3d(in.c[i] * in.c[i ^ 1]); });
}
void exp_se3(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return exp(in.X[i]); });
}
void exp_se3_eigen(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) {
    const Eigen::Vector3d w = in.x[i].head<3>(), v = in.x[i].tail<3>();
    const double t = w.norm();
    const Eigen::Matrix3d W = skew(w);
    Eigen::Isometry3d c;
    c.linear() = Eigen::AngleAxisd(t, w / t).toRotationMatrix();
    c.translation() =
        v + (1 - std::cos(t)) / (t * t) * (W * v) + (t - std::sin(t)) / (t * t * t) * (W * (W * v));
    return c;
  });
}
void log_se3(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return log(in.C[i]); });
}
void log_se3_eigen(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) {
    const Eigen::AngleAxisd a(in.c[i].linear());
    Vector6 x;
    x.head<3>() = a.angle() * a.axis();
    x.tail<3>() = eigen_dexp_inv_so3(x.head<3>()) * in.c[i].translation();
    return x;
  });
}
void dexp_inv_se3(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return dexp_inv(in.X[i], in.Y[i]); });
}
/// The Bernoulli series to fourth order, as many integrators use it: not exact.
void dexp_inv_se3_eigen(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) {
    const Matrix6 a = eigen_ad(in.x[i]);
    const Vector6 y1 = a * in.y[i], y2 = a * y1, y4 = a * (a * y2);
    return Vector6(in.y[i] - 0.5 * y1 + y2 / 12 - y4 / 720);
  });
}
void Ad_twist(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return Ad(in.C[i], in.Y[i]); });
}
void Ad_twist_eigen(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return Vector6(eigen_Ad(in.c[i]) * in.y[i]); });
}
void inertia_transform(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) { return transform(in.C[i], in.M[i]); });
}
void inertia_transform_eigen(benchmark::State& s) {
  const auto& in = inputs();
  run(s, [&](std::size_t i) {
    const Matrix6 a = eigen_Ad(in.c[i].inverse());
    return Matrix6(a.transpose() * in.m[i] * a);
  });
}

/// Minimum of 20 batches: the cost without interference by other processes.
void minimum(benchmark::internal::Benchmark* b) {
  b->MinTime(0.05)->Repetitions(20)->ReportAggregatesOnly()->ComputeStatistics(
      "min", [](const std::vector<double>& t) { return *std::min_element(t.begin(), t.end()); });
}

BENCHMARK(compose)->Apply(minimum);
BENCHMARK(compose_eigen)->Apply(minimum);
BENCHMARK(exp_se3)->Apply(minimum);
BENCHMARK(exp_se3_eigen)->Apply(minimum);
BENCHMARK(log_se3)->Apply(minimum);
BENCHMARK(log_se3_eigen)->Apply(minimum);
BENCHMARK(dexp_inv_se3)->Apply(minimum);
BENCHMARK(dexp_inv_se3_eigen)->Apply(minimum);
BENCHMARK(Ad_twist)->Apply(minimum);
BENCHMARK(Ad_twist_eigen)->Apply(minimum);
BENCHMARK(inertia_transform)->Apply(minimum);
BENCHMARK(inertia_transform_eigen)->Apply(minimum);

}  // namespace

BENCHMARK_MAIN();
