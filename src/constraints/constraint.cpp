/// User-defined constraints, and the time of constraints that depend on it.
#include "chasles/constraints/constraint.hpp"

#include <algorithm>
#include <limits>

#include "constraints/parts.hpp"

namespace chasles {

void Constraint::matrix_rate(const VelocityKinematics&, Eigen::Ref<Eigen::MatrixXd>) const {
  throw Error("constraint '" + name() +
              "' does not say how its matrix changes; override Constraint::matrix_rate");
}
void Constraint::constraint_error(const PositionKinematics&, VectorRef Phi) const { Phi.setZero(); }

namespace {

[[noreturn]] void throw_needs_time(const Constraint& constraint) {
  throw Error("constraint '" + constraint.name() +
              "' depends on time; call the functions of RheonomicConstraint");
}

}  // namespace

void RheonomicConstraint::matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd>) const {
  throw_needs_time(*this);
}
void RheonomicConstraint::bias(const VelocityKinematics&, VectorRef) const {
  throw_needs_time(*this);
}
void RheonomicConstraint::error_at(double, const PositionKinematics&, VectorRef Phi) const {
  Phi.setZero();
}
double RheonomicConstraint::next_break(double) const {
  return std::numeric_limits<double>::infinity();
}

void Constraints::set_time(double t) {
  Parts& parts = *parts_;
  t = std::clamp(t, parts.from, parts.to);
  if (parts.depends_on_time && t != parts.t) parts.updated = false;
  parts.t = t;
}
void Constraints::set_interval(double from, double to) {
  parts_->from = from, parts_->to = std::max(from, to);
  set_time(parts_->t);
}
double Constraints::time() const { return parts_->t; }
bool Constraints::depends_on_time() const { return parts_->depends_on_time; }
double Constraints::next_break(double t) const {
  double first = std::numeric_limits<double>::infinity();
  for (const RheonomicConstraint* constraint : parts_->timed)
    if (constraint != nullptr) first = std::min(first, constraint->next_break(t));
  return first;
}

}  // namespace chasles
