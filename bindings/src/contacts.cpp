/// Forces between bodies and with ground: contacts, stops, springs, drag, wrenches; state feedback.
#include <nanobind/stl/array.h>

#include "callback.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "chasles/simulation/shape_contact.hpp"
#include "chasles/simulation/state_feedback.hpp"
#include "chasles/simulation/stops.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

std::vector<Vec3> points_of(const ArrayLike& value, const std::string& what) {
  const Matrix m = matrix_of(value, what, -1, 3);
  std::vector<Vec3> list;
  for (Eigen::Index k = 0; k < m.rows(); ++k) list.push_back({m(k, 0), m(k, 1), m(k, 2)});
  return list;
}
/// A body or frame by name.
const std::string& known_frame(const Model& model, const std::string& name) {
  as<UnknownName>([&] { return model.frame(name); });
  return name;
}
std::vector<Signal> signals_of(nb::handle values, std::size_t count, const std::string& what) {
  std::vector<Signal> out;
  for (nb::handle x : nb::iter(values)) out.push_back(signal_of(x, what));
  if (out.size() != count)
    raise(PyExc_ValueError, what + " has " + std::to_string(out.size()) + " entries; it needs " +
                                std::to_string(count));
  return out;
}

Force ball_contact(const BoundModel& m, const std::string& name, const std::string& body,
                   ArrayLike points, double radius, const ContactLaw& law,
                   const std::string& against, ArrayLike point, ArrayLike normal, double sphere) {
  Contact c{
      name, {known_frame(m.model, body), points_of(points, "contact(): points"), radius}, {}, law};
  c.against.body = known_frame(m.model, against);
  c.against.kind = sphere > 0 ? ContactSurface::sphere : ContactSurface::plane;
  c.against.point = vec3_of(point, "contact(): point"),
  c.against.normal = vec3_of(normal, "contact(): normal");
  c.against.radius = sphere;
  return contact(m.model, c);
}

void add_contact(nb::module_& m) {
  nb::class_<ContactLaw>(m, "ContactLaw",
                         "Compliant contact (Hunt, Crossley) with Coulomb friction: f_n = "
                         "stiffness x^exponent (1 + 3/2 dissipation dx/dt).")
      .def(
          "__init__",
          [](ContactLaw* self, std::optional<double> stiffness, double exponent, double dissipation,
             double friction, double velocity, double torsional_friction, double rolling_friction) {
            new (self) ContactLaw{stiffness, exponent,           dissipation,     friction,
                                  velocity,  torsional_friction, rolling_friction};
          },
          "stiffness"_a.none() = nb::none(), "exponent"_a = 1.5, "dissipation"_a = 0.0,
          "friction"_a = 0.0, "velocity"_a = 1e-3, "torsional_friction"_a = 0.0,
          "rolling_friction"_a = 0.0,
          "stiffness [N/m^exponent]; None: bears the weight with a penetration of 1 mm. "
          "dissipation [s/m]: the coefficient of restitution is "
          "1 - dissipation * speed. friction: coefficient, reached beyond `velocity` [m/s]. The "
          "others [m]: against spinning and rolling.")
      .def_rw("stiffness", &ContactLaw::stiffness, nb::arg("value").none(),
              nb::for_setter(nb::name("stiffness")))
      .def_rw("exponent", &ContactLaw::exponent, nb::for_setter(nb::name("exponent")))
      .def_rw("dissipation", &ContactLaw::dissipation, nb::for_setter(nb::name("dissipation")))
      .def_rw("friction", &ContactLaw::friction, nb::for_setter(nb::name("friction")))
      .def_rw("velocity", &ContactLaw::velocity, nb::for_setter(nb::name("velocity")))
      .def_rw("torsional_friction", &ContactLaw::torsional_friction,
              nb::for_setter(nb::name("torsional_friction")))
      .def_rw("rolling_friction", &ContactLaw::rolling_friction,
              nb::for_setter(nb::name("rolling_friction")));
  const nb::tuple zero = nb::make_tuple(0., 0., 0.), up = nb::make_tuple(0., 0., 1.);
  m.def("contact", &ball_contact, "model"_a, "name"_a, "body"_a, "points"_a, "radius"_a = 0.0,
        "law"_a = ContactLaw{}, "against"_a = std::string(ground), "point"_a = zero,
        "normal"_a = up, "sphere"_a = 0.0,
        nb::sig("def contact(model: Model, name: str, body: str, points: numpy.typing.ArrayLike, "
                "radius: float = 0.0, law: ContactLaw = ..., "
                "against: str = 'ground', point: numpy.typing.ArrayLike = ..., normal: "
                "numpy.typing.ArrayLike = ..., sphere: float = 0.0) -> Force"),
        "Contact of balls on a body, centers `points` (n, 3) [m] in its frame and one radius (0: "
        "points), with a plane of another body or ground "
        "through `point` with the outward `normal`, or with a sphere of radius `sphere` about "
        "`point`. Quantities: contact:NAME.");
  m.def(
      "box_corners",
      [](ArrayLike size, ArrayLike center) {
        std::vector<double> rows;
        for (const Vec3& x : box_corners(vec3_of(size, "box_corners(): size"),
                                         vec3_of(center, "box_corners(): center")))
          rows.insert(rows.end(), {x.x, x.y, x.z});
        return to_array(rows, {8, 3});
      },
      "size"_a, "center"_a = zero,
      "The corners (8, 3) of a box with edges `size` (3,) along the axes [m].");
  m.def(
      "shape_contacts",
      [](const BoundModel& b, std::optional<double> floor, std::optional<double> stiffness,
         std::optional<double> dissipation, std::optional<double> friction) {
        if (!b.mechanism)
          throw Error("shape_contacts(): the model '" + b.model.name() +
                      "' has no description with shapes");
        ModelContactOptions options{.stiffness = stiffness,
                                    .dissipation = dissipation,
                                    .friction = friction,
                                    .floor = floor};
        const ModelContacts contacts = model_contacts(b.model, *b.mechanism, options);
        for (const std::string& note : contacts.notes)
          if (PyErr_WarnEx(PyExc_UserWarning, note.c_str(), 1) < 0) throw nb::python_error();
        std::vector<Force> forces;
        for (const ShapeContact& pair : contacts.list)
          forces.push_back(shape_contact(b.model, pair));
        return forces;
      },
      "model"_a, "floor"_a.none() = nb::none(), "stiffness"_a.none() = nb::none(),
      "dissipation"_a.none() = nb::none(), "friction"_a.none() = nb::none(),
      "All contacts of the collision shapes of the description. floor: height of an additional "
      "plane of ground [m].");
}

void add_elements(nb::module_& m) {
  const nb::tuple zero = nb::make_tuple(0., 0., 0.);
  m.def(
      "joint_stop",
      [](const BoundModel& b, const std::string& joint, double stiffness, double damping,
         double depth) {
        as<UnknownName>([&] { return &b.model.joint(joint); });
        return joint_stop(b.model, joint, {stiffness, damping, depth});
      },
      "model"_a, "joint"_a, "stiffness"_a, "damping"_a = 0.0, "depth"_a = 1e-3,
      "Compliant stops at the limits of a joint: [N m/rad, N m s/rad] or [N/m, N s/m]; damping "
      "reaches its value at `depth`.");
  m.def(
      "point_spring_damper",
      [](const BoundModel& b, const std::string& body_a, ArrayLike point_a,
         const std::string& body_b, ArrayLike point_b, double stiffness, double damping,
         double length) {
        return point_spring_damper(
            b.model,
            {known_frame(b.model, body_a), vec3_of(point_a, "point_spring_damper(): point_a")},
            {known_frame(b.model, body_b), vec3_of(point_b, "point_spring_damper(): point_b")},
            stiffness, damping, length);
      },
      "model"_a, "body_a"_a, "point_a"_a, "body_b"_a, "point_b"_a, "stiffness"_a, "damping"_a = 0.0,
      "length"_a = 0.0,
      "A spring and damper on the line between points (3,) of two bodies or frames, or 'ground': "
      "tension stiffness (d - length) + damping dd/dt.");
  m.def(
      "point_drag",
      [](const BoundModel& b, const std::string& body, ArrayLike point, double viscous,
         double quadratic, ArrayLike wind) {
        return point_drag(b.model,
                          {known_frame(b.model, body), vec3_of(point, "point_drag(): point")},
                          {viscous, quadratic, vec3_of(wind, "point_drag(): wind")});
      },
      "model"_a, "body"_a, "point"_a = zero, "viscous"_a = 0.0, "quadratic"_a = 0.0,
      "wind"_a = zero,
      "F = -(viscous + quadratic |u|) u on a point that moves with u relative to a wind (3,) "
      "[m/s]; [N s/m], [N s^2/m^2].");
  m.def(
      "body_wrench",
      [](const BoundModel& b, const std::string& body, nb::handle wrench, ArrayLike point,
         RepresentationLike rep) {
        const std::vector<Signal> six = signals_of(wrench, 6, "body_wrench(): wrench");
        std::array<Signal, 6> signals;
        std::copy(six.begin(), six.end(), signals.begin());
        return body_wrench(b.model,
                           {known_frame(b.model, body), vec3_of(point, "body_wrench(): point")},
                           signals, representation_of(rep, "body_wrench(): representation"));
      },
      "model"_a, "body"_a, "wrench"_a, "point"_a = zero, "representation"_a = "hybrid",
      nb::sig("def body_wrench(model: Model, body: str, wrench: collections.abc.Iterable[float | "
              "collections.abc.Callable[[float], float]], "
              "point: numpy.typing.ArrayLike = ..., representation: str = 'hybrid') -> Force"),
      "A wrench (torque; force) at a point of a body: six numbers [N m, N] or functions of t, in "
      "the axes of the representation.");
  m.def(
      "joint_torque",
      [](const BoundModel& b, const std::string& joint, nb::handle value) {
        const ModelJoint& j = *as<UnknownName>([&] { return &b.model.joint(joint); });
        const bool one = PyCallable_Check(value.ptr()) || PyFloat_Check(value.ptr()) ||
                         PyLong_Check(value.ptr());
        std::vector<Signal> list =
            one ? std::vector<Signal>{signal_of(value, "joint_torque(): value")}
                : signals_of(value, static_cast<std::size_t>(j.nv), "joint_torque(): value");
        return joint_torque(b.model, joint, std::move(list));
      },
      "model"_a, "joint"_a, "value"_a,
      nb::sig(
          "def joint_torque(model: Model, joint: str, value: float | "
          "collections.abc.Callable[[float], float] | "
          "collections.abc.Iterable[float | collections.abc.Callable[[float], float]]) -> Force"),
      "A force in a joint: a number or a function of t, one per entry of v [N m, N].");
  m.def(
      "bushing",
      [](const BoundModel& b, const std::string& body_a, const std::string& body_b,
         ArrayLike stiffness, ArrayLike damping, ArrayLike preload) {
        Bushing x{{known_frame(b.model, body_a), {}}, {known_frame(b.model, body_b), {}}};
        const auto fill = [](const ArrayLike& value, std::array<double, 36>& to,
                             const std::string& what) {
          const Matrix x6 = matrix_of(value, what, 6, 6);
          for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) to[static_cast<std::size_t>(6 * i + j)] = x6(i, j);
        };
        fill(stiffness, x.stiffness, "bushing(): stiffness");
        if (!damping.value.is_none()) fill(damping, x.damping, "bushing(): damping");
        if (!preload.value.is_none()) {
          const Vector p = vector_of(preload, "bushing(): preload", 6);
          std::copy_n(p.data(), 6, x.preload.begin());
        }
        return bushing(b.model, x);
      },
      "model"_a, "body_a"_a, "body_b"_a, "stiffness"_a, "damping"_a.none() = nb::none(),
      "preload"_a.none() = nb::none(),
      "Stiffness and damping (6, 6) between two bodies or frames, in axes of a: rotation vector "
      "and position of b [N m/rad, N/m].");
}

void add_feedback(nb::module_& m) {
  nb::class_<Observer>(m, "Observer",
                       "Estimates the state of state_feedback from some measurements:\n\n"
                       "    z(k+1) = A z(k) - B K z(k) + L (y(k) - C z(k)),   z(0) = 0")
      .def(
          "__init__",
          [](Observer* self, std::vector<std::string> positions,
             std::vector<std::string> velocities, ArrayLike A, ArrayLike B, ArrayLike C,
             ArrayLike L, double period) {
            const auto matrix = [](const ArrayLike& x, const char* name) {
              return matrix_of(x, std::string("Observer(): ") + name, -1, -1);
            };
            new (self) Observer{
                std::move(positions), std::move(velocities), matrix(A, "A"), matrix(B, "B"),
                matrix(C, "C"),       matrix(L, "L"),        period};
          },
          "positions"_a, "velocities"_a, "A"_a, "B"_a, "C"_a, "L"_a, "period"_a,
          "positions, velocities: joints that are measured, the rows of C; A and B of "
          "LinearSystem.discretize(period), L of sampled_kalman_filter; period [s].");
  m.def(
      "state_feedback",
      [](const BoundModel& b, std::vector<std::string> joints, std::vector<std::string> measured,
         ArrayLike K, SequenceLike reference, ArrayLike effort, double period,
         const Observer* observer) {
        StateFeedback law{.joints = std::move(joints),
                          .measured = std::move(measured),
                          .reference = references_of(reference, "the reference of state_feedback"),
                          .K = matrix_of(K, "state_feedback(): K", -1, -1)};
        if (!effort.value.is_none()) law.effort = vector_of(effort, "state_feedback(): effort");
        if (observer) law.observer = *observer;
        Controller c = state_feedback(b.model, std::move(law));
        if (!observer) c.period = period;
        return control(c);
      },
      "model"_a, "joints"_a, "measured"_a, "K"_a, "reference"_a, "effort"_a.none() = nb::none(),
      "period"_a = 0.0, "observer"_a.none() = nb::none(),
      "tau = effort - K (q - q_w; v - v_w), with gains such as those of lqr: a row per motor, "
      "columns for positions, then velocities, of the "
      "measured joints. observer: estimates what is not measured; its period counts.");
  m.def(
      "gravity_compensation",
      [](const BoundModel& b, std::vector<std::string> joints) {
        return control(gravity_compensation(b.model, std::move(joints)));
      },
      "model"_a, "joints"_a,
      "Motors that hold the mechanism still: g(q), also of closed mechanisms.");
}

}  // namespace

void add_contacts(nb::module_& m) {
  add_contact(m);
  add_elements(m);
  add_feedback(m);
}

}  // namespace chasles::python
