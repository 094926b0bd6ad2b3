/// Execution of batches: blocks of states through the kernels, distributed over threads; identification of
/// failed states; error estimate for float.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <utility>

#include "access.hpp"
#include "chasles/dynamics/batch.hpp"
#include "dynamics/kernel_memory.hpp"
#include "dynamics/thread_pool.hpp"
#include "model/model_data.hpp"

namespace chasles {

/// An argument or a result of a batch: `entries` numbers per state. A null name marks an absent argument.
template <class Data>
struct BatchRows {
  const char* name = nullptr;
  Data data{};
  int entries = 0;
};

/// Blocks of results larger than this many bytes are not buffered.
inline constexpr long long large_block = 1 << 24;
/// Largest acceptable relative error of float accelerations.
inline constexpr double float_limit = 0.1;

/// One call of a batch: algorithm, layout, arguments and results.
template <class Real>
struct BatchCall {
  using Algorithm = kernels::Algorithm;
  using In = BatchRows<std::span<const Real>>;
  Algorithm algorithm;
  int states;
  BatchLayout layout;
  In q{}, v{}, force{}, wrench{};
  BatchRows<std::span<Real>> out{};
  // Numbers per state written by the kernel, and the offset of the result in them.
  int kernel_entries = 0, first = 0;
  // `algorithm` computes the motion of the links, `frame_algorithm` converts it to the result.
  bool of_places = false;
  Algorithm frame_algorithm{};
};

template <class Real>
struct Batch<Real>::Implementation {
  /// Workspace of a thread.
  struct Worker {
    KernelScratch<Real> scratch;
    std::vector<CacheLine> blocks;  // arguments, motion of links, results
    KernelScratch<double> single;   // for single states
    std::vector<double> doubles;    // arguments and results of these, if Real is float
    int failed_link = -1, failed_block = 0;
  };

  const Model model;
  const kernels::KernelTable<Real>& table = kernels::lane_kernels<Real>();
  const int lanes = table.lanes;
  const kernels::Tree<Real>& tree;
  std::vector<Worker> workers;
  std::vector<kernels::FrameConstants<Real>> frames;
  double error = 0;  // Batch::forward_error
  ThreadPool pool;

  Implementation(const Model& m, int threads)
      : model(m),
        tree(kernel_trees(m).template of<Real>()),
        workers(static_cast<std::size_t>(threads)),
        pool(threads) {
    if constexpr (sizeof(Real) == sizeof(float)) error = seen_error();
  }

  int link_count() const { return static_cast<int>(tree.links.size()); }
  int padded(int states) const {
    if (states > std::numeric_limits<int>::max() - lanes + 1)
      throw Error("a batch cannot have " + std::to_string(states) +
                  " states; give it a part of them at a time");
    return (states + lanes - 1) / lanes * lanes;
  }
  /// Size of a result per state.
  int entries(const char* name, long long rows, long long columns) const {
    if (rows * columns > std::numeric_limits<int>::max())
      throw Error(std::string(name) + " of model '" + model.name() + "' would have " +
                  std::to_string(rows) + " x " + std::to_string(columns) +
                  " entries for every state, which is too many");
    return static_cast<int>(rows * columns);
  }

  void set_frames(Frames from, Representation representation) {
    frames.clear();
    for (const Frame& frame : from) {
      require_frame(frame, model);
      frames.push_back(kernels::frame_constants<Real>(frame.link, frame.offset, representation));
    }
  }
  void set_wrenches(const Wrenches& applied, BatchCall<Real>& call) {
    if (applied.frames.empty()) {
      if (!applied.W.empty()) throw SizeError("W, without places,", applied.W.size(), 0);
      return;
    }
    set_frames(applied.frames, applied.representation);
    call.wrench = {"W", applied.W, 6 * static_cast<int>(frames.size())};
  }

  void check(const BatchCall<Real>& call, const char* name, std::size_t given, int entries) const {
    const std::size_t rows = static_cast<std::size_t>(
        call.layout == BatchLayout::rows ? call.states : padded(call.states));
    if (given != rows * static_cast<std::size_t>(entries))
      throw SizeError(name, given, rows * static_cast<std::size_t>(entries));
  }

  /// Arguments and results must not overlap: threads write results while others still read arguments.
  void require_apart(const BatchCall<Real>& call) const {
    const auto first = [](const auto& span) {
      return reinterpret_cast<std::uintptr_t>(span.data());
    };
    const auto last = [&](const auto& span) { return first(span) + span.size_bytes(); };
    for (const auto* in : {&call.q, &call.v, &call.force, &call.wrench})
      if (in->name && first(in->data) < last(call.out.data) &&
          first(call.out.data) < last(in->data))
        throw Error(std::string(call.out.name) + " overlaps " + in->name +
                    "; a batch needs results that are apart from its arguments");
  }

  /// Whether a block of results is too large to be buffered, so that states run one by one.
  bool one_by_one(const BatchCall<Real>& call) const {
    const long long numbers = static_cast<long long>(call.kernel_entries) * lanes;
    if (call.of_places || call.wrench.name) return false;
    if (call.layout == BatchLayout::rows)
      return numbers * static_cast<long long>(sizeof(Real)) > large_block;
    if (numbers > std::numeric_limits<int>::max())
      throw Error("a block of " + std::to_string(lanes) + " results " + call.out.name +
                  " of model '" + model.name() + "' is too large; use Layout::rows");
    return false;
  }
  /// Whether the kernel writes all blocks of results directly to their destination.
  bool direct(const BatchCall<Real>& call) const {
    return call.layout == BatchLayout::lanes && call.states % lanes == 0 &&
           call.kernel_entries == call.out.entries && writes_to(call, call.out.data.data());
  }
  /// Kernels write aligned vectors of lanes; those of derivatives write anywhere.
  bool writes_to(const BatchCall<Real>& call, const Real* to) const {
    return kernels::is_derivative(call.algorithm) || aligned(to);
  }
  bool aligned(const Real* to) const {
    return reinterpret_cast<std::uintptr_t>(to) %
               (static_cast<std::size_t>(lanes) * sizeof(Real)) ==
           0;
  }

  /// Reserves scratch for a call, once for each algorithm.
  void reserve(const BatchCall<Real>& call, bool single) {
    const auto links = static_cast<std::size_t>(link_count());
    const std::size_t motion = call.of_places ? 24 * links : 0;
    const int arguments = call.q.entries + call.v.entries + call.force.entries +
                          call.wrench.entries + first_results(call);
    const bool in_place = direct(call) || (single && std::is_same_v<Real, double> &&
                                           call.kernel_entries == call.out.entries);
    const std::size_t results = in_place ? 0 : static_cast<std::size_t>(call.kernel_entries);
    const std::size_t numbers =
        static_cast<std::size_t>(arguments + tree.group_size) + results + motion;
    const std::size_t lines =
        numbers * static_cast<std::size_t>(lanes) * sizeof(Real) / sizeof(CacheLine) + 1;
    for (Worker& worker : workers) {
      if (single) {
        for (const auto algorithm : {call.algorithm, before(call.algorithm)})
          worker.single.reserve(kernels::single_kernels(), algorithm, kernel_trees(model));
        worker.doubles.resize(std::max(worker.doubles.size(), numbers));
        continue;
      }
      for (const auto algorithm : {call.algorithm, before(call.algorithm)})
        worker.scratch.reserve(table, algorithm, kernel_trees(model));
      if (worker.blocks.size() < lines) worker.blocks.resize(lines);
    }
  }

  void run(const BatchCall<Real>& call) {
    require_known(call.layout, BatchLayout::lanes, "layout");
    if (call.states < 0)
      throw Error("a batch cannot have " + std::to_string(call.states) + " states");
    const int all = padded(call.states);
    for (const auto* in : {&call.q, &call.v, &call.force, &call.wrench})
      if (in->name) check(call, in->name, in->data.size(), in->entries);
    check(call, call.out.name, call.out.data.size(), call.out.entries);
    require_apart(call);
    const bool single = one_by_one(call);
    reserve(call, single);
    const int blocks = single ? call.states : all / lanes;
    pool.run([&](int t) {
      Worker& worker = workers[static_cast<std::size_t>(t)];
      worker.failed_link = -1;
      const auto part = [&](int k) {
        return static_cast<int>(static_cast<long long>(blocks) * k / pool.size());
      };
      for (int b = part(t); b < part(t + 1); ++b) {
        const int link = single ? state(worker, call, b) : block(worker, call, b);
        if (link >= 0 && worker.failed_link < 0) worker.failed_link = link, worker.failed_block = b;
      }
    });
    for (Worker& worker : workers)
      if (worker.failed_link >= 0) fail(worker, call, single);
  }

  /// The link whose q starts at this index; -1: none.
  int link_at(int q) const {
    if (q < 0) [[likely]]
      return -1;
    int i = 0;
    while (tree.links[static_cast<std::size_t>(i)].q != q) ++i;
    return i;
  }
  /// The algorithm that runs first: derivatives of forward dynamics need its result.
  static kernels::Algorithm before(kernels::Algorithm algorithm) {
    return algorithm == kernels::d_forward_dynamics ? kernels::forward_dynamics : algorithm;
  }
  /// Its results per state.
  int first_results(const BatchCall<Real>& call) const {
    return before(call.algorithm) != call.algorithm ? tree.nv : 0;
  }
  /// External joint data, in all lanes, and the algorithm that runs first, whose accelerations go to `a`.
  template <class Number>
  int prepare(const kernels::KernelTable<Number>& kernel, const BatchCall<Real>& call,
              Number* group, Number* a, kernels::Pass<Number>& pass) const {
    if (tree.group_size > 0) {
      for (int l = 0; l < kernel.lanes; ++l)
        fill_group(model, *pass.tree, pass.q, pass.v, kernel.lanes, l, group);
      pass.group = group;
    }
    if (first_results(call) > 0) {
      Number* out = std::exchange(pass.out, a);
      pass.keep_factors = true;
      if (const int link = kernel.run(before(call.algorithm), pass); link >= 0) return link;
      pass.out = out, pass.force = a;
    }
    if (tree.group_size > 0 && kernels::is_derivative(call.algorithm))
      for (int l = 0; l < kernel.lanes; ++l)
        fill_group_partials(model, *pass.tree, pass.q, pass.v, pass.force, kernel.lanes, l, group);
    return -1;
  }

  int block(Worker& worker, const BatchCall<Real>& call, int b) {
    const int used = std::min(lanes, call.states - b * lanes);
    Real* free = reinterpret_cast<Real*>(worker.blocks.data());
    const bool in_lanes = call.layout == BatchLayout::lanes && used == lanes;
    const auto take = [&](int entries) { return std::exchange(free, free + entries * lanes); };
    const auto input = [&](const BatchRows<In>& in) -> const Real* {
      if (!in.name) return nullptr;
      const Real* first = in.data.data() + static_cast<std::ptrdiff_t>(b) * lanes * in.entries;
      if (in_lanes) return first;
      Real* to = take(in.entries);
      if (call.layout == BatchLayout::rows) {
        table.gather(first, in.entries, used, to);
      } else {
        for (int e = 0; e < in.entries; ++e)
          for (int l = 0; l < lanes; ++l)
            to[e * lanes + l] = first[e * lanes + std::min(l, used - 1)];
      }
      return to;
    };
    kernels::Pass<Real> pass{.tree = &tree,
                             .q = input(call.q),
                             .v = input(call.v),
                             .force = input(call.force),
                             .wrench = input(call.wrench),
                             .group = nullptr,
                             .work = worker.scratch.data(),
                             .out = nullptr};
    pass.frames = frames.data();
    pass.frame_count = static_cast<int>(frames.size());
    Real *group = take(tree.group_size), *a = take(first_results(call));
    if (call.of_places) {
      pass.pose = take(12 * link_count());
      pass.twist = take(6 * link_count());
      pass.acceleration = take(6 * link_count());
    }

    Real* to = call.out.data.data() + static_cast<std::ptrdiff_t>(b) * lanes * call.out.entries;
    const bool whole = call.kernel_entries == call.out.entries;
    pass.out = in_lanes && whole && writes_to(call, to) ? to : take(call.kernel_entries);
    int link = link_at(worker.scratch.zero_quaternion(pass.q, lanes));
    if (link >= 0) return link;
    link = prepare(table, call, group, a, pass);
    if (link < 0) link = table.run(call.algorithm, pass);
    if (call.of_places) table.run(call.frame_algorithm, pass);
    if (pass.out == to) return link;
    const Real* from = pass.out + call.first * lanes;
    if (call.layout == BatchLayout::rows) {
      table.scatter(from, call.out.entries, used, to);
    } else if (used == lanes) {
      std::copy_n(from, static_cast<std::ptrdiff_t>(call.out.entries) * lanes, to);
    } else {
      for (int e = 0; e < call.out.entries; ++e)
        std::copy_n(from + e * lanes, used, to + e * lanes);
    }
    return link;
  }

  /// State s in double, with the single-state kernels: for matrices of models so large that a block of
  /// results is not buffered.
  int state(Worker& worker, const BatchCall<Real>& call, int s) {
    const kernels::Tree<double>& in_double = kernel_trees(model).template of<double>();
    double* free = worker.doubles.data();
    const auto input = [&](const BatchRows<In>& in) -> const double* {
      if (!in.name) return nullptr;
      const Real* first = in.data.data() + static_cast<std::ptrdiff_t>(s) * in.entries;
      double* to = std::exchange(free, free + in.entries);
      std::copy_n(first, in.entries, to);
      return to;
    };
    kernels::Pass<double> pass{.tree = &in_double,
                               .q = input(call.q),
                               .v = input(call.v),
                               .force = input(call.force),
                               .wrench = nullptr,
                               .group = nullptr,
                               .work = worker.single.data(),
                               .out = nullptr};
    double* group = std::exchange(free, free + tree.group_size);
    double* a = std::exchange(free, free + first_results(call));
    Real* to = call.out.data.data() + static_cast<std::ptrdiff_t>(s) * call.out.entries;
    pass.out = free;
    if constexpr (std::is_same_v<Real, double>)
      if (call.kernel_entries == call.out.entries) pass.out = to;
    int link = link_at(worker.single.zero_quaternion(pass.q, 1));
    if (link >= 0) return link;
    link = prepare(kernels::single_kernels(), call, group, a, pass);
    if (link < 0) link = kernels::single_kernels().run(call.algorithm, pass);
    if constexpr (std::is_same_v<Real, double>)
      if (pass.out == to) return link;
    for (int e = 0; e < call.out.entries; ++e) to[e] = static_cast<Real>(pass.out[call.first + e]);
    return link;
  }

  /// Finds the state of the failed block that caused the failure, and the reason.
  [[noreturn]] void fail(Worker& worker, const BatchCall<Real>& call, bool single) {
    const int link = worker.failed_link, first = worker.failed_block * (single ? 1 : lanes),
              last = std::min(first + (single ? 1 : lanes), call.states) - 1;
    std::vector<double> q(static_cast<std::size_t>(tree.nq));
    const auto why = [&](int s, int failed) {
      const std::vector<Real> row = row_of(call, call.q, s);
      std::copy(row.begin(), row.end(), q.begin());
      Workspace::Memory::throw_failed(model, failed, q.data(), "state " + std::to_string(s) + ": ");
    };
    for (int s = first; s < last; ++s) {
      // One state, repeated in all lanes.
      std::vector<Real> rows[4], out(static_cast<std::size_t>(call.kernel_entries));
      BatchCall<Real> alone = call;
      alone.states = 1, alone.layout = BatchLayout::rows;
      typename BatchCall<Real>::In* to[] = {&alone.q, &alone.v, &alone.force, &alone.wrench};
      for (int k = 0; k < 4; ++k)
        if (to[k]->name) to[k]->data = rows[k] = row_of(call, *to[k], s);
      alone.out.data = out, alone.out.entries = call.kernel_entries;
      reserve(alone, false);
      if (const int failed = block(worker, alone, 0); failed >= 0) why(s, failed);
    }
    why(last, link);
    throw Error("a kernel stopped");  // not reached
  }
  std::vector<Real> row_of(const BatchCall<Real>& call, const typename BatchCall<Real>::In& in,
                           int s) const {
    std::vector<Real> row(static_cast<std::size_t>(in.entries));
    for (int e = 0; e < in.entries; ++e) {
      const auto at =
          call.layout == BatchLayout::rows
              ? static_cast<std::ptrdiff_t>(s) * in.entries + e
              : (static_cast<std::ptrdiff_t>(s / lanes) * in.entries + e) * lanes + s % lanes;
      row[static_cast<std::size_t>(e)] = in.data[static_cast<std::size_t>(at)];
    }
    return row;
  }

  /// The largest error of forward dynamics at sample states: random accelerations of unit size, their forces
  /// computed in double, and the accelerations Real recovers from these. Relative to the largest
  /// acceleration, and in the norm of the kinetic energy, which weights heavy joints.
  double seen_error() {
    const int nv = tree.nv;
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Workspace work(model);
    Workspace::Memory& exact = detail::Access::memory(work, model);
    exact.reserve(kernels::inverse_dynamics);
    const auto n = static_cast<std::size_t>(lanes);
    std::vector<Real> q, v, tau, found(n * static_cast<std::size_t>(nv));
    std::vector<Vector> positions, accelerations;
    for (int l = 0; l < lanes; ++l) {
      Vector at = model.neutral(), rate(nv), a(nv), force(nv);
      for (double& x : at) x += uniform(generator);
      for (double& x : rate) x = uniform(generator);
      for (double& x : a) x = uniform(generator);
      exact.run(kernels::inverse_dynamics, model, at, rate.data(), a.data(), force.data());
      q.insert(q.end(), at.begin(), at.end());
      v.insert(v.end(), rate.begin(), rate.end());
      tau.insert(tau.end(), force.begin(), force.end());
      positions.push_back(at), accelerations.push_back(a);
    }
    BatchCall<Real> call{
        .algorithm = kernels::forward_dynamics, .states = lanes, .layout = BatchLayout::rows};
    call.q = {"q", q, tree.nq}, call.v = {"v", v, nv}, call.force = {"tau", tau, nv};
    call.out = {"a", found, nv}, call.kernel_entries = nv;
    reserve(call, false);
    if (block(workers[0], call, 0) >= 0) {
      try {  // a model singular in double too is reported when it is used
        exact.reserve(kernels::forward_dynamics);
        for (const Vector& at : positions)
          exact.run(kernels::forward_dynamics, model, at, exact.zero.data(), exact.zero.data(),
                    Vector(nv).data());
      } catch (const Error&) {
        return 0;
      }
      return std::numeric_limits<double>::infinity();
    }
    double most = 0;
    // x^T M x: x times the joint forces for the acceleration x, minus those at rest.
    const auto square = [&](const Vector& at, const Vector& x) {
      Vector moving(nv), still(nv);
      exact.run(kernels::inverse_dynamics, model, at, exact.zero.data(), x.data(), moving.data());
      exact.run(kernels::inverse_dynamics, model, at, exact.zero.data(), nullptr, still.data());
      return x.dot(moving - still);
    };
    for (std::size_t l = 0; l < n && nv > 0; ++l) {
      const Vector& a = accelerations[l];
      Vector off(nv);
      for (int k = 0; k < nv; ++k)
        off[k] = static_cast<double>(
                     found[l * static_cast<std::size_t>(nv) + static_cast<std::size_t>(k)]) -
                 a[k];
      const double energy = std::sqrt(square(positions[l], off) / square(positions[l], a)),
                   largest = off.cwiseAbs().maxCoeff() / a.cwiseAbs().maxCoeff();
      most = std::max({most, largest, std::isnan(energy) ? 0 : energy});
    }
    return most;
  }
  void require_digits(const char* what) const {
    if (error <= float_limit) return;
    throw Error(std::string(what) + " of model '" + model.name() + "' in float is off by " +
                std::to_string(std::min(error, 1e6)) +
                " of the accelerations: its inertias differ too much; use Batch<double>");
  }
};

}  // namespace chasles
