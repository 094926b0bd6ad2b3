#include "chasles/io/mechanism_file.hpp"

#include "io/mechanism_text.hpp"
#include "io/report/collision_shapes.hpp"
#include "io/text.hpp"
#include "io/urdf/visuals.hpp"
#include "io/urdf/xacro.hpp"
#include "io/urdf/xml.hpp"

namespace chasles {
namespace {

bool is_xacro(const std::filesystem::path& path) { return path.extension() == ".xacro"; }

bool is_xml(const std::filesystem::path& path, std::string_view text) {
  const std::string extension = path.extension().string();
  if (extension == ".yaml" || extension == ".yml" || extension == ".json") return false;
  if (extension == ".urdf" || extension == ".xml" || extension == ".sdf" || extension == ".mjcf" ||
      is_xacro(path))
    return true;
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '<';
}

/// The same options, with the folder of a model file.
ReadOptions beside(const std::filesystem::path& path, ReadOptions options) {
  if (!io::is_standard_stream(path) && options.folder.empty())
    options.folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return options;
}

/// After unwinding, memory is available again for the message.
[[noreturn]] void no_memory(const std::filesystem::path& path) {
  throw Error(io::input_name(path) +
              ": there is not enough memory to read it; give a smaller file, or the program more "
              "memory");
}

/// @throws Error if a model of a file with several is chosen, which only SDF files are
void require_one_model(const std::string& name, const ReadOptions& options) {
  if (!options.model.empty())
    throw Error(name + ": there is no choice of model '" + options.model +
                "': only SDF files have several; leave out --model or model_name");
}

Mechanism read_any(const std::string& given, const std::filesystem::path& path,
                   const ReadOptions& options) {
  const std::string name = io::input_name(path);
  const std::string expanded = is_xacro(path) ? io::expand_xacro(path) : std::string();
  const std::string& text = is_xacro(path) ? expanded : given;
  if (is_xml(path, text)) {
    const io::XmlText xml(text, name, "robot");
    const std::string_view root = xml.root().Name();
    if (root == "mujoco" || root == "robot") require_one_model(name, options);
    if (root == "mujoco") return read_mjcf(text, name, beside(path, options));
    if (root == "sdf" || root == "gazebo") return read_sdf(text, name, beside(path, options));
    if (root == "robot") {
      Mechanism mechanism = read_urdf(text, name, beside(path, options));
      if (options.appearance)
        mechanism.appearance = io::read_visuals(xml.root(), name, path, options);
      return mechanism;
    }
    io::fail(name, {xml.root().GetLineNum(), 0},
             "the outermost element is <" + std::string(root) +
                 ">; give <robot> (URDF), <mujoco> (MJCF) or <sdf> (SDF)");
  }
  if (options.floating_base)
    throw Error(name +
                ": a floating base can be added to URDF only; in YAML give the first body a "
                "joint of type floating");
  require_one_model(name, options);
  return read_yaml(text, name, beside(path, options));
}

}  // namespace

Mechanism io::read_mechanism(const std::string& given, const std::filesystem::path& path,
                             const ReadOptions& options) try {
  Mechanism mechanism = read_any(given, path, options);
  if (options.appearance) complete_appearance(mechanism);
  return mechanism;
} catch (const std::bad_alloc&) {
  no_memory(path);
}

Mechanism read_mechanism(const std::filesystem::path& path, const ReadOptions& options) try {
  return io::read_mechanism(io::read_file(path), path, options);
} catch (const std::bad_alloc&) {
  no_memory(path);
}

}  // namespace chasles
