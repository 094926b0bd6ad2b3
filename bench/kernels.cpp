/// The kernels themselves, without the public functions around them: ns per state, one state and
/// states in lanes, on the best instruction set of this machine or on the one that is named.
///
///     kernels [--quick] [--set NAME] [--only MODEL] [--algorithm NAME]
#include <fmt/format.h>

#include <string_view>

#include "chasles/mechanism/maximal_coordinates.hpp"
#include "dynamics/kernel_memory.hpp"
#include "model/model_data.hpp"
#include "models.hpp"
#include "state.hpp"
#include "timer.hpp"

namespace {

using namespace chasles;
using kernels::Algorithm;

constexpr int states_count = 64;

struct Named {
  Algorithm algorithm;
  const char* name;
};
constexpr Named algorithms[] = {{kernels::inverse_dynamics, "inverse dynamics"},
                                {kernels::forward_dynamics, "forward dynamics"},
                                {kernels::mass_matrix, "M"},
                                {kernels::mass_matrix_inverse, "M^-1"},
                                {kernels::coriolis_matrix, "C"},
                                {kernels::regressor, "regressor"},
                                {kernels::centroidal, "centroidal"},
                                {kernels::d_inverse_dynamics, "dtau/d(q,v,a)"},
                                {kernels::d_forward_dynamics, "da/d(q,v,tau), at a"}};

/// All states in the layout of a kernel table: blocks of `lanes`.
template <class Real>
class Blocks {
 public:
  Blocks(const Model& model, const kernels::KernelTable<Real>& table,
         const std::vector<bench::State>& states)
      : table_(table), tree_(tree_links(model), model.gravity()) {
    tree_.list_entries();
    tree_.list_blocks(table.block_width);
    const int lanes = table.lanes;
    for (std::size_t first = 0; first < states.size(); first += static_cast<std::size_t>(lanes)) {
      Block& block = blocks_.emplace_back();
      for (int l = 0; l < lanes; ++l) {
        const bench::State& s = states[first + static_cast<std::size_t>(l)];
        put(s.q, l, block.q), put(s.v, l, block.v), put(s.tau, l, block.force);
      }
    }
  }
  /// ns per state.
  double time(Algorithm algorithm, bool zeroed, double seconds) {
    scratch_.reserve(table_, algorithm, tree_);
    out_.resize(lines(kernels::output_size(algorithm, tree_) * table_.lanes));
    const auto call = [&](std::size_t i) {
      const Block& b = blocks_[i];
      kernels::Pass<Real> pass{.tree = &tree_,
                               .q = at(b.q),
                               .v = at(b.v),
                               .force = at(b.force),
                               .wrench = nullptr,
                               .group = nullptr,
                               .work = scratch_.data(),
                               .out = reinterpret_cast<Real*>(out_.data())};
      pass.zeroed = zeroed;
      table_.run(algorithm, pass);
    };
    return least_ns(blocks_.size(), call, seconds) / table_.lanes;
  }

 private:
  using Lines = std::vector<CacheLine>;
  struct Block {
    Lines q, v, force;
  };
  static std::size_t lines(int numbers) {
    return static_cast<std::size_t>(numbers) * sizeof(Real) / sizeof(CacheLine) + 1;
  }
  static const Real* at(const Lines& x) { return reinterpret_cast<const Real*>(x.data()); }
  void put(const Eigen::VectorXd& x, int lane, Lines& to) const {
    to.resize(lines((static_cast<int>(x.size()) + 4) * table_.lanes));
    for (int e = 0; e < x.size(); ++e)
      reinterpret_cast<Real*>(to.data())[e * table_.lanes + lane] = static_cast<Real>(x[e]);
  }
  const kernels::KernelTable<Real>& table_;
  kernels::Tree<Real> tree_;
  KernelScratch<Real> scratch_;
  std::vector<Block> blocks_;
  Lines out_;
};

struct Options {
  double seconds = 0.2;
  std::string set, only, algorithm;
};

void measure(const Mechanism& mechanism, const kernels::InstructionSet& set,
             const Options& options) {
  const Model model = compile(mechanism);
  const std::vector<bench::State> states = bench::random_states(model, states_count);
  Blocks<double> one(model, *set.single, states), lanes(model, *set.lanes, states);
  Blocks<float> floats(model, *set.float_lanes, states);
  for (const auto& [algorithm, name] : algorithms) {
    if (!options.algorithm.empty() && options.algorithm != name) continue;
    fmt::print("{:<12}{:>4}  {:<18}{:>9.0f}{:>9.0f}{:>9.0f}{:>9.0f}\n", model.name(), model.nv(),
               name, one.time(algorithm, false, options.seconds),
               one.time(algorithm, true, options.seconds),
               lanes.time(algorithm, false, options.seconds),
               floats.time(algorithm, false, options.seconds));
    std::fflush(stdout);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      options.seconds = 0.002;
      continue;
    }
    std::string* const value = word == "--set"         ? &options.set
                               : word == "--only"      ? &options.only
                               : word == "--algorithm" ? &options.algorithm
                                                       : nullptr;
    if (!value || ++i == argc)
      throw Error("kernels: '" + std::string(word) +
                  "'; give [--quick] [--set NAME] [--only MODEL] [--algorithm NAME]");
    *value = argv[i];
  }
  return options;
}

void run(const Options& options) {
  const kernels::InstructionSet* chosen = nullptr;
  for (const auto& set : kernels::instruction_sets())
    if (set.available && (options.set.empty() || options.set == set.name)) chosen = &set;
  if (!chosen) throw Error("kernels: this machine has no '" + options.set + "'");
  fmt::print("{}: ns per state\n{:<12}{:>4}  {:<18}{:>9}{:>9}{:>9}{:>9}\n", chosen->name, "model",
             "nv", "kernel", "one", "zeroed", fmt::format("{} lanes", chosen->lanes->lanes),
             fmt::format("{} floats", chosen->float_lanes->lanes));
  // Floating bodies on either Lie group: they differ only in the cost of coordinates.
  const auto bodies = [](BodyGroup group, const char* name) {
    Mechanism free = to_maximal_coordinates(chain(10), group);
    free.loops.clear();
    free.name = name;
    return free;
  };
  for (const Mechanism& mechanism :
       {chain(7), quadruped(), humanoid(), chain(20), bodies(BodyGroup::se3, "SE(3)"),
        bodies(BodyGroup::so3xr3, "SO(3) x R^3")})
    if (mechanism.name.find(options.only) != std::string::npos)
      measure(mechanism, *chosen, options);
}

}  // namespace

int main(int argc, char** argv) try { run(parse(argc, argv)); } catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 2;
}
