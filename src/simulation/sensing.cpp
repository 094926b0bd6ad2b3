#include "simulation/sensing.hpp"

#include <cmath>

namespace chasles {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014): a bijection that scatters all bits.
std::uint64_t scattered(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}
constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15ULL;

/// Uniform in (0, 1], by 53 bits.
double uniform_number(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11U) + 1) * 0x1p-53;
}

std::vector<double> by_entry(const std::string& what, const char* name,
                             const std::vector<double>& given, int n) {
  const auto size = static_cast<std::size_t>(n);
  if (given.size() > 1 && given.size() != size)
    throw Error(what + ": sensors: " + name + " has " + std::to_string(given.size()) +
                " entries; give one, or one for each of the " + std::to_string(n) +
                " entries of v");
  for (const double x : given)
    if (!(x >= 0 && std::isfinite(x)))
      throw Error(what + ": sensors: " + name + " " + to_text(x) +
                  " is not a size; give 0 or more");
  if (given.size() == size) return given;
  return std::vector<double>(size, given.empty() ? 0 : given[0]);
}

double rounded(double x, double step) { return step > 0 ? step * std::round(x / step) : x; }

}  // namespace

double standard_normal(std::uint64_t seed, std::uint64_t sample, std::uint64_t entry) {
  const std::uint64_t key = scattered(
      scattered(scattered(seed + golden_ratio) + sample * golden_ratio) + entry * golden_ratio);
  // Box and Muller 1958.
  const double radius = std::sqrt(-2 * std::log(uniform_number(scattered(key + golden_ratio))));
  return radius * std::cos(2 * M_PI * uniform_number(scattered(key + 2 * golden_ratio)));
}

Sensing::Sensing(const std::string& what, const Model& model, const Sensors& sensors, double period)
    : sensors_(sensors),
      period_(period),
      noise_q_(by_entry(what, "position_noise", sensors.position_noise, model.nv())),
      noise_v_(by_entry(what, "velocity_noise", sensors.velocity_noise, model.nv())),
      step_q_(by_entry(what, "position_resolution", sensors.position_resolution, model.nv())),
      step_v_(by_entry(what, "velocity_resolution", sensors.velocity_resolution, model.nv())),
      q_(model.nq()),
      v_(model.nv()),
      e_(model.nv()),
      kin_(model) {
  if (!(sensors.delay >= 0 && std::isfinite(sensors.delay)))
    throw Error(what + ": sensors: delay " + to_text(sensors.delay) +
                " is not a time; give 0 or more seconds");
  if (!(period > 0)) throw Error(what + ": sensors are read at samples; give a period");
  constexpr double most = 1e5;
  if (sensors.delay / period > most)
    throw Error(what + ": sensors: a delay of " + to_text(sensors.delay) +
                " s is more than 1e5 periods of " + to_text(period) + " s");
  for (const ModelJoint& joint : model.joints())
    for (const JointCoordinate& c : joint.coordinates)
      if (!c.is_scalar() && sensors.position_resolution.size() > 1)
        for (int k = 0; k < c.nv; ++k)
          if (step_q_[static_cast<std::size_t>(c.v_index + k)] > 0)
            throw Error(what + ": sensors: position_resolution of joint '" + joint.name +
                        "': a rotation or position of a spherical or floating joint has none");
  const auto kept = static_cast<std::size_t>(sensors.delay / period) + 4;
  seen_.assign(kept,
               {std::numeric_limits<double>::quiet_NaN(), Vector(model.nq()), Vector(model.nv())});
}

/// t_k - delay of the first sample k with t_k - delay > t. Without delay samples are observations.
double Sensing::next_observation(double t) const {
  if (sensors_.delay == 0) return std::numeric_limits<double>::infinity();
  double k = std::floor((t + sensors_.delay) / period_) - 1;
  while (k * period_ - sensors_.delay <= t && (k + 1) * period_ > k * period_) ++k;
  return k * period_ - sensors_.delay;
}

void Sensing::observe(double t, const VelocityKinematics& kin) {
  const double slack = 1e-9 * period_;
  if (count_ > 0) {
    // Observations of delayed samples only: those that are due between the last one and now.
    const Seen& last = seen_[(count_ - 1) % seen_.size()];
    if (sensors_.delay > 0 && next_observation(last.t + slack) > t + slack) return;
  }
  Seen& seen = seen_[count_++ % seen_.size()];
  seen.t = t, seen.q = kin.q(), seen.v = kin.v();
}

/// The latest observation not after t; the first one, if all are.
const Sensing::Seen& Sensing::state_at(double t) const {
  const std::size_t oldest = count_ > seen_.size() ? count_ - seen_.size() : 0;
  for (std::size_t i = count_; i > oldest; --i)
    if (const Seen& seen = seen_[(i - 1) % seen_.size()]; seen.t <= t + 1e-9 * period_) return seen;
  return seen_[oldest % seen_.size()];
}

const VelocityKinematics& Sensing::measured(double t) {
  const Model& model = kin_.model();
  const Seen& seen = state_at(t - sensors_.delay);
  const auto sample = static_cast<std::uint64_t>(std::llround(t / period_));
  const auto n = static_cast<std::size_t>(model.nv());
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    e_[k] = noise_q_[i] > 0 ? noise_q_[i] * standard_normal(sensors_.seed, sample, 2 * i) : 0;
    const double z =
        noise_v_[i] > 0 ? noise_v_[i] * standard_normal(sensors_.seed, sample, 2 * i + 1) : 0;
    v_[k] = rounded(seen.v[k] + z, step_v_[i]);
  }
  plus(model, seen.q, e_, q_);
  for (const ModelJoint& joint : model.joints())
    for (const JointCoordinate& c : joint.coordinates)
      if (c.is_scalar())
        q_[c.q_index] = rounded(q_[c.q_index], step_q_[static_cast<std::size_t>(c.v_index)]);
  forward_kinematics(model, q_, v_, kin_);
  return kin_;
}

}  // namespace chasles
