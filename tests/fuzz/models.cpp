#include <algorithm>
#include <cmath>

#include "chasles/error.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/model/model.hpp"
#include "fuzz/some_steps.hpp"
#include "io/meshes/convex_hull.hpp"
#include "io/meshes/mesh_mass.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles::fuzz {
namespace {

constexpr std::size_t longest_message = 1100;
/// Files with more bodies are read and compiled only: copies of copies take seconds under sanitizers.
constexpr std::size_t most_written = 50;

void check_message(const Error& error) {
  const std::string text = error.what();
  require(!text.empty() && text.size() < longest_message,
          "message of " + std::to_string(text.size()));
  for (const char c : text)
    require(static_cast<unsigned char>(c) >= 0x20 || c == '\n', "control character in a message");
}

/// Writing in another format ends with a text or a message; what is written may be beyond the limits of its reader.
template <class Writer, class Reader>
void convert(const Mechanism& mechanism, const Writer& writer, const Reader& reader) {
  std::vector<std::string> warnings;
  try {
    reader(writer(mechanism, &warnings), "written.xml", {});
  } catch (const Error& error) {
    check_message(error);
  }
}
void convert_all(const Mechanism& mechanism) {
  convert(
      mechanism, [](const Mechanism& m, std::vector<std::string>* w) { return write_urdf(m, w); },
      read_urdf);
  convert(mechanism, write_mjcf, read_mjcf);
  convert(mechanism, write_sdf, read_sdf);
}

/// Springs, tendons, actuators and contacts of a model act.
void simulate(const Mechanism& mechanism) {
  if (mechanism.bodies.size() > 20 || mechanism.loops.size() > 5) return;
  std::string text =
      "{chasles: 1, model: m.yaml, duration: 0.01, integrator: {method: rk4, step: 0.001}";
  if (!mechanism.collisions.shapes.empty()) text += ", contacts: {from: model, floor: 0}";
  if (!mechanism.actuators.empty()) text += ", control: [{type: actuators}]";
  const auto read = [&](const std::filesystem::path&, const ReadOptions&) { return mechanism; };
  try {
    some_steps(io::read_scenario(text + "}", "fuzz.yaml", read));
  } catch (const Error& error) {
    check_message(error);
  }
}

/// A written model is read as the same one, and compiles if the first did.
void round_trip(const Mechanism& mechanism) {
  bool sound = true;
  try {
    compile(mechanism);
  } catch (const Error& error) {
    check_message(error);
    sound = false;
  }
  if (!sound || mechanism.bodies.size() > most_written) return;
  const std::string text = write_yaml(mechanism);
  try {
    const Mechanism again = read_yaml(text, "written");
    compile(again);
    require(write_yaml(again) == text, "written twice, it differs:\n" + text);
  } catch (const Error& error) {
    throw Failure(std::string("what was written is refused: ") + error.what() + "\n" + text);
  }
  convert_all(mechanism);
  simulate(mechanism);
}

template <class Reader>
void read_xml(std::string_view bytes, bool floating, const Reader& reader) {
  std::vector<std::string> warnings;
  try {
    round_trip(
        reader(bytes, "fuzz.xml",
               {.floating_base = floating, .warnings = &warnings, .folder = "tests/fuzz/files"}));
  } catch (const Error& error) {
    check_message(error);
  }
  require(warnings.size() <= 101, "too many warnings");
  for (const std::string& warning : warnings)
    require(warning.size() < longest_message, "a long warning");
}

}  // namespace

void model_yaml(std::string_view bytes) {
  try {
    round_trip(read_yaml(bytes, "fuzz.yaml"));
  } catch (const Error& error) {
    check_message(error);
  }
}

void urdf(std::string_view bytes) {
  const bool floating = bytes.starts_with(' ');
  read_xml(bytes, floating, read_urdf);
}
void mjcf(std::string_view bytes) { read_xml(bytes, false, read_mjcf); }
void sdf(std::string_view bytes) { read_xml(bytes, false, read_sdf); }

void mesh(std::string_view bytes) {
  if (bytes.empty()) return;
  const char* endings[] = {".stl", ".obj", ".msh"};
  const char* ending = endings[static_cast<unsigned char>(bytes[0]) % 3];
  try {
    const io::TriangleMesh read = io::parse_mesh(std::string(bytes.substr(1)), ending);
    double extent = 0;
    for (const Vec3& p : read.vertices) extent = std::max(extent, max_abs(p));
    const bool closed = io::surface_defect(read).text.empty();
    const double volume = std::pow(extent, 3);
    if (!read.faces.empty()) {
      // The volume of an open surface depends on its apex.
      const double enclosed = std::abs(io::solid_mass(read).measure);
      require(!closed || enclosed <= 64 * volume * static_cast<double>(read.faces.size()),
              "a volume that does not fit in");
      require(io::shell_mass(read).measure >= 0, "a negative area");
      require(io::pyramid_mass(read).measure >= 0, "a negative sum of pyramids");
    }
    if (read.vertices.size() > 1000) return;
    const io::TriangleMesh hull = io::convex_hull(read.vertices);
    require(io::surface_defect(hull).text.empty(), "a hull that is not closed");
    const double inside = io::solid_mass(hull).measure;
    require(inside > 0 && inside <= 8.001 * volume, "the volume of a hull");
    for (const auto& face : hull.faces) {
      const auto [a, b, c] = hull.corners(face);
      const Vec3 n = cross(b - a, c - a);
      // By volume: facets as narrow as rounding have no direction.
      for (const Vec3& p : read.vertices)
        require(dot(n, p - a) <= 1e-6 * volume, "a point outside of its hull");
    }
  } catch (const Error& error) {
    check_message(error);
  }
}

}  // namespace chasles::fuzz
