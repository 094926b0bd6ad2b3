#include "io/sdf/documents.hpp"

#include <charconv>

#include "io/formats/format.hpp"
#include "io/resources.hpp"

namespace chasles::io::sdf {
namespace {

namespace fs = std::filesystem;

constexpr int newest = 12;
constexpr int most_models = 10000;

std::vector<fs::path> model_folders() {
  return folders_of(
      {"SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"});
}

/// 1.MINOR; -1: another version.
int minor_of(std::string_view text) {
  int minor = -1;
  if (!text.starts_with("1.")) return -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 2, end, minor);
  return error != std::errc{} || stop != end ? -1 : minor;
}

const tinyxml2::XMLElement& root_of(const XmlText& xml) {
  const bool old = std::string_view(xml.root().Name()) == "gazebo";  // up to 1.2
  return xml.root(old ? "gazebo" : "sdf", "SDF");
}

/// The file of a folder, by the list of its model.config: <sdf version="1.5">model-1_5.sdf</sdf>, ..
fs::path file_of(const fs::path& folder, std::vector<std::string>* warnings) {
  for (const char* config : {"model.config", "manifest.xml"}) {
    std::error_code error;
    if (!fs::exists(folder / config, error)) continue;
    const std::string name = (folder / config).string();
    const XmlText xml(read_file(folder / config), name, "model");
    Report report(name, warnings);
    const Element top(report, xml.root(), "model");
    std::string best;
    int best_version = -2;
    for (const Element& e : top.children()) {
      if (e.tag() != "sdf") continue;
      const int version = e.has("version") ? minor_of(e.text("version")) : -1;
      if (version > newest || version <= best_version) continue;
      best = e.content(), best_version = version;
    }
    if (best.empty())
      top.refuse("names no SDF file of a version up to 1." + std::to_string(newest) +
                 "; give <sdf version=\"1.6\">model.sdf</sdf>");
    if (!lies_in(folder / best, folder))
      top.refuse(quote(best) + " leaves the folder of the model");
    return folder / best;
  }
  return folder / "model.sdf";
}

}  // namespace

int read_version(const Element& top) {
  if (!top.has("version")) return newest;
  const std::string text = top.text("version");
  const int minor = minor_of(text);
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

Document::Document(std::string_view text, std::string name_, fs::path path_,
                   std::vector<std::string>* warnings)
    : name(std::move(name_)),
      path(std::move(path_)),
      xml(text, name, "sdf"),
      report(name, warnings),
      top(report, root_of(xml), "sdf"),
      version(read_version(top)) {
  check_format(sdf_format, top);
}

Documents::Documents(std::string_view text, const std::string& name, const ReadOptions& options)
    : options_(options) {
  const fs::path file = options.folder.empty() ? fs::path{} : options.folder / "model.sdf";
  main_ = std::make_unique<Document>(text, name, file, options.warnings);
}

Documents::Opened::Opened(Documents& documents, const Document& document, const Element& include)
    : documents_(documents) {
  for (const Document* open : documents.open_)
    if (open == &document)
      include.refuse(quote(document.name) + " includes itself, by way of others; break the circle");
  documents.open_.push_back(&document);
}

void Documents::count_model(const Element& model) {
  if (++models_ > most_models)
    model.refuse("more than " + std::to_string(most_models) +
                 " models are included; do files include each other?");
}

fs::path Documents::outside_checked(const Element& uri, const fs::path& path,
                                    const Document& by) const {
  if (options_.allow_outside) return path;
  std::vector<fs::path> allowed = model_folders();
  allowed.push_back(by.path.parent_path());
  allowed.push_back(options_.folder);
  for (const fs::path& folder : allowed)
    if (lies_in(path, folder)) return path;
  uri.refuse(quote(path.string()) +
             " lies outside of the folder of the model; if the file may be read, add its folder to "
             "SDF_PATH or give --allow-outside, in a scenario allow_outside: true");
}

fs::path Documents::locate(const Element& uri, const std::string& text, const Document& by) {
  const auto rest_of = [&](std::string_view scheme) {
    return text.starts_with(scheme) ? std::optional(text.substr(scheme.size())) : std::nullopt;
  };
  if (text.starts_with("http://") || text.starts_with("https://"))
    uri.refuse(quote(text) +
               " is on the network, which is not read; download it, and write model://NAME with "
               "its folder in SDF_PATH");
  const fs::path beside = by.path.parent_path();
  if (const auto inside = rest_of("package://")) {
    if (const auto found = find_in_package(*inside, options_, beside)) return *found;
    uri.refuse("there is no file " + quote(text) +
               " in ROS_PACKAGE_PATH, AMENT_PREFIX_PATH or a folder above the model; give the "
               "folder of the package: --package NAME=FOLDER");
  }
  if (const auto path = rest_of("file://")) return outside_checked(uri, beside / *path, by);
  const auto named = rest_of("model://");
  if (!named) {
    std::error_code error;
    if (fs::path(text).is_absolute()) return outside_checked(uri, text, by);
    if (!beside.empty() && fs::exists(beside / text, error))
      return outside_checked(uri, beside / text, by);
  }
  if (const auto found = find_named(named.value_or(text), model_folders(), beside)) return *found;
  uri.refuse("there is no model " + quote(text) +
             " in the folders of SDF_PATH, "
             "GZ_SIM_RESOURCE_PATH, IGN_GAZEBO_RESOURCE_PATH and GAZEBO_MODEL_PATH" +
             (beside.empty() ? "" : ", beside the file or above it") +
             "; set SDF_PATH to the folder that contains it");
}

const Document& Documents::included(const Element& include, const Document& by) {
  const Element uri = include.require("uri");
  fs::path path = locate(uri, uri.content(), by);
  std::error_code error;
  if (fs::is_directory(path, error)) path = file_of(path, options_.warnings);
  // Folders above the model are searched up to the root: only models are read there.
  const std::string ending = path.extension().string();
  if (ending != ".sdf" && ending != ".world" && ending != ".urdf" && ending != ".xml")
    uri.refuse(quote(path.string()) + " does not end in .sdf; give a model");
  const fs::path real = fs::weakly_canonical(path, error);
  auto& known = others_[error ? path.string() : real.string()];
  if (!known) {
    std::string text;
    try {
      text = read_file(path);
    } catch (const Error& problem) {
      uri.refuse(problem.what());
    }
    if (const XmlText xml(text, path.string(), "sdf");
        std::string_view(xml.root().Name()) == "robot")
      uri.refuse(quote(path.string()) + " is URDF; convert it: chasles convert " + path.string() +
                 " -o NAME.sdf");
    known = std::make_unique<Document>(text, path.string(), path, options_.warnings);
  }
  return *known;
}

}  // namespace chasles::io::sdf
