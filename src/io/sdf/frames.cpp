#include "io/sdf/frames.hpp"

#include <charconv>

#include "chasles/lie/quaternion.hpp"
#include "chasles/suggest.hpp"

namespace chasles::io::sdf {

int read_version(const Element& top) {
  constexpr int newest = 12;
  if (!top.has("version")) return newest;
  const std::string text = top.text("version");
  int minor = -1;
  if (text.starts_with("1.")) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 2, end, minor);
    if (error != std::errc{} || stop != end) minor = -1;
  }
  if (minor < 0) top.refuse("version " + quote(text) + " is not one of SDF; give 1.2 to 1.12");
  if (minor < 2)
    top.refuse("version " + quote(text) +
               " wrote values as attributes and is not read; convert the file (gz sdf --convert) "
               "and give that");
  if (minor > newest)
    top.warn("version " + quote(text) + " is newer than 1." + std::to_string(newest) +
             ", as which it is read");
  return minor;
}

GivenPose read_pose(const Element& owner, int version) {
  const std::optional<Element> pose = owner.child("pose");
  if (!pose) return {};
  GivenPose given;
  if (pose->has("frame")) {
    if (version < 7)
      given.relative_to = pose->raw("frame");
    else
      pose->warn("frame of <pose> is not obeyed from version 1.7 on; write relative_to");
  }
  if (!pose->raw("relative_to").empty()) given.relative_to = pose->text("relative_to");
  if (!pose->has_content()) return given;
  const bool quaternion =
      pose->has("rotation_format") && pose->text("rotation_format") == "quat_xyzw";
  const std::size_t count = quaternion ? 7 : 6;
  const auto x = pose->content_numbers(count, count);
  given.C.r = {x[0], x[1], x[2]};
  const bool degrees =
      pose->has("degrees") && (pose->text("degrees") == "true" || pose->text("degrees") == "1");
  const double unit = degrees ? M_PI / 180 : 1;
  try {
    given.C.R = quaternion ? rotation(normalized(Quaternion{x[6], x[3], x[4], x[5]}))
                           : rotation_from_rpy(unit * x[3], unit * x[4], unit * x[5]);
  } catch (const Error& error) {
    pose->refuse(error.what());
  }
  return given;
}

void Frames::add(const std::string& name, const Element& element, const GivenPose& pose,
                 const std::string& usual, const std::string& attached) {
  if (name.starts_with("__") || name == "world")
    element.refuse("the name is kept for SDF itself; rename it");
  GivenPose given = pose;
  if (given.relative_to.empty()) given.relative_to = usual;
  const auto [other, is_new] = items_.emplace(name, Item{element, given, attached});
  if (!is_new)
    element.refuse("the name is used twice, first in line " +
                   std::to_string(other->second.element.line()));
}

const Frames::Item& Frames::find(const std::string& name, const Element& asker) const {
  const auto found = items_.find(name);
  if (found != items_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& entry : items_) known.push_back(entry.first);
  asker.refuse("there is no link, joint or frame " + quote(name) + did_you_mean(name, known));
}

/// Iterative, not recursive: a chain of frames may exceed the stack.
SE3 Frames::resolve(const std::string& name, const Element& asker) {
  std::vector<Item*> chain;
  const Element* from = &asker;
  SE3 C;
  for (std::string next = name; !next.empty() && next != model_frame;) {
    Item& item = find(next, *from);
    if (item.state == Item::known) {
      C = item.in_model;
      break;
    }
    if (item.state == Item::busy)
      item.element.refuse("its pose is relative to itself, by way of others; break the circle");
    item.state = Item::busy;
    chain.push_back(&item);
    from = &item.element;
    next = item.pose.relative_to;
  }
  for (auto item = chain.rbegin(); item != chain.rend(); ++item) {
    C = C * (*item)->pose.C;
    (*item)->in_model = C;
    (*item)->state = Item::known;
  }
  return C;
}

std::string Frames::link_of(const std::string& name, const Element& asker) const {
  std::string at = name;
  for (std::size_t steps = 0; steps <= items_.size(); ++steps) {
    if (at == model_frame) at = canonical_;
    const Item& item = find(at, asker);
    if (item.attached.empty()) return at;
    at = item.attached;
  }
  asker.refuse(quote(name) + " is attached to itself, by way of others; break the circle");
}

}  // namespace chasles::io::sdf
