/// Constraints on points of bodies, and constraints given by functions of Python.
#include <nanobind/stl/array.h>

#include "chasles/constraints/point_constraints.hpp"
#include "chasles/simulation/scenario.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// A constraint with the model that it was made for.
struct BoundConstraint {
  Model model;
  ConstraintPtr constraint;
};

ConstraintPoint point_on(const Model& model, const std::string& body, const ArrayLike& point,
                         const std::string& what) {
  as<UnknownName>([&] { return model.frame(body); });
  return {body, vec3_of(point, what)};
}

/// The functions of a constraint; they may be destroyed without the GIL.
struct Functions {
  nb::object error, matrix, bias;
};
std::shared_ptr<Functions> shared(Functions functions) {
  return {new Functions(std::move(functions)), [](Functions* kept) {
            const nb::gil_scoped_acquire acquired;
            delete kept;
          }};
}

/// Phi(q) = 0 by three functions of Python.
class FunctionConstraint : public Constraint {
 public:
  FunctionConstraint(std::string name, int equations, Functions functions)
      : name_(std::move(name)), equations_(equations), functions_(shared(std::move(functions))) {}
  std::string name() const override { return name_; }
  int constraint_count() const override { return equations_; }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    const nb::gil_scoped_acquire acquired;
    Phi = vector_of({functions_->error(to_array(kin.q()).value)}, result("error"), equations_);
  }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    const nb::gil_scoped_acquire acquired;
    B = matrix_of({functions_->matrix(to_array(kin.q()).value)}, result("matrix"), equations_,
                  static_cast<int>(B.cols()));
  }
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    const nb::gil_scoped_acquire acquired;
    out = vector_of({functions_->bias(to_array(kin.q()).value, to_array(kin.v()).value)},
                    result("bias"), equations_);
  }

 private:
  std::string result(const char* function) const {
    return "the result of constraint '" + name_ + "': " + function;
  }
  std::string name_;
  int equations_;
  std::shared_ptr<const Functions> functions_;
};

BoundConstraint function_constraint(const BoundModel& b, std::string name, int equations,
                                    nb::object error, nb::object matrix, nb::object bias) {
  if (equations < 1)
    raise(PyExc_ValueError, "constraint '" + name + "' has " + std::to_string(equations) +
                                " equations; give at least one");
  for (const nb::object& f : {error, matrix, bias})
    if (!PyCallable_Check(f.ptr()))
      raise(PyExc_TypeError,
            "constraint '" + name + "' needs functions; one of them is a " + text(f.type()));
  return {b.model, std::make_shared<FunctionConstraint>(std::move(name), equations,
                                                        Functions{error, matrix, bias})};
}

void add_curves(nb::module_& m) {
  nb::class_<SpaceCurve>(m, "SpaceCurve", "A curve in space, for points that move along it.")
      .def_static(
          "through",
          [](ArrayLike points, bool closed) {
            const Matrix rows = matrix_of(points, "through(): points", -1, 3);
            std::vector<Vec3> list;
            for (Eigen::Index k = 0; k < rows.rows(); ++k)
              list.push_back({rows(k, 0), rows(k, 1), rows(k, 2)});
            return SpaceCurve::through(std::move(list), closed);
          },
          "points"_a, "closed"_a = false,
          "The cubic spline through points (n, 3) [m], whose parameter is the length of the "
          "chords.")
      .def_static(
          "expressions",
          [](const std::string& x, const std::string& y, const std::string& z, double from,
             double to, bool closed) { return SpaceCurve::expressions(x, y, z, from, to, closed); },
          "x"_a, "y"_a, "z"_a, "from_"_a, "to"_a, "closed"_a = false,
          "Three texts with the variable s [m]: '0.3*cos(s)'; s from `from_` to `to`.")
      .def(
          "__call__",
          [](const SpaceCurve& c, double s) {
            const SpaceCurveValue x = c(s);
            return std::tuple{to_array(x.c), to_array(x.d1), to_array(x.d2), to_array(x.d3)};
          },
          "s"_a, "The point (3,) [m] at a parameter, and its first three derivatives.")
      .def(
          "nearest",
          [](const SpaceCurve& c, ArrayLike y) { return c.nearest(vec3_of(y, "nearest(): y")); },
          "y"_a, "The parameter of the point that is nearest to y (3,) [m].")
      .def_prop_ro("closed", &SpaceCurve::closed, "Whether the end is the beginning.");
}

void add_points(nb::module_& m) {
  const nb::tuple zero = nb::make_tuple(0., 0., 0.), up = nb::make_tuple(0., 0., 1.);
  m.def(
      "distance_constraint",
      [](const BoundModel& b, std::string name, const std::string& body_a, ArrayLike point_a,
         const std::string& body_b, ArrayLike point_b, double length) {
        const std::string what = "distance_constraint(): ";
        return BoundConstraint{
            b.model,
            distance_constraint(b.model, std::move(name),
                                point_on(b.model, body_a, point_a, what + "point_a"),
                                point_on(b.model, body_b, point_b, what + "point_b"), length)};
      },
      "model"_a, "name"_a, "body_a"_a, "point_a"_a, "body_b"_a, "point_b"_a, "length"_a,
      "A massless rod: the distance of two points (3,) of bodies, frames or 'ground' is `length` "
      "[m]. One equation.");
  m.def(
      "cable_constraint",
      [](const BoundModel& b, std::string name,
         const std::vector<std::pair<std::string, std::array<double, 3>>>& points, double length) {
        std::vector<ConstraintPoint> list;
        for (const auto& [body, x] : points) {
          as<UnknownName>([&] { return b.model.frame(body); });
          list.push_back({body, {x[0], x[1], x[2]}});
        }
        return BoundConstraint{b.model, cable_constraint(b.model, std::move(name), list, length)};
      },
      "model"_a, "name"_a, "points"_a, "length"_a,
      "A cable of constant length [m] through points (body, (x, y, z)), in their order. One "
      "equation; a negative tension means that a real cable would be slack.");
  m.def(
      "point_on_plane",
      [](const BoundModel& b, std::string name, const std::string& body, ArrayLike point,
         const std::string& plane, ArrayLike origin, ArrayLike normal) {
        const std::string what = "point_on_plane(): ";
        return BoundConstraint{
            b.model,
            point_on_plane(b.model, std::move(name), point_on(b.model, body, point, what + "point"),
                           point_on(b.model, plane, origin, what + "origin"),
                           vec3_of(normal, what + "normal"))};
      },
      "model"_a, "name"_a, "body"_a, "point"_a, "plane"_a = std::string(ground), "origin"_a = zero,
      "normal"_a = up,
      "A point (3,) of a body stays in the plane through `origin` (3,) with the normal (3,), in "
      "axes of the body `plane`. One equation.");
  m.def(
      "point_on_line",
      [](const BoundModel& b, std::string name, const std::string& body, ArrayLike point,
         const std::string& line, ArrayLike origin, ArrayLike direction) {
        const std::string what = "point_on_line(): ";
        return BoundConstraint{
            b.model,
            point_on_line(b.model, std::move(name), point_on(b.model, body, point, what + "point"),
                          point_on(b.model, line, origin, what + "origin"),
                          vec3_of(direction, what + "direction"))};
      },
      "model"_a, "name"_a, "body"_a, "point"_a, "line"_a = std::string(ground), "origin"_a = zero,
      "direction"_a = up,
      "A point (3,) of a body stays on the line through `origin` (3,) with the direction (3,), in "
      "axes of the body `line`. Two equations.");
  m.def(
      "point_on_curve",
      [](const BoundModel& b, std::string name, const std::string& body, ArrayLike point,
         const std::string& on, ArrayLike origin, const SpaceCurve& curve, bool flat) {
        const std::string what = "point_on_curve(): ";
        const ConstraintPoint at = point_on(b.model, body, point, what + "point"),
                              from = point_on(b.model, on, origin, what + "origin");
        return BoundConstraint{b.model,
                               flat ? point_on_profile(b.model, std::move(name), at, from, curve)
                                    : point_on_curve(b.model, std::move(name), at, from, curve)};
      },
      "model"_a, "name"_a, "body"_a, "point"_a, "on"_a, "origin"_a, "curve"_a, "flat"_a = false,
      "A point (3,) of a body stays on a SpaceCurve in axes of the body `on` about `origin` (3,): "
      "two equations. flat: on the lines parallel to z through it, a cam or slot: one equation.");
  m.def(
      "rolling_constraint",
      [](const BoundModel& b, std::string name, const std::string& body, ArrayLike center,
         double radius, ArrayLike axis, ArrayLike plane, ArrayLike normal, bool contact) {
        const std::string what = "rolling_constraint(): ";
        RollingWheel wheel{.center = point_on(b.model, body, center, what + "center")};
        wheel.radius = radius;
        if (!axis.value.is_none()) wheel.axis = vec3_of(axis, what + "axis");
        wheel.plane = vec3_of(plane, what + "plane");
        wheel.normal = vec3_of(normal, what + "normal");
        std::vector<BoundConstraint> list{{b.model, rolling_constraint(b.model, name, wheel)}};
        if (contact) list.push_back({b.model, wheel_on_plane(b.model, name + " contact", wheel)});
        return list;
      },
      "model"_a, "name"_a, "body"_a, "center"_a, "radius"_a, "axis"_a.none() = nb::none(),
      "plane"_a = zero, "normal"_a = up, "contact"_a = true,
      "Rolling without slip on a plane of ground: of a wheel (thin disk with an axis (3,)) or a "
      "ball (no axis) about `center` (3,) of a body [m]; plane (3,): a point of it. A list: two "
      "nonholonomic equations and, with contact, that the lowest point stays in the plane.");
  m.def("constraint", &function_constraint, "model"_a, "name"_a, "equations"_a, "error"_a,
        "matrix"_a, "bias"_a,
        nb::sig("def constraint(model: Model, name: str, equations: int, error: "
                "collections.abc.Callable[[numpy.typing.NDArray[numpy.float64]], "
                "numpy.typing.ArrayLike], matrix: "
                "collections.abc.Callable[[numpy.typing.NDArray[numpy.float64]], "
                "numpy.typing.ArrayLike], bias: "
                "collections.abc.Callable[[numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64]], numpy.typing.ArrayLike]) -> Constraint"),
        "A constraint of your own, by functions of q (nq,) and v (nv,):\n\n"
        "    Phi(q) = 0,   B v = 0,   B dv/dt + dB/dt v = 0\n\n"
        "error(q) returns Phi (equations,), matrix(q) B (equations, nv) with dPhi/dt = B v, and "
        "bias(q, v) dB/dt v (equations,).");
}

}  // namespace

void add_constraints(nb::module_& m) {
  nb::class_<BoundConstraint>(m, "Constraint",
                              "A constraint besides those of the model, for "
                              "Scenario.add_constraint, made by the functions below.")
      .def_prop_ro(
          "name", [](const BoundConstraint& c) { return c.constraint->name(); }, "For messages.")
      .def_prop_ro(
          "constraint_count",
          [](const BoundConstraint& c) { return c.constraint->constraint_count(); },
          "Number of its equations.")
      .def("__repr__", [](const BoundConstraint& c) {
        return "<chasles.Constraint '" + c.constraint->name() +
               "': " + std::to_string(c.constraint->constraint_count()) + " equations>";
      });
  add_curves(m);
  add_points(m);
  nb::borrow<nb::class_<Scenario>>(m.attr("Scenario"))
      .def(
          "add_constraint",
          [](Scenario& s, const BoundConstraint& c) {
            require_model("constraint '" + c.constraint->name() + "'", c.model, s.model);
            s.constraints.more.push_back(c.constraint);
          },
          "constraint"_a,
          "Adds a Constraint that holds from the start; the state of the start is made consistent "
          "with it.");
}

}  // namespace chasles::python
