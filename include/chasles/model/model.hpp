/// The compiled model: what is computed with.
///
/// A model is a tree of *links* in depth-first order, each moved by one elementary motion along the
/// z axis of its own frame (joints of several motions are several links, fixed joints none):
///
///     C_i = C_p P_i T_i(q_i)        p = parent[i], C_{-1} = I                              (1)
///     T_i = turn z | slide z | screw z | ball | rigid | direct | exponential               (2)
///
/// P_i is constant. Links and their frames are internal: bodies and frames of the user are found by
/// name, as a Frame on a link.
///
/// `Model` is a handle on immutable shared data: copying it is copying a pointer, and everything
/// that is made for a model (workspaces, systems, batches) keeps one. So it may be passed, returned
/// and destroyed in any order, and shared between threads.
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
#include "chasles/mechanism/link.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

namespace kernels {
struct Trees;
}

/// A user's body or frame: its link (-1: ground) and its constant pose in the frame of that link.
/// Places come from `Model::frame`; one of another model is refused wherever it is used.
struct Frame {
  int link = -1;
  SE3 offset{};
  std::uint64_t model = 0;  // Model::id; 0: ground, of any model

  /// A place on the same body, by its pose in the frame of this one.
  Frame at(const SE3& pose) const { return {link, offset * pose, model}; }
};

/// One coordinate of a joint, or the several of a quaternion or position, in q and v of the model.
struct JointCoordinate {
  CoordinateKind kind;
  int q_index, nq, v_index, nv;

  /// One entry of q, whose rate is the entry of v.
  bool is_scalar() const { return coordinate_kind_info(kind).is_scalar; }
  /// v is an angular velocity.
  bool is_angular() const { return coordinate_kind_info(kind).is_angular; }
};

/// A joint as the user knows it, with its place in q and v.
struct ModelJoint {
  std::string name;
  JointType type;
  FloatingGroup group;  // floating joints
  int parent, child;    // bodies; -1: ground
  int q_index, nq, v_index, nv;
  std::vector<JointCoordinate> coordinates;  // what its entries of q and v are, in order
  std::vector<Twist> X, Y;  // its screws at q = 0 in the frame of the child body, and in the world
  std::optional<JointLimits> limits;
  JointDynamics dynamics;
  std::optional<Mimic> mimic;

  /// All of its coordinates are scalars, so v = dq/dt; false if there are none.
  bool is_vector() const;
  /// Whether the position of the body is among its coordinates: floating joints.
  bool has_position() const;
  /// The coordinate that entry k of v belongs to, v_index <= k < v_index + nv; entry k of q.
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
/// A relation c . v = 0 between entries of v that are rates of entries of q, c . q = offset.
struct ModelCoupling {
  struct Term {
    int q_index, v_index;
    double coefficient;
  };
  std::string name;
  std::vector<Term> terms;
  double offset;
  bool mimic;  // a joint of the description mimics another
};

class Model {
 public:
  /// No model yet: a place for one that is compiled later. Using it throws.
  Model() = default;

  int nq() const { return data().nq; }
  int nv() const { return data().nv; }
  // A temporary model gives copies, so that `for (const ModelBody& body : compile(m).bodies())` is safe.
  const std::string& name() const& { return data().name; }
  std::string name() const&& { return data().name; }
  Vec3 gravity() const { return data().gravity; }
  const std::vector<Link>& links() const& { return data().links; }
  std::vector<Link> links() const&& { return data().links; }
  /// Screws of exponential links, in the frame of the link.
  const std::vector<Twist>& screws() const& { return data().screws; }
  std::vector<Twist> screws() const&& { return data().screws; }
  /// The link that each entry of v moves.
  const std::vector<int>& link_of_v() const& { return data().link_of_v; }
  std::vector<int> link_of_v() const&& { return data().link_of_v; }

  const std::vector<ModelBody>& bodies() const& { return data().bodies; }
  std::vector<ModelBody> bodies() const&& { return data().bodies; }
  const std::vector<ModelJoint>& joints() const& { return data().joints; }
  std::vector<ModelJoint> joints() const&& { return data().joints; }
  const std::vector<ModelFrame>& frames() const& { return data().frames; }
  std::vector<ModelFrame> frames() const&& { return data().frames; }
  const std::vector<ModelLoop>& loops() const& { return data().loops; }
  std::vector<ModelLoop> loops() const&&;
  /// Those of the description, then joints that mimic others.
  const std::vector<ModelCoupling>& couplings() const& { return data().couplings; }
  std::vector<ModelCoupling> couplings() const&& { return data().couplings; }
  /// What moves: the bodies fixed to ground do not count [kg].
  double mass() const { return data().mass; }

  /// The place of a body, of a frame, or of `ground`.
  /// @throws Error with the nearest known name
  Frame frame(std::string_view name) const;
  /// The joint of this name, and the one that entry k of v belongs to.
  /// @throws Error with the nearest known name, or naming k and nv
  const ModelJoint& joint(std::string_view name) const&;
  ModelJoint joint(std::string_view name) const&& { return joint(name); }
  const ModelJoint& joint_of_v(int k) const&;
  ModelJoint joint_of_v(int k) const&& { return joint_of_v(k); }
  /// Whether a joint hangs on ground, if need be by bodies that are fixed to it.
  /// @throws Error if the joint is not one of this model
  bool on_ground(const ModelJoint& joint) const;
  /// Whether nothing but floating joints hangs on ground: what acts between bodies then keeps the momenta
  /// of the whole.
  bool floats() const;

  /// The same model under another gravity, or with another inertia of one body (in the frame of the body, as
  /// in descriptions; massless: `{}`). This one stays as it is. What is made for a model (places, workspaces,
  /// batches, systems) is made for the new one again. The numbers are those of a description that is changed and
  /// compiled, bit for bit; the description is neither needed nor checked again. O(n): all links are copied.
  ///
  ///     Model on_moon = model.with_gravity({0, 0, -1.62});
  ///     Model loaded = model.with_inertia("hand", {.mass = 2, .com = {0, 0, 0.1}, .tensor = ...});
  ///
  /// @throws Error for numbers that are not finite, an inertia that no body can have, or a body that is not
  ///         there, with the nearest known name
  Model with_gravity(const Vec3& gravity) const;
  Model with_inertia(std::string_view body, const BodyInertia& inertia) const;

  /// The configuration in which every joint is at zero: quaternions are (1, 0, 0, 0).
  Vector neutral() const;

  /// Whether both are handles on the same data. Models compiled twice from one description differ.
  friend bool operator==(const Model& a, const Model& b) { return a.data_ == b.data_; }
  /// False if there is no model; everything else throws then.
  explicit operator bool() const { return data_ != nullptr; }
  /// A number that no other model of this process has.
  std::uint64_t id() const { return data().id; }

  struct Assembly;  // src/model/assembly.hpp
  struct Data {
    std::uint64_t id;
    std::string name;
    Vec3 gravity;
    int nq = 0, nv = 0;
    double mass = 0;
    std::vector<Link> links;
    std::vector<Twist> screws;
    std::vector<int> link_of_v;
    std::vector<ModelBody> bodies;
    std::vector<ModelJoint> joints;
    std::vector<ModelFrame> frames;
    std::vector<ModelLoop> loops;
    std::vector<ModelCoupling> couplings;
    std::unordered_map<std::string_view, Frame> frame_named;  // bodies and frames
    std::unordered_map<std::string_view, const ModelJoint*> joint_named;
    std::shared_ptr<const kernels::Trees> trees;  // the same for the kernels
    std::shared_ptr<const Assembly> assembly;     // what links are made of
    Data();
    ~Data();
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
  };
  /// @throws Error if there is no model: not compiled yet, or moved from
  const Data& data() const {
    if (!data_) [[unlikely]]
      throw_moved();
    return *data_;
  }

 private:
  friend Model compile(const Mechanism&);
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  [[noreturn]] static void throw_moved();
  std::shared_ptr<const Data> data_;
};

/// A joint that closes a loop. Its two ends are places, and coincide but for the motion of the joint:
/// C_to = C_from J(q_joint), which is the pose of the body of a model that has no other joint.
struct ModelLoop {
  std::string name;
  JointType type;
  std::array<std::string, 2> bodies;
  Frame from, to;
  Model joint;  // ground and one body, "body"
};
inline std::vector<ModelLoop> Model::loops() const&& { return data().loops; }

/// Checks a description and compiles it: depth-first order, fixed joints merged (inertias lumped),
/// link frames at the joints with the axis on z.
/// @throws Error naming the element, its place in the file, the value and the remedy
Model compile(const Mechanism& mechanism);

/// A wrong size of an argument: names it, its size and the size that is needed.
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

/// Something that belongs to another model than the one it is used with: names both.
class ForeignError : public Error {
 public:
  ForeignError(std::string_view what, const Model& of, const Model& used_with);
  ForeignError(const Frame& frame, const Model& used_with);
};
/// @param what  such as "the workspace"
/// @throws ForeignError
inline void require_model(std::string_view what, const Model& of, const Model& model) {
  if (!(of == model) || !of) [[unlikely]]
    throw ForeignError(what, of, model);
}
inline void require_frame(const Frame& frame, const Model& model) {
  if ((frame.model != model.id() && (frame.model != 0 || frame.link >= 0)) ||
      frame.link >= static_cast<int>(model.links().size())) [[unlikely]]
    throw ForeignError(frame, model);
}

}  // namespace CHASLES_API
