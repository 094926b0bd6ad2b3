/// Joints of SDF: types, limits, damping, couplings.
#pragma once

#include "io/sdf/frames.hpp"

namespace chasles::io::sdf {

double number_in(const Element& owner, std::string_view tag, double otherwise);

/// A row of the table of joint types; a gearbox relates two other joints and has no row.
struct TypeRow {
  std::string_view name;
  JointType type;
  int axes;
};
const TypeRow& read_type(const Element& joint);

std::optional<JointLimits> read_limits(const Element& axis, int version);
JointDynamics read_dynamics(const Element& axis);
/// The joint it follows has its name in the model.
std::optional<Mimic> read_mimic(const Element& axis);
double read_armature(const Element& joint, JointType type);
/// Of a screw joint [m/rad].
double read_pitch(const Element& joint);

}  // namespace chasles::io::sdf
