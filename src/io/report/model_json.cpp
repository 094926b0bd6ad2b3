#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "chasles/kinematics/kinematics.hpp"
#include "io/meshes/coarse_mesh.hpp"
#include "io/meshes/mesh_file.hpp"
#include "io/report/constraints_json.hpp"
#include "io/report/report_json.hpp"
#include "math/decompositions.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles::io {
namespace {

// Triangles of a mesh, and of all; more are drawn coarser. A few of a mesh are always drawn.
constexpr std::size_t most_triangles = 100000, most_in_all = 1000000, few_triangles = 2000;

constexpr std::string_view motion_names[] = {"turn",  "slide",  "screw",      "ball",
                                             "rigid", "direct", "exponential"};

}  // namespace

/// Rows of the rotation, then the position.
std::string pose_json(const SE3& C) {
  const auto& R = C.R.matrix();
  return json_numbers(std::array{R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0),
                                 R(2, 1), R(2, 2), C.r.x, C.r.y, C.r.z});
}
std::string vec3_json(const Vec3& a) { return json_numbers(std::array{a.x, a.y, a.z}); }
SE3 pose_at_zero(const Frame& frame, const std::vector<SE3>& J) {
  return frame.link < 0 ? frame.offset : J[static_cast<std::size_t>(frame.link)] * frame.offset;
}
std::string frame_json(const Frame& frame, const std::vector<SE3>& J) {
  return fmt::format("\"link\":{},\"A\":{}", frame.link, pose_json(pose_at_zero(frame, J)));
}

namespace {

std::string twist_json(const Twist& X) {
  return json_numbers(std::array{X.w.x, X.w.y, X.w.z, X.v.x, X.v.y, X.v.z});
}

/// The screws of a link in the world at q = 0, where its frame is J.
std::vector<Twist> world_screws(const Model& model, const Link& link, const SE3& J) {
  std::vector<Twist> Y;
  if (links::has_single_screws(link))
    for (int k = 0; k < link.nv; ++k) Y.push_back(Ad(J, links::single_screw(model, link, k)));
  return Y;
}

/// The links: E_i(q_i) of C_i = E_1 ... E_i A_i, as exp(Y q), or as J T(q) J^-1 with T on a group.
std::string links_json(const Model& model, const std::vector<SE3>& J) {
  std::string text = "[";
  for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
    const Link& link = tree_links(model)[i];
    text += (i > 0 ? ",\n" : "\n");
    text += "{\"parent\":" + std::to_string(link.parent) + ",\"motion\":\"" +
            std::string(motion_names[static_cast<std::size_t>(link.motion)]) +
            "\",\"q\":" + std::to_string(link.q_index) + ",\"v\":" + std::to_string(link.v_index) +
            ",\"nv\":" + std::to_string(link.nv) + ",\"J\":" + pose_json(J[i]) +
            ",\"Y\":" + json_list(world_screws(model, link, J[i]), twist_json);
    if (links::has_position_axes(link)) text += ",\"Q\":" + pose_json({link.Q, {}});
    text += "}";
  }
  return text + "]";
}
std::vector<SE3> at_zero(const Model& model) {
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  return kin.C();
}

/// Shapes as JSON, and the meshes of the model, each once.
class Meshes {
 public:
  explicit Meshes(std::vector<std::string>& notes) : notes_(notes) {}

  /// The shapes that can be displayed.
  std::string shapes(std::span<const VisualShape> given) {
    std::vector<std::string> all;
    for (const VisualShape& shape : given)
      for (std::string& text : texts(shape)) all.push_back(std::move(text));
    return json_list(all, [](const std::string& text) { return text; });
  }
  /// Of a mesh the parts of its colors; none if it cannot be had.
  std::vector<std::string> texts(const VisualShape& shape) {
    require_known(shape.kind, VisualShape::Kind::plane, "kind of shape");
    if (shape.kind != VisualShape::Kind::mesh) return {json(shape, -1)};
    const Entry& mesh = entry(shape.mesh);
    if (!shape.color) note(mesh.notes, shape.mesh);
    std::vector<std::string> out;
    for (const Part& part : mesh.parts) {
      VisualShape colored = shape;
      if (!colored.color) colored.color = part.color;
      out.push_back(json(colored, part.index));
    }
    return out;
  }
  const std::string& list() const { return list_; }
  /// A note for every reason, with the whole paths of the meshes.
  void write_notes() {
    constexpr std::size_t most = 20;
    for (const auto& [what, paths] : noted_) {
      const std::vector<std::string> shown(
          paths.begin(),
          std::next(paths.begin(), static_cast<std::ptrdiff_t>(std::min(paths.size(), most))));
      notes_.push_back(
          fmt::format("{}: {}{}", what, fmt::join(shown, ", "),
                      paths.size() > most ? fmt::format(" and {} more", paths.size() - most) : ""));
    }
  }

 private:
  struct Part {
    int index = -1;
    std::optional<std::array<double, 4>> color{};
  };
  struct Entry {
    std::vector<Part> parts{};
    std::vector<MeshNote> notes{};  // on its colors
  };
  void note(const std::vector<MeshNote>& notes, const std::filesystem::path& mesh) {
    for (const auto& [what, file] : notes)
      noted_[what].insert("'" + mesh.string() + "'" + (file.empty() ? "" : " ('" + file + "')"));
  }
  static std::string json(const VisualShape& shape, int mesh) {
    static constexpr std::string_view names[] = {"box",     "sphere",    "cylinder", "mesh",
                                                 "capsule", "ellipsoid", "plane"};
    std::string text = "{\"kind\":\"" + std::string(names[static_cast<std::size_t>(shape.kind)]) +
                       "\",\"size\":" + vec3_json(shape.size) +
                       ",\"pose\":" + pose_json(shape.pose);
    if (shape.color) text += ",\"color\":" + json_numbers(*shape.color);
    if (mesh >= 0) text += ",\"mesh\":" + std::to_string(mesh);
    return text + "}";
  }
  const Entry& entry(const std::filesystem::path& path) {
    const auto [found, fresh] = known_.emplace(path.string(), Entry{});
    if (fresh) try {
        found->second = read(path);
      } catch (const Error& error) {
        note({{std::string("meshes are left out: ") + error.what()}}, path);
      }
    return found->second;
  }
  Entry read(const std::filesystem::path& path) {
    TriangleMesh mesh = read_mesh(path);
    if (mesh.faces.empty()) throw Error("has no triangles");
    const std::size_t left = most_in_all - std::min(most_in_all, triangles_),
                      most = std::clamp(left, few_triangles, most_triangles);
    if (mesh.faces.size() > most) {
      note({{fmt::format("meshes are drawn coarser than they are, with at most {} triangles",
                         most)}},
           path);
      mesh = coarser(mesh, most);
    }
    triangles_ += mesh.faces.size();
    Entry entry{{}, mesh.notes};
    for (const auto& [color, faces] : faces_by_color(mesh)) {
      std::vector<double> numbers;
      for (const std::size_t face : faces)
        for (const Vec3& p : mesh.corners(mesh.faces[face]))
          for (int k = 0; k < 3; ++k) numbers.push_back(p[k]);
      list_ += (list_.empty() ? "" : ",\n") + quantised(numbers, 3, 2);
      entry.parts.push_back({count_++, color});
    }
    return entry;
  }
  using ColoredFaces = std::map<std::optional<std::array<double, 4>>, std::vector<std::size_t>>;
  static ColoredFaces faces_by_color(const TriangleMesh& mesh) {
    ColoredFaces out;
    std::optional<std::array<double, 4>> color;
    auto next = mesh.materials.begin();
    for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
      for (; next != mesh.materials.end() && next->first_face <= face; ++next) color = next->color;
      out[color].push_back(face);
    }
    return out;
  }

  std::vector<std::string>& notes_;
  std::map<std::string, Entry> known_;
  std::map<std::string, std::set<std::string>> noted_;  // meshes by what is said of them
  std::string list_;
  int count_ = 0;
  std::size_t triangles_ = 0;
};

std::string limits_json(const ModelJoint& joint) {
  if (!joint.limits) return "";
  const auto& [lower, upper, velocity, effort] = *joint.limits;
  std::string text;
  if (lower) text += ",\"lower\":" + json_number(*lower);
  if (upper) text += ",\"upper\":" + json_number(*upper);
  return text;
}

/// A length for drawing: about a tenth of the distance between joints.
double small_length(const std::vector<SE3>& J, const Model& model) {
  double far = 0;
  for (const SE3& C : J) far = std::max(far, norm(C.r - J[0].r));
  for (const ModelBody& body : model.bodies())
    far = std::max(far, norm(center_of_mass(body.inertia)));
  return far > 0 ? far / 20 : 0.1;
}

/// Shapes that may touch, and the points of lines, at frames of the model; frames that it does not have are left out.
std::optional<Frame> frame_of(const Model& model, const std::string& name) {
  try {
    return model.frame(name);
  } catch (const Error&) {
    return std::nullopt;
  }
}
/// The body of a name; that of a frame is the first on its link. -1: ground.
int body_of(const Model& model, const std::string& name, const Frame& frame) {
  int found = -1;
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    const ModelBody& body = model.bodies()[b];
    if (body.name == name) return static_cast<int>(b);
    if (found < 0 && frame.link >= 0 && body.frame.link == frame.link) found = static_cast<int>(b);
  }
  return found;
}
std::string touching_json(const Model& model, std::span<const TouchingShape> list,
                          const std::vector<SE3>& J, Meshes& meshes) {
  std::vector<std::string> texts;
  for (const TouchingShape& item : list)
    if (const auto frame = frame_of(model, item.frame))
      for (const std::string& shape : meshes.texts(item.shape))
        texts.push_back(fmt::format("\n{{\"body\":{},{},\"shape\":{}}}",
                                    body_of(model, item.frame, *frame), frame_json(*frame, J),
                                    shape));
  return json_list(texts, [](const std::string& text) { return text; });
}
std::string lines_json(const Model& model, std::span<const DrawnLine> list,
                       const std::vector<SE3>& J) {
  static constexpr std::string_view names[] = {"spring", "bushing", "tendon", "rod"};
  std::vector<std::string> texts;
  for (const DrawnLine& line : list) {
    require_known(line.kind, DrawnLine::Kind::rod, "kind of line");
    std::vector<std::string> points;
    for (const auto& [name, point] : line.points)
      if (const auto frame = frame_of(model, name))
        points.push_back(fmt::format("{{{}}}", frame_json(frame->at({SO3{}, point}), J)));
    if (points.size() > 1 && points.size() == line.points.size())
      texts.push_back(fmt::format("\n{{\"kind\":\"{}\",\"points\":{}}}",
                                  names[static_cast<std::size_t>(line.kind)],
                                  json_list(points, [](const std::string& text) { return text; })));
  }
  return json_list(texts, [](const std::string& text) { return text; });
}

/// The function of a term of a coupling, as a third entry; nothing if f(q) = q.
std::string function_json(const Curve& function) {
  if (function.is_identity()) return "";
  const Curve::Coefficients f = function.coefficients();
  return ",{\"polynomial\":" + json_numbers(f.polynomial) + ",\"pieces\":" +
         json_list(f.pieces, [](const auto& piece) { return json_numbers(piece); }) +
         ",\"end\":" + json_number(f.end) + ",\"periodic\":" + (f.periodic ? "true" : "false") +
         "}";
}

}  // namespace

VisualShape equivalent_box(const Inertia& inertia, double small) {
  VisualShape box{.size = {small, small, small}};
  if (!(inertia.m > 0)) return box;
  const Vec3 c = center_of_mass(inertia);
  const Sym3 I = inertia.I - lie::parallel_axis(inertia.mc, c);
  Eigen::Matrix3d M;
  M << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const auto eigen = symmetric_eigen(M);
  const Eigen::Vector3d& p = eigen.values;
  Eigen::Matrix3d axes = eigen.vectors;
  if (!p.allFinite()) return box;
  if (axes.determinant() < 0) axes.col(2) *= -1;
  const auto edge = [&](int i) {
    const double square = 6 * (p.sum() - 2 * p[i]) / inertia.m;
    return std::sqrt(std::max(square, 0.0));
  };
  const Vec3 size{edge(0), edge(1), edge(2)};
  const double least =
      std::max({size.x, size.y, size.z, small}) / 50;  // minimum thickness of boxes
  box.size = {std::max(size.x, least), std::max(size.y, least), std::max(size.z, least)};
  Mat3 R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = axes(i, j);
  box.pose = {SO3(R), c};
  return box;
}

namespace {

/// The joint frame on the child body, in which reactions are given.
std::string joint_place_json(const Model& model, const ModelJoint& joint,
                             const std::vector<SE3>& J) {
  const auto number = static_cast<std::size_t>(&joint - model.joints().data());
  const Frame& child = model.bodies()[static_cast<std::size_t>(joint.child)].frame;
  return frame_json(child.at(joint_frames(model)[number]), J);
}

}  // namespace

std::string model_json(const Model& model, const Appearance& appearance,
                       std::vector<std::string>& notes) {
  const std::vector<SE3> J = at_zero(model);
  const double small = small_length(J, model);
  Meshes meshes(notes);
  std::string text =
      "{\"name\":" + json_text(model.name()) + ",\"gravity\":" + vec3_json(model.gravity()) +
      ",\"nq\":" + std::to_string(model.nq()) + ",\"nv\":" + std::to_string(model.nv()) +
      ",\"small\":" + json_number(small) + ",\"neutral\":" + json_numbers(model.neutral()) +
      ",\n\"links\":" + links_json(model, J);
  text += ",\n\"bodies\":" + json_list(model.bodies(), [&](const ModelBody& body) {
            const auto found = appearance.shapes.find(body.name);
            const std::string shapes =
                found != appearance.shapes.end() ? meshes.shapes(found->second) : "[]";
            const std::string box =
                body.inertia.m > 0 ? meshes.texts(equivalent_box(body.inertia, 0))[0] : "null";
            return "\n{\"name\":" + json_text(body.name) +
                   ",\"parent\":" + std::to_string(body.parent) + "," + frame_json(body.frame, J) +
                   ",\"mass\":" + json_number(body.inertia.m) +
                   ",\"com\":" + vec3_json(center_of_mass(body.inertia)) + ",\"box\":" + box +
                   ",\"shapes\":" + shapes + "}";
          });
  text +=
      ",\n\"joints\":" + json_list(model.joints(), [&](const ModelJoint& joint) {
        return "\n{\"name\":" + json_text(joint.name) +
               ",\"type\":" + json_text(joint_type_info(joint.type).name) +
               ",\"parent\":" + std::to_string(joint.parent) +
               ",\"child\":" + std::to_string(joint.child) +
               ",\"q\":" + std::to_string(joint.q_index) + ",\"nq\":" + std::to_string(joint.nq) +
               ",\"v\":" + std::to_string(joint.v_index) + ",\"nv\":" + std::to_string(joint.nv) +
               ",\"units\":" +
               json_list(v_units(joint),
                         [](const std::string& unit) {
                           return json_text(unit.substr(0, unit.find('/')));
                         }) +
               ",\"place\":{" + joint_place_json(model, joint, J) + "}" + limits_json(joint) + "}";
      });
  text += ",\n\"frames\":" + json_list(model.frames(), [&](const ModelFrame& frame) {
            return "\n{\"name\":" + json_text(frame.name) + "," + frame_json(frame.frame, J) + "}";
          });
  text += ",\n\"loops\":" + json_list(model.loops(), [&](const ModelLoop& loop) {
            const std::vector<SE3> own = at_zero(loop.joint);
            return "\n{\"name\":" + json_text(loop.name) +
                   ",\"type\":" + json_text(joint_type_info(loop.type).name) + ",\"bodies\":" +
                   json_list(loop.bodies, [](const std::string& name) { return json_text(name); }) +
                   ",\"from\":{" + frame_json(loop.from, J) + "},\"to\":{" +
                   frame_json(loop.to, J) + "},\"neutral\":" + json_numbers(loop.joint.neutral()) +
                   ",\"links\":" + links_json(loop.joint, own) + ",\"end\":{" +
                   frame_json(loop.joint.frame("body"), own) + "}}";
          });
  text += ",\n\"couplings\":" + json_list(model.couplings(), [](const ModelCoupling& coupling) {
            return "{\"name\":" + json_text(coupling.name) +
                   ",\"offset\":" + json_number(coupling.offset) + ",\"terms\":" +
                   json_list(coupling.terms,
                             [](const ModelCoupling::Term& term) {
                               return fmt::format("[{},{}{}]", term.q_index,
                                                  json_number(term.coefficient),
                                                  function_json(term.function));
                             }) +
                   "}";
          });
  text += ",\n\"constraints\":" + constraints_json(model, J);
  text += ",\n\"collisions\":" + touching_json(model, appearance.collisions, J, meshes) +
          ",\n\"contacts\":" + touching_json(model, appearance.contacts, J, meshes) +
          ",\n\"lines\":" + lines_json(model, appearance.lines, J);
  meshes.write_notes();
  return text + ",\n\"meshes\":[" + meshes.list() + "]}";
}

}  // namespace chasles::io
