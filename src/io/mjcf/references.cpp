#include "io/mjcf/references.hpp"

namespace chasles::io::mjcf {
namespace {

/// The kind of name that an attribute refers to; empty: it is not a reference.
std::string_view referred_kind(std::string_view attribute) {
  static constexpr struct {
    std::string_view attribute, kind;
  } table[] = {
      {"joint", "joint"},     {"joint1", "joint"}, {"joint2", "joint"},  {"jointinparent", "joint"},
      {"body", "body"},       {"body1", "body"},   {"body2", "body"},    {"target", "body"},
      {"geom", "geom"},       {"geom1", "geom"},   {"geom2", "geom"},    {"site", "site"},
      {"site1", "site"},      {"site2", "site"},   {"sidesite", "site"}, {"cranksite", "site"},
      {"slidersite", "site"}, {"refsite", "site"}, {"tendon", "tendon"}, {"tendon1", "tendon"},
      {"tendon2", "tendon"},  {"mesh", "mesh"},    {"class", "class"},   {"childclass", "class"}};
  for (const auto& row : table)
    if (row.attribute == attribute) return row.kind;
  return {};
}

/// The kind of name that an element gives; empty: none that is referred to.
std::string_view given_kind(std::string_view tag) {
  if (tag == "freejoint") return "joint";
  if (tag == "fixed" || tag == "spatial") return "tendon";
  for (const std::string_view kind : {"body", "joint", "geom", "site", "mesh"})
    if (tag == kind) return kind;
  return {};
}

bool contains(const NamesByKind& names, std::string_view kind, const char* name) {
  const auto found = names.find(kind);
  return found != names.end() && found->second.contains(name);
}

bool is_of_tree(std::string_view kind) {
  return !kind.empty() && kind != "mesh" && kind != "class";
}

}  // namespace

void collect_names(const tinyxml2::XMLElement& xml, NamesByKind& names) {
  const std::string_view kind = given_kind(xml.Name());
  const char* name = xml.Attribute("name");
  if (!kind.empty() && name != nullptr) names[std::string(kind)].insert(name);
  if (std::string_view(xml.Name()) == "default")
    if (const char* of = xml.Attribute("class")) names["class"].insert(of);
  for (const auto* e = xml.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    collect_names(*e, names);
}

void rename(tinyxml2::XMLElement& xml, const NamesByKind& names, const std::string& prefix,
            const std::string& suffix) {
  for (const auto* a = xml.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view attribute = a->Name();
    const auto kind = attribute == "name" ? given_kind(xml.Name()) : referred_kind(attribute);
    if (contains(names, kind, a->Value()))
      const_cast<tinyxml2::XMLAttribute*>(a)->SetAttribute((prefix + a->Value() + suffix).c_str());
  }
  if (const char* own = xml.Attribute("prefix");
      own != nullptr && !prefix.empty() && std::string_view(xml.Name()) == "attach")
    xml.SetAttribute("prefix", (prefix + own).c_str());
  for (auto* e = xml.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    rename(*e, names, prefix, suffix);
}

References count_references(const tinyxml2::XMLElement& xml, const NamesByKind& names) {
  References found;
  for (const auto* a = xml.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view kind = referred_kind(a->Name());
    if (!is_of_tree(kind)) continue;
    if (contains(names, kind, a->Value()))
      ++found.inside;
    else if (std::string_view(a->Value()) != "world")
      ++found.outside;
  }
  for (const auto* e = xml.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const References inner = count_references(*e, names);
    found.inside += inner.inside, found.outside += inner.outside;
  }
  return found;
}

}  // namespace chasles::io::mjcf
