/// The joints of a tree, seen from a run in maximal coordinates (mechanism/maximal_coordinates.hpp): their coordinates, and
/// their forces as wrenches. With E = C_p^-1 C_c the pose of the last link of a joint in the link before the joint,
/// as the free bodies have it, J(q) what the joint makes of it and S(q) the screws of J in the last link,
///
///     q:   log(J(q)^-1 E) is across S,     by Newton's method:  q <- q exp(S^+ log(J(q)^-1 E))       (1)
///     v = S^+ V_rel                        V_rel the twist of c relative to p, in c                  (2)
///     W = S^+T tau                         on c, and -W on p                                         (3)
///
/// S^+ is a left inverse of S, so W . V_rel = tau . v: what a force does in the joint is what its wrenches do. Which
/// left inverse it is does not matter, since V_rel is along S and what is across S the joint bears itself.
///
/// Poses do not tell how often a joint turned. (1) starts near the joints of the last state that a step led to
/// (`follow`), so that angles go on through any number of turns.
#pragma once

#include "chasles/simulation/scenario.hpp"

namespace chasles {

class MaximalJoints {
 public:
  /// @param q  of the tree, near to where the run starts: it counts turns
  MaximalJoints(const Model& tree, const Model& absolute, ConstVectorRef q);

  const Model& tree() const { return kin_.model(); }
  /// (1), (2). Nothing is done at a state at which they are known.
  /// @throws ForceError naming a joint whose coordinates cannot be found
  const VelocityKinematics& at(double t, const VelocityKinematics& absolute);
  const PositionKinematics& at(const PositionKinematics& absolute);
  const State& at(const State& absolute);
  /// The state that a step led to: (1) starts there from now on.
  void follow(const State& absolute);
  /// The joints there.
  const State& last() const { return near_; }
  /// (3) of what acts on the tree where `at` was called last, added to `out`.
  void add(const JointForces& of_tree, JointForces& out) const;

 private:
  using Screws = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;
  struct Joint {
    std::string name;
    int first, last;  // links of the tree
    int v, nv;
    Frame from, to;  // of the links before it and of the last one, in maximal coordinates
  };
  /// At one state.
  struct Seen {
    SE3 E;
    Screws S_inverse_T;  // S^+T
  };
  void find(double t, const PositionKinematics& absolute);
  void look_at(std::size_t i, Twist& e);

  std::vector<Joint> joints_;
  std::vector<Frame> frames_;  // of the links of the tree; those within a joint have none
  std::vector<Seen> seen_;     // one per joint
  VelocityKinematics kin_;     // of the tree
  PositionKinematics position_;
  VelocityKinematics absolute_;
  Vector q_, v_, step_, there_;
  State near_, state_;
  Vector known_q_, known_v_;  // of the absolute state that kin_ is at; empty: none
};

/// A force on the joints of the tree as one on the free bodies. Its partial derivatives are not known.
Force in_absolute_coordinates(const Force& force, const Model& absolute,
                              const std::shared_ptr<MaximalJoints>& joints);

}  // namespace chasles
