/// Accessibility of nonlinear systems by Lie brackets of vector fields, given by functions of Python on Taylor
/// polynomials.
#include "chasles/linearization/accessibility.hpp"

#include <nanobind/operators.h>

#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

VectorField field_of(nb::object f, const std::string& what) {
  if (f.is_none()) return {};
  if (!PyCallable_Check(f.ptr()))
    raise(PyExc_TypeError,
          what + " is a " + text(f.type()) + "; give a function of the list x that returns a list");
  return [f = std::move(f), what](std::span<const TaylorPolynomial> x) {
    nb::list arguments;
    for (const TaylorPolynomial& p : x) arguments.append(p);
    std::vector<TaylorPolynomial> out;
    for (nb::handle y : nb::iter(f(arguments))) {
      if (nb::isinstance<TaylorPolynomial>(y)) {
        out.push_back(*nb::inst_ptr<TaylorPolynomial>(y));
        continue;
      }
      const double number = PyFloat_AsDouble(y.ptr());
      if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        raise(PyExc_TypeError, "the result of " + what + " has a " + text(y.type()) +
                                   "; it needs TaylorPolynomial or numbers");
      }
      out.emplace_back(number);
    }
    return out;
  };
}

void add_polynomials(nb::module_& m) {
  using P = TaylorPolynomial;
  nb::class_<P>(m, "TaylorPolynomial",
                "A truncated polynomial in the deviations from a point: the numbers of a vector "
                "field for accessibility. + - * / with each other and with numbers, sin, cos, "
                "sqrt.")
      .def(nb::init<double>(), "constant"_a = 0.0, "A constant.")
      .def_static(
          "variables",
          [](ArrayLike at, int degree) {
            return P::variables(vector_of(at, "variables(): at"), degree);
          },
          "at"_a, "degree"_a, "All variables at a point (n,).")
      .def("value", &P::value, "At the point.")
      .def("derivative", &P::derivative, "k"_a, "By variable k.")
      .def(nb::self + nb::self, "other"_a)
      .def(nb::self - nb::self, "other"_a)
      .def(nb::self * nb::self, "other"_a)
      .def(nb::self / nb::self, "other"_a)
      .def(
          "__add__", [](const P& a, double b) { return a + P(b); }, nb::is_operator(), "other"_a)
      .def(
          "__radd__", [](const P& a, double b) { return P(b) + a; }, nb::is_operator(), "other"_a)
      .def(
          "__sub__", [](const P& a, double b) { return a - P(b); }, nb::is_operator(), "other"_a)
      .def(
          "__rsub__", [](const P& a, double b) { return P(b) - a; }, nb::is_operator(), "other"_a)
      .def(
          "__mul__", [](const P& a, double b) { return a * P(b); }, nb::is_operator(), "other"_a)
      .def(
          "__rmul__", [](const P& a, double b) { return P(b) * a; }, nb::is_operator(), "other"_a)
      .def(
          "__truediv__", [](const P& a, double b) { return a / P(b); }, nb::is_operator(),
          "other"_a)
      .def(
          "__rtruediv__", [](const P& a, double b) { return P(b) / a; }, nb::is_operator(),
          "other"_a)
      .def("__neg__", [](const P& a) { return -a; })
      .def(
          "sin", [](const P& a) { return sin(a); }, "numpy.sin calls it as well.")
      .def(
          "cos", [](const P& a) { return cos(a); }, "numpy.cos calls it as well.")
      .def(
          "sqrt", [](const P& a) { return sqrt(a); }, "numpy.sqrt calls it as well.")
      .def("__repr__", [](const P& a) {
        return "<chasles.TaylorPolynomial " + to_short_text(a.value()) + " + ..>";
      });
}

}  // namespace

void add_accessibility(nb::module_& m) {
  add_polynomials(m);
  nb::class_<Accessibility>(m, "Accessibility", "Ranks of the Lie algebra of a nonlinear system.")
      .def_ro("rank", &Accessibility::rank, "n: accessible.")
      .def_ro("strong_rank", &Accessibility::strong_rank, "n: strongly accessible.")
      .def_ro("rank_at_depth", &Accessibility::rank_at_depth, "Of brackets up to depth 1, 2, ..")
      .def_ro("basis", &Accessibility::basis, "Independent brackets: 'f', 'g1', '[f, g1]', ..")
      .def_prop_ro(
          "values", [](const Accessibility& a) { return to_array(a.values); },
          "(n, rank): theirs, at x.")
      .def("__repr__", [](const Accessibility& a) {
        return "<chasles.Accessibility: rank " + std::to_string(a.rank) + ">";
      });
  m.def(
      "accessibility",
      [](nb::object drift, SequenceLike inputs, ArrayLike x, int depth, double tolerance) {
        std::vector<VectorField> fields;
        for (nb::handle f : inputs.value)
          fields.push_back(field_of(nb::borrow(f), "accessibility(): an input"));
        return accessibility(field_of(std::move(drift), "accessibility(): drift"), fields,
                             vector_of(x, "accessibility(): x"), depth, tolerance);
      },
      "drift"_a.none(), "inputs"_a, "x"_a, "depth"_a, "tolerance"_a = 1e-9,
      nb::sig("def accessibility(drift: collections.abc.Callable[[list[TaylorPolynomial]], "
              "collections.abc.Sequence[typing.Any]] | None, inputs: "
              "collections.abc.Sequence[collections.abc.Callable[[list[TaylorPolynomial]], "
              "collections.abc.Sequence[typing.Any]]], x: numpy.typing.ArrayLike, depth: int, "
              "tolerance: float = 1e-09) -> Accessibility"),
      "Local accessibility of dx/dt = f(x) + sum_i g_i(x) u_i at x (n,), by Lie brackets up to a "
      "depth.\n\n"
      "    [X, Y] = DY X - DX Y\n\n"
      "drift f (None: none) and inputs g_i are functions of a list of TaylorPolynomial, which "
      "return n of them or numbers. Where f = 0, accessible is controllable (Chow).");
}

}  // namespace chasles::python
