/// The compiled model: what is computed with. Immutable after `compile`, so it can be shared
/// between threads.
///
/// A model is a tree of *links* in depth-first order, each moved by one elementary motion along the
/// z axis of its own frame (joints of several motions are several links, fixed joints none):
///
///     C_i = C_p P_i T_i(q_i)        p = parent[i], C_{-1} = I                              (1)
///     T_i = turn z | slide z | screw z | ball | rigid | exponential                        (2)
///
/// P_i is constant. Links and their frames are internal: bodies and frames of the user are found by
/// name, as a Place on a link.
///
///     Model model = compile(mechanism);
///     Place tool = model.place("tool");
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chasles/mechanism/link.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles {

/// A user's body or frame: its link (-1: ground) and its constant pose in the frame of that link.
struct Place {
  int link = -1;
  SE3 offset;
};

/// A joint as the user knows it, with its place in q and v.
struct ModelJoint {
  std::string name;
  JointType type;
  int parent, child;  // bodies; -1: ground
  int q_index, nq, v_index, nv;
  std::vector<Twist> X, Y;  // its screws at q = 0 in the frame of the child body, and in the world
  std::optional<JointLimits> limits;
  std::optional<Mimic> mimic;
};
struct ModelBody {
  std::string name;
  int parent;  // -1: ground
  Place place;
  Inertia inertia;  // in its own frame
};
struct ModelFrame {
  std::string name;
  int body;  // -1: ground
  Place place;
};

class Model {
 public:
  const std::string& name() const { return name_; }
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const Vec3& gravity() const { return gravity_; }
  const std::vector<Link>& links() const { return links_; }
  /// Screws of exponential links, in the frame of the link.
  const std::vector<Twist>& screws() const { return screws_; }
  /// The link that each entry of v moves.
  const std::vector<int>& link_of_v() const { return link_of_v_; }

  const std::vector<ModelBody>& bodies() const { return bodies_; }
  const std::vector<ModelJoint>& joints() const { return joints_; }
  const std::vector<ModelFrame>& frames() const { return frames_; }
  const std::vector<Loop>& loops() const { return loops_; }
  /// What moves: the bodies fixed to ground do not count [kg].
  double mass() const { return mass_; }

  /// The place of a body, of a frame, or of `ground`.
  /// @throws Error with the nearest known name
  Place place(std::string_view name) const;

  /// The configuration in which every joint is at zero: quaternions are (1, 0, 0, 0).
  std::vector<double> neutral() const;

 private:
  friend Model compile(const Mechanism&);
  friend class Compiler;
  std::string name_;
  Vec3 gravity_;
  int nq_ = 0, nv_ = 0;
  double mass_ = 0;
  std::vector<Link> links_;
  std::vector<Twist> screws_;
  std::vector<int> link_of_v_;
  std::vector<ModelBody> bodies_;
  std::vector<ModelJoint> joints_;
  std::vector<ModelFrame> frames_;
  std::vector<Loop> loops_;
};

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

}  // namespace chasles
