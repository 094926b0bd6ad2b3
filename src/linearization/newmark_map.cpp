/// Methods with one unknown displacement x: generalized_alpha (integrators/constrained/alpha.hpp) and blied2
/// (integrators/constrained/blie_df.hpp).
///
///     q_1 = q_0 exp(x),     v_1 = v_* + gamma x,     a_1 = a_* + beta x                       (1)
///
/// v_* and a_* are linear in the start and in what the method carries along: vd_n and (a_n - vd_n) / h of the step
/// before, or its x and the v at its start. A first step, without these, takes them from the accelerations at the
/// start, alpha.hpp (4), or is one of backward Euler, (5).
#include <cmath>

#include "linearization/implicit_map.hpp"

namespace chasles {
namespace {

class AlphaMap : public ImplicitMap {
 public:
  AlphaMap(MechanicalSystem& system, const std::string& method, double rho, bool index3)
      : ImplicitMap(system, method, index3 ? Level::position : Level::velocity, 1),
        index3_(index3),
        am_((2 * rho - 1) / (rho + 1)),
        af_(rho / (rho + 1)),
        g_(0.5 + af_ - am_),
        b_((g_ + 0.5) * (g_ + 0.5) / 4),
        d_(am_ - af_),
        first_(make_stage()),
        ahead_(make_stage()) {
    if (index3 && system.position_constraint_count() < m())
      throw Error(method + ": index 3 does not know constraints of velocities only; take index 2");
  }

  void take(double h, ConstVectorRef u, State& state, Vector& memory, Columns* along) override {
    if (memory.size() > 0) require_size("the memory of " + name(), memory, 2 * n());
    look_at_start(h, u, state);
    if (memory.size() == 0) {
      begin(h, u, state, along);
    } else {
      vd_ = memory.head(n()), w_ = memory.tail(n());
      rough_ = false;
      if (along) dvd_ = along->memory.topRows(n()), dw_ = along->memory.bottomRows(n());
    }
    rough_ ? backward_euler(h, state, along) : newmark(h, state, along);
    const Eigen::MatrixXd v_0 = along ? along->v : Eigen::MatrixXd();
    const Vector start = state.v;
    advance(h, u, state, along);
    // The next a: that of backward Euler, or (2) of alpha.hpp.
    Vector a = stages_[0].a;
    Eigen::MatrixXd da = stages_[0].da;
    if (!rough_) {
      const double bh2 = b_ * h * h;
      a = (z_.col(0) - h * start - (0.5 - b_) * h * h * (vd_ + h * w_)) / bh2;
      if (along) da = (dz_ - h * v_0 - (0.5 - b_) * h * h * (dvd_ + h * dw_)) / bh2;
    }
    memory.resize(2 * n());
    memory << stages_[0].a, (a - stages_[0].a) / h;
    if (!along) return;
    along->memory.resize(2L * n(), along->count());
    along->memory << stages_[0].da, (da - stages_[0].da) / h;
  }

 protected:
  /// Solves (1) with v_star_, a_star_, gamma_ and beta_, and moves the state to its end.
  void advance(double h, ConstVectorRef u, State& state, Columns* along) {
    z_.col(0) = h * (state.v + 0.5 * h * guess_);
    stages_[0].lambda = first_.lambda;
    solve(h, u, state);
    if (along) {
      dz_ = differentiate(h, *along);
      vary_stages(h, dz_, along);
      along->e = stages_[0].e, along->v = stages_[0].dv;
    }
    state.t += h;
    state.q = stages_[0].q, state.v = stages_[0].v;
    if (!index3_) project(state, along);
  }
  /// Accelerations and multipliers at the start.
  void look_at_start(double h, ConstVectorRef u, const State& state) {
    first_.t = state.t, first_.q = state.q, first_.v = state.v;
    find_acceleration(first_, u);
    guess_ = first_.a;
    if (h * guess_.cwiseAbs().maxCoeff() > 1 + state.v.cwiseAbs().maxCoeff()) guess_.setZero();
  }
  /// What a first step takes for its memory.
  void begin(double h, ConstVectorRef u, const State& state, const Columns* along) {
    vd_ = first_.a, w_ = Vector(n());
    rough_ = begins_roughly(h, u, state);
    if (along) {
      first_.e = along->e, first_.dv = along->v;
      differentiate_acceleration(first_, *along);
      dvd_ = first_.da;
      dw_.setZero(n(), along->count());
    }
    if (rough_) return;
    w_ = d_ / h * (ahead_.a - vd_);
    if (!along) return;
    ahead_.e = moved(x_ahead_, along->e, h * along->v + 0.5 * h * h * dvd_);
    ahead_.dv = along->v + h * dvd_;
    differentiate_acceleration(ahead_, *along);
    dw_ = d_ / h * (ahead_.da - dvd_);
  }

  const std::string& name() const { return name_; }
  bool index3_;
  double am_, af_, g_, b_, d_;
  double gamma_ = 0, beta_ = 0;
  Vector v_star_, a_star_, guess_;
  Eigen::MatrixXd dv_star_, da_star_, dz_;
  Stage first_;

 private:
  /// (5) of alpha.hpp; leaves the stage one step ahead, of (4).
  bool begins_roughly(double h, ConstVectorRef u, const State& state) {
    Stage here = first_, moved_on = first_;
    ahead_.t = here.t = moved_on.t = state.t + h;
    try {
      find_acceleration(here, u);
      const Vector x = h * state.v;
      group().plus(state.q, x, moved_on.q);
      find_acceleration(moved_on, u);
      if (h * (moved_on.a - here.a).norm() > state.v.norm()) return true;
      x_ahead_ = h * state.v + (0.5 * h * h) * first_.a;
      group().plus(state.q, x_ahead_, ahead_.q);
      ahead_.v = state.v + h * first_.a;
      find_acceleration(ahead_, u);
    } catch (const StateError&) {
      return true;
    }
    return (ahead_.a - moved_on.a).norm() > first_.a.norm();
  }
  void newmark(double h, const State& state, const Columns* along) {
    const double bh2 = b_ * h * h;
    const auto stars = [&](const auto& v, const auto& vd, const auto& w, auto& v_star,
                           auto& a_star) {
      const auto a = (vd + h * w).eval();
      const auto next = (-(h * v + (0.5 - b_) * h * h * a) / bh2).eval();
      v_star = v + h * ((1 - g_) * a + g_ * next);
      a_star = ((1 - am_) * next + am_ * a - af_ * vd) / (1 - af_);
    };
    stars(state.v, vd_, w_, v_star_, a_star_);
    if (along) stars(along->v, dvd_, dw_, dv_star_, da_star_);
    gamma_ = g_ * h / bh2, beta_ = (1 - am_) / ((1 - af_) * bh2);
  }
  void backward_euler(double h, const State& state, const Columns* along) {
    v_star_ = Vector(n()), a_star_ = state.v / -h;
    if (along) dv_star_.setZero(n(), along->count()), da_star_ = along->v / -h;
    gamma_ = 1 / h, beta_ = 1 / (h * h);
  }
  void set_stages(double h, const State& start) override {
    Stage& s = stages_[0];
    const Vector x = z_.col(0);
    s.t = start.t + h;
    group().plus(start.q, x, s.q);
    s.v = v_star_ + gamma_ * x;
    s.a = a_star_ + beta_ * x;
  }
  void vary_stages(double, const Eigen::MatrixXd& dz, const Columns* along) override {
    Stage& s = stages_[0];
    const Vector x = z_.col(0);
    s.e = moved(x, along ? along->e : Eigen::MatrixXd(Eigen::MatrixXd::Zero(n(), dz.cols())), dz);
    s.dv = gamma_ * dz, s.da = beta_ * dz;
    if (along) s.dv += dv_star_, s.da += da_star_;
  }

  std::string name_ = "generalized_alpha";
  Stage ahead_;
  Vector vd_, w_, x_ahead_;
  Eigen::MatrixXd dvd_, dw_;
  bool rough_ = false;
};

/// The memory: h, x and the v at the start of the step before.
class BLieDFMap final : public AlphaMap {
 public:
  explicit BLieDFMap(MechanicalSystem& system) : AlphaMap(system, "blied2", 0, false) {}

  void take(double h, ConstVectorRef u, State& state, Vector& memory, Columns* along) override {
    const State start = state;
    const Eigen::MatrixXd e_0 = along ? along->e : Eigen::MatrixXd(),
                          v_0 = along ? along->v : Eigen::MatrixXd();
    if (memory.size() == 0) {
      AlphaMap::take(h, u, state, memory, along);
    } else {
      require_size("the memory of blied2", memory, 2 * n() + 1);
      if (!(std::abs(h - memory[0]) <= 1e-9 * h))
        throw Error("blied2: a step of " + to_short_text(h) + " s after one of " +
                    to_short_text(memory[0]) + " s; its derivatives need steps of one length");
      look_at_start(h, u, state);
      const auto stars = [&](const auto& v, const auto& x, const auto& past, auto& v_star,
                             auto& a_star) {
        v_star = (-0.5 / h) * x;
        a_star = (1.5 * v_star - 2 * v + 0.5 * past) / h;
      };
      stars(state.v, memory.segment(1, n()), memory.tail(n()), v_star_, a_star_);
      if (along)
        stars(along->v, along->memory.middleRows(1, n()), along->memory.bottomRows(n()), dv_star_,
              da_star_);
      gamma_ = 1.5 / h, beta_ = 2.25 / (h * h);
      advance(h, u, state, along);
    }
    Vector x(n());
    group().minus(state.q, start.q, x);
    memory.resize(2 * n() + 1);
    memory << h, x, start.v;
    if (!along) return;
    along->memory.setZero(2L * n() + 1, along->count());
    along->memory.middleRows(1, n()) = displaced(x, e_0, along->e);
    along->memory.bottomRows(n()) = v_0;
  }
};

}  // namespace

std::unique_ptr<StepMap> newmark_map(MechanicalSystem& system, const IntegratorOptions& options) {
  if (options.method == "generalized_alpha")
    return std::make_unique<AlphaMap>(system, options.method, options.rho.value_or(0.8),
                                      options.index.value_or(2) == 3);
  if (options.method == "blied2") return std::make_unique<BLieDFMap>(system);
  return nullptr;
}

}  // namespace chasles
