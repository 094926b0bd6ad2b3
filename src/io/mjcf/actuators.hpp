/// Actuators, tendons and keyframes of MJCF.
#pragma once

#include <map>

#include "chasles/model/model.hpp"
#include "io/mjcf/geoms.hpp"
#include "io/mjcf/names.hpp"
#include "io/mjcf/settings.hpp"

namespace chasles::io::mjcf {

/// A joint in the order of MuJoCo's qpos and qvel.
struct NamedJoint {
  std::string name;
  JointType type;
  double ref = 0;                                // MuJoCo's coordinate at q = 0 [rad] or [m]
  std::optional<Actuator::Range> force_range{};  // actuatorfrcrange
  SE3 pose{};                                    // floating: the pose of the body at q = 0
  double rest = 0;                               // q where springs are relaxed: springref
  FloatingGroup group = FloatingGroup::se3;      // floating
};
/// @throws Error naming the joint, with the nearest name
const NamedJoint& require_joint(const Element& e, const std::vector<NamedJoint>& joints,
                                const char* attribute);
bool is_one_dof(const NamedJoint& joint);
/// The bounds of the force that all actuators together exert on a joint (actuatorfrcrange); none: unlimited.
std::optional<Actuator::Range> actuator_force_range(const Setting& joint, const Compiler& compiler);

/// The length sum c_k q_k + offset of a fixed tendon; the offset is that of `ref`.
struct FixedTendon {
  std::vector<Actuator::Term> terms;
  double offset = 0;
};
using FixedTendons = std::map<std::string, FixedTendon>;

/// A geom that tendons wrap around, by its name; without a body: named by a tendon, and not found.
struct WrapGeom {
  std::string body{};
  GeomShape shape{};
};
using WrapGeoms = std::map<std::string, WrapGeom>;
/// Adds the names of the geoms in the spatial tendons of a section.
void list_wrapped_geoms(const Element& section, WrapGeoms& geoms);

/// What is known when tendons are read.
struct BeforeTendons {
  const std::vector<NamedJoint>& joints;
  const Defaults& defaults;
  const Compiler& compiler;  // of the main model
  const Flags& flags;
  const WrapGeoms& geoms;
};
/// Reads <tendon>: fixed ones for actuators and equalities; those with forces and ranges, and those through sites, into
/// the mechanism. Rest lengths that are not given are NaN; `relax_tendons` then computes them, where all joints are at
/// `springref`.
void read_tendons(const Element& section, const BeforeTendons& before, FixedTendons& tendons,
                  Mechanism& out);
/// Sets the lengths of cables (constraints, by number) to those at q = 0 and an offset.
void shift_cables(const std::vector<std::pair<std::size_t, double>>& cables, Mechanism& mechanism);
void relax_tendons(const std::vector<NamedJoint>& joints, Mechanism& mechanism);

/// Reads <actuator> elements into the mechanism.
class ActuatorReader {
 public:
  ActuatorReader(const Defaults& defaults, const Compiler& compiler,
                 const std::vector<NamedJoint>& joints, const FixedTendons& tendons,
                 const std::map<std::string, std::string>& renamed_sites, Mechanism& out)
      : defaults_(defaults),
        compiler_(compiler),
        joints_(joints),
        tendons_(tendons),
        sites_(renamed_sites),
        out_(out) {}
  /// Names in the file come before generated ones.
  void collect(const Element& section) {
    for (const Element& e : section.children()) names_.give(e.of("an actuator"));
  }
  void read(const Element& section);
  /// Names in the order of `ctrl`; empty: an actuator that is not kept.
  const std::vector<std::string>& controls() const { return controls_; }
  /// Limits the force of an actuator that is alone on a joint with actuatorfrcrange; several are a warning.
  void apply_joint_ranges(const Element& top);
  /// Damping from `dampratio`, for the inertia that the actuator moves at q = 0, with the gradient c = dl/dq of its
  /// length:
  ///
  ///     kv = 2 ratio sqrt(kp / (c^T M^-1 c))
  ///
  void apply_damping_ratios(const Element& top);
  /// An actuator on g l, for the length l of a spatial tendon, as one on l.
  void apply_tendon_gears();

 private:
  struct Draft;
  void apply(const Element& e, Draft& draft) const;
  bool transmit(const Element& e, const Draft& draft, Actuator& actuator) const;
  void set_ranges(const Element& e, const Draft& draft, Actuator& actuator) const;
  std::optional<Actuator::Range> inherited_range(const Draft& draft,
                                                 const Actuator& actuator) const;
  Eigen::MatrixXd length_gradient(const Model& model, const Actuator& actuator) const;

  const Defaults& defaults_;
  const Compiler& compiler_;
  const std::vector<NamedJoint>& joints_;
  const FixedTendons& tendons_;
  const std::map<std::string, std::string>& sites_;  // names of sites that were renamed
  std::map<std::string, double> tendon_gears_{};     // by actuator
  Mechanism& out_;
  Names names_;
  std::vector<std::string> controls_;
};

/// Reads <keyframe>, converted to the coordinates of Chasles: q = 0 is the configuration of the file.
///
///     hinge, slide   q = qpos - ref                          v = qvel
///     ball           q = quaternion                          v = qvel (body-fixed)
///     free           C = A Q: Q = A^-1 (quaternion, xyz)     v = (w; R^T rdot), from qvel = (rdot; w)
///     with armature  R = R_A R_Q, r = r_A + r_Q              v = (w; rdot): on SO(3) x R^3
///
/// where A is the pose of the body in the file.
void read_keyframes(const Element& section, const std::vector<NamedJoint>& joints,
                    const std::vector<std::string>& controls, Names& names, Mechanism& out);

}  // namespace chasles::io::mjcf
