/// Mechanisms: reading, building, writing.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/screw.hpp"
#include "chasles/suggest.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// warnings.warn for each of them.
void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) < 0) throw nb::python_error();
}

Mechanism read_file(const std::filesystem::path& path, bool floating_base,
                    const std::string& model) {
  std::vector<std::string> warnings;
  ReadOptions options{.floating_base = floating_base, .warnings = &warnings, .appearance = true};
  options.model = model;
  Mechanism mechanism = as<FileError>([&] {
    const nb::gil_scoped_release released;
    return read_mechanism(path, options);
  });
  warn(warnings);
  return mechanism;
}

Mechanism read_text(const std::string& text, bool floating_base) {
  std::vector<std::string> warnings;
  const ReadOptions options{
      .floating_base = floating_base, .warnings = &warnings, .appearance = true};
  const auto has = [&](const char* element) { return text.find(element) != text.npos; };
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  Mechanism mechanism = as<FileError>([&] {
    if (first == text.npos || text[first] != '<') return read_yaml(text, "text", options);
    if (has("<mujoco")) return read_mjcf(text, "text", options);
    return has("<sdf") ? read_sdf(text, "text", options) : read_urdf(text, "text", options);
  });
  warn(warnings);
  return mechanism;
}

DescribedIn described_in(const std::string& name) {
  if (name == "world") return DescribedIn::world;
  if (name == "parent") return DescribedIn::parent;
  if (name == "body") return DescribedIn::body;
  throw UnknownName("there is no frame '" + name +
                    "' for descriptions; it is world, parent or body");
}
Joint joint_of_type(const std::string& type, const ArrayLike& axis, const ArrayLike& point,
                    const std::string& in) {
  const std::optional<JointType> known = joint_type(type);
  if (!known)
    throw UnknownName("there is no joint type '" + type + "'" +
                      did_you_mean(type, joint_type_names()));
  return joints::of(*known, vec3_of(axis, "axis"), vec3_of(point, "point"), described_in(in));
}

/// A unit screw by its axis, a point on it and its pitch.
ScrewData screw_data(const Twist& X) {
  const ScrewAxis axis = lie::screw_axis(X);
  return {axis.axis, axis.point, axis.pitch};
}

void add_description(nb::module_& m) {
  nb::class_<Joint>(m, "JointDescription",
                    "A joint of a MechanismBuilder, made by the functions of chasles.joints.");
  nb::class_<Mechanism>(
      m, "Mechanism",
      "The description of a mechanism, with numbers as given. compile makes a Model of it.")
      .def_ro("name", &Mechanism::name, "Of the mechanism.")
      .def_prop_ro(
          "bodies",
          [](const Mechanism& x) {
            std::vector<std::string> names;
            for (const Body& body : x.bodies) names.push_back(body.name);
            return names;
          },
          "Names of the bodies.")
      .def("to_yaml", &write_yaml,
           "The mechanism in the native format; reads back as the same numbers.")
      .def(
          "to_urdf", [](const Mechanism& x) { return write_urdf(x); }, "The mechanism as URDF.")
      .def(
          "to_mjcf", [](const Mechanism& x) { return write_mjcf(x); }, "The mechanism as MJCF.")
      .def(
          "to_sdf", [](const Mechanism& x) { return write_sdf(x); }, "The mechanism as SDF.")
      .def(
          "compile", [](const Mechanism& x) { return compiled(x); }, "The Model, for computations.")
      .def_prop_ro(
          "tendons",
          [](const Mechanism& x) {
            std::vector<std::string> names;
            for (const Tendon& tendon : x.tendons) names.push_back(tendon.name);
            return names;
          },
          "Names of the tendons.")
      .def_prop_ro(
          "actuators",
          [](const Mechanism& x) {
            std::vector<std::string> names;
            for (const Actuator& actuator : x.actuators) names.push_back(actuator.name);
            return names;
          },
          "Names of the actuators.")
      .def_prop_ro(
          "keyframes",
          [](const Mechanism& x) {
            std::vector<std::string> names;
            for (const Keyframe& keyframe : x.keyframes) names.push_back(keyframe.name);
            return names;
          },
          "Names of the states for Model.keyframe.")
      .def("__getstate__", [](const Mechanism& x) { return write_yaml(x); })
      .def("__setstate__",
           [](Mechanism& x, const std::string& text) {
             new (&x) Mechanism(read_yaml(text, "pickle"));
           })
      .def(
          "__eq__",
          [](const Mechanism& a, nb::handle b) {
            return nb::isinstance<Mechanism>(b) &&
                   write_yaml(a) == write_yaml(*nb::inst_ptr<Mechanism>(b));
          },
          "other"_a, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const Mechanism& x) { return std::hash<std::string>{}(x.name); },
          nb::sig("def __hash__(self) -> int"))
      .def("__repr__", [](const Mechanism& x) {
        return "<chasles.Mechanism '" + x.name + "': " + std::to_string(x.bodies.size()) +
               " bodies>";
      });
}

void add_builder(nb::module_& m) {
  using B = MechanismBuilder;
  const auto self = nb::rv_policy::reference;
  nb::class_<B>(m, "MechanismBuilder",
                "Builds a mechanism: one call of body() each, followed by its properties; build() "
                "checks it.\n\n"
                "Without a pose the body frame is the world frame at q = 0, as in a CAD assembly.")
      .def(nb::init<std::string>(), "name"_a)
      .def(
          "gravity", [](B& b, ArrayLike g) -> B& { return b.gravity(vec3_of(g, "gravity")); },
          "g"_a, self, "Acceleration of free fall [m/s^2]; default (0, 0, -9.81).")
      .def(
          "body",
          [](B& b, std::string name, const std::string& parent, const Joint& joint) -> B& {
            return b.body(std::move(name), parent, joint);
          },
          "name"_a, "parent"_a, "joint"_a, self,
          "Adds a body with its parent (or 'ground') and its joint.")
      .def(
          "joint_name", [](B& b, std::string n) -> B& { return b.joint_name(std::move(n)); },
          "name"_a, self, "Name of the joint of the last body; without it that of the body.")
      .def(
          "x_axis", [](B& b, ArrayLike x) -> B& { return b.x_axis(vec3_of(x, "x_axis")); }, "x"_a,
          self, "Direction (3,) across the axis from which the angle of the joint counts.")
      .def(
          "limits", [](B& b, double lo, double hi) -> B& { return b.limits(lo, hi); }, "lower"_a,
          "upper"_a, self, "Range of the joint [rad] or [m].")
      .def(
          "velocity_effort_limits",
          [](B& b, double v, double e) -> B& { return b.velocity_effort_limits(v, e); },
          "velocity"_a, "effort"_a, self,
          "Largest absolute velocity [rad/s] or [m/s] and effort [N m] or [N].")
      .def(
          "dynamics", [](B& b, double d, double f) -> B& { return b.dynamics(d, f); }, "damping"_a,
          "friction"_a, self,
          "Damping [N m s/rad] or [N s/m] and dry friction [N m] or [N] of the joint.")
      .def(
          "spring",
          [](B& b, double k, std::vector<double> rest) -> B& {
            return b.spring(k, std::move(rest));
          },
          "stiffness"_a, "rest"_a = std::vector<double>{}, self,
          "A spring in the joint [N m/rad] or [N/m], relaxed at `rest`, by entries of q; zero if "
          "empty.")
      .def(
          "armature", [](B& b, double i) -> B& { return b.armature(i); }, "inertia"_a, self,
          "Inertia of the drive, felt by the joint only [kg m^2] or [kg].")
      .def(
          "rotor",
          [](B& b, double i, double n) -> B& {
            return b.rotor({i, n});
          },
          "inertia"_a, "ratio"_a, self,
          "A rotor geared to the joint: inertia about its axis [kg m^2], and ratio.")
      .def(
          "pose",
          [](B& b, ArrayLike C, const std::string& in) -> B& {
            return b.pose(pose_of(C, "pose"), described_in(in));
          },
          "C"_a, "described_in"_a = "world", self,
          "Pose (4, 4) of the body frame at q = 0, in the world or the parent.")
      .def(
          "inertia",
          [](B& b, double mass, ArrayLike com, ArrayLike tensor) -> B& {
            return b.inertia(mass, vec3_of(com, "com"), tensor_of(tensor, "tensor"));
          },
          "mass"_a, "com"_a, "tensor"_a, self,
          "[kg], [m], [kg m^2]: the tensor (3, 3) about the center of mass, in body axes.")
      .def(
          "frame",
          [](B& b, std::string name, std::string body, ArrayLike pose) -> B& {
            return b.frame(std::move(name), std::move(body), pose_of(pose, "pose"));
          },
          "name"_a, "body"_a, "pose"_a, self,
          "A frame on a body, by its pose (4, 4) in the body frame.")
      .def(
          "loop",
          [](B& b, std::string name, std::string parent, std::string child,
             const Joint& joint) -> B& {
            Loop loop{std::move(name), {std::move(parent), std::move(child)}};
            loop.type = joint.type, loop.geometry = joint.geometry, loop.pitch = joint.pitch;
            loop.screws = joint.screws, loop.parameterization = joint.parameterization;
            return b.loop(std::move(loop));
          },
          "name"_a, "parent"_a, "child"_a, "joint"_a, self,
          "A joint that closes a loop between two bodies of the tree, or 'ground'. Given by an "
          "axis "
          "it is closed at q = 0.")
      .def(
          "coupling",
          [](B& b, std::string name, const std::map<std::string, double>& terms,
             double offset) -> B& {
            Coupling coupling{.name = std::move(name), .terms = {}, .offset = offset};
            for (const auto& [joint, coefficient] : terms)
              coupling.terms.push_back({joint, coefficient});
            return b.coupling(std::move(coupling));
          },
          "name"_a, "terms"_a, "offset"_a = 0.0, self,
          "Gears, racks, differentials: c_1 q_1 + c_2 q_2 + .. = offset, terms {joint: c} of "
          "joints "
          "with one coordinate.")
      .def("build", &B::build, "The checked Mechanism.");
}

void add_joints(nb::module_& m) {
  nb::module_ j = m.def_submodule("joints", "Joints for MechanismBuilder.body.");
  const std::array<double, 3> zero{};
  const nb::tuple origin = nb::make_tuple(zero[0], zero[1], zero[2]);
  j.def(
      "types",
      [] {
        std::vector<std::string> names;
        for (const std::string_view name : joint_type_names()) names.emplace_back(name);
        return names;
      },
      "The names of all joint types, for `of` and `between`.");
  j.def("of", &joint_of_type, "type"_a, "axis"_a, "point"_a = origin, "described_in"_a = "world",
        "A joint of any type, by its axis and a point on it [m].");
  j.def(
      "revolute",
      [](ArrayLike axis, ArrayLike point, const std::string& in) {
        return joints::revolute(vec3_of(axis, "axis"), vec3_of(point, "point"), described_in(in));
      },
      "axis"_a, "point"_a = origin, "described_in"_a = "world",
      "Rotation about an axis (3,) through a point (3,) [m].");
  j.def(
      "prismatic",
      [](ArrayLike axis, const std::string& in) {
        return joints::prismatic(vec3_of(axis, "axis"), described_in(in));
      },
      "axis"_a, "described_in"_a = "world", "Translation along an axis (3,).");
  j.def(
      "helical",
      [](ArrayLike axis, ArrayLike point, double pitch, const std::string& in) {
        return joints::helical(vec3_of(axis, "axis"), vec3_of(point, "point"), pitch,
                               described_in(in));
      },
      "axis"_a, "point"_a, "pitch"_a, "described_in"_a = "world",
      "Screw motion about an axis (3,) through a point (3,) [m], with a pitch [m/rad].");
  j.def(
      "spherical",
      [](ArrayLike point, const std::string& in) {
        return joints::spherical(vec3_of(point, "point"), described_in(in));
      },
      "point"_a = origin, "described_in"_a = "world",
      "Rotation about a point (3,) [m]: q is a unit quaternion (w, x, y, z), v the angular "
      "velocity in body axes.");
  j.def(
      "floating",
      [](const std::string& group) {
        if (group != "se3" && group != "so3xr3")
          throw UnknownName("there is no group '" + group +
                            "' of floating joints; it is se3 or so3xr3");
        return joints::floating(group == "se3" ? FloatingGroup::se3 : FloatingGroup::so3xr3);
      },
      "group"_a = "se3",
      "Free motion: q is (quaternion, position), v (angular, linear) in body axes; of the group "
      "'so3xr3' the linear velocity is in world axes.");
  j.def(
      "custom",
      [](ArrayLike screws, const std::string& parameterization, const std::string& in) {
        if (parameterization != "product" && parameterization != "sum")
          throw UnknownName("there is no parameterization '" + parameterization +
                            "' of custom joints; it is product or sum");
        const Matrix rows = matrix_of(screws, "custom(): screws", -1, 6);
        std::vector<ScrewData> list;
        for (Eigen::Index k = 0; k < rows.rows(); ++k)
          list.push_back(screw_data(
              {{rows(k, 0), rows(k, 1), rows(k, 2)}, {rows(k, 3), rows(k, 4), rows(k, 5)}}));
        return joints::custom(
            std::move(list),
            parameterization == "sum" ? Parameterization::sum : Parameterization::product,
            described_in(in));
      },
      "screws"_a, "parameterization"_a = "product", "described_in"_a = "world",
      "A joint with any unit screws (n, 6), angular first, as chasles.lie.screw makes them: "
      "exp(Z_1 q_1) exp(Z_2 q_2) .. ('product'), or exp(Z_1 q_1 + Z_2 q_2 + ..) ('sum').");
  j.def(
      "of_screw",
      [](ArrayLike X, const std::string& in) {
        return joints::of_screw(twist_of(X, "of_screw(): X"), described_in(in));
      },
      "X"_a, "described_in"_a = "world",
      "The joint with a unit screw X = (w; v) (6,): revolute, helical, or prismatic (w = 0).");
  j.def(
      "constant_velocity",
      [](ArrayLike axis, ArrayLike point, const std::string& in, ArrayLike x) {
        return joints::constant_velocity(vec3_of(axis, "axis"), vec3_of(point, "point"),
                                         described_in(in), vec3_of(x, "x"));
      },
      "axis"_a, "point"_a = origin, "described_in"_a = "world", "x"_a = origin,
      "A homokinetic joint of two shafts along `axis` (3,) that meet in `point` (3,) [m]; x (3,): "
      "the first of the two directions of its rotation, across the axis; zero: any.");
  j.def("fixed", &joints::fixed, "No motion.");
  j.def(
      "between",
      [](const std::string& type, ArrayLike parent, ArrayLike body, ArrayLike axis) {
        const std::optional<JointType> known = joint_type(type);
        if (!known)
          throw UnknownName("there is no joint type '" + type + "'" +
                            did_you_mean(type, joint_type_names()));
        return joints::between(*known, pose_of(parent, "on_parent"), pose_of(body, "on_body"),
                               vec3_of(axis, "axis"));
      },
      "type"_a, "on_parent"_a, "on_body"_a, "axis"_a = nb::make_tuple(0., 0., 1.),
      "A joint between two frames (4, 4), on the parent and on the body.");
}

}  // namespace

BoundModel* compiled(Mechanism mechanism) {
  auto kept = std::make_shared<const Mechanism>(std::move(mechanism));
  return new BoundModel(as<FileError>([&] { return compile(*kept); }), kept);
}
Sym3 tensor_of(const ArrayLike& value, const std::string& what) {
  const Matrix I = matrix_of(value, what, 3, 3);
  if ((I - I.transpose()).cwiseAbs().maxCoeff() > 1e-12 * I.cwiseAbs().maxCoeff())
    raise(PyExc_ValueError, what + " is not symmetric");
  return {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
}

void add_mechanism(nb::module_& m) {
  add_description(m);
  add_builder(m);
  add_joints(m);
  m.def("read_mechanism", &read_file, "path"_a, "floating_base"_a = false, "model"_a = "",
        "The mechanism of a file: YAML, JSON, URDF, MJCF or SDF. Warnings are Python warnings.");
  m.def("mechanism_from_text", &read_text, "text"_a, "floating_base"_a = false,
        "The mechanism of a text in one of these formats.");
  m.def(
      "load",
      [](const std::filesystem::path& path, bool floating_base, const std::string& model) {
        return compiled(read_file(path, floating_base, model));
      },
      "path"_a, "floating_base"_a = false, "model"_a = "",
      "The model of a file: YAML, JSON, URDF, MJCF or SDF.\n\nfloating_base: URDF only, the root "
      "moves freely. "
      "model: SDF only, the model of several.");
  m.def(
      "from_text",
      [](const std::string& text, bool floating_base) {
        return compiled(read_text(text, floating_base));
      },
      "text"_a, "floating_base"_a = false, "The model of a text: YAML, URDF, MJCF or SDF.");
}

}  // namespace chasles::python
