#include "io/mjcf/settings.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/screws/screw.hpp"
#include "chasles/suggest.hpp"

namespace chasles::io::mjcf {
namespace {

/// One of a few words.
std::size_t word(const Element& e, const char* attribute,
                 std::initializer_list<std::string_view> words) {
  const std::string given = e.text(attribute);
  const std::vector<std::string_view> known(words);
  const auto found = std::find(known.begin(), known.end(), given);
  if (found == known.end())
    e.refuse(std::string(attribute) + " " + quote(given) + " is not known" + choices(given, known));
  return static_cast<std::size_t>(found - known.begin());
}

Vec3 direction(const Element& e, const char* attribute, const Vec3& v) {
  if (!(max_abs(v) > 0))
    e.refuse(std::string(attribute) + ": " + tuple_text(coordinates(v)) +
             " has no direction; give another");
  return lie::unit_axis(v);
}

SO3 from_quaternion(const Element& e) {
  const auto x = e.numbers("quat", 4, 4);
  try {
    return rotation(normalized(Quaternion{x[0], x[1], x[2], x[3]}));
  } catch (const Error& error) {
    e.refuse(error.what());
  }
}
/// Lower case: intrinsic rotations; upper case: extrinsic.
SO3 from_euler(const Element& e, const Compiler& compiler) {
  const Vec3 angles = e.vec3("euler", {});
  const double of[] = {angles.x, angles.y, angles.z};
  SO3 R;
  for (std::size_t k = 0; k < 3; ++k) {
    const char letter = compiler.eulerseq[k];
    const char axis = static_cast<char>(letter | 0x20);
    const SO3 turn = exp(compiler.radians(of[k]) *
                         Vec3{axis == 'x' ? 1.0 : 0, axis == 'y' ? 1.0 : 0, axis == 'z' ? 1.0 : 0});
    R = letter == axis ? R * turn : turn * R;
  }
  return R;
}
SO3 from_axes(const Element& e) {
  const auto x = e.numbers("xyaxes", 6, 6);
  const Vec3 ex = direction(e, "xyaxes", {x[0], x[1], x[2]}), y{x[3], x[4], x[5]};
  const Vec3 ey = direction(e, "xyaxes", y - dot(ex, y) * ex);
  return SO3::unchecked({ex, ey, cross(ex, ey)}).normalized();
}
}  // namespace

SO3 to_axis(const Element& e, const char* attribute, const Vec3& given) {
  const Vec3 z = direction(e, attribute, given), across = cross(Vec3{0, 0, 1}, z);
  const double s = norm(across), angle = std::atan2(s, z.z);
  if (s == 0) return z.z > 0 ? SO3{} : exp(Vec3{M_PI, 0, 0});
  return exp(angle / s * across);
}

void read_compiler(const Element& e, Compiler& compiler) {
  if (e.has("angle")) compiler.degrees = word(e, "angle", {"radian", "degree"}) == 1;
  if (e.has("autolimits")) compiler.autolimits = word(e, "autolimits", {"false", "true"}) == 1;
  if (e.has("coordinate")) word(e, "coordinate", {"local"});
  if (e.has("inertiafromgeom"))
    compiler.inertia =
        static_cast<Compiler::FromGeoms>(word(e, "inertiafromgeom", {"false", "auto", "true"}));
  if (e.has("inertiagrouprange")) {
    const auto range = e.numbers("inertiagrouprange", 2, 2);
    compiler.first_group = range[0], compiler.last_group = range[1];
  }
  if (e.has("balanceinertia")) compiler.balance = word(e, "balanceinertia", {"false", "true"}) == 1;
  if (e.has("eulerseq")) {
    compiler.eulerseq = e.text("eulerseq");
    const bool good = compiler.eulerseq.size() == 3 &&
                      compiler.eulerseq.find_first_not_of("xyzXYZ") == std::string::npos;
    if (!good)
      e.refuse("eulerseq " + quote(compiler.eulerseq) + ": give three of x, y, z, X, Y and Z");
  }
  compiler.least_mass = e.number("boundmass", compiler.least_mass);
  compiler.least_inertia = e.number("boundinertia", compiler.least_inertia);
  compiler.total_mass = e.number("settotalmass", compiler.total_mass);
}

Flags read_flags(const Element& option, Flags flags) {
  const std::optional<Element> e = option.child("flag");
  if (!e) return flags;
  struct {
    const char* name;
    bool& flag;
  } const all[] = {{"gravity", flags.gravity}, {"damper", flags.damper},
                   {"spring", flags.spring},   {"frictionloss", flags.frictionloss},
                   {"limit", flags.limit},     {"equality", flags.equality}};
  for (const auto& [name, flag] : all)
    if (e->has(name)) flag = word(*e, name, {"disable", "enable"}) == 1;
  if (e->has("passive") && word(*e, "passive", {"disable", "enable"}) == 0)
    flags.damper = flags.spring = false;  // older versions
  if (e->has("constraint") && word(*e, "constraint", {"disable", "enable"}) == 0)
    flags.frictionloss = flags.limit = flags.equality = false;
  return flags;
}

void Defaults::read(const Element& top) {
  read(top, "main", "");
  if (top.has("class")) classes_.try_emplace(top.text("class"), Class{"main"});
}
void Defaults::read(const Element& element, const std::string& name, const std::string& parent) {
  Class& here = classes_.try_emplace(name, Class{parent}).first->second;
  for (const Element& e : element.children()) {
    if (e.tag() == "default")
      read(e, e.of("a nested <default>").text("class"), name);
    else
      here.elements.push_back(e);
  }
}

void Defaults::require_class(const Element& element, const std::string& name) const {
  if (classes_.contains(name)) return;
  std::vector<std::string_view> known;
  for (const auto& entry : classes_) known.push_back(entry.first);
  element.refuse("the class " + quote(name) + " does not exist" + did_you_mean(name, known));
}

Setting Defaults::of(const Element& element, const std::string& inherited,
                     std::string_view as) const {
  Setting setting(element);
  std::string name = element.has("class") ? element.text("class")
                     : !inherited.empty() ? inherited
                                          : "main";
  require_class(element, name);
  const std::string_view tag = !as.empty() ? as : element.tag();
  // Bounded, in case a class is its own ancestor in a broken file.
  for (std::size_t k = 0; k <= classes_.size() && !name.empty(); ++k) {
    const Class& here = classes_.at(name);
    for (auto e = here.elements.rbegin(); e != here.elements.rend(); ++e)
      if (e->tag() == tag) setting.add_default(*e);
    name = here.parent;
  }
  return setting;
}

SO3 read_rotation(const Setting& setting, const Compiler& compiler) {
  if (setting.has("quat")) return from_quaternion(setting.of("quat"));
  if (setting.has("axisangle")) {
    const Element& e = setting.of("axisangle");
    const auto x = e.numbers("axisangle", 4, 4);
    return exp(compiler.radians(x[3]) * direction(e, "axisangle", {x[0], x[1], x[2]}));
  }
  if (setting.has("euler")) return from_euler(setting.of("euler"), compiler);
  if (setting.has("xyaxes")) return from_axes(setting.of("xyaxes"));
  if (setting.has("zaxis")) return to_axis(setting.of("zaxis"), "zaxis", setting.vec3("zaxis", {}));
  return {};
}

SE3 read_pose(const Setting& setting, const Compiler& compiler) {
  return {read_rotation(setting, compiler), setting.vec3("pos", {})};
}

}  // namespace chasles::io::mjcf
