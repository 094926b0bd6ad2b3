/// Munthe-Kaas methods: (1) to (4) of sensitivities.hpp.
#include "integrators/explicit/tableau.hpp"
#include "linearization/step_map.hpp"

namespace chasles {
namespace {

class MuntheKaasMap final : public StepMap {
 public:
  MuntheKaasMap(MechanicalSystem& system, const Tableau& tableau)
      : StepMap(system), tableau_(&tableau), stages_(static_cast<std::size_t>(tableau.stages)) {
    for (Rates& rates : stages_) rates = {make_stage(), Vector(n()), Vector(n()), {}, {}};
  }

  void take(double h, ConstVectorRef u, State& state, Vector&, Columns* along) override {
    const double* a = tableau_->a.data();
    for (std::size_t i = 0; i < stages_.size(); a += i, ++i) stage(i, a, h, u, state, along);
    Vector x(n()), q(system_->nq());
    Eigen::MatrixXd dx;
    if (along) dx.setZero(n(), along->count());
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const double b = h * tableau_->b[i];
      x += b * stages_[i].K;
      state.v += b * stages_[i].at.a;
      if (!along) continue;
      dx += b * stages_[i].dK;
      along->v += b * stages_[i].at.da;
    }
    if (along) along->e = moved(x, along->e, dx);
    group().plus(state.q, x, q);
    state.q = q;
    state.t += h;
    project(state, along);
  }

 private:
  struct Rates {
    Stage at;
    Vector x, K;
    Eigen::MatrixXd dx, dK;
  };
  void stage(std::size_t i, const double* a, double h, ConstVectorRef u, const State& start,
             const Columns* along) {
    Rates& s = stages_[i];
    s.x.setZero();
    s.at.v = start.v;
    for (std::size_t j = 0; j < i; ++j) {
      s.x += h * a[j] * stages_[j].K;
      s.at.v += h * a[j] * stages_[j].at.a;
    }
    group().plus(start.q, s.x, s.at.q);
    s.at.t = start.t + tableau_->c[i] * h;
    find_acceleration(s.at, u);
    group().dexp_inv(s.x, s.at.v, s.K);
    if (!along) return;
    s.dx.setZero(n(), along->count());
    s.at.dv = along->v;
    for (std::size_t j = 0; j < i; ++j) {
      s.dx += h * a[j] * stages_[j].dK;
      s.at.dv += h * a[j] * stages_[j].at.da;
    }
    s.at.e = moved(s.x, along->e, s.dx);
    differentiate_acceleration(s.at, *along);  // (2), (4)
    s.dK.resize(n(), along->count());
    Vector in(n()), out(n()), change(n());
    for (Eigen::Index k = 0; k < along->count(); ++k) {  // (3)
      in = s.at.dv.col(k), change = s.dx.col(k);
      group().dexp_inv(s.x, in, out);
      s.dK.col(k) = out;
      group().d_dexp_inv(s.x, change, s.at.v, out);
      s.dK.col(k) += out;
    }
  }

  const Tableau* tableau_;
  std::vector<Rates> stages_;
};

}  // namespace

std::unique_ptr<StepMap> explicit_map(MechanicalSystem& system, const IntegratorOptions& options) {
  for (const NamedTableau& row : munthe_kaas_tableaux())
    if (row.name == options.method) return std::make_unique<MuntheKaasMap>(system, *row.tableau);
  return nullptr;
}

}  // namespace chasles
