/// chasles.lie: rotations and rigid motions as matrices.
#include "chasles/screws/all.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/representation.hpp"
#include "chasles/screws/screw.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

Array to_array(const SO3& R) { return python::to_array(lie::to_eigen(R)); }
template <int N>
Array to_array(const lie::Matrix<double, N>& m) {
  return python::to_array(lie::to_eigen(m));
}
/// Whether an argument has the shape of a rotation (3, or 3 x 3) rather than of a rigid motion.
bool is_rotation(const ArrayLike& value, const std::string& what) {
  const nb::object array = real_array(value.value, what);
  const auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  return PyArray_NDIM(a) > 0 && PyArray_DIM(a, 0) == 3;
}

}  // namespace

void add_lie(nb::module_& m) {
  nb::module_ l = m.def_submodule(
      "lie", "Rotations R (3, 3) and rigid motions C (4, 4), twists X = (w; v) (6,).");
  l.def(
      "exp",
      [](ArrayLike X) {
        return is_rotation(X, "exp(): X") ? to_array(lie::exp(vec3_of(X, "exp(): X")))
                                          : python::to_array(lie::exp(twist_of(X, "exp(): X")));
      },
      "X"_a,
      "The rotation (3, 3) of a rotation vector (3,) [rad], or the motion (4, 4) of a screw (6,).");
  l.def(
      "log",
      [](ArrayLike C) {
        return is_rotation(C, "log(): C") ? python::to_array(lie::log(rotation_of(C, "log(): C")))
                                          : python::to_array(lie::log(pose_of(C, "log(): C")));
      },
      "C"_a, "The rotation vector (3,), at most pi long, or the screw (6,): the inverse of exp.");
  l.def(
      "inverse",
      [](ArrayLike C) { return python::to_array(lie::inverse(pose_of(C, "inverse(): C"))); }, "C"_a,
      "The inverse motion (4, 4).");
  l.def(
      "Ad", [](ArrayLike C) { return to_array(lie::Ad_matrix(pose_of(C, "Ad(): C"))); }, "C"_a,
      "Matrix (6, 6) that maps twists from the frame with pose C to the reference frame.");
  l.def(
      "ad", [](ArrayLike X) { return to_array(lie::ad_matrix(twist_of(X, "ad(): X"))); }, "X"_a,
      "Matrix (6, 6) of the screw product: ad(X) @ Y = [X, Y].");
  l.def(
      "dexp",
      [](ArrayLike X) {
        return is_rotation(X, "dexp(): X")
                   ? python::to_array(lie::to_eigen(lie::dexp_matrix(vec3_of(X, "dexp(): X"))))
                   : to_array(lie::dexp_matrix(twist_of(X, "dexp(): X")));
      },
      "X"_a,
      "Right-trivialized differential (6, 6): the spatial twist of exp(X) is dexp(X) @ dX/dt; of a "
      "rotation vector (3, 3).");
  l.def(
      "dexp_inv",
      [](ArrayLike X) {
        return is_rotation(X, "dexp_inv(): X")
                   ? python::to_array(
                         lie::to_eigen(lie::dexp_inv_matrix(vec3_of(X, "dexp_inv(): X"))))
                   : to_array(lie::dexp_inv_matrix(twist_of(X, "dexp_inv(): X")));
      },
      "X"_a, "The inverse of dexp(X), (6, 6) or (3, 3).");
  l.def(
      "rotation_from_rpy",
      [](double roll, double pitch, double yaw) {
        return to_array(rotation_from_rpy(roll, pitch, yaw));
      },
      "roll"_a, "pitch"_a, "yaw"_a, "R = Rz(yaw) Ry(pitch) Rx(roll) [rad], as in URDF.");
  l.def(
      "rotation_from_quaternion",
      [](ArrayLike q) {
        const Vector x = vector_of(q, "rotation_from_quaternion(): q", 4);
        return to_array(rotation(lie::Quaternion<double>{x[0], x[1], x[2], x[3]}));
      },
      "q"_a, "The rotation (3, 3) of a unit quaternion (w, x, y, z), scalar first.");
  l.def(
      "quaternion",
      [](ArrayLike R) {
        const auto x = lie::quaternion(rotation_of(R, "quaternion(): R"));
        return python::to_array(std::vector<double>{x.w, x.x, x.y, x.z}, {4});
      },
      "R"_a, "The unit quaternion (w, x, y, z) of a rotation (3, 3).");
  l.def(
      "pose",
      [](ArrayLike r, nb::object R) {
        SE3 C{SO3{}, vec3_of(r, "pose(): r")};
        if (!R.is_none()) C.R = rotation_of({R}, "pose(): R");
        return python::to_array(C);
      },
      "r"_a, "R"_a.none() = nb::none(),
      nb::sig("def pose(r: numpy.typing.ArrayLike, R: numpy.typing.ArrayLike | None = None) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The homogeneous matrix (4, 4) of a position (3,) [m] and a rotation (3, 3).");
  l.def(
      "screw",
      [](ArrayLike axis, ArrayLike point, double pitch) {
        return python::to_array(
            screw(vec3_of(axis, "screw(): axis"), vec3_of(point, "screw(): point"), pitch));
      },
      "axis"_a, "point"_a, "pitch"_a = 0.,
      "The unit screw (6,) about an axis through a point; infinite pitch: a translation.");

  l.def(
      "convert_twist",
      [](ArrayLike V, ArrayLike C, nb::handle from, nb::handle to) {
        return python::to_array(lie::convert(twist_of(V, "convert_twist(): V"),
                                             pose_of(C, "convert_twist(): C"),
                                             representation_of(from, "convert_twist(): source"),
                                             representation_of(to, "convert_twist(): target")));
      },
      "V"_a, "C"_a, "source"_a, "target"_a,
      nb::sig("def convert_twist(V: numpy.typing.ArrayLike, C: numpy.typing.ArrayLike, source: "
              "str, target: str) -> numpy.typing.NDArray[numpy.float64]"),
      "A twist (6,) of the body with pose C in another representation.");
  l.def(
      "convert_wrench",
      [](ArrayLike W, ArrayLike C, nb::handle from, nb::handle to) {
        return python::to_array(lie::convert(wrench_of(W, "convert_wrench(): W"),
                                             pose_of(C, "convert_wrench(): C"),
                                             representation_of(from, "convert_wrench(): source"),
                                             representation_of(to, "convert_wrench(): target")));
      },
      "W"_a, "C"_a, "source"_a, "target"_a,
      nb::sig("def convert_wrench(W: numpy.typing.ArrayLike, C: numpy.typing.ArrayLike, source: "
              "str, target: str) -> numpy.typing.NDArray[numpy.float64]"),
      "A wrench (6,) on the body with pose C in another representation; its power is the same.");
}

}  // namespace chasles::python
