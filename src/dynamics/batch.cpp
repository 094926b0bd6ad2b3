#include "chasles/dynamics/batch.hpp"

#include <cstdint>
#include <utility>

#include "dynamics/kernel_memory.hpp"
#include "dynamics/thread_pool.hpp"

namespace chasles {
namespace {

int thread_count(int threads) {
  if (threads < 0) throw Error("a batch cannot have " + std::to_string(threads) + " threads");
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// An argument or a result of a batch: `entries` numbers per state.
template <class Data>
struct Rows {
  const char* name;
  Data data;
  int entries;
};

/// A lane block of states that are given in rows, or the reverse.
template <class Real, int lanes>
void gather(const Real* rows, int n, int used, Real* block) {
  for (int l = 0; l < lanes; ++l) {
    const Real* row = rows + static_cast<std::ptrdiff_t>(std::min(l, used - 1)) * n;
    for (int e = 0; e < n; ++e) block[e * lanes + l] = row[e];
  }
}
template <class Real, int lanes>
void scatter(const Real* block, int n, int used, Real* rows) {
  for (int l = 0; l < used; ++l)
    for (int e = 0; e < n; ++e) rows[static_cast<std::ptrdiff_t>(l) * n + e] = block[e * lanes + l];
}

}  // namespace

template <class Real>
struct Batch<Real>::Implementation {
  /// What a thread works in.
  struct Worker {
    KernelScratch<Real> scratch;
    std::vector<CacheLine> blocks;  // q, v, force, group, out
    int failed_link = -1, failed_block = 0;
  };

  const Model model;
  const kernels::KernelTable<Real>& table = kernels::lane_kernels<Real>();
  const kernels::Tree<Real>& tree;
  std::vector<Worker> workers;
  ThreadPool pool;

  Implementation(const Model& m, int threads)
      : model(m), tree(m.data().trees->template of<Real>()), workers(static_cast<std::size_t>(threads)), pool(threads) {
    const std::size_t nv = static_cast<std::size_t>(m.nv());
    const std::size_t entries = static_cast<std::size_t>(m.nq() + tree.group_size) + 2 * nv +
                                std::max<std::size_t>(nv * nv, kernels::totals_size);
    for (Worker& worker : workers) {
      for (int a = 0; a < kernels::algorithms; ++a)
        worker.scratch.reserve(table, static_cast<kernels::Algorithm>(a), tree);
      worker.blocks.resize(entries * lanes * sizeof(Real) / sizeof(CacheLine) + 1);
    }
  }

  static void check(int states, const char* name, std::size_t given, int entries, Layout layout) {
    const std::size_t rows =
        static_cast<std::size_t>(layout == Layout::rows ? states : padded(states));
    if (given != rows * static_cast<std::size_t>(entries))
      throw SizeError(name, given, rows * static_cast<std::size_t>(entries));
  }

  /// `used` of the `entries` numbers that the kernel leaves per state, from the number `first`.
  struct Result {
    int kernel_entries, first, entries;
  };

  void run(kernels::Algorithm algorithm, int states, Layout layout, const Rows<In>& q,
           const Rows<In>& v, const Rows<In>& force, const Rows<Out>& out, Result result) {
    if (states < 0) throw Error("a batch cannot have " + std::to_string(states) + " states");
    for (const Rows<In>* in : {&q, &v, &force})
      if (in->name) check(states, in->name, in->data.size(), in->entries, layout);
    check(states, out.name, out.data.size(), out.entries, layout);
    const int blocks = (states + lanes - 1) / lanes;
    pool.run([&](int t) {
      Worker& worker = workers[static_cast<std::size_t>(t)];
      worker.failed_link = -1;
      const auto part = [&](int k) {
        return static_cast<int>(static_cast<long long>(blocks) * k / pool.size());
      };
      for (int b = part(t); b < part(t + 1); ++b) {
        const int link = block(worker, algorithm, b, std::min(lanes, states - b * lanes), layout, q,
                               v, force, out, result);
        if (link >= 0 && worker.failed_link < 0) worker.failed_link = link, worker.failed_block = b;
      }
    });
    for (const Worker& worker : workers)
      if (worker.failed_link >= 0) fail(worker);
  }

  int block(Worker& worker, kernels::Algorithm algorithm, int b, int used, Layout layout,
            const Rows<In>& q, const Rows<In>& v, const Rows<In>& force, const Rows<Out>& out,
            Result result) {
    Real* free = reinterpret_cast<Real*>(worker.blocks.data());
    const bool direct = layout == Layout::lanes && used == lanes;
    const auto take = [&](int entries) { return std::exchange(free, free + entries * lanes); };
    const auto input = [&](const Rows<In>& in) -> const Real* {
      if (!in.name) return nullptr;
      const Real* first = in.data.data() + static_cast<std::ptrdiff_t>(b) * lanes * in.entries;
      if (direct) return first;
      Real* to = take(in.entries);
      if (layout == Layout::rows) {
        gather<Real, lanes>(first, in.entries, used, to);
      } else {
        for (int e = 0; e < in.entries; ++e)
          for (int l = 0; l < lanes; ++l)
            to[e * lanes + l] = first[e * lanes + std::min(l, used - 1)];
      }
      return to;
    };
    const Real *q_b = input(q), *v_b = input(v), *force_b = input(force);
    Real* group = take(tree.group_size);
    if (tree.group_size > 0)
      for (int l = 0; l < lanes; ++l) fill_group(model, tree, q_b, v_b, lanes, l, group);

    Real* to = out.data.data() + static_cast<std::ptrdiff_t>(b) * lanes * out.entries;
    const bool whole = result.kernel_entries == result.entries;
    // Kernels write vectors of lanes.
    const bool aligned = reinterpret_cast<std::uintptr_t>(to) % (lanes * sizeof(Real)) == 0;
    Real* result_b = direct && whole && aligned ? to : take(result.kernel_entries);
    const int link = table.run[algorithm](
        {&tree, q_b, v_b, force_b, nullptr, group, worker.scratch.data(), result_b});
    if (result_b == to) return link;
    const Real* from = result_b + result.first * lanes;
    if (layout == Layout::rows) {
      scatter<Real, lanes>(from, out.entries, used, to);
    } else {
      for (int e = 0; e < out.entries; ++e) std::copy_n(from + e * lanes, used, to + e * lanes);
    }
    return link;
  }

  [[noreturn]] void fail(const Worker& worker) const {
    const int first = worker.failed_block * lanes;
    try {
      Workspace::Memory::throw_singular(model, worker.failed_link, true);
    } catch (const SingularError& e) {
      throw SingularError("states " + std::to_string(first) + " to " +
                          std::to_string(first + lanes - 1) + ": " + e.what());
    }
  }
};

template <class Real>
Batch<Real>::Batch(const Model& model, int threads)
    : implementation_(std::make_unique<Implementation>(model, thread_count(threads))) {}
template <class Real>
Batch<Real>::~Batch() = default;
template <class Real>
Batch<Real>::Batch(Batch&&) noexcept = default;
template <class Real>
Batch<Real>& Batch<Real>::operator=(Batch&&) noexcept = default;

template <class Real>
void Batch<Real>::inverse_dynamics(int states, In q, In v, In a, Out tau, Layout layout) {
  Implementation& it = *implementation_;
  const int nq = it.tree.nq, nv = it.tree.nv;
  it.run(kernels::inverse_dynamics, states, layout, {"q", q, nq}, {"v", v, nv},
         {a.empty() ? nullptr : "a", a, nv}, {"tau", tau, nv}, {nv, 0, nv});
}
template <class Real>
void Batch<Real>::forward_dynamics(int states, In q, In v, In tau, Out a, Layout layout) {
  Implementation& it = *implementation_;
  const int nq = it.tree.nq, nv = it.tree.nv;
  it.run(kernels::forward_dynamics, states, layout, {"q", q, nq}, {"v", v, nv}, {"tau", tau, nv},
         {"a", a, nv}, {nv, 0, nv});
}
template <class Real>
void Batch<Real>::mass_matrix(int states, In q, Out M, Layout layout) {
  Implementation& it = *implementation_;
  const int nn = it.tree.nv * it.tree.nv;
  it.run(kernels::mass_matrix, states, layout, {"q", q, it.tree.nq}, {}, {}, {"M", M, nn},
         {nn, 0, nn});
}
template <class Real>
void Batch<Real>::mass_matrix_inverse(int states, In q, Out M_inv, Layout layout) {
  Implementation& it = *implementation_;
  const int nn = it.tree.nv * it.tree.nv;
  it.run(kernels::mass_matrix_inverse, states, layout, {"q", q, it.tree.nq}, {}, {},
         {"M_inv", M_inv, nn}, {nn, 0, nn});
}
template <class Real>
void Batch<Real>::energies(int states, In q, In v, Out energy, Layout layout) {
  Implementation& it = *implementation_;
  it.run(kernels::totals, states, layout, {"q", q, it.tree.nq}, {"v", v, it.tree.nv}, {},
         {"energy", energy, 2}, {kernels::totals_size, 0, 2});
}
template <class Real>
void Batch<Real>::momenta(int states, In q, In v, Out momentum, Layout layout) {
  Implementation& it = *implementation_;
  it.run(kernels::totals, states, layout, {"q", q, it.tree.nq}, {"v", v, it.tree.nv}, {},
         {"momentum", momentum, 6}, {kernels::totals_size, 2, 6});
}

template class Batch<double>;
template class Batch<float>;

}  // namespace chasles
