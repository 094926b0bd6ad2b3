/// Collocation: radau5 (integrators/implicit/radau.hpp) and gauss (integrators/implicit/gauss.hpp), whose numbers (1) to (4)
/// these are.
#include <cmath>

#include "integrators/implicit/gauss_nodes.hpp"
#include "linearization/implicit_map.hpp"
#include "systems/stage_relations.hpp"

namespace chasles {
namespace {

/// Accelerations of stages, a_i = sum_j w_ij (v_j - v_0), and their columns.
class CollocationMap : public ImplicitMap {
 protected:
  CollocationMap(MechanicalSystem& system, const std::string& method, Level level,
                 const Eigen::MatrixXd& a)
      : ImplicitMap(system, method, level, static_cast<int>(a.rows())),
        A_(a),
        c_(a.rowwise().sum()),
        Om_(a.inverse()),
        first_(make_stage()) {}

  /// The guess of constant acceleration, unless that is too large to predict anything.
  void guess(double h, ConstVectorRef u, const State& state) {
    first_.t = state.t, first_.q = state.q, first_.v = state.v;
    find_acceleration(first_, u);
    if (h * first_.a.cwiseAbs().maxCoeff() > 1 + state.v.cwiseAbs().maxCoeff()) first_.a.setZero();
    for (Stage& s : stages_) s.lambda = first_.lambda;
  }
  void set_accelerations(double h, const State& start) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i].a.setZero();
      for (std::size_t j = 0; j < stages_.size(); ++j)
        stages_[i].a += w(i, j) / h * (stages_[j].v - start.v);
    }
  }
  void vary_accelerations(double h, const Columns* along) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i].da.setZero(n(), stages_[i].e.cols());
      for (std::size_t j = 0; j < stages_.size(); ++j) {
        stages_[i].da += w(i, j) / h * stages_[j].dv;
        if (along) stages_[i].da -= w(i, j) / h * along->v;
      }
    }
  }
  double w(std::size_t i, std::size_t j) const {
    return Om_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
  auto of_stage(const Eigen::MatrixXd& dz, std::size_t i) const {
    return dz.middleRows(static_cast<Eigen::Index>(i) * n(), n());
  }
  Eigen::MatrixXd start_columns(const Eigen::MatrixXd& dz, const Columns* along) const {
    return along ? along->e : Eigen::MatrixXd(Eigen::MatrixXd::Zero(n(), dz.cols()));
  }

  Eigen::MatrixXd A_;
  Eigen::VectorXd c_;
  Eigen::MatrixXd Om_;
  Stage first_;
};

Eigen::MatrixXd radau_matrix() {
  const double s = std::sqrt(6.0);
  Eigen::MatrixXd A(3, 3);
  A << (88 - 7 * s) / 360, (296 - 169 * s) / 1800, (-2 + 3 * s) / 225,  //
      (296 + 169 * s) / 1800, (88 + 7 * s) / 360, (-2 - 3 * s) / 225,   //
      (16 - s) / 36, (16 + s) / 36, 1.0 / 9;
  return A;
}

class RadauMap final : public CollocationMap {
 public:
  explicit RadauMap(MechanicalSystem& system)
      : CollocationMap(system, "radau5", Level::velocity, radau_matrix()) {}

  void take(double h, ConstVectorRef u, State& state, Vector&, Columns* along) override {
    guess(h, u, state);
    for (Eigen::Index i = 0; i < c_.size(); ++i)
      z_.col(i) = c_[i] * h * (state.v + 0.5 * c_[i] * h * first_.a);
    solve(h, u, state);
    if (along) {
      const Eigen::MatrixXd dz = differentiate(h, *along);
      vary_stages(h, dz, along);
      along->e = stages_.back().e;
      along->v = stages_.back().dv;
    }
    state.t += h;
    state.q = stages_.back().q, state.v = stages_.back().v;
    project(state, along);
  }

 private:
  void set_stages(double h, const State& start) override {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      Stage& s = stages_[i];
      const auto row = static_cast<Eigen::Index>(i);
      const Vector x = z_.col(row), k = z_ * Om_.row(row).transpose() / h;
      s.t = start.t + c_[row] * h;
      group().plus(start.q, x, s.q);
      group().dexp(x, k, s.v);
    }
    set_accelerations(h, start);
  }
  void vary_stages(double h, const Eigen::MatrixXd& dz, const Columns* along) override {
    const Eigen::MatrixXd e_0 = start_columns(dz, along);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      Stage& s = stages_[i];
      const Vector x = z_.col(static_cast<Eigen::Index>(i));
      Eigen::MatrixXd dk = Eigen::MatrixXd::Zero(n(), dz.cols());
      for (std::size_t j = 0; j < stages_.size(); ++j) dk += w(i, j) / h * of_stage(dz, j);
      s.e = moved(x, e_0, of_stage(dz, i));
      s.dv = velocities(x, s.v, of_stage(dz, i), dk);
    }
    vary_accelerations(h, along);
  }
};

Eigen::MatrixXd gauss_matrix(int stages) {
  const integrators::GaussNodes nodes = integrators::gauss_nodes(stages);
  Eigen::MatrixXd A(stages, stages);
  for (int i = 0; i < stages; ++i)
    for (int j = 0; j < stages; ++j)
      A(i, j) =
          static_cast<double>(nodes.a(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
  return A;
}

/// The unknowns are z_j = h K_j.
class GaussMap final : public CollocationMap {
 public:
  GaussMap(MechanicalSystem& system, const std::string& method, int stages)
      : CollocationMap(system, method, Level::acceleration, gauss_matrix(stages)), b_(stages) {
    const integrators::GaussNodes nodes = integrators::gauss_nodes(stages);
    for (int i = 0; i < stages; ++i)
      b_[i] = static_cast<double>(nodes.b[static_cast<std::size_t>(i)]);
  }

  void take(double h, ConstVectorRef u, State& state, Vector&, Columns* along) override {
    guess(h, u, state);
    for (Eigen::Index i = 0; i < c_.size(); ++i) z_.col(i) = h * (state.v + c_[i] * h * first_.a);
    solve(h, u, state);
    const Vector x = z_ * b_;
    if (along) {
      const Eigen::MatrixXd dz = differentiate(h, *along);
      vary_stages(h, dz, along);
      Eigen::MatrixXd dx = Eigen::MatrixXd::Zero(n(), along->count());
      for (std::size_t i = 0; i < stages_.size(); ++i) dx += b(i) * of_stage(dz, i);
      along->e = moved(x, along->e, dx);
      for (std::size_t i = 0; i < stages_.size(); ++i) along->v += h * b(i) * stages_[i].da;
    }
    for (std::size_t i = 0; i < stages_.size(); ++i) state.v += h * b(i) * stages_[i].a;
    Vector q(system_->nq());
    group().plus(state.q, x, q);
    state.q = q;
    state.t += h;
    project(state, along);
  }

 private:
  double b(std::size_t i) const { return b_[static_cast<Eigen::Index>(i)]; }
  Vector from_middle(std::size_t i) const {
    return z_ * (A_.row(static_cast<Eigen::Index>(i)).transpose() - 0.5 * b_);
  }
  void set_stages(double h, const State& start) override {
    const Vector half = 0.5 * (z_ * b_);
    Vector middle(system_->nq());
    group().plus(start.q, half, middle);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      Stage& s = stages_[i];
      const Vector y = from_middle(i), k = z_.col(static_cast<Eigen::Index>(i)) / h;
      s.t = start.t + c_[static_cast<Eigen::Index>(i)] * h;
      group().plus(middle, y, s.q);
      group().dexp(y, k, s.v);
    }
    set_accelerations(h, start);
  }
  void vary_stages(double h, const Eigen::MatrixXd& dz, const Columns* along) override {
    const Vector half = 0.5 * (z_ * b_);
    Eigen::MatrixXd dx = Eigen::MatrixXd::Zero(n(), dz.cols());
    for (std::size_t j = 0; j < stages_.size(); ++j) dx += 0.5 * b(j) * of_stage(dz, j);
    const Eigen::MatrixXd middle = moved(half, start_columns(dz, along), dx);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      Stage& s = stages_[i];
      const Vector y = from_middle(i);
      Eigen::MatrixXd dy = Eigen::MatrixXd::Zero(n(), dz.cols());
      for (std::size_t j = 0; j < stages_.size(); ++j)
        dy += (A_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) - 0.5 * b(j)) *
              of_stage(dz, j);
      s.e = moved(y, middle, dy);
      s.dv = velocities(y, s.v, dy, of_stage(dz, i) / h);
    }
    vary_accelerations(h, along);
  }

  Eigen::VectorXd b_;
};

}  // namespace

std::unique_ptr<StepMap> collocation_map(MechanicalSystem& system,
                                         const IntegratorOptions& options) {
  const std::string& method = options.method;
  if (method == "radau5") return std::make_unique<RadauMap>(system);
  const int stages = method == "midpoint" ? 1
                     : method == "gauss2" ? 2
                     : method == "gauss3" ? 3
                     : method == "gauss"  ? options.order.value_or(method_info("gauss").order) / 2
                                          : 0;
  return stages > 0 ? std::make_unique<GaussMap>(system, method, stages) : nullptr;
}

}  // namespace chasles
