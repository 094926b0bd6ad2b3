/// What holds for a whole MJCF file: how angles are written, defaults by class;
/// and what is read the same way everywhere.
#pragma once

#include <map>
#include <string>

#include "chasles/lie/se3.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io::mjcf {

/// <compiler>.
struct Compiler {
  bool degrees = true;
  std::string eulerseq = "xyz";
  bool autolimits = true;
  enum class FromGeoms { never, automatic, always } inertia = FromGeoms::automatic;
  double first_group = 0, last_group = 5;    // geoms of which groups have mass
  double least_mass = 0, least_inertia = 0;  // of bodies, and of their principal moments
  bool balance = false;                      // inertias that no body can have become round
  double total_mass = 0;                     // to which all are scaled; 0: as they are

  double radians(double angle) const { return degrees ? angle * (M_PI / 180) : angle; }
};
void read_compiler(const Element& element, Compiler& compiler);

/// <flag> of <option>: what MuJoCo computes.
struct Flags {
  bool gravity = true, damper = true, spring = true, frictionloss = true, limit = true,
       equality = true;
  /// Without springs and dampers MuJoCo has no passive forces at all: neither buoyancy nor fluids.
  bool passive() const { return damper || spring; }
};
Flags read_flags(const Element& option, Flags flags);

/// An element with the defaults of its class, and of the classes around that.
class Setting {
 public:
  explicit Setting(const Element& element) : chain_{element} {}
  void add_default(const Element& element) { chain_.push_back(element); }

  const Element& element() const { return chain_.front(); }
  bool has(const char* attribute) const { return holder(attribute) != nullptr; }
  /// Where the attribute is given; the element itself if nowhere.
  const Element& of(const char* attribute) const {
    const Element* found = holder(attribute);
    return found != nullptr ? *found : element();
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

/// <default>, with classes in classes.
class Defaults {
 public:
  void read(const Element& top);
  /// @param inherited  the class of the bodies around it; empty: none
  /// @param as         the element of <default> that it takes its defaults from; empty: that of its own tag
  /// @throws Error naming a class that does not exist, with the nearest
  Setting of(const Element& element, const std::string& inherited, std::string_view as = "") const;
  void require_class(const Element& element, const std::string& name) const;

 private:
  struct Class {
    std::string parent;
    std::vector<Element> elements{};  // as written; later ones win
  };
  void read(const Element& element, const std::string& name, const std::string& parent);
  std::map<std::string, Class> classes_{{"main", {""}}};
};

/// quat, axisangle, euler, xyaxes or zaxis; none: no rotation.
SO3 read_rotation(const Setting& setting, const Compiler& compiler);
/// pos and rotation.
SE3 read_pose(const Setting& setting, const Compiler& compiler);

/// The shortest turn that brings z along a vector.
/// @param attribute  that gives it, for the message if it is zero
SO3 to_axis(const Element& element, const char* attribute, const Vec3& vector);

/// A joint whose spring and damper follow from the inertia that it moves.
struct SpringDamper {
  std::string joint;
  double time_constant, ratio;
  Element element;
};
/// Sets the damping of these joints, and says which stiffness is not kept. With (M^-1)_k the mean of the diagonal of
/// the inverse mass matrix over the coordinates of joint k, where the file shows the mechanism,
///
///     I_k = 1 / (M^-1)_k,   damping = 2 I_k / time_constant,   stiffness = I_k / (time_constant ratio)^2
///
/// @param armatures  what the mass matrix has besides, by joint
void apply_spring_dampers(Mechanism& mechanism, const std::vector<SpringDamper>& list,
                          const std::map<std::string, double>& armatures, const Flags& flags);

/// <inertial>, or the sum of the geoms, as the compiler says; none: massless.
/// @param inherited  the class of the bodies around it; empty: none
std::optional<BodyInertia> read_inertia(const Element& body, const Defaults& defaults,
                                        const std::string& inherited, const Compiler& compiler);
/// Scales all inertias to `total_mass`.
void scale_inertias(Mechanism& mechanism, const Compiler& compiler);

}  // namespace chasles::io::mjcf
