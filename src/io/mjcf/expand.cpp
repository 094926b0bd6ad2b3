#include <algorithm>
#include <cmath>

#include "io/mjcf/document.hpp"
#include "io/mjcf/references.hpp"

namespace chasles::io::mjcf {
namespace {

bool admits_class(std::string_view tag) {
  return tag == "geom" || tag == "joint" || tag == "site" || tag == "camera" || tag == "light";
}

/// 7 of 12: "07".
std::string index_text(std::size_t index, std::size_t count) {
  std::string text = std::to_string(index);
  return std::string(std::to_string(count).size() - text.size(), '0') + text;
}

}  // namespace

void dissolve(tinyxml2::XMLElement& from) {
  auto* parent = from.Parent();
  while (auto* last = from.LastChild()) parent->InsertAfterChild(&from, last);
  parent->DeleteChild(&from);
}

void Document::read_settings(SourceModel& model, Xml& root) {
  for (auto* e = root.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const std::string_view tag = e->Name();
    if (tag == "compiler") read_compiler(element(*e, "compiler"), model.compiler);
    if (tag != "asset") continue;
    for (auto* asset = e->FirstChildElement("model"); asset != nullptr;
         asset = asset->NextSiblingElement("model"))
      model.assets.push_back(asset);
  }
}

const SourceModel& Document::model_of(const Xml& xml) const {
  const auto* known = static_cast<const Place*>(static_cast<const Origin*>(xml.GetUserData()));
  return known != nullptr && known->model != nullptr ? *known->model : models_.front();
}

/// Removes the frames, replicas and attachments from the elements of a body.
/// @param frame       pose of the frames around these elements
/// @param childclass  of these frames; empty: that of the body
void Document::expand(Xml& parent, const SE3& frame, const std::string& childclass) {
  for (Xml* e = parent.FirstChildElement(); e != nullptr;) {
    Xml* next = e->NextSiblingElement();
    const std::string_view tag = e->Name();
    if (tag == "frame") {
      expand_frame(*e, frame, childclass);
    } else if (tag == "replicate") {
      expand_replicate(*e, frame, childclass);
    } else if (tag == "attach") {
      expand_attach(*e, frame);
    } else {
      set_place(*e, frame, childclass);
      if (tag == "body") expand(*e, {}, "");
    }
    e = next;
  }
}

/// <inertial> is in the axes of its body, whatever frames are around it.
void Document::set_place(Xml& xml, const SE3& frame, const std::string& childclass) {
  const std::string_view tag = xml.Name();
  if (!childclass.empty()) {
    const char* attribute = tag == "body" ? "childclass" : "class";
    if ((tag == "body" || admits_class(tag)) && xml.Attribute(attribute) == nullptr)
      xml.SetAttribute(attribute, childclass.c_str());
  }
  if (tag != "inertial" && !(frame == SE3{})) place(xml).frame = frame * place(xml).frame;
}

void Document::expand_frame(Xml& xml, const SE3& frame, const std::string& childclass) {
  const Element e =
      element(xml, xml.Attribute("name") != nullptr ? "frame " + quote(xml.Attribute("name"))
                                                    : std::string("a frame"));
  const SE3 pose = frame * read_pose(Setting(e), model_of(xml).compiler);
  expand(xml, pose, e.has("childclass") ? e.text("childclass") : childclass);
  dissolve(xml);
}

/// Copies of the contents, whose names end in SEP and k. The k-th has the rotation R_k and the position r_k,
///
///     R_k = R(k euler),   r_0 = 0,   r_{k+1} = r_k + R_k offset
void Document::expand_replicate(Xml& xml, const SE3& frame, const std::string& childclass) {
  const Element e = element(xml, "replicate");
  constexpr double most = 1e6;
  const double count = e.number("count");
  if (!(count >= 1 && count <= most) || count != std::floor(count))
    e.refuse("count " + to_text(count) + ": give a whole number from 1 to " + to_text(most));
  const auto n = static_cast<std::size_t>(count);
  const std::string separator = e.raw("sep");
  const Compiler& compiler = model_of(xml).compiler;
  const Vec3 offset = e.vec3("offset", {});
  expand(xml, {}, e.has("childclass") ? e.text("childclass") : childclass);

  NamesByKind names;
  for (const Xml* c = xml.FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
    collect_names(*c, names);
  auto* parent = xml.Parent();
  tinyxml2::XMLNode* last = &xml;
  const int depth = depth_of(xml);
  if (xml.FirstChildElement() == nullptr) return void(parent->DeleteChild(&xml));
  std::vector<std::string> suffixes;
  Vec3 r;
  for (std::size_t k = 0; k < n; ++k) {
    const std::string& suffix = suffixes.emplace_back(separator + index_text(k, n));
    const SO3 R = read_euler(e, compiler, static_cast<double>(k));
    const SE3 replica = frame * SE3{R, r};
    for (const Xml* c = xml.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      Xml* copy = clone(*c, files_.front().name, depth);
      rename(*copy, names, "", suffix);
      last = parent->InsertAfterChild(last, copy);
      set_place(*copy, replica, "");
    }
    r = r + R * offset;
  }
  parent->DeleteChild(&xml);
  replicate_references(names, suffixes);
}

/// Elements outside of the tree that refer to something replicated: one for each replica. Tendons first, as others may
/// refer to them.
void Document::replicate_references(NamesByKind names, const std::vector<std::string>& suffixes) {
  for (const bool tendons : {true, false})
    for (Xml* section = root_->FirstChildElement(); section != nullptr;
         section = section->NextSiblingElement()) {
      const std::string_view tag = section->Name();
      if (is_reference_section(tag) && tendons == (tag == "tendon"))
        replicate_section(*section, names, suffixes);
    }
}

void Document::replicate_section(Xml& section, NamesByKind& names,
                                 const std::vector<std::string>& suffixes) {
  for (Xml* e = section.FirstChildElement(); e != nullptr;) {
    Xml* next = e->NextSiblingElement();
    const References found = count_references(*e, names);
    const std::string name = e->Attribute("name") != nullptr ? e->Attribute("name") : "";
    if (found.inside > 0) {
      const bool mixed = found.outside > 0 && std::string_view(section.Name()) == "equality";
      if (mixed)
        element(*e, "equality " + quote(name))
            .warn(
                "joins a replica to something that is not replicated; it is left out, as in "
                "MuJoCo");
      tinyxml2::XMLNode* last = e;
      for (const std::string& suffix : mixed ? std::vector<std::string>{} : suffixes) {
        Xml* copy = clone(*e, files_.front().name, 2);
        rename(*copy, names, "", suffix);
        if (!name.empty()) copy->SetAttribute("name", (name + suffix).c_str());
        last = section.InsertAfterChild(last, copy);
      }
      if (!name.empty() && std::string_view(section.Name()) == "tendon")
        names["tendon"].insert(name);
      section.DeleteChild(e);
    }
    e = next;
  }
}

}  // namespace chasles::io::mjcf
