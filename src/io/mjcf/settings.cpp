#include "io/mjcf/settings.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/screws/screw.hpp"
#include "chasles/suggest.hpp"
#include "io/mjcf/document.hpp"

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
SO3 from_axes(const Element& e) {
  const auto x = e.numbers("xyaxes", 6, 6);
  const Vec3 ex = direction(e, "xyaxes", {x[0], x[1], x[2]}), y{x[3], x[4], x[5]};
  const Vec3 ey = direction(e, "xyaxes", y - dot(ex, y) * ex);
  return SO3::unchecked({ex, ey, cross(ex, ey)}).normalized();
}
}  // namespace

/// Lower case: intrinsic rotations; upper case: extrinsic.
SO3 read_euler(const Element& e, const Compiler& compiler, double factor) {
  const Vec3 angles = factor * e.vec3("euler", {});
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
  if (e.has("assetdir")) compiler.meshdir = e.raw("assetdir");
  if (e.has("meshdir")) compiler.meshdir = e.raw("meshdir");
  if (e.has("strippath")) compiler.strippath = word(e, "strippath", {"false", "true"}) == 1;
  if (e.has("fitaabb")) compiler.fitaabb = word(e, "fitaabb", {"false", "true"}) == 1;
  if (e.has("exactmeshinertia") && word(e, "exactmeshinertia", {"false", "true"}) == 1)
    compiler.mesh_inertia = "exact";  // older versions
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
                   {"limit", flags.limit},     {"equality", flags.equality},
                   {"contact", flags.contact}, {"filterparent", flags.filterparent}};
  for (const auto& [name, flag] : all)
    if (e->has(name)) flag = word(*e, name, {"disable", "enable"}) == 1;
  if (e->has("passive") && word(*e, "passive", {"disable", "enable"}) == 0)
    flags.damper = flags.spring = false;  // older versions
  if (e->has("constraint") && word(*e, "constraint", {"disable", "enable"}) == 0)
    flags.frictionloss = flags.limit = flags.equality = flags.contact = false;
  return flags;
}

void Defaults::read(const Element& top) {
  const Place* place = place_of(top);
  if (place != nullptr && place->model != nullptr) return read(top, top.text("class"), "");
  read(top, "main", "");
  if (top.has("class") && top.text("class") != "main") open_class(top.text("class"), "main");
}

/// A new class has what its parent has so far; what later sections add to the parent is not inherited.
Defaults::Class& Defaults::open_class(const std::string& name, const std::string& parent) {
  const std::size_t inherited = parent.empty() ? 0 : classes_.at(parent).elements.size();
  return classes_.try_emplace(name, Class{parent, inherited}).first->second;
}
void Defaults::read(const Element& element, const std::string& name, const std::string& parent) {
  Class& here = open_class(name, parent);
  for (const Element& e : element.children())
    if (e.tag() != "default") here.elements.push_back(e);
  for (const Element& e : element.children())
    if (e.tag() == "default") read(e, e.of("a nested <default>").text("class"), name);
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
  std::size_t count = classes_.at(name).elements.size();
  for (std::size_t k = 0; k <= classes_.size() && !name.empty(); ++k) {
    const Class& here = classes_.at(name);
    for (std::size_t i = count; i-- > 0;)
      if (here.elements[i].tag() == tag) setting.add_default(here.elements[i]);
    name = here.parent, count = here.inherited;
  }
  return setting;
}

std::vector<Element> Defaults::elements_of(const Element& element,
                                           std::span<const std::string_view> tags) const {
  std::string name = element.has("class") ? element.text("class") : "main";
  require_class(element, name);
  std::vector<Element> list;
  std::size_t count = classes_.at(name).elements.size();
  for (std::size_t k = 0; k <= classes_.size() && !name.empty(); ++k) {
    const Class& here = classes_.at(name);
    for (std::size_t i = count; i-- > 0;)
      if (std::find(tags.begin(), tags.end(), here.elements[i].tag()) != tags.end())
        list.push_back(here.elements[i]);
    name = here.parent, count = here.inherited;
  }
  // Elements cannot be assigned, so std::reverse does not apply.
  return {list.rbegin(), list.rend()};
}

const Compiler& compiler_of(const Element& element, const Compiler& main) {
  const Place* place = place_of(element);
  return place != nullptr && place->model != nullptr ? place->model->compiler : main;
}
SE3 frame_around(const Element& element) {
  const Place* place = place_of(element);
  return place != nullptr ? place->frame : SE3{};
}

SO3 read_rotation(const Setting& setting, const Compiler& main) {
  const Compiler& compiler = compiler_of(setting.element(), main);
  static constexpr const char* forms[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  // The element's own orientation replaces that of its class, whatever their forms.
  const Element& e = setting.first_with(forms);
  if (e.has("quat")) return from_quaternion(e);
  if (e.has("axisangle")) {
    const auto x = e.numbers("axisangle", 4, 4);
    return exp(compiler.radians(x[3]) * direction(e, "axisangle", {x[0], x[1], x[2]}));
  }
  if (e.has("euler")) return read_euler(e, compiler, 1);
  if (e.has("xyaxes")) return from_axes(e);
  if (e.has("zaxis")) return to_axis(e, "zaxis", e.vec3("zaxis", {}));
  return {};
}

SE3 read_pose(const Setting& setting, const Compiler& compiler) {
  return frame_around(setting.element()) *
         SE3{read_rotation(setting, compiler), setting.vec3("pos", {})};
}

}  // namespace chasles::io::mjcf
