#include "io/sdf/model.hpp"

#include "io/formats/format.hpp"

namespace chasles::io::sdf {
namespace {

constexpr int deepest_models = 32;

/// The model of a file for inclusion; none: lights, actors and the like alone.
std::optional<Element> model_in(const Document& document, const Element& include) {
  std::optional<Element> model;
  for (const Element& e : document.top.children()) {
    if (e.tag() == "world") include.refuse(quote(document.name) + " is a world; include a model");
    if (e.tag() != "model") continue;
    if (model)
      include.refuse(quote(document.name) + " has several models; include a file with one");
    model.emplace(e);
  }
  return model;
}

}  // namespace

bool is_true(const Element& owner, std::string_view tag) {
  const std::optional<Element> e = owner.child(tag);
  return e && is_neutral(e->content(), "true 1");
}

Vec3 read_gravity(const Element& world, int version) {
  std::optional<Element> e = world.child("gravity");
  for (const Element& physics : world.children())
    if (const auto inner = physics.child("gravity"); physics.tag() == "physics" && inner) {
      if (version < 6)
        e.emplace(*inner);
      else
        inner->warn(
            "<gravity> in <physics> is not obeyed from version 1.6 on; write it in <world>");
    }
  if (!e) return {0, 0, -9.8};  // the default of SDF
  const auto g = e->content_numbers(3, 3);
  return {g[0], g[1], g[2]};
}

Model::Model(Documents& documents, const Element& element, const Document& document, int depth)
    : documents_(documents),
      depth_(depth),
      is_static_(element.tag() == "model" && is_true(element, "static")) {
  if (depth > deepest_models)
    element.refuse("models are nested deeper than " + std::to_string(deepest_models) + " levels");
  documents.count_model(element);
  if (element.tag() != "model") names.set_world();
  collect(element, {&document});
  choose_canonical(element);
}

void Model::collect(const Element& owner, const Source& source) {
  for (const Element& e : owner.children()) collect_element(e, source);
}

GivenPose Model::pose_of(const Element& e, const Source& source) const {
  GivenPose pose = read_pose(e, source.version());
  pose.relative_to = source.name(pose.relative_to);
  return pose;
}

void Model::collect_element(const Element& plain, const Source& source) {
  const std::string kind(plain.tag());
  if (kind == "world") return collect(plain, source);
  if (kind == "model") return nest(plain, source);
  if (kind == "include") return include(plain, source);
  if (kind != "link" && kind != "joint" && kind != "frame") return;
  const std::string name = plain.of("a " + kind).text("name");
  const Element e = plain.of(kind + " " + quote(name));
  const GivenPose pose = pose_of(e, source);
  if (kind == "link") {
    names.add(name, e, pose, source.self, "");
    links.push_back({name, e, source});
  } else if (kind == "joint") {
    const std::string child = source.name(e.require("child").content());
    names.add(name, e, pose, child, child);
    joints.push_back({name, e, source});
  } else {
    const std::string to =
        e.raw("attached_to").empty() ? source.self : source.name(e.text("attached_to"));
    names.add(name, e, pose, to, to);
    frames.push_back({name, e, source});
  }
}

void Model::nest(const Element& plain, const Source& source) {
  const std::string name = plain.of("a model").text("name");
  const Element e = plain.of("model " + quote(name));
  auto model = std::make_unique<Model>(documents_, e, *source.document, depth_ + 1);
  names.add_model(name, e, pose_of(e, source), source.self, model->names, e.raw("placement_frame"));
  const bool is_static = model->is_static();
  nested.push_back({name, std::move(model), is_static, e});
}

/// Name, pose, placement frame and `static` of the <include> replace those of the model.
void Model::include(const Element& plain, const Source& source) {
  const Element e = plain.of("include");
  const Document& document = documents_.included(e, *source.document);
  const Documents::Opened open(documents_, document, e);
  const std::optional<Element> found = model_in(document, e);
  if (!found) return;
  const std::optional<Element> given = e.child("name");
  const std::string name = given ? given->content() : found->text("name");
  const Element model = found->of("model " + quote(name));
  if (e.raw("merge") == "true" || e.raw("merge") == "1") return merge(e, model, document, source);
  auto inner = std::make_unique<Model>(documents_, model, document, depth_ + 1);
  const std::optional<Element> placement = e.child("placement_frame");
  const bool own_pose = !e.child("pose");
  names.add_model(name, e, own_pose ? read_pose(model, document.version) : pose_of(e, source),
                  source.self, inner->names,
                  placement  ? placement->content()
                  : own_pose ? model.raw("placement_frame")
                             : "");
  const bool is_static = e.child("static") ? is_true(e, "static") : inner->is_static();
  nested.push_back({name, std::move(inner), is_static, e});
}

/// The elements of a merged model become elements of this one; its frame is `_merged__NAME__model__` here.
void Model::merge(const Element& e, const Element& model, const Document& document,
                  const Source& source) {
  const Source merged{&document, "_merged__" + model.text("name") + "__model__"};
  Model alone(documents_, model, document, depth_ + 1);  // its frames relative to its own
  const std::optional<Element> placement = e.child("placement_frame");
  GivenPose pose = e.child("pose") ? pose_of(e, source) : read_pose(model, document.version);
  if (placement) pose.C = pose.C * inverse(alone.names.resolve(placement->content(), *placement));
  if (alone.names.canonical().empty()) return;
  names.add(merged.self, e, pose, source.self, alone.names.canonical());
  collect(model, merged);
}

void Model::choose_canonical(const Element& element) {
  if (element.tag() != "model") return;
  const std::string canonical = element.raw("canonical_link");
  if (!canonical.empty())
    names.set_canonical(canonical);
  else if (!links.empty())
    names.set_canonical(links[0].name);
  else
    for (const Nested& inner : nested)
      if (!inner.model->names.canonical().empty())
        return names.set_canonical(inner.name + scope_mark + inner.model->names.canonical());
}

}  // namespace chasles::io::sdf
