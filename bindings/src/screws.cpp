/// chasles.screws: axes of motions and of forces, lines, systems of screws.
#include "chasles/screws/pluecker.hpp"
#include "chasles/screws/screw_system.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// A line from its Pluecker coordinates: a unit direction, and a moment across it.
PlueckerLine line_of(const ArrayLike& value, const std::string& what) {
  const Twist x = twist_of(value, what);
  const double length = norm(x.w), along = dot(x.w, x.v);
  if (!(std::abs(length - 1) <= 1e-9) || !(std::abs(along) <= 1e-9 * (1 + norm(x.v))))
    raise(PyExc_ValueError, what + " is not a line: the direction has length " +
                                to_short_text(length) + ", and direction . moment is " +
                                to_short_text(along) +
                                "; it needs (e; p x e) with |e| = 1, as pluecker_line gives it");
  return {x.w, x.v};
}
Array coordinates_of(const PlueckerLine& l) { return to_array(Twist{l.direction, l.moment}); }

ScrewSystem system_of(const ArrayLike& screws, const std::string& what) {
  const Matrix m = matrix_of(screws, what, -1, 6);
  std::vector<Twist> list;
  for (Eigen::Index k = 0; k < m.rows(); ++k)
    list.push_back({{m(k, 0), m(k, 1), m(k, 2)}, {m(k, 3), m(k, 4), m(k, 5)}});
  return ScrewSystem(list);
}
Array basis(const ScrewSystem& S) {
  std::vector<double> rows;
  for (const Twist& X : S.basis())
    rows.insert(rows.end(), {X.w.x, X.w.y, X.w.z, X.v.x, X.v.y, X.v.z});
  return to_array(rows, {S.dimension(), 6});
}

void add_axes(nb::module_& s) {
  nb::class_<ScrewAxis>(s, "ScrewAxis",
                        "An axis with a pitch, and the amount of motion or force along it.")
      .def_prop_ro(
          "axis", [](const ScrewAxis& a) { return to_array(a.axis); },
          "Unit vector (3,); zero for no motion.")
      .def_prop_ro(
          "point", [](const ScrewAxis& a) { return to_array(a.point); },
          "The point of the axis nearest to the origin, (3,) [m].")
      .def_ro("pitch", &ScrewAxis::pitch, "[m/rad]; infinite for a translation, or a pure couple.")
      .def_ro("magnitude", &ScrewAxis::magnitude,
              "Angle [rad], of a translation the distance [m]; of a force [N], of a couple [N m].")
      .def("__repr__", [](const ScrewAxis& a) {
        const auto text = [](const Vec3& x) {
          return "(" + to_short_text(x.x) + ", " + to_short_text(x.y) + ", " + to_short_text(x.z) +
                 ")";
        };
        return "<chasles.screws.ScrewAxis: " + text(a.axis) + " through " + text(a.point) +
               ", pitch " + to_short_text(a.pitch) + ", magnitude " + to_short_text(a.magnitude) +
               ">";
      });
  s.def(
      "screw",
      [](ArrayLike axis, ArrayLike point, double pitch) {
        return to_array(
            screw(vec3_of(axis, "screw(): axis"), vec3_of(point, "screw(): point"), pitch));
      },
      "axis"_a, "point"_a, "pitch"_a = 0.,
      "The unit screw (e; p x e + h e) (6,) about an axis (3,) of any length through a point (3,) "
      "[m], pitch h [m/rad]; "
      "infinite pitch: the translation (0; e).");
  s.def(
      "screw_axis", [](ArrayLike X) { return lie::screw_axis(twist_of(X, "screw_axis(): X")); },
      "X"_a, "The axis of a screw X = (w; v) (6,).");
  s.def(
      "mozzi_axis", [](ArrayLike C) { return lie::mozzi_axis(pose_of(C, "mozzi_axis(): C")); },
      "C"_a,
      "The axis of a displacement (4, 4): it is a rotation about this axis by `magnitude`, and a "
      "translation along it "
      "(Mozzi and Chasles).");
  s.def(
      "poinsot_axis",
      [](ArrayLike W) { return lie::poinsot_axis(wrench_of(W, "poinsot_axis(): W")); }, "W"_a,
      "The central axis of a wrench (t; f) (6,) [N m, N]: it is a force `magnitude` along this "
      "axis and a couple pitch * "
      "magnitude about it (Poinsot).");
  s.def(
      "reciprocal_product",
      [](ArrayLike a, ArrayLike b) {
        return lie::reciprocal_product(twist_of(a, "reciprocal_product(): X1"),
                                       twist_of(b, "reciprocal_product(): X2"));
      },
      "X1"_a, "X2"_a,
      "w1 . v2 + v1 . w2 of two screws (6,), the same in every frame; zero: reciprocal.");
  s.def(
      "power",
      [](ArrayLike W, ArrayLike V) {
        return lie::power(wrench_of(W, "power(): W"), twist_of(V, "power(): V"));
      },
      "W"_a, "V"_a, "W . V [W] of a wrench and a twist in the same representation.");
}

void add_lines(nb::module_& s) {
  s.def(
      "pluecker_line",
      [](ArrayLike direction, ArrayLike point) {
        return coordinates_of(pluecker_line(vec3_of(direction, "pluecker_line(): direction"),
                                            vec3_of(point, "pluecker_line(): point")));
      },
      "direction"_a, "point"_a,
      "Pluecker coordinates (e; p x e) (6,) of the line through a point p [m], |e| = 1.");
  s.def(
      "axis_line", [](const ScrewAxis& a) { return coordinates_of(pluecker_line(a)); }, "axis"_a,
      "Pluecker coordinates (6,) of the axis of a screw with a finite pitch.");
  s.def(
      "nearest_point",
      [](ArrayLike l) { return to_array(nearest_point(line_of(l, "nearest_point(): line"))); },
      "line"_a, "The point of a line (6,) nearest to the origin, (3,) [m].");
  s.def(
      "line_distance",
      [](ArrayLike a, ArrayLike b) {
        return line_distance(line_of(a, "line_distance(): a"), line_of(b, "line_distance(): b"));
      },
      "a"_a, "b"_a, "The distance of two lines (6,) [m].");
}

void add_systems(nb::module_& s) {
  nb::class_<ScrewSystem>(
      s, "ScrewSystem",
      "A linear space of screws, spanned by the rows of an array (n, 6), in one frame.")
      .def(
          "__init__",
          [](ScrewSystem* self, ArrayLike x) {
            new (self) ScrewSystem(system_of(x, "ScrewSystem(): screws"));
          },
          "screws"_a)
      .def_prop_ro("dimension", &ScrewSystem::dimension)
      .def_prop_ro("basis", &basis, "(dimension, 6): independent screws.")
      .def(
          "contains",
          [](const ScrewSystem& S, ArrayLike X) {
            return S.contains(twist_of(X, "contains(): X"));
          },
          "X"_a, "Whether a screw (6,) is in the system.")
      .def("__repr__", [](const ScrewSystem& S) {
        return "<chasles.screws.ScrewSystem of dimension " + std::to_string(S.dimension()) + ">";
      });
  s.def(
      "sum", [](const ScrewSystem& a, const ScrewSystem& b) { return sum(a, b); }, "a"_a, "b"_a,
      "The span of both.");
  s.def(
      "intersection", [](const ScrewSystem& a, const ScrewSystem& b) { return intersection(a, b); },
      "a"_a, "b"_a, "The screws that are in both.");
  s.def(
      "reciprocal", [](const ScrewSystem& S) { return reciprocal(S); }, "S"_a,
      "All screws Y with X o Y = 0 for all X of S, of dimension 6 - dim S: as wrenches (v; w) "
      "those that do no work.");
  s.def(
      "closure", [](const ScrewSystem& S) { return closure(S); }, "S"_a,
      "The smallest Lie subalgebra of se(3) that contains S: S, [S, S], [S, [S, S]], ..");
  s.def(
      "is_closed", [](const ScrewSystem& S) { return is_closed(S); }, "S"_a,
      "Whether S is a subalgebra.");
  s.def(
      "transform",
      [](ArrayLike C, const ScrewSystem& S) { return transform(pose_of(C, "transform(): C"), S); },
      "C"_a, "S"_a, "Ad_C of every screw: the system moved by C (4, 4).");
  s.def(
      "motion_subgroup",
      [](const ScrewSystem& closed) {
        const MotionSubgroup g = motion_subgroup(closed);
        return std::pair{std::string(subgroup_name(g)), std::string(subgroup_motion(g))};
      },
      "closed"_a,
      "The subgroup of SE(3) whose algebra is a closed system, by name and in words: ('SE(2)', "
      "'planar motions').");
}

}  // namespace

void add_screws(nb::module_& m) {
  nb::module_ s = m.def_submodule("screws",
                                  "Screws (w; v) (6,) as geometry: axes of motions (Mozzi, "
                                  "Chasles) and of forces (Poinsot), lines by Pluecker "
                                  "coordinates, systems of screws.");
  add_axes(s);
  add_lines(s);
  add_systems(s);
}

}  // namespace chasles::python
