/// The list of methods: a new one is a row here.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "chasles/suggest.hpp"
#include "integrators/automatic.hpp"
#include "integrators/constrained/alpha.hpp"
#include "integrators/constrained/blie_df.hpp"
#include "integrators/constrained/half_explicit.hpp"
#include "integrators/constrained/projection.hpp"
#include "integrators/constrained/rattlie.hpp"
#include "integrators/explicit/adams.hpp"
#include "integrators/explicit/coordinate_runge_kutta.hpp"
#include "integrators/explicit/exponential_products.hpp"
#include "integrators/explicit/high_order_tableaux.hpp"
#include "integrators/explicit/munthe_kaas.hpp"
#include "integrators/explicit/tableaux.hpp"
#include "integrators/explicit/taylor.hpp"
#include "integrators/implicit/composition.hpp"
#include "integrators/implicit/gauss.hpp"
#include "integrators/implicit/radau.hpp"
#include "integrators/implicit/variational.hpp"
#include "integrators/invariants/invariant_keeper.hpp"
#include "integrators/invariants/momentum_form.hpp"

namespace chasles {
namespace {

using Made = std::unique_ptr<Integrator>;
using Make = Made (*)(DynamicalSystem&, const IntegratorOptions&);

template <const Tableau& tableau, int k = 0>
Made munthe_kaas(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<MuntheKaas>(system, options, tableau, k);
}
template <const std::span<const ExponentialFactor>& list, int stages, bool adaptive = false>
Made products(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<ExponentialProducts>(system, options, stages, list, adaptive);
}
template <int stages>
Made gauss(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<Gauss>(system, options, stages);
}
/// Gauss collocation of any even order.
Made gauss_of_order(DynamicalSystem& system, const IntegratorOptions& options) {
  const int order = options.order.value_or(method_info("gauss").order);
  if (order < 2 || order % 2 != 0 || order > 2 * StageRelations::most_stages)
    throw Error("gauss: the order is " + std::to_string(order) +
                "; it is twice the number of stages: 2, 4, ... " +
                std::to_string(2 * StageRelations::most_stages));
  return std::make_unique<Gauss>(system, options, order / 2);
}
template <class Method, class System>
Made composed(System& system, const IntegratorOptions& options) {
  const int order = options.order.value_or(2);
  if (order == 2) {
    if (options.composition)
      throw Error(options.method + ": a composition needs an order of 4, 6 or 8; give order");
    return std::make_unique<Method>(system, options);
  }
  return std::make_unique<Composed<Method>>(
      system, options, order,
      composition_weights(
          options.method, order,
          options.composition.value_or(order == 4 ? Composition::suzuki : Composition::kahan_li)));
}
Made variational(DynamicalSystem& system, const IntegratorOptions& options) {
  return composed<Variational>(*system.mechanism(), options);
}
Made rattle(DynamicalSystem& system, const IntegratorOptions& options) {
  return composed<Rattlie>(*system.mechanical(), options);
}
Made abm(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<Adams>(system, options);
}
template <class Method>
Made of_model(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<Method>(*system.mechanism(), options);
}
template <const Tableau& tableau, int k = 0>
Made half_explicit(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<HalfExplicit>(*system.mechanical(), options, tableau, k);
}
template <class Method>
Made of_masses(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<Method>(*system.mechanical(), options);
}
Made automatic(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<Automatic>(system, options);
}
Made rk4(DynamicalSystem& system, const IntegratorOptions& options) {
  return std::make_unique<CoordinateRungeKutta>(system, options, tableaux::classical);
}

struct Row {
  MethodInfo info;
  Make make;
  const Tableau* tableau = nullptr;  // of a Munthe-Kaas method
};
constexpr MethodInfo charts(MethodInfo info) { return info.takes_chart = true, info; }
constexpr MethodInfo orders(MethodInfo info) { return info.takes_order = true, info; }
constexpr MethodInfo compositions(MethodInfo info) {
  return info.takes_composition = true, orders(info);
}
constexpr MethodInfo dominated(std::string_view by, MethodInfo info) {
  return info.dominated_by = by, info;
}
constexpr MethodInfo constrained(MethodInfo info) { return info.constrained = true, info; }
constexpr MethodInfo dense_order(int order, MethodInfo info) {
  return info.dense_order = order, info;
}
constexpr MethodInfo either(MethodInfo info) { return info.fixed_or_adaptive = true, info; }
constexpr MethodInfo newton(MethodInfo info) { return info.newton = true, constrained(info); }
constexpr MethodInfo alpha_like(MethodInfo info) {
  return info.fixed_or_adaptive = info.takes_rho = true, newton(info);
}

template <const Tableau& tableau>
constexpr Row fixed_munthe_kaas(MethodInfo info) {
  return {charts(info), munthe_kaas<tableau>, &tableau};
}

namespace t = tableaux;
constexpr Row rows[] = {
    {{"auto", 8, true, false, "dop853, and radau5 where the system is stiff"}, automatic},
    fixed_munthe_kaas<t::euler>({"euler", 1, false, false, "Euler on the group"}),
    {{"rk4", 4, false, false, "classical Runge-Kutta on the coordinates, quaternions renormalized",
      Needs::coordinates},
     rk4},
    {{"cg2", 2, false, false, "Crouch-Grossman, 2 stages"}, products<factors::cg2, 2>},
    {dominated("mk4", {"cg3", 3, false, false, "Crouch-Grossman, 3 stages"}),
     products<factors::cg3, 3>},
    {dominated("mk4", {"cg4", 4, false, false, "Crouch-Grossman, 5 stages"}),
     products<factors::cg4, 5>},
    {dominated("mk5",
               {"cg5", 5, false, false, "Crouch-Grossman, 9 stages, one of them before the step"}),
     products<factors::cg5, 9>},
    {{"cf2", 2, false, false, "commutator-free, 2 stages"}, products<factors::cf2, 2>},
    {{"cf3", 3, false, false, "commutator-free, 3 stages"}, products<factors::cf3, 3>},
    {{"cf4", 4, false, false, "commutator-free, 4 stages"}, products<factors::cf4, 4>},
    {{"cf43", 4, true, false, "commutator-free 4(3), 4 stages"}, products<factors::cf4, 4, true>},
    fixed_munthe_kaas<t::heun>({"mk2", 2, false, false, "Munthe-Kaas with Heun's tableau"}),
    fixed_munthe_kaas<t::heun3>(
        {"mk3", 3, false, false, "Munthe-Kaas with Heun's tableau of order 3"}),
    fixed_munthe_kaas<t::classical>(
        {"mk4", 4, false, false, "Munthe-Kaas with the classical tableau"}),
    fixed_munthe_kaas<t::dp54>(
        {"mk5", 5, false, false, "Munthe-Kaas with Dormand and Prince's tableau"}),
    fixed_munthe_kaas<t::butcher6>(
        {"mk6", 6, false, false, "Munthe-Kaas with Butcher's tableau of order 6"}),
    fixed_munthe_kaas<t::butcher7>(dense_order(
        6, {"mk7", 7, false, false, "Munthe-Kaas with Butcher's tableau of order 7, 9 stages"})),
    fixed_munthe_kaas<t::dop853>(
        {"mk8", 8, false, false, "Munthe-Kaas with the tableau of DOP853"}),
    fixed_munthe_kaas<t::hairer10>(dense_order(
        6, {"mk10", 10, false, false, "Munthe-Kaas with Hairer's tableau of order 10, 17 stages"})),
    {charts({"bs32", 3, true, false, "Munthe-Kaas with Bogacki and Shampine's pair 3(2)"}),
     munthe_kaas<t::bs32, 3>, &t::bs32},
    {charts({"dp54", 5, true, false, "Munthe-Kaas with Dormand and Prince's pair 5(4)"}),
     munthe_kaas<t::dp54, 5>, &t::dp54},
    {charts({"dop853", 8, true, false, "Munthe-Kaas with DOP853, order 8"}),
     munthe_kaas<t::dop853, 8>, &t::dop853},
    {orders({"abm", 10, false, false,
             "Adams, predict - evaluate - correct - evaluate, order 1 to 12"}),
     abm},
    {orders({"taylor", 16, true, false, "power series of the motion, order 2 to 40",
             Needs::expansion}),
     of_model<Taylor>},
    {dominated("gauss2", {"midpoint", 2, false, true, "implicit midpoint rule on the group"}),
     gauss<1>},
    {{"gauss2", 4, false, true, "Gauss collocation, 2 stages, centered"}, gauss<2>},
    {{"gauss3", 6, false, true, "Gauss collocation, 3 stages, centered"}, gauss<3>},
    {dense_order(6, orders({"gauss", 8, false, true,
                            "Gauss collocation of any even order up to 20, centered"})),
     gauss_of_order},
    {dominated("gauss2", {"verlet", 2, false, true, "Stoermer-Verlet on the group, symplectic",
                          Needs::mechanism}),
     of_model<LieVerlet>},
    {compositions({"variational", 2, false, true,
                   "discrete recursive Newton-Euler, symplectic; compositions of order 4, 6, 8",
                   Needs::mechanism}),
     variational},
    {dominated("hem4",
               {"herk3", 3, false, false, "half-explicit Munthe-Kaas, 3 stages", Needs::masses}),
     half_explicit<t::herk3>},
    {{"hem4", 4, false, false, "half-explicit Munthe-Kaas with Brasey and Hairer's tableau",
      Needs::masses},
     half_explicit<t::hem4>},
    {{"hedop5", 5, true, false, "half-explicit Munthe-Kaas with Dormand and Prince's pair 5(4)",
      Needs::masses},
     half_explicit<t::dp54, 5>},
    {alpha_like({"generalized_alpha", 2, true, false,
                 "generalized alpha on the group, index 2 or 3; stiff systems", Needs::masses}),
     of_masses<GeneralizedAlpha>},
    {dense_order(4, newton(either({"radau5", 5, true, false,
                                   "Radau IIA, 3 stages, on the group, order 5; stiff systems",
                                   Needs::masses}))),
     of_masses<Radau>},
    {newton(
         dominated("generalized_alpha",
                   {"blied2", 2, false, false,
                    "backward differences on the group, two steps; stiff systems", Needs::masses})),
     of_masses<BLieDF>},
    {constrained(compositions({"rattle", 2, false, true,
                               "RATTLE on the group, symplectic; compositions of order 4, 6, 8",
                               Needs::masses})),
     rattle},
};

constexpr auto infos = [] {
  std::array<MethodInfo, std::size(rows)> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = rows[i].info;
  return list;
}();

const Row& row(std::string_view name) {
  for (const Row& r : rows)
    if (r.info.name == name) return r;
  std::vector<std::string_view> names;
  for (const Row& r : rows) names.push_back(r.info.name);
  throw Error("there is no integrator '" + std::string(name) + "'" + choices(name, names));
}

}  // namespace

std::vector<NamedTableau> munthe_kaas_tableaux() {
  std::vector<NamedTableau> list;
  for (const Row& r : rows)
    if (r.tableau != nullptr) list.push_back({r.info.name, r.tableau});
  return list;
}

std::span<const MethodInfo> methods() { return infos; }
const MethodInfo& method_info(std::string_view name) {
  return infos[static_cast<std::size_t>(&row(name) - rows)];
}

const MethodInfo& method_info(const IntegratorOptions& options) {
  return options.own ? options.own->info : method_info(options.method);
}

std::vector<std::string_view> options_of(const MethodInfo& info) {
  std::vector<std::string_view> list;
  if (info.adaptive) list = {"tolerance", "scales", "first_step", "max_step"};
  if (info.fixed_or_adaptive || !info.adaptive) list.push_back("step");
  if (info.takes_chart) list.push_back("chart");
  if (info.takes_order) list.push_back("order");
  if (info.takes_composition) list.push_back("composition");
  if (info.takes_rho) list.insert(list.end(), {"rho", "index"});
  return list;
}

std::string unused_option(const MethodInfo& info, std::string_view option) {
  static constexpr std::string_view steps[] = {"tolerance", "scales", "first_step", "max_step"};
  std::string takes;
  for (const std::string_view name : options_of(info))
    takes += (takes.empty() ? "" : ", ") + std::string(name);
  return std::string(info.name) + " does not use '" + std::string(option) + "'" +
         (info.adaptive && option == "step" ? ": it chooses its steps (the first is first_step)"
          : !info.adaptive && std::ranges::find(steps, option) != std::end(steps)
              ? ": it has fixed steps"
              : "") +
         "; it takes " + takes;
}

namespace {

/// The options with the name of the method, for messages.
IntegratorOptions named(const MethodInfo& info, IntegratorOptions options) {
  options.method = info.name;
  return options;
}

/// @throws Error for an enumerator that does not exist, and for index and rho out of range
void check_choices(const IntegratorOptions& o) {
  const auto refuse = [&](const std::string& why) { throw Error(o.method + ": " + why); };
  if (o.stabilization != Stabilization::projection && o.stabilization != Stabilization::none &&
      o.stabilization != Stabilization::baumgarte)
    refuse("stabilization is " + std::to_string(static_cast<int>(o.stabilization)) +
           ", none of projection, none and baumgarte");
  if (o.chart && *o.chart != Chart::exponential && *o.chart != Chart::cayley &&
      *o.chart != Chart::second_kind)
    refuse("the chart is " + std::to_string(static_cast<int>(*o.chart)) +
           ", none of exponential, cayley and second_kind");
  if (o.composition && *o.composition != Composition::yoshida &&
      *o.composition != Composition::suzuki && *o.composition != Composition::kahan_li)
    refuse("the composition is " + std::to_string(static_cast<int>(*o.composition)) +
           ", none of yoshida, suzuki and kahan_li");
  if (o.index && *o.index != 2 && *o.index != 3)
    refuse("index is " + std::to_string(*o.index) +
           "; it must be 2 (positions and velocities on the constraints) or 3 (positions alone)");
  if (o.rho && !(*o.rho >= 0 && *o.rho <= 1))
    refuse("rho is " + to_text(*o.rho) +
           "; it must be from 0 (vibrations too fast for the step vanish) to 1 (they stay)");
}

/// @throws Error for an option that is given and not used, or out of range
void check(const MethodInfo& info, const IntegratorOptions& o, int nv) {
  const struct {
    std::string_view name;
    bool given;
  } given[] = {{"step", o.step.has_value()},         {"tolerance", o.tolerance.has_value()},
               {"scales", o.scales.size() > 0},      {"first_step", o.first_step.has_value()},
               {"max_step", o.max_step.has_value()}, {"chart", o.chart.has_value()},
               {"order", o.order.has_value()},       {"rho", o.rho.has_value()},
               {"index", o.index.has_value()},       {"composition", o.composition.has_value()}};
  const std::vector<std::string_view> known = options_of(info);
  for (const auto& option : given)
    if (option.given && std::find(known.begin(), known.end(), option.name) == known.end())
      throw Error(unused_option(info, option.name));

  const auto refuse = [&](const std::string& why) { throw Error(o.method + ": " + why); };
  const auto positive = [&](const char* name, const std::optional<double>& x, bool finite) {
    if (x && !(*x > 0 && (!finite || *x <= std::numeric_limits<double>::max())))
      refuse(std::string(name) + " is " + to_text(*x) + " s; it must be positive");
  };
  if (!info.adaptive && !o.step) refuse("has fixed steps; give step [s]");
  if (o.step && (o.tolerance || o.first_step || o.max_step || o.scales.size() > 0))
    refuse(
        "give either step, or a tolerance and what belongs to it (first_step, max_step, scales)");
  check_choices(o);
  positive("step", o.step, true);
  positive("first_step", o.first_step, true);
  positive("max_step", o.max_step, false);
  if (o.tolerance && !(*o.tolerance >= 1e-15 && *o.tolerance <= 1e3))
    refuse("the tolerance is " + to_text(*o.tolerance) +
           "; it must be at least 1e-15 (rounding), such as 1e-10");
  if (o.scales.size() == 0) return;
  require_size("scales", o.scales, nv);
  for (const double scale : o.scales)
    if (!(scale > 0 && scale <= std::numeric_limits<double>::max()))
      refuse("a scale is " + to_text(scale) +
             "; it must be positive, such as 0.01 for centimetres");
}

}  // namespace

void check_options(const IntegratorOptions& options, int nv) {
  const MethodInfo& info = method_info(options);
  check(info, named(info, options), nv);
}

namespace {

/// @throws Error if the system lacks something that the method needs
void check_needs(const MethodInfo& info, const IntegratorOptions& o, DynamicalSystem& system) {
  const auto refuse = [&](const std::string& why) { throw Error(o.method + ": " + why); };
  const bool invariants = o.momentum_form || o.keep_invariants;
  const int m = system.mechanical() ? system.mechanical()->constraint_count() : 0;
  if (m > 0 && invariants)
    refuse("momentum form and kept invariants are for trees; this system has " + std::to_string(m) +
           " rows of constraints, which stabilization keeps");
  if (m > 0 && info.needs == Needs::mechanism)
    refuse("does not know constraints, and this system has " + std::to_string(m) +
           " rows of them; take rattle (symplectic), or dop853");
  if ((info.needs >= Needs::mechanism || invariants) && !system.mechanism())
    refuse(std::string(invariants ? "momentum form and kept invariants need" : "needs") +
           " the masses and links of a mechanism, which a ModelSystem gives; give one, or take a "
           "method that needs rates only, such as gauss2");
  if (info.needs >= Needs::masses && !system.mechanical())
    refuse(
        "needs masses and forces, which a MechanicalSystem gives, such as a ModelSystem; give one, "
        "or "
        "take a method that needs rates only, such as gauss2");
}

/// Installs projection or Baumgarte stabilization, if there are constraints.
/// @throws Error for a stabilization that the method does not support
void stabilize(const MethodInfo& info, DynamicalSystem& system, IntegratorOptions& o) {
  const auto refuse = [&](const std::string& why) { throw Error(o.method + ": " + why); };
  const bool baumgarte = o.stabilization == Stabilization::baumgarte;
  if (o.baumgarte.has_value() != baumgarte)
    refuse(baumgarte ? "Baumgarte's stabilization needs alpha and beta [1/s], such as both a tenth "
                       "of 1 / step; give them in baumgarte"
                     : "baumgarte is given, but the stabilization is another");
  MechanicalSystem* mechanical = system.mechanical();
  if (!mechanical || mechanical->constraint_count() == 0) return;
  if (baumgarte && info.needs >= Needs::masses)
    refuse(
        "does not take accelerations from the constraints, so Baumgarte's stabilization does not "
        "act on it; take projection, the default");
  mechanical->set_baumgarte(o.baumgarte.value_or(MechanicalSystem::Baumgarte{}));
  if (o.stabilization == Stabilization::projection && !info.constrained)
    o.hook = std::make_shared<Projection>(*mechanical, o.hook);
}

Made make_own(DynamicalSystem& system, const IntegratorOptions& given) {
  const OwnMethod& own = *given.own;
  IntegratorOptions options = named(own.info, given);
  const auto refuse = [&](const std::string& why) {
    throw Error((options.method.empty() ? "a method of one's own" : options.method) + ": " + why);
  };
  if (options.method.empty() || !own.make)
    refuse("has no " + std::string(own.make ? "name" : "function that makes it") +
           "; give both in OwnMethod");
  if (options.momentum_form || options.keep_invariants)
    refuse("momentum form and kept invariants are for methods of the list");
  check(own.info, options, system.nv());
  check_needs(own.info, options, system);
  stabilize(own.info, system, options);
  Made made = own.make(system, options);
  if (!made) refuse("the function of OwnMethod made no integrator");
  return made;
}

}  // namespace

Made make_integrator(DynamicalSystem& system, const IntegratorOptions& options) {
  if (options.own) return make_own(system, options);
  const Row& r = row(options.method);
  check(r.info, options, system.nv());
  check_needs(r.info, options, system);
  IntegratorOptions made = options;
  if (r.make == automatic && !options.momentum_form) return automatic(system, options);
  stabilize(r.info, system, made);
  const auto reject = [&](const std::string& why) { throw Error(options.method + ": " + why); };
  if ((options.keep_invariants || made.hook) &&
      options.chart.value_or(Chart::exponential) != Chart::exponential)
    reject("a state that is changed after the step needs exponential coordinates");
  if (options.keep_invariants) {
    if (options.hook) reject("give either keep_invariants or a hook of your own");
    made.hook = std::make_shared<InvariantKeeper>(*system.mechanism());
  }
  if (options.momentum_form) return of_model<MomentumIntegrator>(system, made);
  return r.make(system, made);
}

Made make_integrator(std::shared_ptr<DynamicalSystem> system, const IntegratorOptions& options) {
  if (!system) throw Error("make_integrator: there is no system");
  Made made = make_integrator(*system, options);
  made->kept_ = std::move(system);
  return made;
}

}  // namespace chasles
