#include <cmath>
#include <numbers>
#include <optional>
#include <random>

#include "chasles/constraints/analysis.hpp"
#include "constraints/closing.hpp"

namespace chasles {
namespace {

/// Iterations of one start; of a random one, which is given up earlier.
constexpr int iterations_of_start = 300, iterations_of_random = 100;
/// With more equations than this few random starts are tried: each costs the cube of their number.
constexpr int many_equations = 300, few_starts = 4;
/// A start whose gap is smaller counts as closed: its configuration is kept, beyond limits too [rad, m].
constexpr double nearly_closed = 1e-6;

[[noreturn]] void cannot_close(const Constraints& constraints, const Vector& Phi, int starts) {
  Eigen::Index worst = 0;
  Phi.cwiseAbs().maxCoeff(&worst);
  const ConstraintBlock& block = constraints.block_of(static_cast<int>(worst));
  const double gap = Phi.segment(block.first, block.rows).norm();
  if (block.kind == "driver")
    throw Error(block.text() + " cannot be followed at t = " + to_text(constraints.time()) +
                " s: near the given configuration " + to_short_text(gap) +
                " rad or m are left; another driver or constraint contradicts it, or the position "
                "is out of reach");
  throw Error(block.text() + " cannot be closed: at best, from " + std::to_string(starts) +
              (starts == 1 ? " start" : " starts") + ", a gap of " + to_short_text(gap) +
              " rad or m is left; check the frames and lengths of the bodies in it, joints that "
              "are held, or start from another configuration");
}

/// The search for a closed configuration from several starts.
class Assembly {
 public:
  Assembly(Constraints& constraints, ConstVectorRef start, const AssemblyOptions& options)
      : constraints_(constraints),
        model_(constraints.model()),
        start_(start),
        options_(options),
        free_(movable(model_, options.kept)),
        moves_(static_cast<std::size_t>(model_.nv())),
        closing_(constraints),
        generator_(options.seed) {
    if (!options.near.empty()) require_size("near", options.near.size(), model_.nv());
    if (options.starts < 1)
      throw Error("starts is " + std::to_string(options.starts) + "; give at least 1");
    for (const int k : free_) moves_[static_cast<std::size_t>(k)] = true;
    closing_.measure(start_);
    closed_at_start_ = closing_.gap() <= nearly_closed;
    for (const SE3& C : closing_.kin().C())
      reach_ = std::max(reach_, norm(C.r - closing_.kin().C()[0].r));
  }

  Vector find() {
    const int starts = starts_worth_trying();
    int tried = 0;
    for (; tried < starts && !is_settled(); ++tried) {
      Vector q = tried == 0 ? start_ : random_start(tried, starts);
      q = closing_.near(q, free_, tried == 0 ? iterations_of_start : iterations_of_random);
      if (closing_.is_closed())
        consider(unwound(q), false);
      else if (closing_.is_contradiction(q))
        consider(q, true);
      else if (!gap_ || closing_.gap() < *gap_)
        gap_ = closing_.gap(), Phi_ = closing_.Phi();
    }
    if (!best_) cannot_close(constraints_, Phi_, tried);
    if (best_->contradicts) {
      closing_.measure(best_->q);
      constraints_.accept_gaps(Vector(closing_.Phi()));
    }
    return best_->q;
  }

  /// A closed configuration from a random one anywhere; none if that fails.
  std::optional<Vector> random() {
    Vector q = random_start(1, 2);
    for (const ModelJoint& joint : model_.joints()) {
      if (joint.nq != 1 || !joint.limits || !moves_[static_cast<std::size_t>(joint.v_index)])
        continue;
      const auto& [lower, upper, velocity, effort] = *joint.limits;
      if (lower && upper && *lower <= *upper)
        q[joint.q_index] = std::uniform_real_distribution<double>(*lower, *upper)(generator_);
    }
    q = closing_.near(q, free_, iterations_of_random);
    if (!closing_.is_closed() && !closing_.is_contradiction(q)) return std::nullopt;
    return unwound(q);
  }

 private:
  struct Candidate {
    Vector q;
    double beyond, distance;  // outside the limits; from the start, in the entries of `near`
    bool contradicts;         // closed in the least-squares sense
  };

  int starts_worth_trying() const {
    if (free_.empty()) return 1;
    return constraints_.constraint_count() > many_equations ? std::min(options_.starts, few_starts)
                                                            : options_.starts;
  }
  /// Whether no other start needs to be tried.
  bool is_settled() const {
    if (!best_) return false;
    if (closed_at_start_) return true;
    return best_->beyond == 0 && (options_.near.empty() || best_->distance < nearly_closed);
  }
  void consider(const Vector& q, bool contradicts) {
    Candidate found{q, beyond_limits(q), distance(q), contradicts};
    if (!best_ || found.beyond < best_->beyond ||
        (found.beyond == best_->beyond && found.distance < best_->distance))
      best_ = std::move(found);
  }
  /// Angles without their full revolutions away from the start, if the constraints permit that.
  Vector unwound(const Vector& q) {
    constexpr double turn = 2 * std::numbers::pi;
    Vector less = q;
    for (const ModelJoint& joint : model_.joints())
      for (const JointCoordinate& c : joint.coordinates)
        if (c.kind == CoordinateKind::angle && moves_[static_cast<std::size_t>(c.v_index)])
          less[c.q_index] -= turn * std::round((q[c.q_index] - start_[c.q_index]) / turn);
    if ((less - q).cwiseAbs().sum() == 0) return q;
    closing_.measure(less);
    return closing_.is_closed() ? less : q;
  }
  /// The sum over joints that may move [rad, m].
  double beyond_limits(const Vector& q) const {
    double sum = 0;
    for (const ModelJoint& joint : model_.joints()) {
      if (joint.nq != 1 || !joint.limits || !moves_[static_cast<std::size_t>(joint.v_index)])
        continue;
      const double x = q[joint.q_index], lower = joint.limits->lower.value_or(-HUGE_VAL),
                   upper = joint.limits->upper.value_or(HUGE_VAL);
      const double margin = 1e-9 * (1 + std::abs(x));
      if (x < lower - margin) sum += lower - x;
      if (x > upper + margin) sum += x - upper;
    }
    return sum;
  }
  double distance(const Vector& q) const {
    Vector way(model_.nv());
    minus(model_, q, start_, way);
    if (!options_.near.empty())
      for (Eigen::Index k = 0; k < way.size(); ++k)
        if (!options_.near[static_cast<std::size_t>(k)]) way[k] = 0;
    return way.norm();
  }
  /// Random steps from the start, growing from 0.05 to a revolution of angles, and to the reach of the mechanism of
  /// distances; near the start first, so that its assembly branch is found before others.
  Vector random_start(int number, int starts) {
    const double part = static_cast<double>(number) / std::max(starts - 1, 1);
    const double size = 0.05 * std::pow(std::numbers::pi / 0.05, std::min(2 * part, 1.0));
    std::uniform_real_distribution<double> dice(-size, size);
    Vector way(model_.nv()), q(model_.nq());
    for (const ModelJoint& joint : model_.joints())
      for (const JointCoordinate& c : joint.coordinates)
        for (int k = c.v_index; k < c.v_index + c.nv; ++k) {
          const double length = c.is_angular() ? 1 : (reach_ > 0 ? reach_ : 1) / std::numbers::pi;
          if (moves_[static_cast<std::size_t>(k)]) way[k] = length * dice(generator_);
        }
    plus(model_, start_, way, q);
    return q;
  }

  Constraints& constraints_;
  const Model& model_;
  const Vector start_;
  const AssemblyOptions& options_;
  const std::vector<int> free_;
  std::vector<bool> moves_;  // of the entries of v
  Closing closing_;
  std::mt19937_64 generator_;
  bool closed_at_start_ = false;
  double reach_ = 0;  // between links at the start [m]
  std::optional<Candidate> best_;
  std::optional<double> gap_;  // the smallest, with its constraint errors
  Vector Phi_;
};

}  // namespace

Vector assemble(Constraints& constraints, ConstVectorRef start, const AssemblyOptions& options) {
  require_size("the start", start, constraints.model().nq());
  return Assembly(constraints, start, options).find();
}
std::vector<Vector> random_assemblies(Constraints& constraints, ConstVectorRef around, int count,
                                      const AssemblyOptions& options) {
  require_size("the configuration", around, constraints.model().nq());
  Assembly assembly(constraints, around, options);
  std::vector<Vector> list;
  for (int k = 0; k < count; ++k)
    if (const std::optional<Vector> q = assembly.random()) list.push_back(*q);
  return list;
}
Vector assemble(Constraints& constraints, ConstVectorRef start, const std::vector<bool>& kept) {
  return assemble(constraints, start, AssemblyOptions{.kept = kept});
}

}  // namespace chasles
