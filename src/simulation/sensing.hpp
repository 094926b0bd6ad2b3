/// What a controller measures (chasles/simulation/sensors.hpp).
#pragma once

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/simulation/sensors.hpp"

namespace chasles {

/// Measured states of a sampled controller. After construction no call allocates.
class Sensing {
 public:
  /// @param what    for messages: "controller 'arm'"
  /// @throws Error naming the entry: sizes, negative numbers, resolution of coordinates that are not scalar
  Sensing(const std::string& what, const Model& model, const Sensors& sensors, double period);

  /// Passes the state at t: at the start, and at every break.
  void observe(double t, const VelocityKinematics& kin);
  /// The time of the next observation that is needed after t.
  double next_observation(double t) const;
  /// The kinematics of (1) at the sample time t.
  const VelocityKinematics& measured(double t);

 private:
  struct Seen {
    double t;  // [s]; NaN: none
    Vector q, v;
  };
  const Seen& state_at(double t) const;

  Sensors sensors_;
  double period_;
  std::vector<double> noise_q_, noise_v_, step_q_, step_v_;  // nv
  std::vector<Seen> seen_;                                   // ring buffer
  std::size_t count_ = 0;
  Vector q_, v_, e_;
  VelocityKinematics kin_;
};

}  // namespace chasles
