/// Models: their joints, bodies and frames by name.
#include <nanobind/stl/pair.h>

#include "chasles/dynamics/regressor.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/model/keyframe_state.hpp"
#include "chasles/suggest.hpp"
#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

const Mechanism& description(const BoundModel& m) {
  if (!m.mechanism)
    throw Error("the model '" + m.model.name() +
                "' is that of a scenario and has no description; load its model file instead");
  return *m.mechanism;
}

nb::slice slice(int from, int count) { return nb::slice(from, from + count); }
std::string body_name(const Model& model, int index) {
  return index < 0 ? "ground" : model.bodies()[static_cast<std::size_t>(index)].name;
}

/// A joint or body of a model, which it keeps alive.
struct BoundJoint {
  Model model;
  const ModelJoint* joint;
  const ModelJoint* operator->() const { return joint; }
};
struct BoundBody {
  Model model;
  const ModelBody* body;
  const ModelBody* operator->() const { return body; }
};

template <class Get>
auto limit(Get get) {
  return [get](const BoundJoint& j) -> std::optional<double> {
    return j->limits ? get(*j->limits) : std::nullopt;
  };
}

void add_parts(nb::module_& m) {
  nb::class_<BoundFrame>(m, "Frame",
                         "Handle of a body or frame of a model, for functions that take a frame.")
      .def_ro("name", &BoundFrame::name)
      .def(
          "at",
          [](const BoundFrame& f, ArrayLike pose) {
            return BoundFrame{f.model, f.name + "+", f.frame.at(pose_of(pose, "at(): pose"))};
          },
          "pose"_a, "A frame on the same body, by its pose (4, 4) in this frame.")
      .def(
          "__eq__",
          [](const BoundFrame& a, nb::handle other) {
            if (!nb::isinstance<BoundFrame>(other)) return false;
            const Frame& b = nb::inst_ptr<BoundFrame>(other)->frame;
            return a.frame.link == b.link && a.frame.model == b.model && a.frame.offset == b.offset;
          },
          "other"_a, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__",
          [](const BoundFrame& f) {
            return std::hash<std::uint64_t>{}(f.frame.model) + std::hash<int>{}(f.frame.link);
          },
          nb::sig("def __hash__(self) -> int"))
      .def("__repr__", [](const BoundFrame& f) {
        return "<chasles.Frame '" + f.name + "' of '" + f.model.name() + "'>";
      });
  nb::class_<BoundJoint>(m, "Joint",
                         "A joint of a model: its name, its type and its entries in q and v.")
      .def_prop_ro("name", [](const BoundJoint& j) { return j->name; })
      .def_prop_ro("type",
                   [](const BoundJoint& j) { return std::string(joint_type_info(j->type).name); })
      .def_prop_ro("parent", [](const BoundJoint& j) { return body_name(j.model, j->parent); })
      .def_prop_ro("child", [](const BoundJoint& j) { return body_name(j.model, j->child); })
      .def_prop_ro("nq", [](const BoundJoint& j) { return j->nq; })
      .def_prop_ro("nv", [](const BoundJoint& j) { return j->nv; })
      .def_prop_ro("q_index", [](const BoundJoint& j) { return j->q_index; })
      .def_prop_ro("v_index", [](const BoundJoint& j) { return j->v_index; })
      .def_prop_ro(
          "q", [](const BoundJoint& j) { return slice(j->q_index, j->nq); },
          "Its entries: q[joint.q].")
      .def_prop_ro(
          "v", [](const BoundJoint& j) { return slice(j->v_index, j->nv); },
          "Its entries: v[joint.v].")
      .def_prop_ro(
          "armature", [](const BoundJoint& j) { return j->armature; }, "[kg m^2] or [kg].")
      .def_prop_ro("lower", limit([](const JointLimits& l) { return l.lower; }),
                   "[rad] or [m]; None: unlimited.")
      .def_prop_ro("upper", limit([](const JointLimits& l) { return l.upper; }),
                   "[rad] or [m]; None: unlimited.")
      .def_prop_ro("velocity", limit([](const JointLimits& l) { return l.velocity; }),
                   "Largest absolute velocity.")
      .def_prop_ro("effort", limit([](const JointLimits& l) { return l.effort; }),
                   "Largest absolute effort [N m] or [N].")
      .def("__repr__", [](const BoundJoint& j) {
        return "<chasles.Joint '" + j->name + "': " + std::string(joint_type_info(j->type).name) +
               ", q[" + std::to_string(j->q_index) + ":" + std::to_string(j->q_index + j->nq) +
               "], v[" + std::to_string(j->v_index) + ":" + std::to_string(j->v_index + j->nv) +
               "]>";
      });
  nb::class_<BoundBody>(m, "Body", "A body of a model, with its inertia in its own frame.")
      .def_prop_ro("name", [](const BoundBody& b) { return b->name; })
      .def_prop_ro("parent", [](const BoundBody& b) { return body_name(b.model, b->parent); })
      .def_prop_ro(
          "mass", [](const BoundBody& b) { return b->inertia.m; }, "[kg]")
      .def_prop_ro(
          "com", [](const BoundBody& b) { return to_array(lie::center_of_mass(b->inertia)); },
          "(3,) [m]")
      .def_prop_ro(
          "inertia",
          [](const BoundBody& b) {
            const Sym3& I = b->inertia.I;
            return to_array(
                std::vector<double>{I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz}, {3, 3});
          },
          "(3, 3) about the origin of its frame, in its axes [kg m^2]")
      .def("__repr__", [](const BoundBody& b) {
        return "<chasles.Body '" + b->name + "': " + to_text(b->inertia.m) + " kg>";
      });
}

std::string model_repr(const BoundModel& m) {
  const Model& x = m.model;
  return "<chasles.Model '" + x.name() + "': " + std::to_string(x.joints().size()) +
         " joints, nq " + std::to_string(x.nq()) + ", nv " + std::to_string(x.nv()) + ">";
}

void add_compiled(nb::module_& m) {
  nb::class_<BoundModel>(m, "Model",
                         "A compiled mechanism: immutable, shared by threads. Made by chasles.load "
                         "or Mechanism.compile.")
      .def_prop_ro("name", [](const BoundModel& b) { return b.model.name(); })
      .def_prop_ro(
          "nq", [](const BoundModel& b) { return b.model.nq(); }, "Number of entries of q.")
      .def_prop_ro(
          "nv", [](const BoundModel& b) { return b.model.nv(); }, "Number of entries of v.")
      .def_prop_ro(
          "mass", [](const BoundModel& b) { return b.model.mass(); }, "Of the moving bodies [kg].")
      .def_prop_ro(
          "gravity", [](const BoundModel& b) { return to_array(b.model.gravity()); },
          "(3,) [m/s^2]")
      .def_prop_ro(
          "joints",
          [](const BoundModel& b) {
            std::vector<BoundJoint> list;
            for (const ModelJoint& joint : b.model.joints()) list.push_back({b.model, &joint});
            return list;
          },
          "All joints, in the order of q and v.")
      .def_prop_ro("bodies",
                   [](const BoundModel& b) {
                     std::vector<BoundBody> list;
                     for (const ModelBody& body : b.model.bodies())
                       list.push_back({b.model, &body});
                     return list;
                   })
      .def_prop_ro(
          "frames",
          [](const BoundModel& b) {
            std::vector<std::string> names;
            for (const ModelFrame& frame : b.model.frames()) names.push_back(frame.name);
            return names;
          },
          "Names of the frames besides bodies.")
      .def_prop_ro(
          "loops",
          [](const BoundModel& b) {
            std::vector<std::string> names;
            for (const ModelLoop& loop : b.model.loops()) names.push_back(loop.name);
            return names;
          },
          "Names of the loops.")
      .def_prop_ro(
          "couplings",
          [](const BoundModel& b) {
            std::vector<std::string> names;
            for (const ModelCoupling& coupling : b.model.couplings())
              names.push_back(coupling.name);
            return names;
          },
          "Names of the couplings.")
      .def_prop_ro(
          "constraints",
          [](const BoundModel& b) {
            std::vector<std::string> names;
            for (const ConstraintElement& element : b.model.constraints())
              names.push_back(element.name);
            return names;
          },
          "Names of the constraints on points of the description.")
      .def_prop_ro(
          "floats", [](const BoundModel& b) { return b.model.floats(); },
          "Whether no joint connects the mechanism to ground but floating ones.")
      .def(
          "joint_of_v",
          [](const BoundModel& b, int k) {
            if (k < 0 || k >= b.model.nv())
              raise(PyExc_IndexError, "joint_of_v(): k is " + std::to_string(k) +
                                          "; v has the entries 0 to " +
                                          std::to_string(b.model.nv() - 1));
            return BoundJoint{b.model, &b.model.joint_of_v(k)};
          },
          "k"_a, "The joint that has entry k of v.")
      .def_prop_ro(
          "mechanism", [](const BoundModel& b) { return description(b); }, "Its description.")
      .def(
          "joint",
          [](const BoundModel& b, const std::string& name) {
            return BoundJoint{b.model, as<UnknownName>([&] { return &b.model.joint(name); })};
          },
          "name"_a, "A joint by name. Raises UnknownNameError, a KeyError, with the nearest name.")
      .def(
          "body",
          [](const BoundModel& b, const std::string& name) {
            std::vector<std::string_view> names;
            for (const ModelBody& body : b.model.bodies()) {
              if (body.name == name) return BoundBody{b.model, &body};
              names.push_back(body.name);
            }
            throw UnknownName("there is no body '" + name + "'" + did_you_mean(name, names));
          },
          "name"_a, "A body by name.")
      .def(
          "frame",
          [](const BoundModel& b, const std::string& name) {
            return BoundFrame{b.model, name, as<UnknownName>([&] { return b.model.frame(name); })};
          },
          "name"_a, "The handle of a body, a frame, or 'ground'.")
      .def(
          "support",
          [](const BoundModel& b, nb::handle frame) {
            return b.model.support(frame_of(b.model, frame, "support(): frame"));
          },
          "frame"_a, nb::sig("def support(self, frame: str | Frame) -> list[int]"),
          "The entries of v that move a frame, from ground on.")
      .def(
          "neutral", [](const BoundModel& b) { return to_array(b.model.neutral()); },
          "The configuration (nq,) with every joint at zero; quaternions are (1, 0, 0, 0).")
      .def(
          "inertial_parameters",
          [](const BoundModel& b) { return to_array(inertial_parameters(b.model)); },
          "(10 bodies,): (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) of each.")
      .def(
          "checked_configuration",
          [](const BoundModel& b, ArrayLike q) {
            return to_array(
                checked_configuration(b.model, vector_of(q, "checked_configuration(): q")));
          },
          "q"_a,
          "q with unit quaternions. Raises for numbers that are not finite, and quaternions far "
          "from unit length.")
      .def(
          "keyframe",
          [](const BoundModel& b, const std::string& name) {
            std::vector<std::string_view> names;
            for (const Keyframe& key : description(b).keyframes) {
              if (key.name == name) {
                const KeyframeState x = keyframe_state(b.model, key);
                return std::pair{to_array(x.q), to_array(x.v)};
              }
              names.push_back(key.name);
            }
            throw UnknownName("there is no keyframe '" + name + "'" + did_you_mean(name, names));
          },
          "name"_a, "(q, v) of a named state of the description.")
      .def(
          "with_gravity",
          [](const BoundModel& b, ArrayLike gravity) {
            const Vec3 g = vec3_of(gravity, "with_gravity(): gravity");
            auto changed = b.mechanism ? std::make_shared<Mechanism>(*b.mechanism) : nullptr;
            if (changed) changed->gravity = g;
            return new BoundModel(b.model.with_gravity(g), std::move(changed));
          },
          "gravity"_a, "A copy with another gravity (3,) [m/s^2].")
      .def(
          "with_inertia",
          [](const BoundModel& b, const std::string& body, double mass, ArrayLike com,
             ArrayLike tensor) {
            const BodyInertia inertia{mass, vec3_of(com, "with_inertia(): com"),
                                      tensor_of(tensor, "with_inertia(): tensor")};
            auto changed = b.mechanism ? std::make_shared<Mechanism>(*b.mechanism) : nullptr;
            if (const int k = changed ? find_body(*changed, body) : -1; k >= 0)
              changed->bodies[static_cast<std::size_t>(k)].inertia = inertia;
            return new BoundModel(b.model.with_inertia(body, inertia), std::move(changed));
          },
          "body"_a, "mass"_a, "com"_a, "tensor"_a,
          "A copy with another inertia of one body: [kg], (3,) [m], (3, 3) about the center of "
          "mass [kg m^2].")
      .def("__getstate__", [](const BoundModel& b) { return write_yaml(description(b)); })
      .def("__setstate__",
           [](BoundModel& b, const std::string& text) {
             auto mechanism = std::make_shared<const Mechanism>(read_yaml(text, "pickle"));
             new (&b) BoundModel(compile(*mechanism), mechanism);
           })
      .def("__copy__", [](const BoundModel& b) { return new BoundModel(b.model, b.mechanism); })
      .def(
          "__deepcopy__",
          [](const BoundModel& b, nb::handle) { return new BoundModel(b.model, b.mechanism); },
          "memo"_a, nb::sig("def __deepcopy__(self, memo: dict[int, object]) -> Model"))
      .def(
          "__eq__",
          [](const BoundModel& a, nb::handle other) {
            if (!nb::isinstance<BoundModel>(other)) return false;
            const BoundModel& b = *nb::inst_ptr<BoundModel>(other);
            return a.model == b.model || (a.mechanism && b.mechanism &&
                                          write_yaml(*a.mechanism) == write_yaml(*b.mechanism));
          },
          "other"_a, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const BoundModel& b) { return std::hash<std::string>{}(b.model.name()); },
          nb::sig("def __hash__(self) -> int"))
      .def("__repr__", &model_repr)
      .def(
          "show",
          [](nb::handle self, nb::handle q) {
            return nb::module_::import_("chasles._show").attr("show")(self, q);
          },
          "q"_a.none() = nb::none(),
          nb::sig("def show(self, q: numpy.typing.ArrayLike | None = None) -> chasles._show.Page"),
          "The mechanism in the viewer, with a slider for every coordinate, first at q (nq,): "
          "shown in notebooks; Page.save writes it.")
      .def("_repr_html_", [](nb::handle self) {
        return nb::cast<std::string>(nb::module_::import_("chasles._show").attr("table")(self));
      });
}

/// For the classes of the package that are written in Python.
void add_helpers(nb::module_& m) {
  m.def(
      "_numbers",
      [](ArrayLike x, const std::string& what) { return Array{real_array(x.value, what)}; },
      "value"_a.none(), "what"_a, "Real numbers as an array; messages begin with `what`.");
  m.def(
      "_choices",
      [](const std::string& name, const std::vector<std::string>& known) {
        const std::vector<std::string_view> words(known.begin(), known.end());
        return choices(name, words);
      },
      "name"_a, "known"_a, "The end of a message about an unknown name.");
}

}  // namespace

void add_model(nb::module_& m) {
  add_helpers(m);
  add_parts(m);
  add_compiled(m);
}

}  // namespace chasles::python
