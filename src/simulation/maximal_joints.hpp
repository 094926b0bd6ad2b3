/// The joints of a tree in a run in maximal coordinates (mechanism/maximal_coordinates.hpp): their joint coordinates,
/// and their forces as wrenches. With E = C_p^-1 C_c the pose of the last link of a joint relative to the link before
/// the joint, from the floating bodies, J(q) the pose that the joint allows and S(q) the screws of J in the last link,
///
///     q:   log(J(q)^-1 E) orthogonal to S, by Newton's method:  q <- q exp(S^+ log(J(q)^-1 E))       (1)
///     v = S^+ V_rel                        V_rel the twist of c relative to p, in c                  (2)
///     W = S^+T tau                         on c, and -W on p                                         (3)
///
/// S^+ is a left inverse of S, so W . V_rel = tau . v: a joint force and its wrenches have the same power. Any left
/// inverse will do, since V_rel is in the span of S and constraint forces balance the rest.
///
/// Poses do not determine the number of full turns of a joint. (1) starts from the joint coordinates of the last
/// accepted state (`follow`), so that angles continue through any number of turns.
#pragma once

#include "chasles/simulation/scenario.hpp"

namespace chasles {

class MaximalJoints {
 public:
  /// @param q  of the tree, near the start of the run: it sets the number of turns
  MaximalJoints(const Model& tree, const Model& absolute, ConstVectorRef q);

  const Model& tree() const { return kin_.model(); }
  /// (1), (2). Cached for the last state.
  /// @throws ForceError naming a joint whose coordinates cannot be found
  const VelocityKinematics& at(double t, const VelocityKinematics& absolute);
  const PositionKinematics& at(const PositionKinematics& absolute);
  const State& at(const State& absolute);
  /// Call with every accepted state: (1) starts there from now on.
  void follow(const State& absolute);
  /// The state of the joints there.
  const State& last() const { return near_; }
  /// Adds (3) of the forces on the tree to `out`, at the state of the last call of `at`.
  void add(const JointForces& of_tree, JointForces& out) const;

 private:
  using Screws = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
  struct Joint {
    std::string name;
    int first, last;  // links of the tree
    int v, nv;
    Frame from, to;  // frames of the link before it and of its last link, in maximal coordinates
  };
  /// A joint at one state.
  struct Seen {
    SE3 E;
    Screws S_inverse_T;  // S^+T
  };
  void find(double t, const PositionKinematics& absolute);
  void look_at(std::size_t i, Twist& e);

  std::vector<Joint> joints_;
  std::vector<Frame> frames_;  // of the links of the tree; links within a joint have none
  std::vector<Seen> seen_;     // one per joint
  VelocityKinematics kin_;     // of the tree
  PositionKinematics position_;
  VelocityKinematics absolute_;
  Vector q_, v_, step_, there_;
  State near_, state_;
  Vector known_q_, known_v_;  // state in maximal coordinates that kin_ belongs to; empty: none
};

/// Converts a force on the joints of the tree to one on the floating bodies, without partial derivatives.
Force in_maximal_coordinates(const Force& force, const Model& absolute,
                             const std::shared_ptr<MaximalJoints>& joints);

}  // namespace chasles
