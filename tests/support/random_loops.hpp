/// Random trees with loops of every joint type, between any two bodies and to ground.
#pragma once

#include "support/random_mechanism.hpp"

namespace chasles::test {

/// d/ds f(s) at 0 by differences of order 8; f gives a vector.
template <class F>
Eigen::VectorXd slope(const F& f, double h) {
  return (672 * (f(h) - f(-h)) - 168 * (f(2 * h) - f(-2 * h)) + 32 * (f(3 * h) - f(-3 * h)) -
          3 * (f(4 * h) - f(-4 * h))) /
         (840 * h);
}

/// A loop between two places of a tree that coincide at q, with a joint of a kind.
inline Loop random_loop(const Model& tree, const Vector& q, const std::string& name,
                        const std::string& a, const std::string& b, const JointKind& kind,
                        std::mt19937_64& generator) {
  PositionKinematics kin(tree);
  forward_kinematics(tree, q, kin);
  std::normal_distribution<double> dice;
  const auto vector = [&] { return Vec3{dice(generator), dice(generator), dice(generator)}; };
  Loop loop{.name = name, .bodies = {a, b}, .type = kind.type};
  const SE3 at = exp(Twist{vector(), vector()});
  loop.geometry = FramesGeometry{inverse(pose(kin, tree.frame(a))) * at,
                                 inverse(pose(kin, tree.frame(b))) * at};
  if (joint_type_info(kind.type).takes_pitch) loop.pitch = 0.3;
  loop.parameterization = kind.parameterization;
  if (kind.type == JointType::custom)
    loop.screws = {{vector(), vector(), 0.2}, {vector(), vector(), 0}, {vector(), {}, 0.7}};
  return loop;
}

/// Kinds of joints that can close a loop.
inline std::vector<JointKind> loop_kinds() {
  std::vector<JointKind> kinds = all_joint_kinds();
  std::erase_if(kinds, [](const JointKind& kind) { return kind.type == JointType::floating; });
  return kinds;
}

/// A tree of joints of all kinds with loops that are closed at q, one of each kind given.
struct LoopedTree {
  Mechanism mechanism;
  Vector q;
};
inline LoopedTree looped_tree(std::mt19937_64& generator, int bodies,
                              const std::vector<JointKind>& kinds,
                              const std::vector<JointKind>& tree_kinds = {},
                              bool armatures = true) {
  LoopedTree out;
  out.mechanism = random_mechanism(
      generator, {.bodies = bodies, .tree = true, .kinds = tree_kinds, .armatures = armatures});
  const Model tree = compile(out.mechanism);
  out.q = random_configuration(tree, generator);
  std::uniform_int_distribution<int> any(-1, bodies - 1);
  const auto name = [](int k) { return k < 0 ? std::string(ground) : "body" + std::to_string(k); };
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    std::string a, b;
    do {
      a = name(any(generator)), b = name(any(generator));
    } while (tree.frame(a).link == tree.frame(b).link);
    out.mechanism.loops.push_back(
        random_loop(tree, out.q, "loop" + std::to_string(k), a, b, kinds[k], generator));
  }
  return out;
}

}  // namespace chasles::test
