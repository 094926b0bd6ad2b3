/// The parts of a mechanism that bodies and the rows of a DH table share.
#pragma once

#include "chasles/mechanism/mechanism.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

/// `chasles: 1`, which begins every file of ours.
void check_version(const Fields& file);

std::optional<JointLimits> read_limits(const Fields& joint);
JointDynamics read_dynamics(const Fields& joint);
std::optional<Mimic> read_mimic(const Fields& joint);
std::optional<Rotor> read_rotor(const Fields& joint);
std::optional<BodyInertia> read_inertia(const Fields& body);

/// The rows of `dh` or `mdh`, if the file has such a table.
void read_dh(const Fields& file, Mechanism& mechanism);

}  // namespace chasles::io
