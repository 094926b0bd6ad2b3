#include "chasles/linearization/sampled_system.hpp"

#include <algorithm>
#include <cmath>

#include "math/decompositions.hpp"
#include "math/sampled_transition.hpp"

namespace chasles {
namespace {

constexpr double most_entries = 5000;  // limit of the size of y: A then has 200 MB

void check(const LinearSystem& plant, double period, std::span<const SampledFeedback> feedback) {
  const Eigen::Index n = plant.A.rows();
  if (plant.A.cols() != n || plant.B.rows() != n)
    throw Error("a linear system has A of n x n and B of n x m; this one has A of " +
                std::to_string(n) + " x " + std::to_string(plant.A.cols()) + " and B of " +
                std::to_string(plant.B.rows()) + " x " + std::to_string(plant.B.cols()));
  if (!(period > 0) || !std::isfinite(period))
    throw Error("a sampling period of " + to_text(period) + " s; give a positive time");
  double entries = static_cast<double>(n);
  for (const SampledFeedback& loop : feedback) {
    if (!(loop.delay >= 0) || !std::isfinite(loop.delay))
      throw Error("a delay of " + to_text(loop.delay) + " s; give 0 or more seconds");
    const auto m = static_cast<Eigen::Index>(loop.entries.size());
    if (loop.gain.rows() != m || loop.gain.cols() != n)
      throw Error("the gain of a sampled feedback is " + std::to_string(loop.gain.rows()) + " x " +
                  std::to_string(loop.gain.cols()) + "; it needs " + std::to_string(m) + " x " +
                  std::to_string(n));
    for (const int k : loop.entries)
      if (k < 0 || k >= plant.B.cols())
        throw Error("a sampled feedback acts on entry " + std::to_string(k) + " of " +
                    std::to_string(plant.B.cols()) + " joint forces");
    entries += static_cast<double>(m) * kept_samples(loop.delay, period);
  }
  if (!(entries <= most_entries))
    throw Error("with the samples that are delayed, the state of the sampled loop has " +
                to_text(entries) + " entries, more than " + to_text(most_entries) +
                "; shorten the delay");
}

}  // namespace

SampledSystem sample(const LinearSystem& plant, double period,
                     std::span<const SampledFeedback> feedback) {
  check(plant, period, feedback);
  const Eigen::Index n = plant.A.rows();
  const Eigen::MatrixXd A = plant.A, B = plant.B;
  std::vector<SampledInput> inputs;
  SampledSystem out{period, {}, {}};
  for (std::size_t g = 0; g < feedback.size(); ++g) {
    const SampledFeedback& loop = feedback[g];
    inputs.push_back({B(Eigen::all, loop.entries), loop.gain, loop.delay});
    const auto past = static_cast<int>(kept_samples(loop.delay, period));
    for (int i = 1; i <= past; ++i)
      for (const int k : loop.entries) out.delayed.push_back({g, k, i});
  }
  out.A = sampled_transition(A, inputs, period);
  out.B.setZero(out.A.rows(), B.cols());
  out.B.topRows(n) = held_step(A, B, period).rightCols(B.cols());
  return out;
}

std::vector<std::complex<double>> SampledSystem::eigenvalues() const {
  if (A.size() == 0) return {};
  const std::optional<Eigenpairs> solved = eigenpairs(A, false);
  if (!solved) throw Error("the eigenvalues of the sampled loop were not found");
  std::vector<std::complex<double>> all(solved->values.begin(), solved->values.end());
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) {
    // A conjugate pair stays together despite rounding of its moduli.
    const double r = std::abs(a), s = std::abs(b);
    return std::abs(r - s) > 1e-14 * (r + s) && r > s;
  });
  return all;
}

double SampledSystem::spectral_radius() const {
  double radius = 0;
  for (const auto& z : eigenvalues()) radius = std::max(radius, std::abs(z));
  return radius;
}

}  // namespace chasles
