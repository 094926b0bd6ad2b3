/// The parts of a mechanism that bodies and the rows of a DH table share.
#pragma once

#include "chasles/mechanism/mechanism.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

/// `chasles: 1`, which begins every file of ours.
void check_version(const Fields& file);

// Keys of a joint whose type is known: it decides on the dimensions of the numbers.
std::optional<JointLimits> read_limits(const Fields& joint, const Joint& of);
JointDynamics read_dynamics(const Fields& joint, const Joint& of);
std::optional<Mimic> read_mimic(const Fields& joint, const Joint& of);
std::optional<Rotor> read_rotor(const Fields& joint);
std::optional<BodyInertia> read_inertia(const Fields& body);

/// The terms of a coupling given as `gear`, `rack` or `belt`; false if it is given otherwise.
/// @param mechanism  with its bodies
bool read_gear(const Fields& coupling, const Mechanism& mechanism, Coupling& out);
/// The list `constraints` of a mechanism or scenario, and the text of that of a mechanism; empty if it has none.
/// @param before  number of constraints before them: those without a name are numbered
std::vector<ConstraintElement> read_constraints(const Fields& fields, std::size_t before = 0);
std::string write_constraints(const Mechanism& mechanism);
/// The list `tendons`, and its text; empty if the mechanism has none.
void read_tendons(const Fields& file, Mechanism& mechanism);
std::string write_tendons(const Mechanism& mechanism);
/// A spring or damper: a number, or the coefficients of its polynomial; and its text.
void read_polynomial(const Fields& fields, const char* key, const Dimension& wanted, double& linear,
                     std::array<double, 2>& more);
std::string polynomial_text(double linear, const std::array<double, 2>& more);
/// The terms of an actuator or tendon, {joint: coefficient} or with maps, and their text.
std::vector<Actuator::Term> read_terms(const Fields& fields);
std::string terms_text(const std::vector<Actuator::Term>& terms);
/// The lists `actuators` and `keyframes`.
void read_actuators_and_keyframes(const Fields& file, Mechanism& mechanism);
/// The same lists as text; empty if the mechanism has none.
std::string write_actuators_and_keyframes(const Mechanism& mechanism);

/// The rows of `dh` or `mdh`, if the file has such a table.
void read_dh(const Fields& file, Mechanism& mechanism);

/// The frame `in` of a joint or pose; default: world.
DescribedIn read_in(const Fields& fields);
/// A joint that is not given by the row of a type: by `screw: [w, v]`, 003 (12), or as a constant velocity joint, with
/// its frame; none otherwise.
std::optional<Joint> read_given(const Fields& joint);

}  // namespace chasles::io
