#include "systems/tree_newton.hpp"

#include <algorithm>

#include "constraints/block_order.hpp"
#include "dynamics/links.hpp"
#include "systems/instruction_sets.hpp"
#include "systems/small_lu.hpp"
#include "systems/tree_linearization.hpp"

namespace chasles {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// y += a x over n numbers; n is a constant where this is inlined.
inline void axpy(double a, const double* x, double* y, int n) {
  for (int k = 0; k < n; ++k) y[k] += a * x[k];
}
/// Four doubles at any address, without alignment.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/// The same with constant n: several sums at once.
template <int n>
[[gnu::always_inline]] inline double inner(const double* x, const double* y) {
  Four even{}, odd{};
#pragma GCC unroll 16
  for (int k = 0; k + 3 < n; k += 4)
    (k % 8 == 0 ? even : odd) +=
        *reinterpret_cast<const Four*>(x + k) * *reinterpret_cast<const Four*>(y + k);
  even += odd;
  double sum = (even[0] + even[2]) + (even[1] + even[3]);
  for (int k = n - n % 4; k < n; ++k) sum += x[k] * y[k];
  return sum;
}
/// y += x - sum_j a_j N_j over n numbers: rows N_j one after the other, a_j a stride apart. `fixed` is the number of
/// terms if it is a constant, else 0.
template <int fixed, int n>
[[gnu::always_inline]] inline void add_reduced(const double* x, const double* a, int stride,
                                               const double* N, int count, double* y) {
  if constexpr (fixed == 0) {
    for (int k = 0; k < n; ++k) y[k] += x[k];
    for (int j = 0; j < count; ++j) axpy(-a[j * stride], N + j * n, y, n);
    return;
  }
  int k = 0;
  for (; k + 3 < n; k += 4) {
    Four sum = *reinterpret_cast<const Four*>(x + k);
#pragma GCC unroll 18
    for (int j = 0; j < fixed; ++j)
      sum -= a[j * stride] * *reinterpret_cast<const Four*>(N + j * n + k);
    *reinterpret_cast<Four*>(y + k) += sum;
  }
  for (; k < n; ++k) {
    double sum = x[k];
    for (int j = 0; j < fixed; ++j) sum -= a[j * stride] * N[j * n + k];
    y[k] += sum;
  }
}
inline double inner(const double* x, const double* y, int n) {
  double sum[2] = {0, 0};
  int k = 0;
  for (; k + 1 < n; k += 2) sum[0] += x[k] * y[k], sum[1] += x[k + 1] * y[k + 1];
  if (k < n) sum[0] += x[k] * y[k];
  return sum[0] + sum[1];
}

/// S stages; P = 2: states (th, xi), P = 3: (th, xi, eta).
///
/// Matrices are stored by rows; where a matrix is used by columns (G, U, R) its transpose is stored:
///
///     Z   6 S x w          of a link                 w = 6 P S
///     G^T, D^-1 H^T Z      n x w of a joint          n = S nv
///     U^T                  n x 6 S
///     K                    rows x w of a block on a link
///     R^T                  rows x 6 S                rows = S rows of a stage
template <int S, int P>
class TreeNewtonOf final : public TreeNewton {
 public:
  using Stages = std::shared_ptr<std::vector<TreeLinearization>>;
  TreeNewtonOf(const Model& model, Stages stages);
  void choose(std::span<const KeptEquations> kept) override;
  void hold(std::span<const int> entries) override;
  void linearize(int stage, const LinearizationPoint& at, ConstVectorRef lambda) override {
    stages_[size(stage)].take(at, lambda);
  }
  bool factorize(const StageRelations& relations) override;
  void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) override;
  long visits() const override { return visits_; }

 private:
  static constexpr int w = 6 * P * S, duals = 6 * S, state = 6 * P;

  /// A block on a link: offsets into border_. On the link where its ends meet, only the first two are used.
  struct Passage {
    int block;
    std::size_t K, R;
    std::size_t Drho = 0, kap = 0;  // D^-1 rho, n x rows; kap, rows x n
  };
  struct Block {
    int rows = 0;  // of all stages
    int meets = -1;
    std::size_t L = 0, X = 0,
                g = 0;  // L_ii, then its factors; L_ii^-1 K_i; right-hand side, then mu
    std::size_t pivots = 0;
    int meeting = -1;                 // in meetings_
    std::vector<int> others;          // blocks coupled to it that are eliminated later
    std::vector<std::size_t> ij, ji;  // L_ij, then L_ii^-1 L_ij; L_ji
  };

  void plan();
  int passage_of(int link, int block) const;
  std::size_t offset_of_L(int i, int j) const;
  const BorderBlock& data(int stage, int block) const;

  void know_pairs();
  void set_links();
  void set_borders();
  void take_relations(const StageRelations& relations, std::size_t link);
  /// Calls f with nv of the link as a compile-time constant for common joints; 0: any nv.
  template <class F>
  static decltype(auto) with_freedoms(int nv, const F& f);
  template <int fixed>
  bool eliminate_joint(std::size_t link);
  template <int fixed>
  void set_columns(std::size_t link);
  template <int fixed>
  void add_delta(std::size_t link, double* D) const;
  template <int fixed>
  void border_joint(std::size_t link);
  /// Zeroes the rows of held coordinates, in n x S rows of `columns` numbers, one for each coordinate of a link and
  /// stage.
  void clear_held(const Link& link, double* rows, int columns) const;
  void add_entries(std::size_t link, const Passage& at, double* rho, double* kap) const;
  bool eliminate_block(int b);
  double* K_on(int link, int block, double** R);

  void start_solution(const Matrix& g);
  void block_in(int b);
  template <int fixed>
  void joint_in(std::size_t link, const Matrix& r);
  template <int fixed>
  void joint_out(std::size_t link, Matrix& d);
  void block_out(int b);

  double* Z(std::size_t link) { return Z_.data() + link * duals * w; }
  double* G(int v) { return G_.data() + size(v) * S * w; }
  double* DN(int v) { return DN_.data() + size(v) * S * w; }
  double* U(int v) { return U_.data() + size(v) * S * duals; }

  Model model_;
  Stages shared_;
  std::vector<TreeLinearization>& stages_;
  std::vector<LinkPair> pairs_;  // pairs included in the plan
  std::vector<Block> blocks_;    // in the order of elimination
  std::vector<int> numbers_;     // of each block: its number among constraints, then elements
  std::vector<int> position_;    // of each number: its index in blocks_
  std::vector<std::size_t> first_passage_;  // links + 1
  std::vector<Passage> passages_, meetings_;
  std::vector<int> begins_, ends_;  // links + 1, ground first: blocks that meet there
  std::vector<char> moves_others_;  // links: their states are needed by children or blocks
  std::size_t border_size_ = 0, border_begins_ = 0;  // entries before border_begins_ start at zero
  int pivot_count_ = 0;

  std::vector<double> Z_, G_, DN_, U_, lu_, border_;
  std::vector<int> pivots_, block_pivots_;
  std::vector<char> held_;    // nv
  bool holds_ = false;        // any coordinate is held
  std::vector<int> squares_;  // links: offsets of n x n matrices in lu_
  double T_q_[S * S * 36], T_v_[S * S * 36], T_a_[S * S * 36];  // of a joint: nv x nv each
  std::vector<double> z_, s_, u_;
  long visits_ = 0;
};

template <int S, int P>
TreeNewtonOf<S, P>::TreeNewtonOf(const Model& model, Stages stages)
    : model_(model),
      shared_(std::move(stages)),
      stages_(*shared_),
      held_(size(model.nv()), 0),
      squares_(dynamics::square_offsets(model)) {
  const std::size_t links = tree_links(model).size(), n = size(model.nv()) * S;
  Z_.resize(links * duals * w);
  for (auto* x : {&G_, &DN_}) x->resize(n * w);
  U_.resize(n * duals);
  lu_.resize(size(squares_.back()) * S * S);
  pivots_.resize(n);
  z_.resize(links * duals);
  s_.resize(links * w);
  u_.resize(n);
  plan();
}

#include "model/model_data.hpp"
#include "systems/tree_newton_factors.inl"
#include "systems/tree_newton_plan.inl"
#include "systems/tree_newton_solve.inl"

/// A tree with forces: while they act in joints only, displacements do not enter (4), and the smaller matrices suffice.
template <int S>
class LoadedTree final : public TreeNewton {
 public:
  LoadedTree(const Model& model, std::shared_ptr<std::vector<TreeLinearization>> stages)
      : stages_(*stages), light_(model, stages), loaded_(model, stages) {}

  void choose(std::span<const KeptEquations>) override {}  // no constraints
  void hold(std::span<const int> entries) override { light_.hold(entries), loaded_.hold(entries); }
  void linearize(int stage, const LinearizationPoint& at, ConstVectorRef lambda) override {
    loaded_.linearize(stage, at, lambda);
  }
  bool factorize(const StageRelations& relations) override {
    is_loaded_ = std::ranges::any_of(stages_, &TreeLinearization::is_loaded);
    return is_loaded_ ? loaded_.factorize(relations) : light_.factorize(relations);
  }
  void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) override {
    return is_loaded_ ? loaded_.solve(r, g, d, dlambda) : light_.solve(r, g, d, dlambda);
  }
  long visits() const override { return light_.visits() + loaded_.visits(); }

 private:
  std::vector<TreeLinearization>& stages_;
  TreeNewtonOf<S, 2> light_;
  TreeNewtonOf<S, 3> loaded_;
  bool is_loaded_ = true;
};

template <int S>
std::unique_ptr<TreeNewton> make(const Model& model, const Constraints& constraints,
                                 ConstraintLevel level, bool loads, GeometricStiffness stiffness) {
  auto stages = std::make_shared<std::vector<TreeLinearization>>(
      S, TreeLinearization(model, constraints, level, stiffness));
  if (!loads) return std::make_unique<TreeNewtonOf<S, 2>>(model, std::move(stages));
  if (constraints.blocks().empty())
    return std::make_unique<LoadedTree<S>>(model, std::move(stages));
  return std::make_unique<TreeNewtonOf<S, 3>>(model, std::move(stages));
}

}  // namespace

std::unique_ptr<TreeNewton> make_tree_newton(const Model& model, const Constraints& constraints,
                                             ConstraintLevel level, int stages, bool loads,
                                             GeometricStiffness stiffness) {
  switch (stages) {
    case 1:
      return make<1>(model, constraints, level, loads, stiffness);
    case 2:
      return make<2>(model, constraints, level, loads, stiffness);
    default:
      return make<3>(model, constraints, level, loads, stiffness);
  }
}

}  // namespace chasles
