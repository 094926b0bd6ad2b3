#include "io/sdf/frames.hpp"

#include "chasles/lie/quaternion.hpp"
#include "chasles/suggest.hpp"

namespace chasles::io::sdf {

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

void Frames::insert(const std::string& name, Item item) {
  if (name.starts_with("__") || name == "world")
    item.element.refuse("the name is kept for SDF itself; rename it");
  const Element element = item.element;
  const auto [other, is_new] = items_.emplace(name, std::move(item));
  if (!is_new)
    element.refuse("the name " + quote(name) + " is used twice, first in " +
                   other->second.element.where());
}

void Frames::add(const std::string& name, const Element& element, const GivenPose& pose,
                 const std::string& usual, const std::string& attached) {
  Item item{element, pose, attached};
  if (item.pose.relative_to.empty()) item.pose.relative_to = usual;
  insert(name, std::move(item));
}

void Frames::add_model(const std::string& name, const Element& element, const GivenPose& pose,
                       const std::string& usual, Frames& inner, const std::string& placement) {
  Item item{element, pose, "", &inner};
  if (item.pose.relative_to.empty()) item.pose.relative_to = usual;
  if (!placement.empty()) item.pose.C = item.pose.C * inverse(inner.resolve(placement, element));
  insert(name, std::move(item));
}

/// Names with `::` of their own, which files before 1.8 contain, are found first.
Frames::Inner Frames::split(const std::string& name) const {
  if (items_.contains(name)) return {};
  for (auto at = name.find(scope_mark); at != name.npos; at = name.find(scope_mark, at + 1)) {
    const auto found = items_.find(std::string_view(name).substr(0, at));
    if (found != items_.end() && found->second.inner != nullptr)
      return {name.substr(0, at), name.substr(at + 2)};
  }
  return {};
}

const Frames::Item& Frames::find(const std::string& name, const Element& asker) const {
  const auto found = items_.find(name);
  if (found != items_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& entry : items_) known.push_back(entry.first);
  asker.refuse("there is no link, joint or frame " + quote(name) + did_you_mean(name, known));
}

/// Iterative within a model, not recursive: a chain of frames may exceed the stack.
SE3 Frames::resolve(const std::string& name, const Element& asker) {
  struct Step {
    Item* item;  // null: a frame of a nested model, at C
    SE3 C;
  };
  std::vector<Step> chain;
  const Element* from = &asker;
  SE3 C;
  for (std::string next = name;
       !next.empty() && next != model_frame && !(is_world_ && next == "world");) {
    if (const Inner inner = split(next); !inner.model.empty()) {
      const Item& model = find(inner.model, *from);
      chain.push_back({nullptr, model.inner->resolve(inner.name, *from)});
      next = inner.model;
      continue;
    }
    Item& item = find(next, *from);
    if (item.state == Item::known) {
      C = item.in_model;
      break;
    }
    if (item.state == Item::busy)
      item.element.refuse("its pose is relative to itself, by way of others; break the circle");
    item.state = Item::busy;
    chain.push_back({&item, item.pose.C});
    from = &item.element;
    next = item.pose.relative_to;
  }
  for (auto step = chain.rbegin(); step != chain.rend(); ++step) {
    C = C * step->C;
    if (step->item == nullptr) continue;
    step->item->in_model = C;
    step->item->state = Item::known;
  }
  return C;
}

std::string Frames::link_of(const std::string& name, const Element& asker) const {
  std::string at = name;
  for (std::size_t steps = 0; steps <= items_.size() + 1; ++steps) {
    if (is_world_ && (at == model_frame || at == "world")) return "world";
    if (at == model_frame) at = canonical_;
    if (at.empty()) return "world";  // a model without links does not move
    const auto inside = [](const std::string& model, const std::string& link) {
      return link == "world" ? link : model + scope_mark + link;
    };
    if (const Inner inner = split(at); !inner.model.empty())
      return inside(inner.model, find(inner.model, asker).inner->link_of(inner.name, asker));
    const Item& item = find(at, asker);
    if (item.inner != nullptr) return inside(at, item.inner->link_of(model_frame, asker));
    if (item.attached.empty()) return at;
    at = item.attached;
  }
  asker.refuse(quote(name) + " is attached to itself, by way of others; break the circle");
}

}  // namespace chasles::io::sdf
