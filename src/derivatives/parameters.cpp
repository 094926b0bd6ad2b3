/// Parameters and their names.
#include "chasles/derivatives/parameters.hpp"

#include <algorithm>

#include "chasles/suggest.hpp"
#include "derivatives/parameter_change.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

constexpr std::string_view coordinates_of_twists[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
constexpr std::string_view inertias[] = {"m",   "mcx", "mcy", "mcz", "Ixx",
                                         "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};

int position_of(const Model& model, const ModelJoint& joint) {
  return static_cast<int>(&joint - model.joints().data());
}
/// The index of a body; -1: none.
int find_body(const Model& model, std::string_view name) {
  for (std::size_t b = 0; b < model.bodies().size(); ++b)
    if (model.bodies()[b].name == name) return static_cast<int>(b);
  return -1;
}

void require_finite(const Twist& U, const ModelJoint& joint, const char* kind) {
  if (!is_finite(U.w) || !is_finite(U.v))
    throw Error("joint '" + joint.name + "', parameter " + kind + ": the screw " +
                tuple_text(coordinates(U)) + " is not finite");
}

/// Whether each screw of a joint may change separately, in all of its links.
bool has_single_screws(const Model& model, const ModelJoint& joint) {
  for (int v = joint.v_index; v < joint.v_index + joint.nv; ++v) {
    const int link = link_of_v(model)[static_cast<std::size_t>(v)];
    if (!links::has_single_screws(tree_links(model)[static_cast<std::size_t>(link)])) return false;
  }
  return true;
}
const Twist& checked_screw(const Model& model, const ModelJoint& joint, int k) {
  const std::string type(joint_type_info(joint.type).name);
  if (!has_single_screws(model, joint))
    throw Error("joint '" + joint.name + "' is " + type +
                ": its screws change together only; use the parameters frame or axis");
  if (k < 0 || k >= joint.nv)
    throw Error("joint '" + joint.name + "' (" + type + ") has no screw " + std::to_string(k) +
                "; give 0 ... " + std::to_string(joint.nv - 1));
  return joint.X[static_cast<std::size_t>(k)];
}

/// The rotor turns about the axis of the joint, and would have to move with it.
void require_no_rotor(const ModelJoint& joint) {
  if (joint.rotor)
    throw Error("joint '" + joint.name +
                "' has a rotor about its axis, which parameters of the joint do not move; describe "
                "the rotor as a body with a coupling, or give an armature");
}

/// Calls each(name, parameter) for the parameters of a joint.
template <class Each>
void for_joint_parameters(const Model& model, const ModelJoint& joint, const Each& each) {
  if (joint.rotor) return;
  const auto along = [](std::size_t c) {
    std::array<double, 6> unit{};
    unit[c] = 1;
    return lie::from_coordinates<Twist>(unit);
  };
  const auto six = [&](const std::string& kind, const auto& make) {
    for (std::size_t c = 0; c < 6; ++c)
      each(kind + "." + std::string(coordinates_of_twists[c]), [&] { return make(along(c)); });
  };
  six("frame", [&](const Twist& U) { return frame_parameter(model, joint.name, U); });
  six("axis", [&](const Twist& U) { return axis_parameter(model, joint.name, U); });
  if (!has_single_screws(model, joint)) return;
  for (int k = 0; k < joint.nv; ++k) {
    const std::string number = joint.nv == 1 ? "" : std::to_string(k);
    six("screw" + number,
        [&](const Twist& dX) { return screw_parameter(model, joint.name, k, dX); });
    if (joint.X[static_cast<std::size_t>(k)].w != Vec3{})
      each("pitch" + number, [&] { return pitch_parameter(model, joint.name, k); });
  }
}

const ModelJoint* find_joint(const Model& model, std::string_view name) {
  const auto found = std::find_if(model.joints().begin(), model.joints().end(),
                                  [&](const ModelJoint& joint) { return joint.name == name; });
  return found == model.joints().end() ? nullptr : &*found;
}

[[noreturn]] void throw_no_owner(const Model& model, std::string_view owner) {
  std::vector<std::string_view> known;
  for (const ModelJoint& joint : model.joints()) known.push_back(joint.name);
  for (const ModelBody& body : model.bodies()) known.push_back(body.name);
  throw Error("model '" + model.name() + "' has no joint or body '" + std::string(owner) + "'" +
              did_you_mean(owner, known));
}

}  // namespace

void require_parameter(const Model& model, const Parameter& parameter) {
  require_model("the parameter", parameter.model, model);
  using enum Parameter::Kind;
  const auto require = [](bool good, const char* member, int value) {
    if (!good)
      throw Error(std::string("a parameter has ") + member + " " + std::to_string(value) +
                  ", which does not exist; make parameters by parameter() and its companions");
  };
  require(parameter.kind <= inertia, "kind", static_cast<int>(parameter.kind));
  const bool of_body = parameter.kind == inertia;
  const std::size_t owners = of_body ? model.bodies().size() : model.joints().size();
  require(parameter.owner >= 0 && static_cast<std::size_t>(parameter.owner) < owners, "owner",
          parameter.owner);
  if (of_body)
    return require(parameter.entry >= 0 && parameter.entry <= 9, "entry", parameter.entry);
  const ModelJoint& joint = model.joints()[static_cast<std::size_t>(parameter.owner)];
  require_finite(parameter.U, joint, "changed by hand");
  require_no_rotor(joint);
  if (parameter.kind == screw)
    checked_screw(model, joint, parameter.entry);
  else
    require(parameter.entry == 0, "entry", parameter.entry);
}

Parameter frame_parameter(const Model& model, std::string_view joint, const Twist& U) {
  const ModelJoint& owner = model.joint(joint);
  require_finite(U, owner, "frame");
  require_no_rotor(owner);
  return {model, Parameter::Kind::frame, position_of(model, owner), 0, U};
}
Parameter axis_parameter(const Model& model, std::string_view joint, const Twist& U) {
  const ModelJoint& owner = model.joint(joint);
  require_finite(U, owner, "axis");
  require_no_rotor(owner);
  return {model, Parameter::Kind::axis, position_of(model, owner), 0, U};
}
Parameter screw_parameter(const Model& model, std::string_view joint, int k, const Twist& dX) {
  const ModelJoint& owner = model.joint(joint);
  checked_screw(model, owner, k);
  require_finite(dX, owner, "screw");
  require_no_rotor(owner);
  return {model, Parameter::Kind::screw, position_of(model, owner), k, dX};
}
Parameter pitch_parameter(const Model& model, std::string_view joint, int k) {
  const ModelJoint& owner = model.joint(joint);
  const Twist& X = checked_screw(model, owner, k);
  require_no_rotor(owner);
  if (X.w == Vec3{})
    throw Error("joint '" + owner.name + "': screw " + std::to_string(k) +
                " is a translation, which has no pitch");
  return {model, Parameter::Kind::screw, position_of(model, owner), k, {{}, X.w}};
}
Parameter inertial_parameter(const Model& model, std::string_view body, int entry) {
  const int owner = find_body(model, body);
  if (owner < 0) {
    std::vector<std::string_view> known;
    for (const ModelBody& b : model.bodies()) known.push_back(b.name);
    throw Error("model '" + model.name() + "' has no body '" + std::string(body) + "'" +
                did_you_mean(body, known));
  }
  if (entry < 0 || entry > 9)
    throw Error("body '" + std::string(body) + "' has no inertial parameter " +
                std::to_string(entry) + "; give 0 ... 9");
  return {model, Parameter::Kind::inertia, owner, entry, {}};
}

Parameter parameter(const Model& model, std::string_view owner, std::string_view name) {
  if (find_body(model, owner) >= 0) {
    const auto* entry = std::find(std::begin(inertias), std::end(inertias), name);
    if (entry != std::end(inertias))
      return inertial_parameter(model, owner, static_cast<int>(entry - inertias));
  }
  std::optional<Parameter> found;
  if (const ModelJoint* joint = find_joint(model, owner))
    for_joint_parameters(model, *joint, [&](const std::string& known, const auto& make) {
      if (known == name) found = make();
    });
  if (found) return *found;
  const std::vector<std::string> names = parameter_names(model, owner);
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error("'" + std::string(owner) + "' has no parameter '" + std::string(name) + "'" +
              choices(name, known));
}

std::vector<std::string> parameter_names(const Model& model, std::string_view owner) {
  const ModelJoint* joint = find_joint(model, owner);
  const bool is_body = find_body(model, owner) >= 0;
  if (!joint && !is_body) throw_no_owner(model, owner);
  std::vector<std::string> names;
  if (joint)
    for_joint_parameters(model, *joint,
                         [&](const std::string& name, const auto&) { names.push_back(name); });
  if (is_body) names.insert(names.end(), std::begin(inertias), std::end(inertias));
  return names;
}

std::vector<Twist> frame_screws(std::span<const Twist> U, ConstVectorRef pi) {
  require_size("pi", pi, static_cast<int>(U.size()));
  std::vector<Twist> screws(U.begin(), U.end());
  SE3 outward;
  for (std::size_t a = U.size(); a-- > 0;) {
    screws[a] = Ad_inv(outward, U[a]);
    outward = exp(pi[static_cast<Eigen::Index>(a)] * U[a]) * outward;
  }
  return screws;
}

}  // namespace chasles
