#include <algorithm>

#include "io/mjcf/document.hpp"

namespace chasles::io::mjcf {
namespace {

namespace fs = std::filesystem;

/// Elements that includes, replicas and attached models may add to a model.
constexpr std::size_t most_elements = 200'000;

/// Whether a relative path, normalized, begins with "..".
bool leaves(const fs::path& path) { return !path.empty() && *path.begin() == ".."; }

}  // namespace

int depth_of(const tinyxml2::XMLNode& node) {
  int depth = 0;
  for (const auto* up = node.Parent(); up != nullptr; up = up->Parent()) ++depth;
  return depth;
}

Document::Document(std::string_view text, const std::string& name, const ReadOptions& options)
    : report_(name, options.warnings), options_(options) {
  SourceFile& file = files_.emplace_back();
  file.name = name;
  file.folder = options.folder;
  file.xml = std::make_unique<XmlText>(text, file.name, "mujoco");
  file.xml->root("mujoco", "MJCF");
  bytes_ = text.size();
  root_ = &file.xml->root();
  SourceModel& model = models_.emplace_back();
  model.file = &file;
  if (!options.folder.empty())
    model.included.insert((options.folder / fs::path(name).filename()).lexically_normal().string());
  include(*root_, model, file.folder);
  read_settings(model, *root_);
  for (auto* e = root_->FirstChildElement("worldbody"); e != nullptr;
       e = e->NextSiblingElement("worldbody"))
    expand(*e, {}, "");
}

/// A file named by `file` of an element: in the folder of the main file, as MuJoCo looks for it, or else beside the
/// file that names it.
fs::path Document::find(const Element& naming, const fs::path& beside) const {
  const fs::path given(naming.text("file"));
  if (options_.folder.empty())
    naming.refuse("the file " + quote(given.string()) +
                  " cannot be looked for, as this text comes from no folder; give the model by "
                  "the path of its file");
  std::error_code error;
  fs::path path = (options_.folder / given).lexically_normal();
  if (!fs::exists(path, error)) {
    const fs::path nearby = (beside / given).lexically_normal();
    if (fs::exists(nearby, error)) path = nearby;
  }
  const fs::path from_main = path.lexically_relative(options_.folder.lexically_normal());
  if (!options_.allow_outside && (given.is_absolute() || from_main.empty() || leaves(from_main)))
    naming.refuse(
        "the file " + quote(given.string()) +
        " is outside of the model's folder and not read; allow it with "
        "--allow-outside, in a scenario allow_outside: true (ReadOptions::allow_outside)");
  if (!fs::exists(path, error))
    naming.refuse("there is no file " + quote(path.string()) +
                  "; the path is relative to the folder of the main file");
  return path;
}

SourceFile& Document::read(const Element& naming, const fs::path& path) {
  SourceFile& file = files_.emplace_back();
  file.name = path.string();
  file.folder = path.parent_path();
  const std::string text = read_file(path);
  bytes_ += text.size();
  if (bytes_ > largest_text)
    naming.refuse("the files of the model are larger than " + std::to_string(largest_text >> 20) +
                  " MB together");
  file.xml = std::make_unique<XmlText>(text, file.name, "mujocoinclude");
  return file;
}

void Document::include(Xml& parent, SourceModel& model, const fs::path& beside) {
  for (Xml* e = parent.FirstChildElement(); e != nullptr;) {
    Xml* next = e->NextSiblingElement();
    if (std::string_view(e->Name()) == "include")
      include_file(*e, model, beside);
    else
      include(*e, model, beside);
    e = next;
  }
}

/// Replaces <include> by the elements of its file. The outermost element of the file, of any name, is left out.
void Document::include_file(Xml& xml, SourceModel& model, const fs::path& beside) {
  const Element naming = element(xml, "include");
  if (xml.FirstChildElement() != nullptr)
    naming.refuse("<include> has elements in it; give only its file");
  const fs::path path = find(naming, beside);
  if (!model.included.insert(path.string()).second)
    naming.refuse("the file " + quote(path.string()) +
                  " is included twice, or includes itself; a file can be included once");
  const SourceFile& file = read(naming, path);
  Xml* parent = xml.Parent()->ToElement();
  tinyxml2::XMLNode* last = &xml;
  const int depth = depth_of(xml);
  for (const Xml* e = file.xml->root().FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    Xml* copy = clone(*e, file.name, depth);
    last = parent->InsertAfterChild(last, copy);
    if (std::string_view(copy->Name()) != "include") {
      include(*copy, model, file.folder);
      continue;
    }
    // The files of an include in a row go in before the elements after it.
    tinyxml2::XMLNode* after = copy->NextSibling();
    include_file(*copy, model, file.folder);
    last = after == nullptr ? parent->LastChild() : after->PreviousSibling();
  }
  parent->DeleteChild(&xml);
}

Place& Document::place(Xml& xml) {
  if (xml.GetUserData() == nullptr) {
    places_.push_back({{&files_.front().name, xml.GetLineNum()}});
    xml.SetUserData(static_cast<Origin*>(&places_.back()));
  }
  return *static_cast<Place*>(static_cast<Origin*>(xml.GetUserData()));
}

/// A copy in the main document; it has no place in the tree yet.
/// @param file  of the element, unless it knows better
Document::Xml* Document::clone(const Xml& from, const std::string& file, int depth) {
  const auto* known = static_cast<const Place*>(static_cast<const Origin*>(from.GetUserData()));
  const Place origin = known != nullptr ? *known : Place{{&file, from.GetLineNum()}};
  if (++elements_ > most_elements)
    fail(*origin.file, {origin.line, 0},
         "included files, replicas and attached models add more than " +
             std::to_string(most_elements) + " elements; give fewer");
  if (depth > deepest_nesting)
    fail(*origin.file, {origin.line, 0},
         "nested deeper than " + std::to_string(deepest_nesting) + " elements, with its includes");
  Xml* to = root_->GetDocument()->NewElement(from.Name());
  for (const auto* a = from.FirstAttribute(); a != nullptr; a = a->Next())
    to->SetAttribute(a->Name(), a->Value());
  to->SetUserData(static_cast<Origin*>(&places_.emplace_back(origin)));
  for (const auto* inner = from.FirstChild(); inner != nullptr; inner = inner->NextSibling()) {
    if (const Xml* e = inner->ToElement())
      to->InsertEndChild(clone(*e, file, depth + 1));
    else if (const auto* text = inner->ToText())
      to->InsertEndChild(root_->GetDocument()->NewText(text->Value()));
  }
  return to;
}

}  // namespace chasles::io::mjcf
