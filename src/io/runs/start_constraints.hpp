/// The constraints of the joints of a scenario at its start, which is closed in coordinates of joints, also if the run
/// has maximal ones.
#pragma once

#include "chasles/constraints/analysis.hpp"
#include "chasles/systems/system.hpp"

namespace chasles::io {

class StartConstraints {
 public:
  /// @param kept  nv: entries of q that must not move; drivers change them
  /// @param near  nv: entries of q that choose among the assembly modes; empty: none do
  StartConstraints(const Model& model, ConstraintOptions options, const std::vector<bool>& kept,
                   std::vector<bool> near)
      : model_(model), options_(std::move(options)), kept_(kept), near_(std::move(near)) {}

  /// Adds a driver, or one of `constraints`.
  void add(std::shared_ptr<const Constraint> one) { options_.more.push_back(std::move(one)); }
  const ConstraintOptions& options() const { return options_; }
  const std::vector<bool>& near() const { return near_; }

  /// @throws Error naming a loop that cannot be closed
  Vector assembled(const Vector& q) const;
  /// The same, or q if it cannot be assembled, which the run reports.
  Vector assembled_if_possible(const Vector& q) const;
  State closed(const State& start, const std::vector<bool>& kept_v) const;

 private:
  const Model& model_;
  ConstraintOptions options_;
  const std::vector<bool>& kept_;
  std::vector<bool> near_;
};

}  // namespace chasles::io
