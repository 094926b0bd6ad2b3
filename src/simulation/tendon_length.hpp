/// The length of a tendon as a function of the state: (1) and (2) of mechanism/tendon.hpp.
#pragma once

#include "chasles/mechanism/tendon.hpp"
#include "simulation/point_line.hpp"

namespace chasles::forces {

class TendonLength {
 public:
  /// @param what  begins the message of an Error: "tendon 'cable'"
  TendonLength(const Model& model, const Tendon& tendon, const std::string& what);

  double value(const PositionKinematics& kin) const;
  double rate(const VelocityKinematics& kin) const;
  /// Q += f dl/dq.
  void push(const VelocityKinematics& kin, double f, JointForces& out) const;
  /// Whether `tangent` is known: for joints, and for one segment.
  bool has_tangent() const { return segments_.size() <= 1; }
  /// The partial derivatives of `push` for a force with df = -k dl - c dl'.
  void tangent(const VelocityKinematics& kin, double f, double k, double c,
               ForceTangent& out) const;
  /// Whether it connects bodies of the model alone, not ground.
  bool is_internal() const { return internal_; }

 private:
  struct Entry {
    int q, v;
    double coefficient;
  };
  struct Segment {
    Frame a, b;
    double weight;
  };
  void add_term(const Model& model, const Actuator::Term& term, const std::string& what);
  std::vector<Entry> entries_;
  std::vector<Segment> segments_;  // between different links
  double constant_ = 0;            // length of the segments on one link
  bool internal_ = true;
};

}  // namespace chasles::forces
