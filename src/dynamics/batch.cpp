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

/// An argument or a result of a batch: `entries` numbers per state. Without a name it is not there.
template <class Data>
struct Rows {
  const char* name = nullptr;
  Data data{};
  int entries = 0;
};

/// What a batch is asked for.
template <class Real>
struct Call {
  using Algorithm = kernels::Algorithm;
  using In = Rows<std::span<const Real>>;
  Algorithm algorithm;
  int states;
  Layout layout;
  In q{}, v{}, force{}, wrench{};
  Rows<std::span<Real>> out{};
  // Of the numbers that the kernel leaves per state, the result begins here.
  int kernel_entries = 0, first = 0;
  // With them, `algorithm` moves the links and this turns their motion into the result.
  bool of_places = false;
  Algorithm place_algorithm{};
};

}  // namespace

template <class Real>
struct Batch<Real>::Implementation {
  /// What a thread works in.
  struct Worker {
    KernelScratch<Real> scratch;
    std::vector<CacheLine> blocks;  // arguments, motion of links, results
    int failed_link = -1, failed_block = 0;
  };

  const Model model;
  const kernels::KernelTable<Real>& table = kernels::lane_kernels<Real>();
  const int lanes = table.lanes;
  const kernels::Tree<Real>& tree;
  std::vector<Worker> workers;
  std::vector<kernels::PlaceConstants<Real>> places;
  ThreadPool pool;

  Implementation(const Model& m, int threads)
      : model(m),
        tree(m.data().trees->template of<Real>()),
        workers(static_cast<std::size_t>(threads)),
        pool(threads) {}

  int link_count() const { return static_cast<int>(tree.links.size()); }
  int padded(int states) const { return (states + lanes - 1) / lanes * lanes; }

  void set_places(Places from, Representation representation) {
    places.clear();
    for (const Place& place : from) {
      require_place(place, model);
      places.push_back(kernels::place_constants<Real>(place.link, place.offset, representation));
    }
  }
  void set_wrenches(const Wrenches& applied, Call<Real>& call) {
    set_places(applied.places, applied.representation);
    call.wrench = {"W", applied.W, 6 * static_cast<int>(places.size())};
  }

  void check(const Call<Real>& call, const char* name, std::size_t given, int entries) const {
    const std::size_t rows =
        static_cast<std::size_t>(call.layout == Layout::rows ? call.states : padded(call.states));
    if (given != rows * static_cast<std::size_t>(entries))
      throw SizeError(name, given, rows * static_cast<std::size_t>(entries));
  }

  /// Scratch for a call, once for each algorithm.
  void reserve(const Call<Real>& call) {
    const auto links = static_cast<std::size_t>(link_count());
    const std::size_t motion = call.of_places ? 24 * links : 0;
    const int arguments =
        call.q.entries + call.v.entries + call.force.entries + call.wrench.entries;
    const std::size_t entries =
        static_cast<std::size_t>(arguments + tree.group_size + call.kernel_entries) + motion;
    const std::size_t lines =
        entries * static_cast<std::size_t>(lanes) * sizeof(Real) / sizeof(CacheLine) + 1;
    for (Worker& worker : workers) {
      worker.scratch.reserve(table, call.algorithm, tree);
      if (worker.blocks.size() < lines) worker.blocks.resize(lines);
    }
  }

  void run(const Call<Real>& call) {
    if (call.states < 0)
      throw Error("a batch cannot have " + std::to_string(call.states) + " states");
    for (const auto* in : {&call.q, &call.v, &call.force, &call.wrench})
      if (in->name) check(call, in->name, in->data.size(), in->entries);
    check(call, call.out.name, call.out.data.size(), call.out.entries);
    reserve(call);
    const int blocks = padded(call.states) / lanes;
    pool.run([&](int t) {
      Worker& worker = workers[static_cast<std::size_t>(t)];
      worker.failed_link = -1;
      const auto part = [&](int k) {
        return static_cast<int>(static_cast<long long>(blocks) * k / pool.size());
      };
      for (int b = part(t); b < part(t + 1); ++b) {
        const int link = block(worker, call, b);
        if (link >= 0 && worker.failed_link < 0) worker.failed_link = link, worker.failed_block = b;
      }
    });
    for (const Worker& worker : workers)
      if (worker.failed_link >= 0) fail(worker);
  }

  int block(Worker& worker, const Call<Real>& call, int b) {
    const int used = std::min(lanes, call.states - b * lanes);
    Real* free = reinterpret_cast<Real*>(worker.blocks.data());
    const bool direct = call.layout == Layout::lanes && used == lanes;
    const auto take = [&](int entries) { return std::exchange(free, free + entries * lanes); };
    const auto input = [&](const Rows<In>& in) -> const Real* {
      if (!in.name) return nullptr;
      const Real* first = in.data.data() + static_cast<std::ptrdiff_t>(b) * lanes * in.entries;
      if (direct) return first;
      Real* to = take(in.entries);
      if (call.layout == Layout::rows) {
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
    pass.places = places.data();
    pass.place_count = static_cast<int>(places.size());
    if (tree.group_size > 0) {
      Real* group = take(tree.group_size);
      for (int l = 0; l < lanes; ++l) fill_group(model, tree, pass.q, pass.v, lanes, l, group);
      pass.group = group;
    }
    if (call.of_places) {
      pass.pose = take(12 * link_count());
      pass.twist = take(6 * link_count());
      pass.acceleration = take(6 * link_count());
    }

    Real* to = call.out.data.data() + static_cast<std::ptrdiff_t>(b) * lanes * call.out.entries;
    const bool whole = call.kernel_entries == call.out.entries;
    // Kernels write vectors of lanes.
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(to) % (static_cast<std::size_t>(lanes) * sizeof(Real)) ==
        0;
    pass.out = direct && whole && aligned ? to : take(call.kernel_entries);
    const int link = table.run[call.algorithm](pass);
    if (call.of_places) table.run[call.place_algorithm](pass);
    if (pass.out == to) return link;
    const Real* from = pass.out + call.first * lanes;
    if (call.layout == Layout::rows) {
      table.scatter(from, call.out.entries, used, to);
    } else {
      for (int e = 0; e < call.out.entries; ++e)
        std::copy_n(from + e * lanes, used, to + e * lanes);
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
typename Batch<Real>::Implementation& Batch<Real>::here() const {
  if (!implementation_) throw Error("this batch was moved to another: make a new one");
  return *implementation_;
}
template <class Real>
int Batch<Real>::lanes() const {
  return here().lanes;
}
template <class Real>
int Batch<Real>::padded(int states) const {
  return here().padded(states);
}

template <class Real>
void Batch<Real>::inverse_dynamics(int states, In q, In v, In a, Out tau, Layout layout,
                                   const Wrenches& applied) {
  Implementation& it = here();
  const int nq = it.tree.nq, nv = it.tree.nv;
  Call<Real> call{.algorithm = kernels::inverse_dynamics, .states = states, .layout = layout};
  call.q = {"q", q, nq}, call.v = {"v", v, nv}, call.out = {"tau", tau, nv};
  if (!a.empty()) call.force = {"a", a, nv};
  if (!applied.places.empty()) it.set_wrenches(applied, call);
  call.kernel_entries = nv;
  it.run(call);
}
template <class Real>
void Batch<Real>::forward_dynamics(int states, In q, In v, In tau, Out a, Layout layout,
                                   const Wrenches& applied) {
  Implementation& it = here();
  const int nq = it.tree.nq, nv = it.tree.nv;
  Call<Real> call{.algorithm = kernels::forward_dynamics, .states = states, .layout = layout};
  call.q = {"q", q, nq}, call.v = {"v", v, nv}, call.out = {"a", a, nv};
  call.force = {"tau", tau, nv};
  if (!applied.places.empty()) it.set_wrenches(applied, call);
  call.kernel_entries = nv;
  it.run(call);
}
template <class Real>
void Batch<Real>::mass_matrix(int states, In q, Out M, Layout layout) {
  Implementation& it = here();
  const int nn = it.tree.nv * it.tree.nv;
  Call<Real> call{.algorithm = kernels::mass_matrix, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.out = {"M", M, nn};
  call.kernel_entries = nn;
  it.run(call);
}
template <class Real>
void Batch<Real>::mass_matrix_inverse(int states, In q, Out M_inv, Layout layout) {
  Implementation& it = here();
  const int nn = it.tree.nv * it.tree.nv;
  Call<Real> call{.algorithm = kernels::mass_matrix_inverse, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.out = {"M_inv", M_inv, nn};
  call.kernel_entries = nn;
  it.run(call);
}
template <class Real>
void Batch<Real>::coriolis_matrix(int states, In q, In v, Out C, Layout layout) {
  Implementation& it = here();
  Call<Real> call{.algorithm = kernels::coriolis_matrix, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"C", C, call.kernel_entries = it.tree.nv * it.tree.nv};
  it.run(call);
}
template <class Real>
void Batch<Real>::link_regressor(int states, In q, In v, In a, Out Y, Layout layout) {
  Implementation& it = here();
  Call<Real> call{.algorithm = kernels::regressor, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  if (!a.empty()) call.force = {"a", a, it.tree.nv};
  call.out = {"Y", Y, call.kernel_entries = kernels::output_size(kernels::regressor, it.tree)};
  it.run(call);
}
template <class Real>
void Batch<Real>::centroidal_matrices(int states, In q, In v, Out A, Layout layout) {
  Implementation& it = here();
  if (!(it.model.mass() > 0))
    throw Error("nothing that moves in model '" + it.model.name() + "' has mass");
  Call<Real> call{.algorithm = kernels::centroidal, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"A", A, 12 * it.tree.nv};
  call.kernel_entries = kernels::output_size(kernels::centroidal, it.tree);
  call.first = kernels::centroidal_A;
  it.run(call);
}
template <class Real>
void Batch<Real>::energies(int states, In q, In v, Out energy, Layout layout) {
  Implementation& it = here();
  Call<Real> call{.algorithm = kernels::totals, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv}, call.out = {"energy", energy, 2};
  call.kernel_entries = kernels::totals_size;
  it.run(call);
}
template <class Real>
void Batch<Real>::momenta(int states, In q, In v, Out momentum, Layout layout) {
  Implementation& it = here();
  Call<Real> call{.algorithm = kernels::totals, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"momentum", momentum, 6};
  call.kernel_entries = kernels::totals_size, call.first = 2;
  it.run(call);
}

template <class Real>
void Batch<Real>::poses(int states, In q, Places places, Out C, Layout layout) {
  Implementation& it = here();
  it.set_places(places, Representation::body);
  Call<Real> call{.algorithm = kernels::positions, .states = states, .layout = layout};
  call.of_places = true, call.place_algorithm = kernels::place_poses;
  call.q = {"q", q, it.tree.nq};
  call.out = {"C", C, call.kernel_entries = 12 * static_cast<int>(places.size())};
  it.run(call);
}
template <class Real>
void Batch<Real>::twists(int states, In q, In v, Places places, Representation representation,
                         Out V, Layout layout) {
  Implementation& it = here();
  it.set_places(places, representation);
  Call<Real> call{.algorithm = kernels::velocities, .states = states, .layout = layout};
  call.of_places = true, call.place_algorithm = kernels::place_twists;
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"V", V, call.kernel_entries = 6 * static_cast<int>(places.size())};
  it.run(call);
}
template <class Real>
void Batch<Real>::accelerations(int states, In q, In v, In a, Places places,
                                Representation representation, Out A, Layout layout) {
  Implementation& it = here();
  it.set_places(places, representation);
  Call<Real> call{.algorithm = kernels::accelerations, .states = states, .layout = layout};
  call.of_places = true, call.place_algorithm = kernels::place_accelerations;
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv}, call.force = {"a", a, it.tree.nv};
  call.out = {"A", A, call.kernel_entries = 6 * static_cast<int>(places.size())};
  it.run(call);
}
template <class Real>
void Batch<Real>::jacobians(int states, In q, const Place& place, Representation representation,
                            Out J, Layout layout) {
  Implementation& it = here();
  it.set_places({&place, 1}, representation);
  Call<Real> call{.algorithm = kernels::jacobian, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq};
  call.out = {"J", J, call.kernel_entries = 6 * it.tree.nv};
  it.run(call);
}

template class Batch<double>;
template class Batch<float>;

Vector link_parameters(const Model& model) {
  Vector pi(10 * static_cast<Eigen::Index>(model.links().size()));
  Eigen::Index k = 0;
  for (const Link& link : model.links())
    for (const double x : lie::parameters(link.inertia)) pi[k++] = x;
  return pi;
}

}  // namespace chasles
