/// What holds for a whole MJCF file: how angles are written, defaults by class;
/// and what is read the same way everywhere.
#pragma once

#include <map>

#include "chasles/lie/se3.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io::mjcf {

/// <compiler>.
struct Compiler {
  bool degrees = true;
  std::string eulerseq = "xyz";
  bool autolimits = true;
  enum class FromGeoms { never, automatic, always } inertia = FromGeoms::automatic;

  double radians(double angle) const { return degrees ? angle * (M_PI / 180) : angle; }
};
void read_compiler(const Element& element, Compiler& compiler);

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
  /// @throws Error naming a class that does not exist, with the nearest
  Setting of(const Element& element, const std::string& inherited) const;
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

/// <inertial>, or the sum of the geoms, as the compiler says; none: massless.
/// @param inherited  the class of the bodies around it; empty: none
std::optional<BodyInertia> read_inertia(const Element& body, const Defaults& defaults,
                                        const std::string& inherited, const Compiler& compiler);

}  // namespace chasles::io::mjcf
