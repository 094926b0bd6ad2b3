/// Inertias of bodies; means, interpolation and further maps of rotations and rigid motions.
#include <cmath>

#include "chasles/lie/geodesic.hpp"
#include "chasles/screws/all.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/physical.hpp"
#include "chasles/screws/representation.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

Array symmetric(const Sym3& I) {
  return to_array(std::vector<double>{I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz},
                  {3, 3});
}
Array to_array(const SO3& R) { return python::to_array(lie::to_eigen(R)); }
template <int N>
Array to_array(const lie::Matrix<double, N>& m) {
  return python::to_array(lie::to_eigen(m));
}
std::vector<double> numbers_of(const Inertia& M) {
  const auto p = lie::parameters(M);
  return {p.begin(), p.end()};
}
Inertia inertia_of(const ArrayLike& parameters, const std::string& what) {
  const Vector x = vector_of(parameters, what, 10);
  std::array<double, 10> p{};
  std::copy_n(x.data(), 10, p.begin());
  return inertia_from_parameters(p);
}

void add_class(nb::module_& m) {
  nb::class_<Inertia>(m, "Inertia",
                      "The inertia of a body about the origin of a frame: mass m, first moment mc, "
                      "rotational inertia I. It is linear in its ten parameters: + joins bodies.")
      .def(
          "__init__",
          [](Inertia* self, double mass, ArrayLike com, ArrayLike tensor) {
            new (self) Inertia(inertia_about_com(mass, vec3_of(com, "Inertia(): com"),
                                                 tensor_of(tensor, "Inertia(): tensor")));
          },
          "mass"_a, "com"_a, "tensor"_a,
          "[kg], (3,) [m], (3, 3) about the center of mass [kg m^2]. Raises if no body can have "
          "it.")
      .def_static(
          "from_parameters",
          [](ArrayLike p) { return inertia_of(p, "from_parameters(): parameters"); },
          "parameters"_a,
          "By (10,): (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), as in "
          "Model.inertial_parameters; not checked.")
      .def_static(
          "from_pseudo",
          [](ArrayLike P) {
            const Matrix x = matrix_of(P, "from_pseudo(): P", 4, 4);
            lie::Matrix<double, 4> p;
            for (int i = 0; i < 4; ++i)
              for (int j = 0; j < 4; ++j) p(i, j) = x(i, j);
            return inertia_from_pseudo(p);
          },
          "P"_a, "By the pseudo-inertia (4, 4); not checked.")
      .def_ro("mass", &Inertia::m, "[kg]")
      .def_prop_ro(
          "com", [](const Inertia& M) { return python::to_array(lie::center_of_mass(M)); },
          "Center of mass (3,) [m].")
      .def_prop_ro(
          "tensor", [](const Inertia& M) { return symmetric(M.I); },
          "(3, 3) about the origin of the frame [kg m^2].")
      .def_prop_ro(
          "central", [](const Inertia& M) { return symmetric(lie::central_inertia(M)); },
          "(3, 3) about the center of mass [kg m^2].")
      .def_prop_ro(
          "parameters", [](const Inertia& M) { return python::to_array(numbers_of(M), {10}); },
          "(10,): (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz).")
      .def_prop_ro(
          "matrix", [](const Inertia& M) { return to_array(lie::matrix(M)); },
          "(6, 6): the momentum (L; P) is matrix @ twist.")
      .def_prop_ro(
          "pseudo", [](const Inertia& M) { return to_array(lie::pseudo_inertia(M)); },
          "Pseudo-inertia (4, 4), positive semidefinite for every real body.")
      .def(
          "transform",
          [](const Inertia& M, ArrayLike C) {
            return lie::transform(pose_of(C, "transform(): C"), M);
          },
          "C"_a, "The same body in the frame in which the present one has the pose C (4, 4).")
      .def_prop_ro(
          "defect", [](const Inertia& M) { return lie::physical_defect(M); },
          "Why no body can have this inertia; empty: it is physical.")
      .def_prop_ro(
          "is_physical", [](const Inertia& M) { return lie::is_physical(M); },
          "Whether a body can have this inertia.")
      .def(
          "nearest_physical", [](const Inertia& M) { return nearest_physical(M); },
          "The physical inertia whose pseudo-inertia is nearest.")
      .def(
          "__add__", [](const Inertia& a, const Inertia& b) { return a + b; }, nb::is_operator(),
          "other"_a)
      .def(
          "__sub__", [](const Inertia& a, const Inertia& b) { return a - b; }, nb::is_operator(),
          "other"_a)
      .def(
          "__eq__",
          [](const Inertia& a, nb::handle other) {
            return nb::isinstance<Inertia>(other) && a == *nb::inst_ptr<Inertia>(other);
          },
          "other"_a, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__",
          [](const Inertia& M) { return std::hash<double>{}(M.m) ^ std::hash<double>{}(M.I.xx); },
          nb::sig("def __hash__(self) -> int"))
      .def("__getstate__", [](const Inertia& M) { return numbers_of(M); })
      .def("__setstate__",
           [](Inertia& M, const std::vector<double>& p) {
             new (&M) Inertia(inertia_of({nb::cast(p)}, "pickle"));
           })
      .def("__repr__",
           [](const Inertia& M) { return "<chasles.Inertia: " + to_short_text(M.m) + " kg>"; });
}

/// The entries of a list of rotations (n, 3, 3), or of poses (n, 4, 4).
template <class G, class Read>
std::vector<G> elements(const nb::handle& list, const Read& read) {
  std::vector<G> out;
  for (nb::handle x : nb::iter(list)) out.push_back(read(ArrayLike{x}, "mean(): an element"));
  return out;
}
bool is_rotation(const ArrayLike& value, const std::string& what) {
  const nb::object array = real_array(value.value, what);
  const auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  return PyArray_NDIM(a) == 2 && PyArray_DIM(a, 0) == 3;
}

void add_means(nb::module_& l) {
  l.def(
      "interpolate",
      [](ArrayLike C0, ArrayLike C1, double s) {
        const std::string what = "interpolate(): ";
        if (is_rotation(C0, what + "C0"))
          return to_array(
              interpolate(rotation_of(C0, what + "C0"), rotation_of(C1, what + "C1"), s));
        return python::to_array(interpolate(pose_of(C0, what + "C0"), pose_of(C1, what + "C1"), s));
      },
      "C0"_a, "C1"_a, "s"_a,
      "C0 exp(s log(C0^-1 C1)) of rotations (3, 3) or poses (4, 4): C0 at s = 0, C1 at s = 1, "
      "along "
      "one screw.");
  l.def(
      "mean",
      [](nb::handle list) {
        const std::vector<nb::object> all = nb::cast<std::vector<nb::object>>(nb::list(list));
        if (!all.empty() && is_rotation({all[0]}, "mean(): an element"))
          return to_array(mean(std::span<const SO3>(elements<SO3>(nb::list(list), rotation_of))));
        return python::to_array(mean(std::span<const SE3>(elements<SE3>(nb::list(list), pose_of))));
      },
      "elements"_a,
      nb::sig("def mean(elements: collections.abc.Iterable[numpy.typing.ArrayLike]) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The mean C of rotations (n, 3, 3) or poses (n, 4, 4): sum_i log(C^-1 C_i) = 0, whatever the "
      "frame.");
  l.def(
      "cay",
      [](ArrayLike X) {
        const nb::object array = real_array(X.value, "cay(): X");
        if (PyArray_SIZE(reinterpret_cast<PyArrayObject*>(array.ptr())) == 3)
          return to_array(lie::cay(vec3_of(X, "cay(): X")));
        return python::to_array(lie::cay(twist_of(X, "cay(): X")));
      },
      "X"_a,
      "Cayley map: the rotation (3, 3) of a Rodrigues vector (3,), 2 tan(angle / 2) long, or the "
      "motion (4, 4) of (6,).");
  l.def(
      "cay_inv",
      [](ArrayLike C) {
        const std::string what = "cay_inv(): C";
        return is_rotation(C, what) ? python::to_array(lie::cay_inv(rotation_of(C, what)))
                                    : python::to_array(lie::cay_inv(pose_of(C, what)));
      },
      "C"_a, "The inverse of cay, of rotations (3, 3) or motions (4, 4).");
  l.def(
      "d_dexp",
      [](ArrayLike X, ArrayLike Y, ArrayLike Z) {
        const std::string what = "d_dexp(): ";
        return python::to_array(
            lie::d_dexp(twist_of(X, what + "X"), twist_of(Y, what + "Y"), twist_of(Z, what + "Z")));
      },
      "X"_a, "Y"_a, "Z"_a, "The derivative of dexp(X) @ Z along Y: (6,).");
  l.def(
      "d_dexp_inv",
      [](ArrayLike X, ArrayLike Y, ArrayLike Z) {
        const std::string what = "d_dexp_inv(): ";
        return python::to_array(lie::d_dexp_inv(twist_of(X, what + "X"), twist_of(Y, what + "Y"),
                                                twist_of(Z, what + "Z")));
      },
      "X"_a, "Y"_a, "Z"_a, "The derivative of dexp_inv(X) @ Z along Y: (6,).");
  l.def(
      "rpy",
      [](ArrayLike R) {
        const auto x = lie::rpy(rotation_of(R, "rpy(): R"));
        return python::to_array(std::vector<double>{x[0], x[1], x[2]}, {3});
      },
      "R"_a, "(roll, pitch, yaw) (3,) [rad] of R = Rz(yaw) Ry(pitch) Rx(roll).");
  l.def(
      "hat",
      [](ArrayLike X) {
        const nb::object array = real_array(X.value, "hat(): X");
        if (PyArray_SIZE(reinterpret_cast<PyArrayObject*>(array.ptr())) == 3)
          return python::to_array(lie::to_eigen(lie::hat(vec3_of(X, "hat(): X"))));
        return to_array(lie::hat(twist_of(X, "hat(): X")));
      },
      "X"_a,
      "The matrix (3, 3) with hat(w) @ x = w x x of a vector (3,), or (4, 4) of a twist (6,).");
  l.def(
      "convert_acceleration",
      [](ArrayLike A, ArrayLike V, ArrayLike C, RepresentationLike from, RepresentationLike to) {
        const std::string what = "convert_acceleration(): ";
        return python::to_array(lie::convert_acceleration(
            twist_of(A, what + "A"), twist_of(V, what + "V"), pose_of(C, what + "C"),
            representation_of(from, what + "source"), representation_of(to, what + "target")));
      },
      "A"_a, "V"_a, "C"_a, "source"_a, "target"_a,
      "The time derivative A (6,) of a twist V (6,), both in the representation `source`, of the "
      "body with pose C (4, 4), in the representation `target`.");
}

}  // namespace

void add_inertias(nb::module_& m) {
  add_class(m);
  nb::module_ l = nb::borrow<nb::module_>(m.attr("lie"));
  add_means(l);
}

}  // namespace chasles::python
