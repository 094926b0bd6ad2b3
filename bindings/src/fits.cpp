/// Inverse kinematics: to one frame, and to many measured ones.
#include <nanobind/stl/variant.h>

#include "chasles/systems/closed_kinematics.hpp"
#include "chasles/systems/pose_fit.hpp"
#include "system.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// A model, whose loops are closed, or a system.
using Subject = std::variant<const BoundModel*, BoundSystem*>;
const Model& model_of(const Subject& subject) {
  if (const auto* m = std::get_if<const BoundModel*>(&subject)) return (*m)->model;
  return std::get<BoundSystem*>(subject)->model();
}
/// Constraints of it; those of a model are made here.
class Bonds {
 public:
  Bonds(const Subject& subject, const std::string& what) {
    if (const auto* m = std::get_if<const BoundModel*>(&subject))
      constraints_ = &own_.emplace((*m)->model);
    else
      constraints_ = &std::get<BoundSystem*>(subject)->closed(what).constraints();
  }
  Constraints& get() { return *constraints_; }

 private:
  std::optional<Constraints> own_;
  Constraints* constraints_;
};

IkResult solve_ik(const Subject& subject, FrameLike frame, ArrayLike target, ArrayLike q0,
                  double position_weight, double rotation_weight, double position_tolerance,
                  double rotation_tolerance, int starts, std::uint64_t seed) {
  const std::string what = "inverse_kinematics()";
  const Model& model = model_of(subject);
  IkOptions options;
  if (!q0.value.is_none()) options.q0 = vector_of(q0, what + ": q0", model.nq());
  options.position_weight = position_weight, options.rotation_weight = rotation_weight;
  options.position_tolerance = position_tolerance, options.rotation_tolerance = rotation_tolerance;
  options.starts = starts, options.seed = seed;
  const Frame moved = frame_of(model, frame, what + ": frame");
  const SE3 C = pose_of(target, what + ": target");
  if (std::holds_alternative<BoundSystem*>(subject)) {
    Bonds bonds(subject, what);
    return inverse_kinematics(bonds.get(), moved, C, options);
  }
  const nb::gil_scoped_release released;
  return inverse_kinematics(model, moved, C, options);
}

/// The entries of a tuple (frame, value) or (frame, value, rotation weight, position weight).
struct Measured {
  Frame frame;
  nb::object value;
  double angular = 1, linear = 1;
};
std::vector<Measured> measurements(const Model& model, nb::handle list, const std::string& what) {
  std::vector<Measured> out;
  for (nb::handle item : nb::iter(list)) {
    const std::string name = what + ": measured[" + std::to_string(out.size()) + "]";
    if (!PyTuple_Check(item.ptr()) ||
        (PyTuple_Size(item.ptr()) != 2 && PyTuple_Size(item.ptr()) != 4))
      raise(
          PyExc_TypeError,
          name + " is a " + text(item.type()) +
              "; give a tuple (frame, value) or (frame, value, rotation weight, position weight)");
    const auto entry = [&](Py_ssize_t k) { return nb::handle(PyTuple_GetItem(item.ptr(), k)); };
    const bool weights = PyTuple_Size(item.ptr()) == 4;
    out.push_back({frame_of(model, entry(0), name), nb::borrow(entry(1)),
                   weights ? nb::cast<double>(entry(2)) : 1.0,
                   weights ? nb::cast<double>(entry(3)) : 1.0});
  }
  return out;
}

PoseFit poses(const Subject& subject, nb::handle measured, ArrayLike q0, int starts, int iterations,
              double tolerance, std::uint64_t seed) {
  const Model& model = model_of(subject);
  std::vector<MeasuredPose> list;
  for (const Measured& x : measurements(model, measured, "fit_poses()"))
    list.push_back(
        {x.frame, pose_of({x.value}, "fit_poses(): a measured pose"), x.angular, x.linear});
  PoseFitOptions options;
  if (!q0.value.is_none()) options.q0 = vector_of(q0, "fit_poses(): q0", model.nq());
  options.starts = starts, options.iterations = iterations, options.tolerance = tolerance,
  options.seed = seed;
  Bonds bonds(subject, "fit_poses()");
  return fit_poses(bonds.get(), list, options);
}
std::vector<MeasuredTwist> twists(const Model& model, nb::handle measured,
                                  const std::string& what) {
  std::vector<MeasuredTwist> list;
  for (const Measured& x : measurements(model, measured, what))
    list.push_back(
        {x.frame, twist_of({x.value}, what + ": a measured twist"), x.angular, x.linear});
  return list;
}

void add_results(nb::module_& m) {
  nb::class_<IkResult>(m, "IkResult", "The result of inverse_kinematics.")
      .def_ro("success", &IkResult::success, "Both errors are within their tolerances.")
      .def_prop_ro(
          "q", [](const IkResult& r) { return to_array(r.q); },
          "The best configuration found (nq,), within the limits.")
      .def_ro("position_error", &IkResult::position_error, "[m]")
      .def_ro("rotation_error", &IkResult::rotation_error, "[rad]")
      .def_ro("starts", &IkResult::starts, "Starts tried.")
      .def_ro("iterations", &IkResult::iterations, "Of all starts.")
      .def_ro("active_limits", &IkResult::active_limits,
              "Joints at a limit, as indices in model.joints.")
      .def("__repr__", [](const IkResult& r) {
        return std::string("<chasles.IkResult: ") + (r.success ? "solved" : "not solved") + ", " +
               to_short_text(r.position_error) + " m, " + to_short_text(r.rotation_error) + " rad>";
      });
  nb::class_<PoseFit>(m, "PoseFit", "The result of fit_poses.")
      .def_prop_ro(
          "q", [](const PoseFit& r) { return to_array(r.q); },
          "(nq,): within the limits, loops closed.")
      .def_ro("residual", &PoseFit::residual, "Square root of the weighted sum of squares.")
      .def_ro("converged", &PoseFit::converged, "No step reduces it.")
      .def_prop_ro(
          "position_error", [](const PoseFit& r) { return to_array(r.position_error); },
          "Of each measurement [m].")
      .def_prop_ro(
          "rotation_error", [](const PoseFit& r) { return to_array(r.rotation_error); },
          "Of each measurement [rad].")
      .def_ro("active_limits", &PoseFit::active_limits,
              "Joints at a limit, as indices in model.joints.")
      .def_ro("starts", &PoseFit::starts)
      .def_ro("iterations", &PoseFit::iterations);
  nb::class_<VelocityFit>(m, "VelocityFit", "Joint rates by least squares.")
      .def_prop_ro(
          "v", [](const VelocityFit& r) { return to_array(r.v); },
          "(nv,): velocities or accelerations, of least norm if not unique.")
      .def_ro("rank", &VelocityFit::rank, "So many combinations of joint rates are determined.")
      .def_ro("residual", &VelocityFit::residual, "Square root of the weighted sum of squares.")
      .def_prop_ro(
          "gap", [](const VelocityFit& r) { return to_array(r.gap); },
          "Of each measurement, weighted.");
}

constexpr const char* many =
    "measured: a list of (frame, value) or (frame, value, rotation weight, position weight).";

}  // namespace

void add_fits(nb::module_& m) {
  add_results(m);
  m.def("inverse_kinematics", &solve_ik, "model"_a, "frame"_a, "target"_a,
        "q0"_a.none() = nb::none(), "position_weight"_a = 1.0, "rotation_weight"_a = 1.0,
        "position_tolerance"_a = 1e-9, "rotation_tolerance"_a = 1e-9, "starts"_a = 20, "seed"_a = 1,
        "The configuration in which a body or frame has the pose `target` (4, 4), by the "
        "Levenberg-Marquardt method from q0 (nq,) and random "
        "starts: of a Model within the limits of its joints, of a System with all loops "
        "closed.\n\nA weight of 0 frees position or rotation. "
        "Tolerances [m] and [rad].");
  m.def("fit_poses", &poses, "model"_a, "measured"_a, "q0"_a.none() = nb::none(), "starts"_a = 1,
        "iterations"_a = 200, "tolerance"_a = 1e-9, "seed"_a = 1,
        nb::sig("def fit_poses(model: Model | System, measured: "
                "collections.abc.Iterable[tuple[typing.Any, ...]], "
                "q0: numpy.typing.ArrayLike | None = None, starts: int = 1, iterations: int = 200, "
                "tolerance: float = 1e-09, "
                "seed: int = 1) -> PoseFit"),
        ("Inverse kinematics to many frames: the configuration that fits measured poses (4, 4) "
         "best, with loops and joint limits.\n\n"
         "    minimize sum_m rotation_m |log(R^T R_m)|^2 + position_m |r - r_m|^2\n\n" +
         std::string(many))
            .c_str());
  m.def(
      "fit_velocities",
      [](const Subject& subject, ArrayLike q, nb::handle measured, RepresentationLike rep) {
        const std::string what = "fit_velocities()";
        const Model& model = model_of(subject);
        Bonds bonds(subject, what);
        return fit_velocities(bonds.get(), vector_of(q, what + ": q", model.nq()),
                              twists(model, measured, what),
                              representation_of(rep, what + ": representation"));
      },
      "model"_a, "q"_a, "measured"_a, "representation"_a,
      nb::sig("def fit_velocities(model: Model | System, q: numpy.typing.ArrayLike, "
              "measured: collections.abc.Iterable[tuple[typing.Any, ...]], representation: str) -> "
              "VelocityFit"),
      ("The joint velocities that fit measured twists (6,) best: minimize sum_m |J_m v - V_m|^2 "
       "with B v = 0. " +
       std::string(many))
          .c_str());
  m.def(
      "fit_accelerations",
      [](const Subject& subject, ArrayLike q, ArrayLike v, nb::handle measured,
         RepresentationLike rep) {
        const std::string what = "fit_accelerations()";
        const Model& model = model_of(subject);
        Bonds bonds(subject, what);
        return fit_accelerations(bonds.get(), vector_of(q, what + ": q", model.nq()),
                                 vector_of(v, what + ": v", model.nv()),
                                 twists(model, measured, what),
                                 representation_of(rep, what + ": representation"));
      },
      "model"_a, "q"_a, "v"_a, "measured"_a, "representation"_a,
      nb::sig("def fit_accelerations(model: Model | System, q: numpy.typing.ArrayLike, v: "
              "numpy.typing.ArrayLike, "
              "measured: collections.abc.Iterable[tuple[typing.Any, ...]], representation: str) -> "
              "VelocityFit"),
      ("The joint accelerations that fit measured time derivatives of twists (6,) best, with B a + "
       "dB/dt v = 0. " +
       std::string(many))
          .c_str());
}

}  // namespace chasles::python
