/// Control of series elastic drives (mechanism/series_elastic.hpp), whose joints are a flat output: all states and efforts
/// follow from q(t) and its derivatives (de Luca, Book 2016; 000 section 6.3). Without damping of the springs, with Q the
/// inverse dynamics of the joints,
///
///     k (theta - q) = Q(q, v, a)                     gives theta from q to order 2,          (1)
///     k (theta' - v) = Q'(q, v, a, jerk)             theta' to order 3,                      (2)
///     u = n^2 I theta'' + b theta' + k (theta - q),  theta'' = a + Q''(q, v, a, jerk, snap) / k   (3)
///
/// u to order 4. From the state, a follows from the torque of the springs, M a = k (theta - q) - h, and the jerk from its
/// derivative. With the snap
///
///     snap = snap_w + 4 w (jerk_w - jerk) + 6 w^2 (a_w - a) + 4 w^3 (v_w - v) + w^4 (q_w - q)      (4)
///
/// in (3) the errors e = q_w - q obey (d/dt + w)^4 e = 0. With damping d in parallel, the torque depends on theta', the
/// relative degree is 3 instead of 4,
///
///     jerk = jerk_w + 3 w (a_w - a) + 3 w^2 (v_w - v) + w^3 (q_w - q)                              (5)
///     theta'' = a + (Q'(q, v, a, jerk) - k (theta' - v)) / d                                       (6)
///
/// and (d/dt + w)^3 e = 0, while the elongation follows its own decay, at the rate k / d.
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/series_elastic.hpp"
#include "chasles/simulation/control.hpp"

namespace chasles CHASLES_API {

/// @paper 000 section 6.3
/// (1) to (6). The law knows no forces other than gravity, springs and motor damping of the drives. It is
/// continuous unless a period is set.
/// @param model      of with_series_elastic_drives: a tree in which every joint has a drive
/// @param reference  of each drive, with jerk and snap (Setpoint)
/// @param frequency  w [rad/s] by drive, one entry for all
/// @throws Error naming a joint without drive, a drive that the model does not have, constraints, springs with and without
///         damping at once, or a number that is out of range
Controller flatness_control(const Model& model, const std::vector<SeriesElasticDrive>& drives,
                            std::vector<Reference> reference, std::vector<double> frequency);

/// A controller for rigid drives, put on elastic ones: it measures the motors, as encoders at motors do, as if they were
/// the joints, and its efforts act on them.
/// @param model  of with_series_elastic_drives
/// @param rigid  of a model of with_rigid_drives
/// @throws Error naming a joint of `rigid` that `model` does not have
Controller control_by_motors(const Model& model, const Controller& rigid,
                             const std::vector<SeriesElasticDrive>& drives);

}  // namespace CHASLES_API
