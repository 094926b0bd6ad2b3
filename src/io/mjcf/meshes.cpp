#include "io/mjcf/meshes.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/lie/quaternion.hpp"
#include "chasles/suggest.hpp"
#include "io/meshes/builtin_mesh.hpp"
#include "io/meshes/convex_hull.hpp"
#include "io/mjcf/document.hpp"
#include "math/decompositions.hpp"

namespace chasles::io::mjcf {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_numbers = 10'000'000;

/// vertex and face, or only points.
TriangleMesh inline_mesh(const Setting& s) {
  TriangleMesh mesh;
  const auto x = s.of("vertex").numbers("vertex", 3, most_numbers);
  if (x.size() % 3 != 0)
    throw Error("vertex has " + std::to_string(x.size()) + " numbers; give three for each vertex");
  const auto single = [](double a) { return static_cast<double>(static_cast<float>(a)); };
  for (std::size_t i = 0; i < x.size(); i += 3)
    mesh.vertices.push_back({single(x[i]), single(x[i + 1]), single(x[i + 2])});
  if (!s.has("face")) return mesh;
  const auto f = s.of("face").numbers("face", 3, most_numbers);
  if (f.size() % 3 != 0)
    throw Error("face has " + std::to_string(f.size()) + " numbers; give three for each triangle");
  for (std::size_t i = 0; i < f.size(); i += 3) {
    std::array<int, 3> face{};
    for (std::size_t k = 0; k < 3; ++k) {
      if (!(f[i + k] >= 0 && f[i + k] < 1e9 && f[i + k] == std::floor(f[i + k])))
        throw Error("face has " + to_text(f[i + k]) + ", which is not the index of a vertex");
      face[k] = static_cast<int>(f[i + k]);
    }
    mesh.faces.push_back(face);
  }
  return mesh;
}

SO3 reference_rotation(const Setting& s) {
  if (!s.has("refquat")) return {};
  const auto x = s.of("refquat").numbers("refquat", 4, 4);
  return rotation(normalized(Quaternion{x[0], x[1], x[2], x[3]}));
}

/// p -> scale (R^T (p - refpos)), with the orientation of faces kept.
void move_and_scale(TriangleMesh& mesh, const Setting& s) {
  const Vec3 scale = s.vec3("scale", {1, 1, 1}), origin = s.vec3("refpos", {});
  const SO3 R = reference_rotation(s);
  for (Vec3& p : mesh.vertices) {
    const Vec3 q = inverse_times(R, p - origin);
    p = {scale.x * q.x, scale.y * q.y, scale.z * q.z};
  }
  if (scale.x * scale.y * scale.z < 0)
    for (auto& face : mesh.faces) std::swap(face[1], face[2]);
}

MeshMass mass_of_mesh(const TriangleMesh& mesh, const std::string& kind, const Element& e) {
  if (kind == "shell") return shell_mass(mesh);
  if (kind == "legacy") return pyramid_mass(mesh);
  if (kind == "convex") return solid_mass(convex_hull(mesh.vertices));
  const SurfaceDefect defect = surface_defect(mesh);
  const std::string needs = "inertia=\"exact\" needs a closed surface, and " + defect.text;
  const std::string remedy = "; repair it or give inertia=\"convex\"";
  if (defect.inconsistent) throw Error(needs + remedy);
  if (!defect.text.empty()) e.warn(needs + ", so its volume is that of pyramids on it" + remedy);
  return solid_mass(mesh);
}

PrincipalMesh principal_mesh(const TriangleMesh& mesh, const MeshMass& mass) {
  Eigen::Matrix3d A;
  const Sym3& I = mass.tensor;
  A << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const SymmetricEigen<3> eigen = symmetric_eigen(A);
  const auto axis = [&](int k) {
    return Vec3{eigen.vectors(0, k), eigen.vectors(1, k), eigen.vectors(2, k)};
  };
  const Vec3 x = axis(2), y = axis(1);
  PrincipalMesh out{.measure = mass.measure,
                    .frame = {SO3::unchecked({x, y, cross(x, y)}).normalized(), mass.center}};
  for (int k = 0; k < 3; ++k) out.moments[k] = eigen.values[2 - k] / mass.measure;
  for (int k = 0; k < 3; ++k) {
    const double others = out.moments[(k + 1) % 3] + out.moments[(k + 2) % 3] - out.moments[k];
    out.box[k] = std::sqrt(std::max(0.0, 1.5 * others));
  }
  out.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, out.high = -out.low;
  for (const Vec3& p : mesh.vertices) {
    const Vec3 q = inverse_times(out.frame.R, p - mass.center);
    for (int k = 0; k < 3; ++k)
      out.low[k] = std::min(out.low[k], q[k]), out.high[k] = std::max(out.high[k], q[k]);
  }
  return out;
}

}  // namespace

void Meshes::add(const Element& asset, const Defaults& defaults) {
  for (const Element& e : asset.children()) {
    if (e.tag() != "mesh") continue;
    std::string name = e.has("name")   ? e.text("name")
                       : e.has("file") ? fs::path(e.text("file")).stem().string()
                                       : "";
    const Element named = e.of("mesh " + quote(name));
    if (!entries_.emplace(name, Entry{defaults.of(named, "")}).second)
      named.warn("there is another mesh of this name; the first one is used");
  }
}

const PrincipalMesh* Meshes::find(const Element& geom, const std::string& name,
                                  std::string& why) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    std::vector<std::string_view> known;
    for (const auto& entry : entries_) known.push_back(entry.first);
    geom.refuse("there is no mesh " + quote(name) + did_you_mean(name, known));
  }
  Entry& entry = found->second;
  if (!entry.read) try {
      entry.read = true;
      entry.mesh = read(entry.setting);
    } catch (const Error& error) {
      entry.why = "mesh " + quote(name) + ": " + error.what();
    }
  why = entry.why;
  return entry.mesh ? &*entry.mesh : nullptr;
}

std::optional<VisualShape> Meshes::shown(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  const Setting& s = found->second.setting;
  if (!s.has("file") || s.has("vertex") || s.text("builtin", "none") != "none") return std::nullopt;
  const Vec3 scale = s.vec3("scale", {1, 1, 1});
  if (s.has("refquat") && !(scale.x == scale.y && scale.y == scale.z))
    s.of("refquat").refuse("a mesh that is turned and then stretched");
  // The pose is applied after the scale: scale R^T (p - o) = R^T (scale p) - R^T (scale o) if they commute.
  const Vec3 o = s.vec3("refpos", {});
  const SO3 turn = inverse(reference_rotation(s));
  return VisualShape{.kind = VisualShape::Kind::mesh,
                     .size = scale,
                     .pose = {turn, -(turn * Vec3{scale.x * o.x, scale.y * o.y, scale.z * o.z})},
                     .mesh = file_of(s)};
}

/// In the folder of meshes, or else beside the included file that names it, as MuJoCo looks for it.
fs::path Meshes::file_of(const Setting& s) const {
  fs::path file = s.text("file", "");
  const Compiler& compiler = compiler_of(s.element(), compiler_);
  const Place* place = place_of(s.element());
  const fs::path& folder =
      place != nullptr && place->model != nullptr ? place->model->file->folder : folder_;
  if (compiler.strippath) file = file.filename();
  fs::path path = folder / compiler.meshdir / file;
  const Origin* origin = s.of("file").origin();
  std::error_code error;
  if (origin == nullptr || fs::exists(path, error)) return path;
  fs::path nearby = fs::path(*origin->file).parent_path() / file;
  return fs::exists(nearby, error) ? nearby : path;
}

TriangleMesh Meshes::triangles(const Setting& s) const {
  if (s.has("builtin") && s.text("builtin", "") != "none")
    return builtin_mesh(s.text("builtin", ""), s.has("params")
                                                   ? s.of("params").numbers("params", 0, 100)
                                                   : std::vector<double>{});
  if (s.has("vertex")) return inline_mesh(s);
  if (!s.has("file")) throw Error("has neither file, vertex nor builtin; give one of them");
  const std::string type = s.text("content_type", "");
  const std::string ending = type == "model/obj"              ? ".obj"
                             : type == "model/stl"            ? ".stl"
                             : type == "model/vnd.mujoco.msh" ? ".msh"
                                                              : "";
  try {
    return read_mesh(file_of(s), ending, ObjectsOfFile::first);
  } catch (const Error& error) {
    throw Error(quote(s.text("file", "")) + ": " + error.what());
  }
}

PrincipalMesh Meshes::read(const Setting& s) const {
  static constexpr std::string_view kinds[] = {"legacy", "convex", "exact", "shell"};
  const std::string kind = s.text("inertia", compiler_of(s.element(), compiler_).mesh_inertia);
  if (std::find(std::begin(kinds), std::end(kinds), kind) == std::end(kinds))
    throw Error("inertia " + quote(kind) + " is not known" + choices(kind, kinds));
  TriangleMesh mesh = triangles(s);
  check_mesh(mesh);
  if (mesh.faces.empty()) mesh = convex_hull(mesh.vertices);
  move_and_scale(mesh, s);
  const MeshMass mass = mass_of_mesh(mesh, kind, s.element());
  if (mass.measure < 0)
    throw Error("its triangles are oriented inward, so that the volume is " +
                to_text(mass.measure) + "; reverse them or give inertia=\"convex\"");
  if (!(mass.measure >= 1e-14))
    throw Error(kind == "shell" ? "it has no area" : "it has no volume; give inertia=\"shell\"");
  return principal_mesh(mesh, mass);
}

}  // namespace chasles::io::mjcf
