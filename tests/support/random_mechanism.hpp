/// Random chains and trees of every joint type in every description, and random states for them.
///
///     std::mt19937_64 generator(1);
///     Mechanism mechanism = random_mechanism(generator, {.bodies = 30, .tree = true});
///     Model model = compile(mechanism);
///     Eigen::VectorXd q = random_configuration(model, generator);
///     Eigen::VectorXd v = random_vector(model.nv(), generator);
///
/// Bodies are named body0, body1, ...; body k has the joint type number k of the list, which starts
/// at a random place and repeats, so that as many bodies as types have them all. Every second body
/// carries a frame: frame0, frame2, ... Every third joint has an armature.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "chasles/lie/geodesic.hpp"
#include "chasles/model/model.hpp"
#include "model/model_data.hpp"

namespace chasles::test {

/// A joint type, and for custom joints their coordinates.
struct JointKind {
  JointType type;
  Parameterization parameterization = Parameterization::product;
  FloatingGroup group = FloatingGroup::se3;
};

inline std::vector<JointKind> all_joint_kinds() {
  using enum JointType;
  return {{revolute},
          {prismatic},
          {helical},
          {cylindrical},
          {universal},
          {spherical},
          {planar},
          {translation2},
          {translation3},
          {planar_helical},
          {schoenflies},
          {floating},
          {fixed},
          {custom},
          {custom, Parameterization::sum},
          {floating, Parameterization::product, FloatingGroup::so3xr3},
          {telescoping}};
}

/// All but telescoping joints, whose quaternion comes with a distance: references of many tests know quaternions
/// alone or with a position. Telescoping joints have tests of their own (tests/laws).
inline std::vector<JointKind> usual_joint_kinds() {
  std::vector<JointKind> kinds = all_joint_kinds();
  std::erase_if(kinds, [](const JointKind& kind) { return kind.type == JointType::telescoping; });
  return kinds;
}

struct RandomMechanismOptions {
  int bodies = 15;
  bool tree = false;               // false: a chain
  std::vector<JointKind> kinds{};  // empty: usual_joint_kinds
  bool massless = false;
  double size = 0.5;      // standard deviation of positions, per coordinate [m]
  bool armatures = true;  // every third joint has one, unless massless
};

class MechanismGenerator {
 public:
  MechanismGenerator(std::mt19937_64& generator, const RandomMechanismOptions& options)
      : generator_(generator), options_(options) {
    if (options_.kinds.empty()) options_.kinds = usual_joint_kinds();
  }

  Mechanism operator()() {
    Mechanism m{"random", vector(9), {}, {}, {}};
    const int first = below(static_cast<int>(options_.kinds.size()));
    for (int k = 0; k < options_.bodies; ++k) {
      const auto kind = static_cast<std::size_t>(first + k) % options_.kinds.size();
      m.bodies.push_back(body(k, options_.kinds[kind]));
      if (k % 2 == 0)
        m.frames.push_back({"frame" + std::to_string(k), m.bodies.back().name, pose()});
    }
    return m;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
  double uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(generator_);
  }
  Vec3 vector(double scale) { return random_tangent<Vec3>(generator_, scale); }
  SE3 pose() { return random_element<SE3>(generator_, options_.size); }
  Vec3 across(const Vec3& axis) { return cross(axis, vector(1)); }
  double pitch() { return uniform(-0.3, 0.3); }

  /// Spatial, parent-fixed or body-fixed screws, or two joint frames.
  JointGeometry geometry(BodyPose& body_pose) {
    const Vec3 axis = vector(1);
    const std::optional<Vec3> x = below(2) == 0 ? std::optional(across(axis)) : std::nullopt;
    const int description = below(4);
    if (description == 3) return FramesGeometry{pose(), pose(), axis, x};
    // The body frame at q = 0: in the world, in the parent, or the world frame itself (from CAD).
    const int placement = below(3);
    if (placement < 2)
      body_pose = {pose(), placement == 0 ? DescribedIn::world : DescribedIn::parent};
    return AxisGeometry{axis, vector(options_.size), x, static_cast<DescribedIn>(description)};
  }

  Joint joint(const JointKind& kind, BodyPose& body_pose) {
    Joint j;
    j.type = kind.type;
    j.parameterization = kind.parameterization;
    j.group = kind.group;
    j.geometry = geometry(body_pose);
    if (joint_type_info(kind.type).takes_pitch) j.pitch = pitch();
    if (kind.type == JointType::custom)
      for (int count = 1 + below(4), slides = 0; count > 0; --count) {
        const double pitches[] = {0, pitch(), std::numeric_limits<double>::infinity()};
        j.screws.push_back({vector(1), vector(options_.size), pitches[below(3)]});
        // A fourth translation would depend on the others.
        if (double& given = j.screws.back().pitch; given == pitches[2] && ++slides > 3) given = 0;
      }
    return j;
  }

  /// A box of density 1000 kg/m^3 somewhere in the body.
  BodyInertia inertia() {
    const Vec3 a{uniform(0.05, 0.2), uniform(0.05, 0.2), uniform(0.05, 0.2)};
    const double m = 1000 * a.x * a.y * a.z, xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
    const Sym3 box = Sym3::diagonal(m / 12 * (yy + zz), m / 12 * (xx + zz), m / 12 * (xx + yy));
    return {m, vector(options_.size), rotate(random_rotation<double>(generator_).matrix(), box)};
  }

  Body body(int k, const JointKind& kind) {
    Body b;
    b.name = "body" + std::to_string(k);
    const int parent = options_.tree ? below(k + 1) - 1 : k - 1;
    if (parent >= 0) b.parent = "body" + std::to_string(parent);
    b.joint = joint(kind, b.pose);
    b.joint.name = "joint" + std::to_string(k);
    if (!options_.massless) b.inertia = inertia();
    if (options_.armatures && !options_.massless) b.joint.armature = armature(k, kind);
    return b;
  }
  /// Of the size of the other inertias; not random, so that everything else stays the same with and without.
  static double armature(int k, const JointKind& kind) {
    const bool may_have = kind.type != JointType::fixed &&
                          (kind.type != JointType::floating || kind.group == FloatingGroup::so3xr3);
    return k % 3 == 1 && may_have ? 0.2 + 0.1 * (k % 4) : 0;
  }

  std::mt19937_64& generator_;
  RandomMechanismOptions options_;
};

inline Mechanism random_mechanism(std::mt19937_64& generator,
                                  const RandomMechanismOptions& options = {}) {
  return MechanismGenerator(generator, options)();
}

inline Eigen::VectorXd random_vector(int size, std::mt19937_64& generator, double scale = 1) {
  std::normal_distribution<double> normal;
  return Eigen::VectorXd::NullaryExpr(size, [&] { return scale * normal(generator); });
}

/// The armatures of the joints, by entries of v.
inline Eigen::VectorXd armatures(const Model& model) {
  Eigen::VectorXd I_a(model.nv());
  for (const ModelJoint& joint : model.joints())
    I_a.segment(joint.v_index, joint.nv).setConstant(joint.armature);
  return I_a;
}

/// Coordinates normal with standard deviation `scale`, quaternions uniform.
inline Eigen::VectorXd random_configuration(const Model& model, std::mt19937_64& generator,
                                            double scale = 1) {
  Eigen::VectorXd q = random_vector(model.nq(), generator, scale);
  for (const Link& link : tree_links(model))
    if (link.nq != link.nv) q.segment<4>(link.q_index).normalize();
  return q;
}

}  // namespace chasles::test
