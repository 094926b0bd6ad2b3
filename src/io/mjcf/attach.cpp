#include <algorithm>

#include "chasles/suggest.hpp"
#include "io/mjcf/document.hpp"

namespace chasles::io::mjcf {
namespace {

using Xml = tinyxml2::XMLElement;

/// What is attached, and the childclass around it.
struct Found {
  const Xml* xml = nullptr;
  std::string childclass{};
};

/// A body or frame of this name.
Found find_part(const Xml& parent, std::string_view tag, const std::string& name,
                const std::string& childclass) {
  for (const Xml* e = parent.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const char* own = e->Attribute("name");
    if (e->Name() == tag && own != nullptr && own == name) return {e, childclass};
    const std::string_view inner = e->Name();
    if (inner != "body" && inner != "frame" && inner != "replicate") continue;
    const char* given = e->Attribute("childclass");
    if (Found found = find_part(*e, tag, name, given != nullptr ? given : childclass); found.xml)
      return found;
  }
  return {};
}

}  // namespace

/// The model that an <attach> names: by the name of the asset, or else by that of the model in its file.
SourceModel& Document::model_asset(const Element& attach, const SourceModel& parent) {
  const std::string name = attach.text("model");
  std::vector<std::string> known;
  for (const Xml* asset : parent.assets) {
    const Element naming = element(*asset, "model " + quote(name));
    if (naming.has("name")) {
      if (naming.text("name") == name) return read_model(naming, parent);
      known.push_back(naming.text("name"));
      continue;
    }
    SourceModel& model = read_model(naming, parent);
    if (const char* own = model.root->Attribute("model")) {
      if (own == name) return model;
      known.push_back(own);
    }
  }
  attach.refuse("there is no model " + quote(name) + " among the assets" +
                did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end())));
}

SourceModel& Document::read_model(const Element& asset, const SourceModel& parent) {
  const std::filesystem::path path = find(asset, parent.file->folder);
  for (SourceModel& known : models_)
    if (known.path == path) return known;
  SourceFile& file = read(asset, path);
  file.xml->root("mujoco", "MJCF");
  SourceModel& model = models_.emplace_back();
  model.file = &file, model.path = path;
  model.included.insert(path.string());
  model.root = clone(file.xml->root(), file.name, 0);
  include(*model.root, model, file.folder);
  mark(*model.root, model);
  read_settings(model, *model.root);
  return model;
}

void Document::mark(Xml& xml, const SourceModel& model) {
  place(xml).model = &model;
  for (Xml* e = xml.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) mark(*e, model);
}

/// Replaces <attach> by a body, a frame or all of another model, with a prefix on all names, and by the elements
/// outside of its tree that refer only to what is attached.
void Document::expand_attach(Xml& xml, const SE3& frame) {
  const Element e = element(xml, "attach");
  if (!e.has("model"))
    e.refuse("a part of the model itself cannot be attached; give the model, or write it out");
  SourceModel& model = model_asset(e, model_of(xml));
  if (std::find(attaching_.begin(), attaching_.end(), &model) != attaching_.end())
    e.refuse("the model " + quote(e.text("model")) + " is attached to itself");
  const std::string prefix = e.raw("prefix");
  NamesByKind all, attached;
  collect_names(*model.root, all);
  all["class"].insert("main");

  std::vector<Found> parts;
  for (const Xml* world = model.root->FirstChildElement("worldbody"); world != nullptr;
       world = world->NextSiblingElement("worldbody")) {
    for (const char* kind : {"body", "frame"})
      if (e.has(kind))
        if (const Found found = find_part(*world, kind, e.text(kind), "main"); found.xml)
          parts.push_back(found);
    for (const Xml* c = world->FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
      if (!e.has("body") && !e.has("frame")) parts.push_back({c, "main"});
  }
  if (parts.empty() && (e.has("body") || e.has("frame")))
    e.refuse("the model " + quote(e.text("model")) + " has no " +
             (e.has("body") ? "body " + quote(e.text("body")) : "frame " + quote(e.text("frame"))));
  const int depth = depth_of(xml);
  for (const Found& part : parts) {
    collect_names(*part.xml, attached);
    Xml* copy = clone(*part.xml, model.file->name, depth);
    rename(*copy, all, prefix, "");
    xml.InsertEndChild(copy);
  }
  attach_sections(model, prefix, all, attached);
  attaching_.push_back(&model);
  expand(xml, frame, prefix + (parts.empty() ? "main" : parts.front().childclass));
  attaching_.pop_back();
  dissolve(xml);
}

/// The defaults and assets of an attached model, and its elements outside of the tree.
void Document::attach_sections(const SourceModel& model, const std::string& prefix,
                               const NamesByKind& all, const NamesByKind& attached) {
  NamesByKind known = attached;
  Xml* defaults = root_->GetDocument()->NewElement("default");
  root_->InsertEndChild(defaults);
  defaults->SetAttribute("class", (prefix + "main").c_str());
  place(*defaults).model = &model;
  const auto copy_into = [&](Xml& section, const Xml& from) {
    Xml* copy = clone(from, model.file->name, 2);
    rename(*copy, all, prefix, "");
    if (const char* name = from.Attribute("name"))
      copy->SetAttribute("name", (prefix + name).c_str());
    else if (const char* file = from.Attribute("file"))  // the name that it has otherwise
      copy->SetAttribute("name", (prefix + std::filesystem::path(file).stem().string()).c_str());
    section.InsertEndChild(copy);
    return copy;
  };
  for (const Xml* part = model.root->FirstChildElement(); part != nullptr;
       part = part->NextSiblingElement()) {
    const std::string_view tag = part->Name();
    if (tag == "keyframe")
      element(*part, "attach").warn("keyframes of attached models are not kept");
    if (tag != "default" && tag != "asset" && !is_reference_section(tag)) continue;
    Xml* section = tag == "default" ? defaults : root_->InsertNewChildElement(part->Name());
    place(*section).model = &model;
    for (const Xml* e = part->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string_view inner = e->Name();
      if (tag == "asset" && inner == "model") continue;
      if (is_reference_section(tag)) {
        if (count_references(*e, known).outside > 0) continue;
        const char* name = e->Attribute("name");
        if (tag == "tendon" && name != nullptr) known["tendon"].insert(name);
      }
      Xml* copy = copy_into(*section, *e);
      if (tag != "default" && copy->Attribute("class") == nullptr)
        copy->SetAttribute("class", (prefix + "main").c_str());
    }
  }
}

}  // namespace chasles::io::mjcf
