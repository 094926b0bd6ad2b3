/// The compiled model, on which all computations are based.
///
/// A model is a tree of *links* in depth-first order, each moved by one elementary motion along the z axis of its own
/// frame (a joint of several motions becomes several links, a fixed joint none):
///
///     C_i = C_p P_i T_i(q_i)        p = parent[i], C_{-1} = I                              (1)
///     T_i = revolute z | prismatic z | helical z | spherical | floating (SE(3), SO(3) x R^3) | custom   (2)
///
/// P_i is constant. Links are internal (src/mechanism/link.hpp): bodies and frames are accessed by name, as a Frame on a
/// link.
///
/// `Model` is a handle to immutable shared data: a copy is a copy of a pointer, and every object made for a model
/// (workspaces, systems, batches) holds one. So it may be passed, returned and destroyed in any order, and shared
/// between threads.
///
///     Model model = compile(mechanism);
///     Frame tool = model.frame("tool");
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/math/dense.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles::detail {
struct ModelData;  // src/model/model_data.hpp
struct Access;     // src/access.hpp
}  // namespace chasles::detail

namespace chasles CHASLES_API {

/// Frame handle of a user's body or frame: its link (-1: ground) and its constant pose in the frame of that link.
/// Made by `Model::frame`; use with another model is an error.
struct Frame {
  int link = -1;
  SE3 offset{};
  std::uint64_t model = 0;  // Model::id; 0: ground, valid for any model

  /// A frame on the same body, by its pose in this frame.
  Frame at(const SE3& pose) const { return {link, offset * pose, model}; }
};

/// A scalar coordinate of a joint, or all entries of a quaternion or position, with indices in q and v of the model.
struct JointCoordinate {
  CoordinateKind kind;
  int q_index, nq, v_index, nv;

  /// One entry of q, whose time derivative is the entry of v.
  bool is_scalar() const { return coordinate_kind_info(kind).is_scalar; }
  /// v is an angular velocity.
  bool is_angular() const { return coordinate_kind_info(kind).is_angular; }
};

/// A joint of the description, with its indices in q and v.
struct ModelJoint {
  std::string name;
  JointType type;
  FloatingGroup group;  // floating joints
  int parent, child;    // bodies; -1: ground
  int q_index, nq, v_index, nv;
  std::vector<JointCoordinate> coordinates;  // kinds of its entries of q and v, in order
  std::vector<Twist> X, Y;  // its screws at q = 0 in the frame of the child body, and in the world
  std::optional<JointLimits> limits;
  JointDynamics dynamics;
  std::optional<Mimic> mimic;
  double armature = 0;         // [kg m^2] or [kg]
  std::optional<Rotor> rotor;  // of revolute and helical joints: mechanism/rotor.hpp (2)

  /// Whether all of its coordinates are scalars, so that v = dq/dt; false if it has none.
  bool is_vector() const;
  /// Whether the position of the body is among its coordinates: floating joints.
  bool has_position() const;
  /// The coordinate that contains entry k of v (v_index <= k < v_index + nv), or entry k of q.
  /// @throws Error naming k and the joint
  const JointCoordinate& coordinate_of_v(int k) const;
  const JointCoordinate& coordinate_of_q(int k) const;
};
struct ModelBody {
  std::string name;
  int parent;  // -1: ground
  Frame frame;
  Inertia inertia;  // in its own frame
};
struct ModelFrame {
  std::string name;
  int body;  // -1: ground
  Frame frame;
};

struct ModelLoop;
/// A relation sum_k c_k f_k(q_k) = offset between scalar coordinates.
struct ModelCoupling {
  struct Term {
    int q_index, v_index;
    double coefficient;
    Curve function{};
  };
  bool is_linear() const;
  std::string name;
  std::vector<Term> terms;
  double offset;
  bool mimic;  // whether it is a mimic relation of the description
};

class Model {
 public:
  /// An empty handle; using it throws.
  Model() = default;

  int nq() const { return contents().nq; }
  int nv() const { return contents().nv; }
  // On a temporary model these return copies, so that `for (const ModelBody& body : compile(m).bodies())` is safe.
  const std::string& name() const& { return contents().name; }
  std::string name() const&& { return contents().name; }
  Vec3 gravity() const { return contents().gravity; }
  const std::vector<ModelBody>& bodies() const& { return contents().bodies; }
  std::vector<ModelBody> bodies() const&& { return contents().bodies; }
  const std::vector<ModelJoint>& joints() const& { return contents().joints; }
  std::vector<ModelJoint> joints() const&& { return contents().joints; }
  const std::vector<ModelFrame>& frames() const& { return contents().frames; }
  std::vector<ModelFrame> frames() const&& { return contents().frames; }
  const std::vector<ModelLoop>& loops() const& { return contents().loops; }
  std::vector<ModelLoop> loops() const&&;
  /// Couplings of the description, followed by mimic relations.
  const std::vector<ModelCoupling>& couplings() const& { return contents().couplings; }
  std::vector<ModelCoupling> couplings() const&& { return contents().couplings; }
  /// Those of the description, by names of its bodies and frames.
  const std::vector<ConstraintElement>& constraints() const& { return contents().constraints; }
  std::vector<ConstraintElement> constraints() const&& { return contents().constraints; }
  /// Whether loops, couplings, mimic relations or constraints bind its joints.
  bool is_bound() const {
    return !loops().empty() || !couplings().empty() || !constraints().empty();
  }
  /// Those of the description, by names of its joints and frames.
  const std::vector<Tendon>& tendons() const& { return contents().tendons; }
  std::vector<Tendon> tendons() const&& { return contents().tendons; }
  /// Mass of the moving bodies, without those fixed to ground [kg].
  double mass() const { return contents().mass; }

  /// The frame handle of a body, a frame, or `ground`.
  /// @throws Error with the nearest known name
  Frame frame(std::string_view name) const;
  /// The joint with this name, or the one that entry k of v belongs to.
  /// @throws Error with the nearest known name, or naming k and nv
  const ModelJoint& joint(std::string_view name) const&;
  ModelJoint joint(std::string_view name) const&& { return joint(name); }
  const ModelJoint& joint_of_v(int k) const&;
  ModelJoint joint_of_v(int k) const&& { return joint_of_v(k); }
  /// The entries of v that move a frame, from ground on: all other columns of its Jacobian are zero.
  /// @throws ForeignError
  std::vector<int> support(const Frame& frame) const;
  /// Whether a joint is connected to ground, directly or by fixed bodies.
  /// @throws Error if the joint is not one of this model
  bool on_ground(const ModelJoint& joint) const;
  /// Whether only floating joints without armature are connected to ground: internal forces then conserve total
  /// momentum.
  bool floats() const;

  /// A copy with another gravity, or with another inertia of one body (in the frame of the body, as in descriptions;
  /// massless: `{}`). Frames, workspaces, batches and systems must be made anew for it. The result is the same, bit for
  /// bit, as compiling a changed description, which is neither needed nor checked again. O(n): all links are copied.
  ///
  ///     Model on_moon = model.with_gravity({0, 0, -1.62});
  ///     Model loaded = model.with_inertia("hand", {.mass = 2, .com = {0, 0, 0.1}});
  ///
  /// @throws Error for non-finite numbers, an inertia that no body can have, or an unknown body, with the nearest known
  ///         name
  Model with_gravity(const Vec3& gravity) const;
  Model with_inertia(std::string_view body, const BodyInertia& inertia) const;

  /// The configuration with every joint at zero: quaternions are (1, 0, 0, 0).
  Vector neutral() const;

  /// Whether both are handles to the same data. Compiling a description twice gives different models.
  friend bool operator==(const Model& a, const Model& b) { return a.contents_ == b.contents_; }
  /// False for an empty handle; everything else then throws.
  explicit operator bool() const { return contents_ != nullptr; }
  /// An identifier that is unique in this process.
  std::uint64_t id() const { return contents().id; }

 private:
  friend Model compile(const Mechanism&);
  friend detail::Access;
  /// The part of detail::ModelData that the functions above return.
  struct Contents {
    std::uint64_t id = 0;
    std::string name;
    Vec3 gravity;
    int nq = 0, nv = 0, link_count = 0;
    double mass = 0;
    std::vector<ModelBody> bodies;
    std::vector<ModelJoint> joints;
    std::vector<ModelFrame> frames;
    std::vector<ModelLoop> loops;
    std::vector<ModelCoupling> couplings;
    std::vector<ConstraintElement> constraints;
    std::vector<Tendon> tendons;
  };
  friend detail::ModelData;
  friend void require_frame(const Frame& frame, const Model& model);

  explicit Model(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}
  /// @throws Error for an empty handle: not compiled yet, or moved from
  const Contents& contents() const {
    if (!contents_) [[unlikely]]
      throw_moved();
    return *contents_;
  }
  [[noreturn]] static void throw_moved();
  std::shared_ptr<const Contents> contents_;
};

/// A loop (cut) joint: frames `from` and `to` satisfy C_to = C_from J(q_joint), where J is the pose of the body of
/// `joint`, a model with this joint only.
struct ModelLoop {
  std::string name;
  JointType type;
  std::array<std::string, 2> bodies;
  Frame from, to;
  Model joint;  // ground and one body, "body"
};
inline std::vector<ModelLoop> Model::loops() const&& { return contents().loops; }

/// Checks a description and compiles it: depth-first order, fixed joints merged (inertias lumped), link frames at the
/// joints with the axis on z.
/// @throws Error naming the element, its source location, the value and the remedy
Model compile(const Mechanism& mechanism);

/// An argument of wrong size: names it, its size and the required size.
class SizeError : public Error {
 public:
  SizeError(std::string_view argument, std::size_t given, std::size_t needed)
      : Error(std::string(argument) + " has " + std::to_string(given) +
              " entries; the model needs " + std::to_string(needed)) {}
};
inline void require_size(std::string_view argument, std::size_t given, int needed) {
  if (given != static_cast<std::size_t>(needed)) [[unlikely]]
    throw SizeError(argument, given, static_cast<std::size_t>(needed));
}
template <class Derived>
void require_size(std::string_view argument, const Eigen::EigenBase<Derived>& x, int needed) {
  require_size(argument, static_cast<std::size_t>(x.size()), needed);
}

/// An object used with a model other than its own: names both.
class ForeignError : public Error {
 public:
  ForeignError(std::string_view what, const Model& of, const Model& used_with);
  ForeignError(const Frame& frame, const Model& used_with);
};
/// @param what  for example "the workspace"
/// @throws ForeignError
inline void require_model(std::string_view what, const Model& of, const Model& model) {
  if (!(of == model) || !of) [[unlikely]]
    throw ForeignError(what, of, model);
}
inline void require_frame(const Frame& frame, const Model& model) {
  if ((frame.model != model.id() && (frame.model != 0 || frame.link >= 0)) ||
      frame.link >= model.contents().link_count) [[unlikely]]
    throw ForeignError(frame, model);
}

}  // namespace CHASLES_API
