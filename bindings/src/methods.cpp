/// Integration methods: their list, their options, and methods given by a tableau.
#include "methods.hpp"

#include "chasles/suggest.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

template <class Option>
using Names = std::array<std::pair<Option, std::string_view>, 3>;

constexpr Names<Composition> compositions = {{{Composition::yoshida, "yoshida"},
                                              {Composition::suzuki, "suzuki"},
                                              {Composition::kahan_li, "kahan_li"}}};
constexpr Names<Chart> charts = {{{Chart::exponential, "exponential"},
                                  {Chart::cayley, "cayley"},
                                  {Chart::second_kind, "second_kind"}}};
constexpr Names<Stabilization> stabilizations = {{{Stabilization::projection, "projection"},
                                                  {Stabilization::none, "none"},
                                                  {Stabilization::baumgarte, "baumgarte"}}};

template <class Option>
Option option_of(const Names<Option>& names, const std::string& name, const char* what) {
  std::vector<std::string_view> known;
  for (const auto& [option, its] : names) {
    if (its == name) return option;
    known.push_back(its);
  }
  std::string list;
  for (const std::string_view its : known)
    list += (list.empty() ? "" : its == known.back() ? " or " : ", ") + std::string(its);
  throw UnknownName("there is no " + std::string(what) + " '" + name + "'" +
                    did_you_mean(name, known) + "; it is " + list);
}
template <class Option>
std::string_view name_of(const Names<Option>& names, Option option) {
  for (const auto& [its, name] : names)
    if (its == option) return name;
  return "?";
}

void add_list(nb::module_& m) {
  nb::class_<MethodInfo>(m, "MethodInfo", "An integration method: a row of the list of methods.")
      .def_prop_ro(
          "name", [](const MethodInfo& i) { return std::string(i.name); },
          "As in Scenario.method and Integrator.")
      .def_ro("order", &MethodInfo::order, "Of convergence; of families that without an `order`.")
      .def_ro("adaptive", &MethodInfo::adaptive, "Takes a tolerance instead of a step.")
      .def_ro("fixed_or_adaptive", &MethodInfo::fixed_or_adaptive, "Takes either of them.")
      .def_ro("symmetric", &MethodInfo::symmetric, "A step back returns to the start.")
      .def_ro("constrained", &MethodInfo::constrained,
              "Solves the equations with constraints directly; no stabilization is added.")
      .def_prop_ro(
          "options",
          [](const MethodInfo& i) {
            std::vector<std::string> names;
            for (const std::string_view name : options_of(i)) names.emplace_back(name);
            return names;
          },
          "Names of the options that it takes.")
      .def_prop_ro(
          "description", [](const MethodInfo& i) { return std::string(i.description); },
          "What it is, in a line.")
      .def("__repr__", [](const MethodInfo& i) {
        return "<chasles.MethodInfo '" + std::string(i.name) + "': order " +
               std::to_string(i.order) + ">";
      });
  m.def(
      "methods",
      [] {
        nb::dict out;
        for (const MethodInfo& info : methods())
          out[std::string(info.name).c_str()] = std::string(info.description);
        return out;
      },
      nb::sig("def methods() -> dict[str, str]"), "The integration methods and what they are.");
  m.def(
      "method_info",
      [](const std::string& name) { return as<UnknownName>([&] { return method_info(name); }); },
      "name"_a, "Order, symmetry and options of an integration method, by its name.");
}

void add_tableaus(nb::module_& m) {
  nb::class_<RungeKuttaTableau>(
      m, "RungeKuttaTableau",
      "An explicit Runge-Kutta method with s stages, given by its coefficients; Integrator and "
      "Scenario.tableau take it.\n\n"
      "    y_i = y + h sum_j a_ij k_j,   k_i = f(t + c_i h, y_i),   y_1 = y + h sum_i b_i k_i\n\n"
      "in coordinates of the Lie group (Munthe-Kaas), so that its order on the group is that of "
      "the tableau, which is checked.")
      .def(
          "__init__",
          [](RungeKuttaTableau* self, std::string name, int order,
             std::vector<std::vector<double>> a, std::vector<double> b, std::vector<double> c,
             std::vector<double> b_estimate, int estimate_order) {
            for (std::size_t i = 0; i < a.size(); ++i)  // zeros from the diagonal on may be given
              while (a[i].size() > i && a[i].back() == 0) a[i].pop_back();
            new (self) RungeKuttaTableau{std::move(name), order,        std::move(a),
                                         std::move(b),    std::move(c), std::move(b_estimate),
                                         estimate_order};
          },
          "name"_a, "order"_a, "a"_a, "b"_a, "c"_a = std::vector<double>{},
          "b_estimate"_a = std::vector<double>{}, "estimate_order"_a = 0,
          "a: s rows, row i with i numbers, or s of which those from the diagonal on are zero; b "
          "(s,); c "
          "(s,): sums of the rows if empty. "
          "b_estimate (s,), or s + 1 with the rate at the end of the step: weights of a result of "
          "estimate_order, for adaptive steps.")
      .def_ro("name", &RungeKuttaTableau::name, "For messages.")
      .def_ro("order", &RungeKuttaTableau::order, "1 to 10.")
      .def_ro("a", &RungeKuttaTableau::a, "Rows of the stages.")
      .def_ro("b", &RungeKuttaTableau::b, "Weights (s,).")
      .def_ro("c", &RungeKuttaTableau::c, "Nodes (s,); empty: sums of the rows of a.")
      .def_ro("b_estimate", &RungeKuttaTableau::b_estimate,
              "Weights of the error estimate; empty: fixed steps.")
      .def_ro("estimate_order", &RungeKuttaTableau::estimate_order, "Of b_estimate.")
      .def("__repr__", [](const RungeKuttaTableau& t) {
        return "<chasles.RungeKuttaTableau '" + t.name + "': order " + std::to_string(t.order) +
               ", " + std::to_string(t.b.size()) + " stages>";
      });
  nb::class_<OrderCondition>(m, "OrderCondition",
                             "A condition of Butcher: sum_i b_i Phi_i(tree) = 1 / gamma(tree).")
      .def_ro("tree", &OrderCondition::tree, "By brackets: '[[][]]' has two leaves.")
      .def_ro("order", &OrderCondition::order, "Number of nodes of the tree.")
      .def_ro("value", &OrderCondition::value, "sum_i b_i Phi_i")
      .def_ro("required", &OrderCondition::required, "1 / gamma")
      .def_ro("rounding", &OrderCondition::rounding, "Of value, estimated.")
      .def_prop_ro("residual", &OrderCondition::residual, "value - required")
      .def("__repr__", [](const OrderCondition& c) {
        return "<chasles.OrderCondition " + c.tree + ": residual " + to_short_text(c.residual()) +
               ">";
      });
  m.def("order_conditions", &order_conditions, "tableau"_a, "order"_a,
        "All conditions up to an order, 1 to 10.");
  m.def("order_of", &order_of, "tableau"_a,
        "The highest order, up to 10, whose conditions hold to rounding; 0: none.");
  m.def(
      "check_tableau", &check_tableau, "tableau"_a,
      "Raises unless all conditions of the stated orders hold to rounding: names the violated one "
      "and the order that it has.");
}

}  // namespace

std::string_view composition_name(Composition x) { return name_of(compositions, x); }
Composition composition_of(const std::string& name) {
  return option_of(compositions, name, "composition");
}
std::string_view chart_name(Chart x) { return name_of(charts, x); }
Chart chart_of(const std::string& name) { return option_of(charts, name, "chart"); }
std::string_view stabilization_name(Stabilization x) { return name_of(stabilizations, x); }
Stabilization stabilization_of(const std::string& name) {
  return option_of(stabilizations, name, "stabilization");
}

IntegratorOptions MethodOptions::options() const {
  IntegratorOptions o{.method = method, .step = step, .tolerance = tolerance};
  o.first_step = first_step, o.max_step = max_step, o.rho = rho;
  o.order = order, o.index = index;
  if (composition) o.composition = composition_of(*composition);
  if (chart) o.chart = chart_of(*chart);
  if (tableau) o.own = runge_kutta_method(*tableau);
  return o;
}

void add_methods(nb::module_& m) {
  add_list(m);
  add_tableaus(m);
}

}  // namespace chasles::python
