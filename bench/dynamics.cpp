/// Inverse dynamics, forward dynamics, mass matrix and its inverse, for one state and batches, compared with
/// the installed peers. Every peer gets the same model and its results are checked before timing: 1e-12
/// relative for inverse dynamics and M, 1e-10 where M is inverted.
///
///     dynamics [--quick] [--robots FOLDER] [--only NAME] [-o FILE.json]
#include <fmt/format.h>

#include <memory>
#include <span>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "models.hpp"
#include "peers/peer.hpp"
#include "report.hpp"
#include "timer.hpp"

namespace {

using namespace chasles;

constexpr int states_count = 64;
constexpr int largest_matrix = 200;  // nv

struct Algorithm {
  Work work;
  const char* name;
  double tolerance;
  bool is_matrix;
};
constexpr Algorithm algorithms[] = {{Work::inverse_dynamics, "inverse dynamics", 1e-12, false},
                                    {Work::forward_dynamics, "forward dynamics", 1e-10, false},
                                    {Work::mass_matrix, "mass matrix", 1e-12, true},
                                    {Work::mass_matrix_inverse, "M^-1", 1e-10, true}};

/// Ours, one state at a time.
class Single {
 public:
  explicit Single(const Model& model)
      : model_(model), inverse_(model), forward_(model), M_(model), M_inv_(model) {}
  void run(Work work, const State& s) {
    switch (work) {
      case Work::inverse_dynamics:
        inverse_dynamics(model_, s.q, s.v, s.a, inverse_);
        break;
      case Work::forward_dynamics:
        forward_dynamics(model_, s.q, s.v, s.tau, forward_);
        break;
      case Work::mass_matrix:
        mass_matrix(model_, s.q, M_);
        break;
      case Work::mass_matrix_inverse:
        mass_matrix_inverse(model_, s.q, M_inv_);
        break;
      default:
        break;
    }
  }
  Eigen::MatrixXd result(Work work) const {
    switch (work) {
      case Work::inverse_dynamics:
        return inverse_.tau;
      case Work::forward_dynamics:
        return forward_.a;
      case Work::mass_matrix:
        return M_.M();
      default:
        return M_inv_.M_inv;
    }
  }

 private:
  const Model& model_;
  InverseDynamics inverse_;
  ForwardDynamics forward_;
  MassMatrix M_;
  MassMatrixInverse M_inv_;
};

double relative(const Eigen::MatrixXd& x, const Eigen::MatrixXd& reference) {
  const double e = (x - reference).cwiseAbs().maxCoeff() / reference.cwiseAbs().maxCoeff();
  return std::isnan(e) ? std::numeric_limits<double>::infinity() : e;
}

/// Numbers from a multiple of 64 bytes on, so that no SIMD register straddles two cache lines.
template <class Real>
class Aligned {
 public:
  void resize(std::size_t size) {
    if (size == size_) return;
    room_.resize(size + 64);
    size_ = size;
  }
  Real* data() const {
    void* begin = const_cast<Real*>(room_.data());
    std::size_t space = room_.size() * sizeof(Real);
    return static_cast<Real*>(std::align(64, size_ * sizeof(Real), begin, space));
  }
  Real& operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return size_; }
  operator std::span<Real>() const { return {data(), size_}; }
  operator std::span<const Real>() const { return {data(), size_}; }

 private:
  std::vector<Real> room_;
  std::size_t size_ = 0;
};

/// Many states at once, in one layout.
template <class Real>
class Many {
 public:
  Many(const Model& model, const std::vector<State>& states, BatchLayout layout)
      : batch_(model), layout_(layout), count_(static_cast<int>(states.size())) {
    for (const State& s : states) {
      const auto k = static_cast<int>(&s - states.data());
      put(k, s.q, q_), put(k, s.v, v_), put(k, s.a, a_), put(k, s.tau, tau_);
    }
  }
  void run(Work work, int nv, bool is_matrix) {
    out_.resize(static_cast<std::size_t>(count_ * (is_matrix ? nv * nv : nv)));
    switch (work) {
      case Work::inverse_dynamics:
        batch_.inverse_dynamics(count_, q_, v_, a_, out_, layout_);
        break;
      case Work::forward_dynamics:
        batch_.forward_dynamics(count_, q_, v_, tau_, out_, layout_);
        break;
      case Work::mass_matrix:
        batch_.mass_matrix(count_, q_, out_, layout_);
        break;
      default:
        batch_.mass_matrix_inverse(count_, q_, out_, layout_);
    }
  }
  Eigen::MatrixXd result(int k, int rows, int columns) const {
    Eigen::MatrixXd x(rows, columns);
    for (int e = 0; e < rows * columns; ++e)
      x(e / columns, e % columns) = out_[index_of(k, e, rows * columns)];
    return x;
  }

 private:
  std::size_t index_of(int k, int entry, int entries) const {
    const int lanes = batch_.lanes();
    return static_cast<std::size_t>(layout_ == BatchLayout::rows
                                        ? k * entries + entry
                                        : (k / lanes * entries + entry) * lanes + k % lanes);
  }
  void put(int k, const Eigen::VectorXd& x, Aligned<Real>& to) const {
    const int n = static_cast<int>(x.size());
    to.resize(static_cast<std::size_t>(count_ * n));
    for (int e = 0; e < n; ++e) to[index_of(k, e, n)] = static_cast<Real>(x[e]);
  }
  Batch<Real> batch_;
  BatchLayout layout_;
  int count_;
  Aligned<Real> q_, v_, a_, tau_, out_;
};

class Timer {
 public:
  Timer(const Model& model, double seconds)
      : model_(model),
        seconds_(seconds),
        states_(bench::random_states(model, states_count)),
        single_(model) {}

  Row ours(const Algorithm& algorithm) {
    Row row{model_.name(), algorithm.name, static_cast<int>(model_.bodies().size()), model_.nv()};
    results_.clear();
    for (const State& s : states_) {
      single_.run(algorithm.work, s);
      results_.push_back(single_.result(algorithm.work));
    }
    row.one = least_ns(
        states_.size(), [&](std::size_t i) { single_.run(algorithm.work, states_[i]); }, seconds_);
    double ignored;
    row.lanes = many<double>(algorithm, BatchLayout::lanes, row.lanes_error);
    row.rows = many<double>(algorithm, BatchLayout::rows, ignored);
    try {
      row.floats = many<float>(algorithm, BatchLayout::lanes, row.floats_error);
    } catch (const Error&) {  // Batch::forward_error: float has no correct digit
      row.floats = row.floats_error = std::numeric_limits<double>::quiet_NaN();
    }
    return row;
  }

  /// Call after `ours` with the same algorithm.
  PeerTime peer(Peer& peer, const Algorithm& algorithm) {
    PeerTime time;
    if (!peer.has(algorithm.work)) return time;
    using Clock = std::chrono::steady_clock;
    peer.load(states_);
    const auto start = Clock::now();
    peer.run(algorithm.work, 0);
    // Slow peers (milliseconds) get fewer states.
    const bool slow = Clock::now() - start > std::chrono::milliseconds(3);
    const std::size_t count = slow ? 4 : states_.size();
    for (std::size_t i = 0; i < count; ++i) {
      peer.run(algorithm.work, i);
      time.error = std::max(time.error, relative(peer.result(algorithm.work, i), results_[i]));
    }
    time.verdict = PeerTime::Verdict::disagrees;
    if (!(time.error <= algorithm.tolerance)) return time;
    time.verdict = PeerTime::Verdict::timed;
    time.ns = least_ns(
        count, [&](std::size_t i) { peer.run(algorithm.work, i); }, seconds_);
    return time;
  }

 private:
  template <class Real>
  double many(const Algorithm& algorithm, BatchLayout layout, double& error) {
    Many<Real> batch(model_, states_, layout);
    const int nv = model_.nv();
    batch.run(algorithm.work, nv, algorithm.is_matrix);
    error = 0;
    for (int k = 0; k < states_count; ++k)
      error = std::max(error, relative(batch.result(k, nv, algorithm.is_matrix ? nv : 1),
                                       results_[static_cast<std::size_t>(k)]));
    return least_ns(
               1, [&](std::size_t) { batch.run(algorithm.work, nv, algorithm.is_matrix); },
               seconds_) /
           states_count;
  }

  const Model& model_;
  double seconds_;
  std::vector<State> states_;
  Single single_;
  std::vector<Eigen::MatrixXd> results_;
};

void measure(const Mechanism& mechanism, const std::vector<PeerMaker>& makers, double seconds,
             Report& report) {
  const Model model = compile(mechanism);
  Timer timer(model, seconds);
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<std::string> why(makers.size());
  for (std::size_t k = 0; k < makers.size(); ++k) peers.push_back(makers[k].make(model, why[k]));
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.is_matrix && model.nv() > largest_matrix) continue;
    Row row = timer.ours(algorithm);
    for (std::size_t k = 0; k < peers.size(); ++k) {
      row.peers.push_back(peers[k] ? timer.peer(*peers[k], algorithm) : PeerTime{});
      if (!peers[k]) row.peers.back().note = why[k];
    }
    report.add(std::move(row));
  }
}

void measure_growth(double seconds, Report& report) {
  const Model half = compile(chain(500)), whole = compile(chain(1000));
  Timer at_half(half, seconds), at_whole(whole, seconds);
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.is_matrix) continue;
    const Row a = at_half.ours(algorithm), b = at_whole.ours(algorithm);
    report.add(Growth{algorithm.name, b.one / a.one, b.lanes / a.lanes});
  }
}

struct Options {
  double seconds = 0.2;
  std::string robots = "../shared/robots", only, out = "build/bench/dynamics.json";
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      options.seconds = 0.002;
      continue;
    }
    std::string* const value = word == "--robots" ? &options.robots
                               : word == "--only" ? &options.only
                               : word == "-o"     ? &options.out
                                                  : nullptr;
    if (!value || ++i == argc)
      throw Error("dynamics: '" + word +
                  "'; give [--quick] [--robots FOLDER] [--only NAME] [-o FILE.json]");
    *value = argv[i];
  }
  return options;
}

void run(const Options& options) {
  std::vector<Mechanism> mechanisms = robots(options.robots);
  for (const int n : {7, 20, 50, 100, 1000}) mechanisms.push_back(chain(n));
  mechanisms.push_back(binary_tree(7));
  mechanisms.push_back(humanoid());

  const std::vector<PeerMaker> makers = installed_peers();
  std::vector<std::string> names;
  names.reserve(makers.size());
  for (const PeerMaker& maker : makers) names.push_back(maker.name);
  Report report(states_count, names);
  report.print_header();
  for (const Mechanism& mechanism : mechanisms)
    if (mechanism.name.find(options.only) != std::string::npos)
      measure(mechanism, makers, options.seconds, report);
  if (options.only.empty()) measure_growth(options.seconds, report);
  report.print_notes();
  report.write_json(options.out);
  fmt::print("written to {}\n", options.out);
}

}  // namespace

int main(int argc, char** argv) try { run(parse(argc, argv)); } catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
