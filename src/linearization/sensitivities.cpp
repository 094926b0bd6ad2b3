#include "chasles/linearization/sensitivities.hpp"

#include <cmath>

#include "chasles/suggest.hpp"
#include "integrators/explicit/tableau.hpp"
#include "linearization/step_map.hpp"

namespace chasles {
namespace {

using Family = std::unique_ptr<StepMap> (*)(MechanicalSystem&, const IntegratorOptions&);
constexpr Family families[] = {explicit_map, collocation_map, newmark_map, discrete_action_map};

/// Options that change a step beyond the method itself, or are not known to it.
void check(const IntegratorOptions& options, int nv) {
  const auto refuse = [&](const std::string& what) {
    throw Error("sensitivities of " + options.method + ": " + what);
  };
  if (options.own) refuse("only methods of the list are differentiated, not one of your own");
  if (options.hook || options.momentum_form || options.keep_invariants)
    refuse("hooks, momentum_form and keep_invariants are not differentiated; leave them out");
  if (options.chart.value_or(Chart::exponential) != Chart::exponential)
    refuse("only exponential coordinates are differentiated; leave chart out");
  if (options.stabilization != Stabilization::projection)
    refuse("steps end with the projection onto the constraints; leave stabilization out");
  const MethodInfo& info = method_info(options.method);
  IntegratorOptions with_step = options;
  if (!info.adaptive) with_step.step = options.step.value_or(1);
  check_options(with_step, nv);
  if (info.takes_order && info.symmetric) {
    const int order = options.order.value_or(info.order);
    if (order < 2 || order % 2 != 0 || order > 20)
      refuse("the order is " + std::to_string(order) + "; it is even, from 2 to 20");
  }
}

std::unique_ptr<StepMap> map_of(MechanicalSystem& system, const IntegratorOptions& options) {
  check(options, system.nv());
  for (const Family family : families)
    if (std::unique_ptr<StepMap> map = family(system, options)) return map;
  std::vector<std::string_view> names{
      "midpoint",          "gauss2", "gauss3", "gauss",       "radau5",
      "generalized_alpha", "blied2", "verlet", "variational", "rattle"};
  for (const NamedTableau& row : munthe_kaas_tableaux()) names.push_back(row.name);
  throw Error("sensitivities are those of Munthe-Kaas, implicit and variational methods, not of '" +
              options.method + "'" + choices(options.method, names));
}

}  // namespace

DifferentiableStep::DifferentiableStep(MechanicalSystem& system, const IntegratorOptions& options)
    : system_(&system), method_(options.method), map_(map_of(system, options)) {
  set_parameters(0, {});
}
DifferentiableStep::DifferentiableStep(MechanicalSystem& system, std::string_view method)
    : DifferentiableStep(system, IntegratorOptions{.method = std::string(method)}) {}
DifferentiableStep::~DifferentiableStep() = default;
DifferentiableStep::DifferentiableStep(DifferentiableStep&&) noexcept = default;
DifferentiableStep& DifferentiableStep::operator=(DifferentiableStep&&) noexcept = default;

void DifferentiableStep::set_parameters(int count, ParameterJacobian jacobian) {
  if (count < 0 || (count > 0 && !jacobian))
    throw Error("parameters: give their number, and a function for the slopes");
  if (count > 0 && !map_->takes_parameters())
    throw Error("parameters of " + method_ +
                ": its steps follow from the action, not from the residual of the equations of "
                "motion; take gauss2, radau5 or an explicit method");
  parameters_ = count;
  parameter_jacobian_ = std::move(jacobian);
  const Eigen::Index n = nv();
  dx_.setZero(2 * n, 2 * n), du_.setZero(2 * n, n), dp_.setZero(2 * n, count);
}

void DifferentiableStep::check(double h, ConstVectorRef u, const State& state) const {
  require_size("u", u, nv());
  require_size("q", state.q, system_->nq());
  require_size("v", state.v, nv());
  if (!std::isfinite(h)) throw Error("a step must be finite, not " + std::to_string(h));
}

void DifferentiableStep::require_no_memory(const Vector& memory) const {
  if (memory.size() > 0)
    throw Error(method_ + " carries " + std::to_string(memory.size()) +
                " numbers from step to step: give them as the last argument, empty before the "
                "first step, or use sensitivities and adjoint");
}

void DifferentiableStep::move(double h, ConstVectorRef u, State& state, Vector& memory) {
  check(h, u, state);
  if (nv() == 0)
    state.t += h;
  else
    map_->take(h, u, state, memory, nullptr);
}

void DifferentiableStep::move(double h, ConstVectorRef u, State& state) {
  Vector memory;
  State end = state;
  move(h, u, end, memory);
  require_no_memory(memory);
  state = end;
}

void DifferentiableStep::operator()(double h, ConstVectorRef u, State& state) {
  Vector memory;
  State end = state;
  (*this)(h, u, end, memory);
  require_no_memory(memory);
  state = end;
}

void DifferentiableStep::operator()(double h, ConstVectorRef u, State& state, Vector& memory) {
  if (nv() == 0) return move(h, u, state, memory);
  check(h, u, state);
  const Eigen::Index n = nv(), before = memory.size(), nx = 2 * n + before,
                     all = nx + n + parameters_;
  StepMap::Columns along;
  along.e.setZero(n, all), along.v.setZero(n, all), along.u.setZero(n, all);
  along.memory.setZero(before, all);
  along.e.leftCols(n).setIdentity();
  along.v.middleCols(n, n).setIdentity();
  along.memory.middleCols(2 * n, before).setIdentity();
  along.u.middleCols(nx, n).setIdentity();
  along.first_p = nx + n;
  along.jacobian = &parameter_jacobian_;
  map_->take(h, u, state, memory, &along);
  const Eigen::Index after = 2 * n + memory.size();
  Eigen::MatrixXd columns(after, all);
  columns.topRows(n) = along.e, columns.middleRows(n, n) = along.v;
  if (memory.size() > 0) columns.bottomRows(memory.size()) = along.memory;
  dx_ = columns.leftCols(nx);
  du_ = columns.middleCols(nx, n);
  dp_ = columns.rightCols(parameters_);
}

Matrix saltation_matrix(ConstVectorRef before, ConstVectorRef after, const EventJump& jump) {
  const Eigen::Index n = before.size();
  require_size("after", after, static_cast<int>(n));
  require_size("g_x", jump.g_x, static_cast<int>(n));
  if (jump.R_x.rows() != n || jump.R_x.cols() != n)
    throw Error("R_x of an event is " + std::to_string(jump.R_x.rows()) + " x " +
                std::to_string(jump.R_x.cols()) + "; it needs " + std::to_string(n) + " x " +
                std::to_string(n));
  if (jump.R_t.size() > 0) require_size("R_t", jump.R_t, static_cast<int>(n));
  const double speed = jump.g_t + jump.g_x.dot(before);
  const double size = std::abs(jump.g_t) + jump.g_x.cwiseAbs().dot(before.cwiseAbs());
  if (!(std::abs(speed) > 1e-12 * size) || !std::isfinite(speed))
    throw Error("the motion does not cross the event: the rate of g is " + to_short_text(speed) +
                " 1/s; at a grazing contact there is no derivative");
  Eigen::VectorXd late = after - jump.R_x * before;
  if (jump.R_t.size() > 0) late -= jump.R_t;
  return Eigen::MatrixXd(jump.R_x + late * jump.g_x.transpose() / speed);
}

}  // namespace chasles
