/// Mechanisms made from others: maximal coordinates, other descriptions, rotors, elastic drives.
#include <nanobind/stl/map.h>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/mechanism/redescribe.hpp"
#include "chasles/mechanism/rotor.hpp"
#include "chasles/mechanism/series_elastic.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

BodyGroup body_group(const std::string& name) {
  if (name == "se3") return BodyGroup::se3;
  if (name == "so3xr3") return BodyGroup::so3xr3;
  if (name == "automatic") return BodyGroup::automatic;
  throw UnknownName("there is no group '" + name + "' of bodies; it is se3, so3xr3 or automatic");
}
Description description_named(const std::string& name) {
  if (name == "world") return Description::world;
  if (name == "body") return Description::body;
  if (name == "frames") return Description::frames;
  throw UnknownName("there is no description '" + name + "'; it is world, body or frames");
}

}  // namespace

void add_transformations(nb::module_& m) {
  m.def(
      "to_maximal_coordinates",
      [](const Mechanism& x, const std::string& group,
         const std::map<std::string, std::string>& of_bodies) {
        std::map<std::string, BodyGroup> groups;
        for (const auto& [body, name] : of_bodies) groups[body] = body_group(name);
        return to_maximal_coordinates(x, body_group(group), groups);
      },
      "mechanism"_a, "group"_a = "automatic", "of_bodies"_a = std::map<std::string, std::string>{},
      "The Mechanism in which every body floats, and every joint is a loop of the same name. "
      "group: "
      "'se3', 'so3xr3', or 'automatic': SE(3) for bodies at ground. of_bodies {body: group}: where "
      "they differ.");
  m.def(
      "maximal_state",
      [](const BoundModel& b, ArrayLike q, ArrayLike v, const BoundModel& maximal) {
        const std::string what = "maximal_state()";
        VelocityKinematics kin(b.model);
        forward_kinematics(b.model, vector_of(q, what + ": q", b.model.nq()),
                           vector_of(v, what + ": v", b.model.nv()), kin);
        Vector q_maximal(maximal.model.nq()), v_maximal(maximal.model.nv());
        maximal_state(kin, maximal.model, q_maximal, v_maximal);
        return std::pair{to_array(q_maximal), to_array(v_maximal)};
      },
      "model"_a, "q"_a, "v"_a, "maximal"_a,
      "(q, v) of the model `maximal` of to_maximal_coordinates in which all bodies have the poses "
      "and twists that they have at q (nq,), v (nv,) of the tree `model`.");
  m.def(
      "redescribe",
      [](const Mechanism& x, const std::string& description) {
        return redescribe(x, description_named(description));
      },
      "mechanism"_a, "description"_a,
      "The same Mechanism described by screws in the world at q = 0 ('world'), by screws in the "
      "bodies and poses in the parents ('body'), or by two frames for each joint ('frames').");
  m.def("with_rotors", &with_rotors, "mechanism"_a,
        "The Mechanism with its rotors as bodies and couplings.");
  nb::class_<SeriesElasticDrive>(m, "SeriesElasticDrive",
                                 "A motor behind a gear that moves a joint through a spring:\n\n"
                                 "    M a + h = k (theta - q) + d (dtheta/dt - v)\n"
                                 "    n^2 I d2theta/dt2 + b dtheta/dt = u - k (theta - q) - d "
                                 "(dtheta/dt - v)")
      .def(
          "__init__",
          [](SeriesElasticDrive* self, std::string joint, double stiffness, double damping,
             double motor_inertia, double ratio, double motor_damping) {
            new (self) SeriesElasticDrive{std::move(joint), stiffness, damping,
                                          motor_inertia,    ratio,     motor_damping};
          },
          "joint"_a, "stiffness"_a, "damping"_a = 0.0, "motor_inertia"_a = 0.0, "ratio"_a = 1.0,
          "motor_damping"_a = 0.0,
          "stiffness k and damping d of the spring, at the joint [N m/rad, N m s/rad] or [N/m, N "
          "s/m]; motor_inertia I [kg m^2] and ratio n of the gear; motor_damping b, at the joint.")
      .def_ro("joint", &SeriesElasticDrive::joint, "Its name.")
      .def_ro("stiffness", &SeriesElasticDrive::stiffness, "k")
      .def_ro("damping", &SeriesElasticDrive::damping, "d")
      .def_ro("motor_inertia", &SeriesElasticDrive::motor_inertia, "I [kg m^2]")
      .def_ro("ratio", &SeriesElasticDrive::ratio, "n [1] or [rad/m]")
      .def_ro("motor_damping", &SeriesElasticDrive::motor_damping, "b")
      .def_prop_ro("motor", &SeriesElasticDrive::motor, "The name of the joint of the motor.")
      .def_prop_ro("reflected_inertia", &SeriesElasticDrive::reflected_inertia,
                   "n^2 I [kg m^2] or [kg]")
      .def("__repr__", [](const SeriesElasticDrive& d) {
        return "<chasles.SeriesElasticDrive of '" + d.joint + "': stiffness " +
               to_short_text(d.stiffness) + ">";
      });
  m.def("with_series_elastic_drives", &with_series_elastic_drives, "mechanism"_a, "drives"_a,
        "The Mechanism with motors as joints NAME_motor, and springs as tendons NAME_spring.");
  m.def("with_rigid_drives", &with_rigid_drives, "mechanism"_a, "drives"_a,
        "The Mechanism with the same drives without springs: armatures n^2 I.");
}

}  // namespace chasles::python
