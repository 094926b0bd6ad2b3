#include "studies/park_chung/general_group.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string_view>

#include "chasles/integrators/integrator.hpp"
#include "chasles/systems/matrix_group.hpp"

namespace chasles::studies::park_chung {
namespace {

using Eigen::Matrix4d;

struct GroupCounts {
  double exp = 0, commutator = 0, product = 0;
};

/// Counted operations on 4 x 4 matrices.
class CountedGroup {
 public:
  GroupCounts counts;
  /// exp(X) Y
  Matrix4d move(const Matrix4d& X, const Matrix4d& Y) {
    ++counts.exp, ++counts.product;
    static const MatrixGroup all = MatrixGroup::general_linear(4);
    Vector q(16);
    all.plus(all.identity(), all.vee(X), q);
    return Matrix4d(all.element(q)) * Y;
  }
  Matrix4d commutator(const Matrix4d& X, const Matrix4d& Y) {
    ++counts.commutator;
    return X * Y - Y * X;
  }
};

/// A(t, Y) in so(4), which depends on all of Y and does not commute with itself.
Matrix4d rate(double t, const Matrix4d& Y) {
  Matrix4d A = Matrix4d::Zero();
  for (int j = 0, k = 0; j < 4; ++j)
    for (int i = j + 1; i < 4; ++i, ++k) {
      A(i, j) = std::sin(2 * Y(i, j) + Y(j, j) + k) + std::cos((k + 1) * t);
      A(j, i) = -A(i, j);
    }
  return A;
}

using Step = std::function<Matrix4d(CountedGroup&, double t, double h, const Matrix4d& Y)>;

/// 001 (28): exp(h a_i,i-1 K_i-1) ... exp(h a_i1 K_1) Y.
Step crouch_grossman(std::vector<std::vector<double>> rows) {  // of a, then b
  return [rows](CountedGroup& g, double t, double h, const Matrix4d& Y) {
    std::vector<Matrix4d> K{rate(t, Y)};
    Matrix4d at = Y;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      at = Y;
      double c = 0;
      for (std::size_t j = 0; j < rows[i].size(); ++j)
        at = g.move(h * rows[i][j] * K[j], at), c += rows[i][j];
      if (i + 1 < rows.size()) K.push_back(rate(t + c * h, at));
    }
    return at;
  };
}
Matrix4d commutator_free_3(CountedGroup& g, double t, double h, const Matrix4d& Y) {
  const Matrix4d K1 = rate(t, Y), Y2 = g.move(h / 3 * K1, Y), K2 = rate(t + h / 3, Y2),
                 K3 = rate(t + 2 * h / 3, g.move(2 * h / 3 * K2, Y));
  return g.move(-h / 12 * K1 + 3 * h / 4 * K3, Y2);
}
Matrix4d commutator_free_4(CountedGroup& g, double t, double h, const Matrix4d& Y) {
  const Matrix4d K1 = rate(t, Y), Y2 = g.move(h / 2 * K1, Y), K2 = rate(t + h / 2, Y2),
                 K3 = rate(t + h / 2, g.move(h / 2 * K2, Y)),
                 K4 = rate(t + h, g.move(-h / 2 * K1 + h * K3, Y2));
  const Matrix4d first = g.move(h / 12 * (3 * K1 + 2 * K2 + 2 * K3 - K4), Y);
  return g.move(h / 12 * (-K1 + 2 * K2 + 2 * K3 + 3 * K4), first);
}
Matrix4d munthe_kaas_3(CountedGroup& g, double t, double h, const Matrix4d& Y) {  // (2)
  const Matrix4d k1 = h * rate(t, Y), k2 = h * rate(t + h / 3, g.move(k1 / 3, Y)),
                 Theta = 2. / 3 * k2, k3 = h * rate(t + 2 * h / 3, g.move(Theta, Y));
  return g.move(k1 / 4 + 0.75 * (k3 - 0.5 * g.commutator(Theta, k3)), Y);
}
Matrix4d munthe_kaas_4(CountedGroup& g, double t, double h, const Matrix4d& Y) {  // (3)
  const Matrix4d k1 = h * rate(t, Y), k2 = h * rate(t + h / 2, g.move(k1 / 2, Y)),
                 Theta = k2 / 2 - g.commutator(k1, k2) / 8,
                 k3 = h * rate(t + h / 2, g.move(Theta, Y)), k4 = h * rate(t + h, g.move(k3, Y));
  return g.move((k1 + 2 * k2 + 2 * k3 + k4 - 0.5 * g.commutator(k1, k4)) / 6, Y);
}

struct GeneralMethod {
  const char* title;
  Step step;
  double printed[3];  // exp, commutators, products
};
const std::vector<GeneralMethod>& general_methods() {
  static const std::vector<GeneralMethod> list{
      {"CG3",
       crouch_grossman({{3 / 4.}, {119 / 216., 17 / 108.}, {13 / 51., -2 / 3., 24 / 17.}}),
       {6, 0, 6}},
      {"CG4",
       crouch_grossman(
           {{.8177227988124852},
            {.3199876375476427, .0659864263556022},
            {.9214417194464946, .4997857776773573, -1.0969984448371582},
            {.3552358559023322, .2390958372307326, 1.3918565724203246, -1.1092979392113465},
            {.1370831520630755, -.0183698531564020, .7397813985370780, -.1907142565505889,
             .3322195591068374}}),
       {15, 0, 15}},
      {"CF3", commutator_free_3, {3, 0, 3}},
      {"CF4", commutator_free_4, {5, 0, 5}},
      {"MK3", munthe_kaas_3, {3, 1, 3}},
      {"MK4", munthe_kaas_4, {4, 2, 4}}};
  return list;
}

Matrix4d after_a_second(const Step& step, int count) {
  CountedGroup group;
  Matrix4d Y = Matrix4d::Identity();
  const double h = 1. / count;
  for (int k = 0; k < count; ++k) Y = step(group, k * h, h, Y);
  return Y;
}

}  // namespace

std::vector<Entry> general_group_counts() {
  std::vector<Entry> entries;
  for (const GeneralMethod& method : general_methods()) {
    CountedGroup group;
    method.step(group, 0, 0.1, Matrix4d::Identity());
    const double computed[] = {group.counts.exp, group.counts.commutator, group.counts.product};
    const char* const columns[] = {"exp", "com", "mmult"};
    for (std::size_t k = 0; k < 3; ++k)
      entries.push_back({"IV", method.title, columns[k], method.printed[k], computed[k]});
  }
  return entries;
}

double general_group_order(const char* title) {
  const Matrix4d truth = after_a_second(commutator_free_4, 2000);
  for (const GeneralMethod& method : general_methods())
    if (std::string_view(method.title) == title)
      return std::log2((after_a_second(method.step, 50) - truth).norm() /
                       (after_a_second(method.step, 100) - truth).norm());
  throw Error(std::string("there is no method ") + title + " in Table IV");
}

std::vector<Determinant> determinants() {
  const auto group = std::make_shared<MatrixGroup>(MatrixGroup::special_linear(3));
  FirstOrderSystem system(group, [](double t, ConstVectorRef q, VectorRef A) {
    for (int k = 0; k < 8; ++k) A[k] = std::sin(q[k] + k) + std::cos((k + 1) * t);
  });
  const auto end = [&](const char* method, double h) {
    const auto integrator = make_integrator(system, {.method = method, .step = h});
    integrator->reset({0, group->identity(), Vector(8)});
    while (integrator->state().t < 1) integrator->step(1);
    return Eigen::MatrixXd(group->element(integrator->state().q));
  };
  const Eigen::MatrixXd truth = end("mk8", 1. / 128);
  std::vector<Determinant> list;
  for (const char* method : {"rk4", "cf4", "mk4"})
    for (const double h : {1. / 16, 1. / 32, 1. / 64}) {
      const Eigen::MatrixXd Y = end(method, h);
      list.push_back({method, h, std::abs(Y.determinant() - 1), (Y - truth).norm()});
    }
  return list;
}

std::vector<EulerAngleRun> euler_angle_runs() {
  using Eigen::Vector3d;
  constexpr double h = 0.01, pi = std::numbers::pi;
  const int count = static_cast<int>(std::ceil(pi / h));
  std::vector<EulerAngleRun> list;
  for (const double miss : {0.1, 0.01, 1e-3, 1e-4}) {
    const Vector3d w = Vector3d(0, std::cos(miss), std::sin(miss));  // body-fixed [rad/s]
    EulerAngleRun run{miss, 0, 0, 0};
    // (roll, pitch, yaw)' for the body-fixed w.
    const auto angle_rates = [&](const Vector3d& y) {
      const double s = std::sin(y[0]), c = std::cos(y[0]), across = s * w[1] + c * w[2];
      const Vector3d d(w[0] + std::tan(y[1]) * across, c * w[1] - s * w[2],
                       across / std::cos(y[1]));
      run.largest_rate = std::max(run.largest_rate, d.cwiseAbs().maxCoeff());
      return d;
    };
    Vector3d y = Vector3d::Zero();
    for (int k = 0; k < count; ++k) {
      const Vector3d a = angle_rates(y), b = angle_rates(y + h / 2 * a),
                     c = angle_rates(y + h / 2 * b), d = angle_rates(y + h * c);
      y += h / 6 * (a + 2 * b + 2 * c + d);
    }
    const auto axis = [](double angle, const Vector3d& e) { return Eigen::AngleAxisd(angle, e); };
    const Eigen::Matrix3d euler = (axis(y[2], Vector3d::UnitZ()) * axis(y[1], Vector3d::UnitY()) *
                                   axis(y[0], Vector3d::UnitX()))
                                      .toRotationMatrix(),
                          exact = axis(count * h, w).toRotationMatrix();
    const auto group = std::make_shared<MatrixGroup>(MatrixGroup::special_orthogonal(3));
    FirstOrderSystem system(group, [&](double, ConstVectorRef, VectorRef A) { A = w; });
    const auto integrator = make_integrator(system, {.method = "mk4", .step = h});
    integrator->reset({0, group->identity(), Vector(3)});
    for (int k = 0; k < count; ++k) integrator->step(10);
    const auto error = [&](const Eigen::Matrix3d& R) {
      return Eigen::AngleAxisd(Eigen::Matrix3d(exact.transpose() * R)).angle();
    };
    run.euler = error(euler);
    run.munthe_kaas = error(Eigen::Matrix3d(group->element(integrator->state().q)));
    list.push_back(run);
  }
  return list;
}

}  // namespace chasles::studies::park_chung
