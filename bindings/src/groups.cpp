/// The classes SO3 and SE3: rotations and rigid motions as values, for those who compute with them. Every function that
/// takes a matrix (3, 3) or (4, 4) takes them as well, since they are arrays by __array__.
#include <nanobind/operators.h>

#include "chasles/screws/all.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/projection.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

constexpr const char* as_array_signature =
    "def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
    "numpy.typing.NDArray[typing.Any]";

Array matrix(const SO3& R) { return to_array(lie::to_eigen(R)); }
Array matrix(const SE3& C) { return to_array(C); }

/// numpy's protocol; copy=False cannot be met, since the matrix is made.
template <class G>
nb::object as_array(const G& g, nb::object type, nb::object copy) {
  if (!copy.is_none() && !nb::cast<bool>(copy))
    raise(PyExc_ValueError,
          "the matrix of a group element is a new array; it cannot be had without a copy");
  nb::object made = matrix(g).value;
  return type.is_none() ? made : made.attr("astype")(type);
}

/// The points or directions (3,) or (n, 3), one per row, moved by g.
template <class G>
Array moved(const G& g, const ArrayLike& points, const std::string& what) {
  const nb::object array = real_array(points.value, what);
  const auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  const int rank = PyArray_NDIM(a);
  if (rank < 1 || rank > 2 || PyArray_DIM(a, rank - 1) != 3)
    raise(PyExc_ValueError, what + " has shape " + shape_text(array) +
                                "; give a point (3,), points (n, 3), or another " +
                                "element of the group; a product of matrices is A.matrix @ B");
  const npy_intp n = rank == 2 ? PyArray_DIM(a, 0) : 1;
  Array out = rank == 2 ? new_array({n, 3}) : new_array({3});
  const auto* x = static_cast<const double*>(PyArray_DATA(a));
  double* y = data(out);
  for (npy_intp k = 0; k < n; ++k, x += 3, y += 3) {
    const Vec3 p = g * Vec3{x[0], x[1], x[2]};
    y[0] = p.x, y[1] = p.y, y[2] = p.z;
  }
  return out;
}

/// What SO3 and SE3 have in common.
template <class G>
void add_group(nb::class_<G>& c) {
  c.def_prop_ro(
       "matrix", [](const G& g) { return matrix(g); },
       "The matrix, a new array: (3, 3) of SO3, (4, 4) of SE3.")
      .def(
          "inverse", [](const G& g) { return lie::inverse(g); }, "The inverse element.")
      .def(
          "log", [](const G& g) { return python::to_array(lie::log(g)); },
          "The inverse of exp: the rotation vector (3,) [rad], at most pi long; the screw (6,) "
          "[rad, m], angular first.")
      .def(
          "Ad", [](const G& g) { return to_array(lie::to_eigen(lie::Ad_matrix(g))); },
          "The adjoint matrix, (3, 3) or (6, 6): maps (w; v) from the moved frame to the reference "
          "frame.")
      .def(
          "__matmul__", [](const G& a, const G& b) { return a * b; }, "other"_a, nb::is_operator())
      .def(
          "__matmul__",
          [](const G& g, ArrayLike points) { return moved(g, points, "@: the right factor"); },
          "points"_a, nb::is_operator())
      .def("__array__", &as_array<G>, "dtype"_a.none() = nb::none(), "copy"_a.none() = nb::none(),
           nb::sig(as_array_signature))
      .def(
          "__eq__",
          [](const G& a, nb::handle b) { return nb::isinstance<G>(b) && a == *nb::inst_ptr<G>(b); },
          "other"_a, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__",
          [](const G& g) { return nb::hash(nb::bytes(matrix(g).value.attr("tobytes")())); },
          nb::sig("def __hash__(self) -> int"))
      .def("__copy__", [](const G& g) { return g; })
      .def(
          "__deepcopy__", [](const G& g, nb::handle) { return g; }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: dict[int, object]) -> typing.Self"))
      .def("__getstate__", [](const G& g) { return matrix(g); });
}

void add_rotations(nb::module_& m) {
  nb::class_<SO3> c(m, "SO3",
                    "A rotation. R maps coordinates of the rotated frame to the reference frame: "
                    "p_0 = R @ p_b.\n\n"
                    "R1 @ R2 composes, R @ p rotates a vector (3,), or vectors (n, 3), one per "
                    "row. numpy takes it as an array (3, 3).");
  c.def(
      "__init__",
      [](SO3* self, ArrayLike R) {
        new (self) SO3(R.value.is_none() ? SO3{} : rotation_of(R, "SO3(): R"));
      },
      "R"_a.none() = nb::none(),
      "From a matrix (3, 3), which must be a rotation to 5e-6; without it the identity.");
  add_group(c);
  c.def_static(
       "exp", [](ArrayLike w) { return lie::exp(vec3_of(w, "exp(): w")); }, "w"_a,
       "Rotation by |w| [rad] about w (3,).")
      .def_static(
          "from_rpy", [](double r, double p, double y) { return rotation_from_rpy(r, p, y); },
          "roll"_a, "pitch"_a, "yaw"_a, "Rz(yaw) Ry(pitch) Rx(roll) [rad], as in URDF.")
      .def_static(
          "from_quaternion",
          [](ArrayLike q) {
            const Vector x = vector_of(q, "from_quaternion(): q", 4);
            return rotation(Quaternion{x[0], x[1], x[2], x[3]});
          },
          "q"_a, "Of a unit quaternion (w, x, y, z), scalar first.")
      .def_static(
          "nearest",
          [](ArrayLike any) {
            const Matrix x = matrix_of(any, "nearest(): matrix", 3, 3);
            Mat3 R;
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j) R(i, j) = x(i, j);
            return nearest_rotation(R);
          },
          "matrix"_a, "The rotation nearest to a matrix (3, 3), in the Frobenius norm.")
      .def_prop_ro(
          "R", [](const SO3& R) { return matrix(R); }, "(3, 3)")
      .def_prop_ro(
          "quaternion",
          [](const SO3& R) {
            const Quaternion x = lie::quaternion(R);
            return python::to_array(std::vector<double>{x.w, x.x, x.y, x.z}, {4});
          },
          "(w, x, y, z), of length 1, scalar first.")
      .def("__setstate__",
           [](SO3& self, ArrayLike R) { new (&self) SO3(rotation_of(R, "pickle")); })
      .def("__repr__", [](const SO3& R) {
        const Vec3 w = lie::log(R);
        return "<chasles.SO3: " + to_short_text(norm(w)) + " rad about (" + to_short_text(w.x) +
               ", " + to_short_text(w.y) + ", " + to_short_text(w.z) + ")>";
      });
}

void add_motions_of_bodies(nb::module_& m) {
  nb::class_<SE3> c(m, "SE3",
                    "A rigid motion, or the pose of a frame: p_0 = R p_b + r.\n\n"
                    "C1 @ C2 composes, C @ p moves a point (3,), or points (n, 3), one per row. "
                    "numpy takes it as an array (4, 4), "
                    "and so does every function that takes a pose. Directions: C.R @ e.");
  c.def(
       "__init__",
       [](SE3* self, ArrayLike C) {
         new (self) SE3(C.value.is_none() ? SE3{} : pose_of(C, "SE3(): C"));
       },
       "C"_a.none() = nb::none(),
       "From a homogeneous matrix (4, 4) [[R, r], [0, 1]]; without it the identity.")
      .def(
          "__init__",
          [](SE3* self, ArrayLike R, ArrayLike r) {
            new (self) SE3{rotation_of(R, "SE3(): R"), vec3_of(r, "SE3(): r")};
          },
          "R"_a, "r"_a, "From a rotation (3, 3) and a position (3,) [m].");
  add_group(c);
  c.def_static(
       "exp", [](ArrayLike X) { return lie::exp(twist_of(X, "exp(): X")); }, "X"_a,
       "The screw motion of X = (w; v) (6,) [rad, m].")
      .def_prop_ro(
          "R", [](const SE3& C) { return matrix(C.R); }, "The rotation, (3, 3).")
      .def_prop_ro(
          "r", [](const SE3& C) { return python::to_array(C.r); }, "The position, (3,) [m].")
      .def_prop_ro(
          "rotation", [](const SE3& C) { return C.R; }, "The rotation, as SO3.")
      .def("__setstate__", [](SE3& self, ArrayLike C) { new (&self) SE3(pose_of(C, "pickle")); })
      .def("__repr__", [](const SE3& C) {
        const Vec3 w = lie::log(C.R);
        return "<chasles.SE3: r (" + to_short_text(C.r.x) + ", " + to_short_text(C.r.y) + ", " +
               to_short_text(C.r.z) + ") m, rotation " + to_short_text(norm(w)) + " rad>";
      });
}

}  // namespace

void add_groups(nb::module_& m) {
  add_rotations(m);
  add_motions_of_bodies(m);
}

}  // namespace chasles::python
