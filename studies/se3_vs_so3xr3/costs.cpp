#include "studies/se3_vs_so3xr3/costs.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chasles/integrators/integrator.hpp"
#include "studies/se3_vs_so3xr3/index_one.hpp"

namespace chasles::studies::se3_vs_so3xr3 {
namespace {

constexpr double duration = 1, wanted_error = 1e-6;
constexpr const char* compared[] = {"mk2", "mk4", "cf4", "cg4", "mk7", "dop853"};
constexpr double not_reached = std::numeric_limits<double>::quiet_NaN();

bool is_adaptive(const std::string& method) { return method == "dop853"; }

double cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Poses of the bodies, body1, body2, ...
std::vector<SE3> poses(const Model& model, const PositionKinematics& kin) {
  std::vector<SE3> list;
  for (int k = 1; k <= 2 && k <= static_cast<int>(model.bodies().size()); ++k)
    list.push_back(pose(kin, model.frame("body" + std::to_string(k))));
  return list;
}

/// A trajectory in minimal coordinates.
class ReferenceRun {
 public:
  explicit ReferenceRun(const Example& example)
      : model_(compile(example.mechanism)), system_(model_), kin_(model_) {
    integrator_ = make_integrator(system_, {.method = "dop853", .tolerance = 1e-13});
    integrator_->reset(example.start);
  }
  std::vector<SE3> at(double t) {
    while (integrator_->state().t < t) integrator_->step(t);
    forward_kinematics(model_, integrator_->state().q, kin_);
    return poses(model_, kin_);
  }

 private:
  Model model_;
  ConstrainedSystem system_;
  PositionKinematics kin_;
  std::unique_ptr<Integrator> integrator_;
};

double distance(const std::vector<SE3>& a, const std::vector<SE3>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (const Vec3& x : {Vec3{}, Vec3{0.1, 0, 0}, Vec3{0, 0.1, 0}, Vec3{0, 0, 0.1}})
      worst = std::max(worst, norm(a[i].R * x + a[i].r - (b[i].R * x + b[i].r)));
  return worst;
}

/// A run in maximal coordinates.
class MaximalRun {
 public:
  MaximalRun(const Example& example, BodyGroup group, const std::string& method, double accuracy)
      : balls_(to_maximal_coordinates(example.mechanism, group)),
        constrained_(balls_.model, balls_.options),
        system_(constrained_),
        kin_(balls_.model) {
    IntegratorOptions options{.method = method};
    (is_adaptive(method) ? options.tolerance : options.step) = accuracy;
    integrator_ = make_integrator(system_, options);
    integrator_->reset(absolute_start(example, balls_.model));
  }
  Integrator& integrator() { return *integrator_; }
  std::vector<SE3> poses_now() {
    forward_kinematics(balls_.model, integrator_->state().q, kin_);
    return poses(balls_.model, kin_);
  }
  double gap() const {
    double worst = 0;
    for (const ModelLoop& loop : balls_.loops)
      worst = std::max(worst, max_abs(pose(kin_, loop.to).r - pose(kin_, loop.from).r));
    return worst;
  }

 private:
  Balls balls_;
  ConstrainedSystem constrained_;
  IndexOne system_;
  PositionKinematics kin_;
  std::unique_ptr<Integrator> integrator_;
};

/// Straight line in logarithms through two runs, at the wanted error.
double at_wanted_error(const MethodRun& a, const MethodRun& b, double cost_a, double cost_b) {
  const double s = std::log(wanted_error / a.error) / std::log(b.error / a.error);
  return cost_a * std::pow(cost_b / cost_a, s);
}

}  // namespace

std::vector<AttitudeError> attitude_errors() {
  const Problem& top = problems()[0];
  const Example example = top.example();
  std::vector<AttitudeError> list;
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3}) {
    ReferenceRun reference(example);
    MaximalRun run(example, group, "mk4", top.step);
    AttitudeError out{group, 0, 0};
    while (run.integrator().state().t < top.duration) {
      run.integrator().step(top.duration);
      const SO3 wanted = reference.at(run.integrator().state().t)[0].R;
      out.last = norm(log(inverse(wanted) * run.poses_now()[0].R));
      out.worst = std::max(out.worst, out.last);
    }
    list.push_back(out);
  }
  return list;
}

MethodRun run_method(const Problem& problem, BodyGroup group, const std::string& method,
                     double accuracy) {
  const Example example = problem.example();
  MaximalRun run(example, group, method, accuracy);
  MethodRun out;
  const double start = cpu_time();
  try {
    while (run.integrator().state().t < duration) run.integrator().step(duration);
  } catch (const Error&) {  // steps that are much too long
    out.error = not_reached;
    return out;
  }
  out.seconds = cpu_time() - start;
  out.evaluations = run.integrator().statistics().evaluations;
  out.error = distance(run.poses_now(), ReferenceRun(example).at(duration));
  out.gap = run.gap();
  return out;
}

std::span<const char* const> methods_compared() { return compared; }

std::vector<MethodCost> method_costs(const Problem& problem, const std::string& method) {
  std::vector<MethodCost> list;
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3}) {
    MethodCost out{problem, method, group, {}, not_reached, not_reached};
    std::optional<MethodRun> before;
    const bool adaptive = is_adaptive(method);
    for (int k = 0; k < 8; ++k) {
      const double accuracy = adaptive ? std::pow(10, -4 - k) : 8e-3 / std::pow(2, k);
      const MethodRun now = run_method(problem, group, method, accuracy);
      if (adaptive ? k == 4 : k == 3) out.sample = now;
      if (before && before->error > wanted_error && now.error <= wanted_error) {
        const auto evaluations = [](const MethodRun& r) {
          return static_cast<double>(r.evaluations);
        };
        out.evaluations = at_wanted_error(*before, now, evaluations(*before), evaluations(now));
        out.seconds = at_wanted_error(*before, now, before->seconds, now.seconds);
        if (k >= 4) break;
      }
      if (!std::isnan(now.error)) before = now;
    }
    list.push_back(out);
  }
  return list;
}

}  // namespace chasles::studies::se3_vs_so3xr3
