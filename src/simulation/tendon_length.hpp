/// The length of a tendon as a function of the state: (1) and (2) of mechanism/tendon.hpp.
#pragma once

#include <algorithm>

#include "chasles/mechanism/tendon.hpp"
#include "simulation/point_line.hpp"
#include "simulation/series_parts.hpp"
#include "simulation/wrapping.hpp"

namespace chasles::forces {

class TendonLength {
 public:
  /// @param what  begins the message of an Error: "tendon 'cable'"
  TendonLength(const Model& model, const Tendon& tendon, const std::string& what);

  double value(const PositionKinematics& kin) const;
  double rate(const VelocityKinematics& kin) const;
  /// Q += f dl/dq.
  void push(const VelocityKinematics& kin, double f, JointForces& out) const;
  /// Along a motion: Q += f(l, l') dl/dq, where f gives a series from those of the length and its rate;
  /// @pre !wraps()
  template <class F>
  void push(MotionSeries& motion, VectorRef tau, const F& f) const;
  bool has_segments() const { return !segments_.empty(); }
  bool wraps() const {
    return std::ranges::any_of(segments_, [](const Segment& s) { return s.wrap.has_value(); });
  }
  /// Whether `tangent` is known: for joints, and for one straight segment.
  bool has_tangent() const { return segments_.size() <= 1 && !wraps(); }
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
  struct Wrap {
    Frame frame;
    Tendon::Wrap::Shape shape;
    double radius;
    std::optional<Frame> side;
  };
  struct Segment {
    Frame a, b;
    double weight;
    std::optional<Wrap> wrap;
  };
  /// The straight parts of a segment: one, or two and what is between them.
  struct Parts {
    std::array<std::array<Frame, 2>, 2> lines;
    std::size_t count;
    double arc;
  };
  static Wrap wrap_of(const Model& model, const Tendon::Wrap& given, const std::string& what);
  static Parts parts(const PositionKinematics& kin, const Segment& segment);
  void add_term(const Model& model, const Actuator::Term& term, const std::string& what);
  std::vector<Entry> entries_;
  std::vector<Segment> segments_;  // those that are not straight on one link
  double constant_ = 0;            // length of the segments on one link
  bool internal_ = true, moves_ = false;
};

template <class F>
void TendonLength::push(MotionSeries& motion, VectorRef tau, const F& f) const {
  const std::size_t n = motion.order() + 1;
  PowerSeries l(constant_, n), rate(0, n);
  for (const Entry& e : entries_) {
    l = l + e.coefficient * motion.q(e.q);
    rate = rate + e.coefficient * motion.v(e.v);
  }
  for (const Segment& s : segments_) {
    const PowerSeries d = line_series(motion, s.a, s.b).d;
    l = l + s.weight * d;
    rate = rate + s.weight * d.rate();
  }
  const PowerSeries force = f(l, rate);
  for (const Entry& e : entries_) add_to(tau, e.v, e.coefficient * force, motion);
  for (const Segment& s : segments_) {
    const LineSeries line = line_series(motion, s.a, s.b);
    add_tension(motion, s.a, s.b, line, -s.weight * force / line.d);
  }
}

}  // namespace chasles::forces
