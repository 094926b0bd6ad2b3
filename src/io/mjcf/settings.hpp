/// Settings of a whole MJCF file: angle units and conventions, defaults by class; and parsing shared by its
/// readers.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "chasles/lie/se3.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io::mjcf {

class Meshes;

/// <compiler>.
struct Compiler {
  bool degrees = true;
  std::string eulerseq = "xyz";
  bool autolimits = true;
  enum class FromGeoms { never, automatic, always } inertia = FromGeoms::automatic;
  double first_group = 0, last_group = 5;    // groups of geoms that have mass
  double least_mass = 0, least_inertia = 0;  // lower bounds of body masses and principal moments
  bool balance = false;                      // physically impossible inertias become spherical
  double total_mass = 0;                     // total to which all masses are scaled; 0: not scaled
  std::string meshdir{};                     // folder of mesh files, relative to the model file
  bool strippath = false;                  // only the last part of the names of mesh files is used
  bool fitaabb = false;                    // primitives are fitted to the bounds of a mesh
  std::string mesh_inertia = "legacy";     // of meshes that do not say it themselves
  std::shared_ptr<const Meshes> meshes{};  // of the file

  double radians(double angle) const { return degrees ? angle * (M_PI / 180) : angle; }
};
void read_compiler(const Element& element, Compiler& compiler);

/// <flag> of <option>: parts of the physics that MuJoCo computes.
struct Flags {
  bool gravity = true, damper = true, spring = true, frictionloss = true, limit = true,
       equality = true, contact = true, filterparent = true;
  /// With springs and dampers disabled, MuJoCo computes no passive forces: neither buoyancy nor fluid drag.
  bool passive() const { return damper || spring; }
};
Flags read_flags(const Element& option, Flags flags);

/// An element with the defaults of its class and of the enclosing classes.
class Setting {
 public:
  explicit Setting(const Element& element) : chain_{element} {}
  void add_default(const Element& element) { chain_.push_back(element); }

  const Element& element() const { return chain_.front(); }
  bool has(const char* attribute) const { return holder(attribute) != nullptr; }
  /// The element that gives the attribute; the element itself if none does.
  const Element& of(const char* attribute) const {
    const Element* found = holder(attribute);
    return found != nullptr ? *found : element();
  }
  /// The first element, from the element itself to its outermost class, that gives one of these attributes.
  const Element& first_with(std::span<const char* const> attributes) const {
    for (const Element& e : chain_)
      for (const char* attribute : attributes)
        if (e.has(attribute)) return e;
    return element();
  }
  std::string text(const char* attribute, const std::string& otherwise) const {
    return has(attribute) ? of(attribute).text(attribute) : otherwise;
  }
  double number(const char* attribute, double otherwise) const {
    return of(attribute).number(attribute, otherwise);
  }
  std::optional<std::string> given(const char* attribute) const {
    return has(attribute) ? std::optional(of(attribute).raw(attribute)) : std::nullopt;
  }
  Vec3 vec3(const char* attribute, const Vec3& otherwise) const {
    return of(attribute).vec3(attribute, otherwise);
  }

 private:
  const Element* holder(const char* attribute) const {
    for (const Element& e : chain_)
      if (e.has(attribute)) return &e;
    return nullptr;
  }
  std::vector<Element> chain_;
};

/// <default>, with nested classes.
class Defaults {
 public:
  void read(const Element& top);
  /// @param inherited  childclass of the enclosing bodies; empty: none
  /// @param as         tag whose defaults apply; empty: the element's own tag
  /// @throws Error naming an unknown class, with the nearest name
  Setting of(const Element& element, const std::string& inherited, std::string_view as = "") const;
  void require_class(const Element& element, const std::string& name) const;
  /// The default elements with one of these tags for an element outside of the tree: outermost class first, in
  /// the order in which they take effect.
  std::vector<Element> elements_of(const Element& element,
                                   std::span<const std::string_view> tags) const;

 private:
  struct Class {
    std::string parent;
    std::size_t inherited = 0;        // elements of the parent that it has, too
    std::vector<Element> elements{};  // in file order; later ones take precedence
  };
  Class& open_class(const std::string& name, const std::string& parent);
  void read(const Element& element, const std::string& name, const std::string& parent);
  std::map<std::string, Class> classes_{{"main", {""}}};
};

/// The compiler settings of the model that an element belongs to: `main`, or those of an attached model.
const Compiler& compiler_of(const Element& element, const Compiler& main);
/// Pose of the <frame> elements and replicas around an element, in its body.
SE3 frame_around(const Element& element);

/// quat, axisangle, euler, xyaxes or zaxis; none: no rotation.
SO3 read_rotation(const Setting& setting, const Compiler& compiler);
/// The attribute euler, times a factor; none: no rotation.
SO3 read_euler(const Element& element, const Compiler& compiler, double factor);
/// pos and rotation, after the frames around the element (document.hpp).
SE3 read_pose(const Setting& setting, const Compiler& compiler);

/// The shortest rotation that takes z to a vector.
/// @param attribute  that contains it, for the message if it is zero
SO3 to_axis(const Element& element, const char* attribute, const Vec3& vector);

/// The stiffness, a x + b x^2 + c x^3, or damping, a v + b v |v| + c v^3, of a joint or tendon.
struct Coefficients {
  double linear = 0;
  std::array<double, 2> more{};
};
Coefficients read_coefficients(const Setting& setting, const char* attribute);
/// The same of a damping; terms that would drive the motion at some velocity are left out, with a warning.
Coefficients read_damping(const Setting& setting);
/// The range of a joint. Chasles has q = 0 in the pose of the file, MJCF q = ref.
void read_limits(const Setting& setting, const Compiler& compiler, Joint& joint);

/// Largest model whose mass matrix is computed for springs and dampers that are given by ratios.
inline constexpr int most_coordinates = 3000;

/// A joint whose spring and damper are derived from the inertia it moves.
struct SpringDamper {
  std::string joint;
  double time_constant, ratio;
  Element element;
  double rest = 0;  // of its spring, for joints with one coordinate
};
/// Sets the damping and stiffness of these joints. With (M^-1)_k the mean of the
/// diagonal of the inverse mass matrix over the coordinates of joint k, in the pose of the file,
///
///     I_k = 1 / (M^-1)_k,   damping = 2 I_k / time_constant,   stiffness = I_k / (time_constant ratio)^2
///
void apply_spring_dampers(Mechanism& mechanism, const std::vector<SpringDamper>& list,
                          const Flags& flags);

/// Armatures of actuators and fixed tendons on one joint: I times the square of gear or coefficient adds to that of the
/// joint. Warns about others, whose M is not diagonal.
void add_armatures(const Element& top, const Defaults& defaults, Mechanism& mechanism);

/// <inertial>, or the sum of the geoms, by the compiler settings; none: massless.
/// @param inherited  childclass of the enclosing bodies; empty: none
std::optional<BodyInertia> read_inertia(const Element& body, const Defaults& defaults,
                                        const std::string& inherited, const Compiler& compiler);
/// Scales all inertias to `total_mass`.
void scale_inertias(Mechanism& mechanism, const Compiler& compiler);

}  // namespace chasles::io::mjcf
