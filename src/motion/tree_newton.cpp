#include "motion/tree_newton.hpp"

#include <algorithm>

#include "constraints/block_order.hpp"
#include "dynamics/links.hpp"
#include "motion/instruction_sets.hpp"
#include "motion/small_lu.hpp"
#include "motion/tree_linearization.hpp"

namespace chasles {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// y += a x over n numbers; n is a constant where this is inlined.
inline void axpy(double a, const double* x, double* y, int n) {
  for (int k = 0; k < n; ++k) y[k] += a * x[k];
}
/// Four numbers at any address.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

/// The same of n numbers, a constant: several sums at once.
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
/// y += x - sum_j a_j N_j over n numbers: rows N_j one after the other, a_j a stride apart. `fixed` is
/// their count if that is a constant, else 0.
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
  void linearize(int stage, const LinearizationPoint& at, ConstVectorRef lambda) override {
    stages_[size(stage)].take(at, lambda);
  }
  bool factorize(const StageRelations& relations) override;
  void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) override;
  long visits() const override { return visits_; }

 private:
  static constexpr int w = 6 * P * S, duals = 6 * S, state = 6 * P;

  /// A block on a link: places in border_. On the link where it meets it has only the first two.
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
    std::vector<int> others;          // later blocks
    std::vector<std::size_t> ij, ji;  // L_ij, then L_ii^-1 L_ij; L_ji
  };

  void plan();
  int passage_of(int link, int block) const;
  std::size_t place_of_L(int i, int j) const;
  const BorderBlock& data(int stage, int block) const;

  void know_pairs();
  void set_links();
  void set_borders();
  void take_relations(const StageRelations& relations, std::size_t link);
  /// Calls f with nv of the link as a constant, as most joints have; 0: any.
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
  std::vector<LinkPair> pairs_;             // that the plan knows
  std::vector<Block> blocks_;               // in the order of elimination
  std::vector<int> numbers_;                // of them: in constraints, then elements
  std::vector<int> position_;               // of a number: in the order
  std::vector<std::size_t> first_passage_;  // links + 1
  std::vector<Passage> passages_, meetings_;
  std::vector<int> begins_, ends_;  // links + 1, ground first: blocks that meet there
  std::vector<char> moves_others_;  // links: their states are needed by children or blocks
  std::size_t border_size_ = 0, border_begins_ = 0;  // numbers before the second start at zero
  int pivot_count_ = 0;

  std::vector<double> Z_, G_, DN_, U_, lu_, border_;
  std::vector<int> pivots_, block_pivots_;
  std::vector<int> squares_;                                    // links: n x n matrices in lu_
  double T_q_[S * S * 36], T_v_[S * S * 36], T_a_[S * S * 36];  // of a joint: nv x nv each
  std::vector<double> z_, s_, u_, scratch_;
  long visits_ = 0;
};

template <int S, int P>
TreeNewtonOf<S, P>::TreeNewtonOf(const Model& model, Stages stages)
    : model_(model),
      shared_(std::move(stages)),
      stages_(*shared_),
      squares_(dynamics::square_offsets(model)) {
  const std::size_t links = model.links().size(), n = size(model.nv()) * S;
  Z_.resize(links * duals * w);
  for (auto* x : {&G_, &DN_}) x->resize(n * w);
  U_.resize(n * duals);
  lu_.resize(size(squares_.back()) * S * S);
  pivots_.resize(n);
  z_.resize(links * duals);
  s_.resize(links * w);
  u_.resize(n);
  scratch_.resize(6 * S * w);
  plan();
}

template <int S, int P>
void TreeNewtonOf<S, P>::choose(std::span<const KeptEquations> kept) {
  bool same = true;
  for (TreeLinearization& stage : stages_) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      same = same && stage.constraints()[i].kept == kept[i].rank;
    stage.choose(kept);
  }
  if (!same) plan();
}

template <int S, int P>
const BorderBlock& TreeNewtonOf<S, P>::data(int stage, int block) const {
  const TreeLinearization& at = stages_[size(stage)];
  const std::size_t number = size(numbers_[size(block)]), constraints = at.constraints().size();
  if (number < constraints) return at.constraints()[number];
  const LinkPair& pair = pairs_[number - constraints];
  const auto found = std::ranges::find(at.pairs(), pair);
  return at.elements()[size(static_cast<int>(found - at.pairs().begin()))];
}

/// The symbolic phase: again only if a force element appears between two links that had none.
template <int S, int P>
void TreeNewtonOf<S, P>::plan() {
  std::vector<BlockEnds> ends;
  std::vector<int> rows;
  const auto add = [&](const BorderBlock& block) {
    BlockEnds e;
    for (const auto& end : block.ends) e.links.push_back(end.link);
    for (const auto& entry : block.entries) e.entries.push_back(entry.v);
    e.to_ground = block.ends.size() == 1;
    ends.push_back(std::move(e));
    rows.push_back(S * block.rows);
  };
  for (const BorderBlock& block : stages_[0].constraints()) add(block);
  for (const LinkPair& pair : pairs_) {
    ends.push_back({{pair.a, pair.b}, {}, false});
    rows.push_back(6 * S);
  }
  const BlockOrder order(model_, ends);
  border_size_ = 0, pivot_count_ = 0;
  const auto take = [&](std::size_t n) { return std::exchange(border_size_, border_size_ + n); };
  blocks_.clear(), numbers_.clear(), passages_.clear(), meetings_.clear(), first_passage_.clear();
  position_.assign(ends.size(), 0);
  for (const BlockOrder::Block& from : order.blocks()) {
    Block block;
    block.rows = rows[size(from.number)], block.meets = from.meets;
    block.others = from.coupled;
    position_[size(from.number)] = static_cast<int>(blocks_.size());
    numbers_.push_back(from.number);
    blocks_.push_back(std::move(block));
  }
  for (Block& block : blocks_) {
    const std::size_t n = size(block.rows);
    block.L = take(n * n);
    block.pivots = size(pivot_count_);
    pivot_count_ += block.rows;
    for (const int j : block.others) {
      block.ij.push_back(take(n * size(blocks_[size(j)].rows)));
      block.ji.push_back(take(n * size(blocks_[size(j)].rows)));
    }
    if (block.meets < 0) continue;
    block.meeting = static_cast<int>(meetings_.size());
    const std::size_t K = take(n * w), R = take(n * duals);
    meetings_.push_back({static_cast<int>(&block - blocks_.data()), K, R});
  }
  const auto& links = model_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    first_passage_.push_back(passages_.size());
    for (const int b : order.open()[i]) {
      const std::size_t n = size(blocks_[size(b)].rows), K = take(n * w), R = take(n * duals);
      passages_.push_back({b, K, R});
    }
  }
  first_passage_.push_back(passages_.size());
  border_begins_ = border_size_;
  for (Block& block : blocks_)
    block.g = take(size(block.rows)), block.X = take(size(block.rows) * w);
  for (std::size_t i = 0; i < links.size(); ++i)
    for (std::size_t p = first_passage_[i]; p < first_passage_[i + 1]; ++p) {
      const std::size_t n = size(blocks_[size(passages_[p].block)].rows * links[i].nv * S);
      passages_[p].Drho = take(n), passages_[p].kap = take(n);
    }
  begins_.clear(), ends_.clear();
  for (int link = -1; link < static_cast<int>(links.size()); ++link)
    begins_.push_back(order.begin(link)), ends_.push_back(order.end(link));
  moves_others_.assign(links.size(), 0);
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (begins_[i + 1] < ends_[i + 1]) moves_others_[i] = 1;
    if (links[i].parent >= 0) moves_others_[size(links[i].parent)] = 1;
  }
  border_.resize(border_size_);
  block_pivots_.resize(size(pivot_count_));
}

template <int S, int P>
int TreeNewtonOf<S, P>::passage_of(int link, int block) const {
  if (link < 0) return -1;
  for (std::size_t p = first_passage_[size(link)]; p < first_passage_[size(link) + 1]; ++p)
    if (passages_[p].block == block) return static_cast<int>(p);
  return -1;
}

/// Where K and R of a block are on a link.
template <int S, int P>
double* TreeNewtonOf<S, P>::K_on(int link, int block, double** R) {
  const Block& b = blocks_[size(block)];
  if (link < 0) return nullptr;
  if (b.meets == link) {
    const Passage& m = meetings_[size(b.meeting)];
    *R = border_.data() + m.R;
    return border_.data() + m.K;
  }
  const int p = passage_of(link, block);
  if (p < 0) return nullptr;
  *R = border_.data() + passages_[size(p)].R;
  return border_.data() + passages_[size(p)].K;
}
/// L_ij of two different blocks.
template <int S, int P>
std::size_t TreeNewtonOf<S, P>::place_of_L(int i, int j) const {
  const Block& first = blocks_[size(std::min(i, j))];
  const auto found = std::ranges::lower_bound(first.others, std::max(i, j));
  const auto k = size(static_cast<int>(found - first.others.begin()));
  return i < j ? first.ij[k] : first.ji[k];
}

/// Z of the links by themselves.
template <int S, int P>
void TreeNewtonOf<S, P>::set_links() {
  if constexpr (S > 1) std::fill(Z_.begin(), Z_.end(), 0.0);
  for (std::size_t i = 0; i < model_.links().size(); ++i)
    for (int stage = 0; stage < S; ++stage) {
      const double* own = stages_[size(stage)].link_terms(i);
      for (int r = 0; r < 6; ++r)
        std::copy_n(own + 18 * r, state, Z(i) + (6 * stage + r) * w + stage * state);
    }
}
/// K, R, L of the blocks by themselves.
template <int S, int P>
void TreeNewtonOf<S, P>::set_borders() {
  std::fill_n(border_.begin(), border_begins_, 0.0);
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
    for (int stage = 0; stage < S; ++stage) {
      const BorderBlock& from = data(stage, b);
      Block& block = blocks_[size(b)];
      const int n = block.rows / S;
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
          border_[block.L + size((stage * n + r) * block.rows + stage * n + c)] =
              from.L[size(r * n + c)];
      for (const auto& end : from.ends) {
        double* R = nullptr;
        double* K = K_on(end.link, b, &R);
        for (int r = 0; r < n; ++r) {
          axpy(1, end.K.data() + 18 * r, K + (stage * n + r) * w + stage * state, state);
          axpy(1, end.R.data() + 6 * r, R + (stage * n + r) * duals + 6 * stage, 6);
        }
      }
    }
}

template <int S, int P>
void TreeNewtonOf<S, P>::take_relations(const StageRelations& relations, std::size_t i) {
  const Link& link = model_.links()[i];
  const int n = link.nv, factor = relations.factor_at(link.v_index);
  for (int ij = 0; ij < S * S; ++ij) {
    if (factor >= 0) {
      const int a = ij / S, b = ij % S;
      std::copy_n(relations.q(size(factor), a, b), n * n, T_q_ + 36 * ij);
      std::copy_n(relations.v(size(factor), a, b), n * n, T_v_ + 36 * ij);
      std::copy_n(relations.a(size(factor), a, b), n * n, T_a_ + 36 * ij);
      continue;
    }
    for (int k = 0; k < n * n; ++k) {
      const bool diagonal = k % (n + 1) == 0;
      T_q_[36 * ij + k] = diagonal ? relations.flat_q()[ij] : 0;
      T_v_[36 * ij + k] = diagonal ? relations.flat_v()[ij] : 0;
      T_a_[36 * ij + k] = diagonal ? relations.flat_a()[ij] : 0;
    }
  }
}

/// G^T of (1) to (3).
template <int S, int P>
template <int fixed>
CHASLES_HOT void TreeNewtonOf<S, P>::set_columns(std::size_t i) {
  const Link& link = model_.links()[i];
  const int n = fixed > 0 ? fixed : link.nv;
  for (int j = 0; j < S; ++j)
    for (int d = 0; d < n; ++d) {
      double* to = G(link.v_index) + (j * n + d) * w;
      std::fill_n(to, w, 0.0);
      for (int stage = 0; stage < S; ++stage, to += state)
        for (int c = 0; c < n; ++c) {
          const double* x = stages_[size(stage)].columns(size(link.v_index + c));
          const int at = 36 * (stage * S + j) + c * n + d;
          const double q = T_q_[at], v = T_v_[at], a = T_a_[at];
          for (int k = 0; k < 6; ++k) {
            to[k] += v * x[k] + q * x[6 + k];
            to[6 + k] += a * x[k] + v * x[12 + k] + q * x[18 + k];
            if constexpr (P == 3) to[12 + k] += q * x[k];
          }
        }
    }
}

/// Delta of (5).
template <int S, int P>
template <int fixed>
void TreeNewtonOf<S, P>::add_delta(std::size_t i, double* D) const {
  const int n = fixed > 0 ? fixed : model_.links()[i].nv, rows = n * S;
  for (int stage = 0; stage < S; ++stage) {
    const double *K = stages_[size(stage)].K(i), *B = stages_[size(stage)].D(i);
    for (int j = 0; j < S; ++j)
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
          for (int d = 0; d < n; ++d) {
            const int at = 36 * (stage * S + j) + c * n + d;
            D[(stage * n + r) * rows + j * n + d] +=
                K[r * n + c] * T_q_[at] + B[r * n + c] * T_v_[at];
          }
  }
}

/// (6). Nothing goes on to ground.
template <int S, int P>
template <int fixed>
CHASLES_HOT bool TreeNewtonOf<S, P>::eliminate_joint(std::size_t i) {
  const Link& link = model_.links()[i];
  const int n = fixed > 0 ? fixed : link.nv, rows = n * S;
  double *N = DN(link.v_index), *g = G(link.v_index), *u = U(link.v_index), *z = Z(i);
  const double* columns[S];
  for (int stage = 0; stage < S; ++stage)
    columns[stage] = stages_[size(stage)].columns(size(link.v_index));
  for (int j = 0; j < rows; ++j)
    for (int r = 0; r < duals; ++r) u[j * duals + r] = inner<w>(z + r * w, g + j * w);
  double* D = lu_.data() + size(squares_[i]) * S * S;
  for (int stage = 0; stage < S; ++stage)
    for (int c = 0; c < n; ++c)
      for (int j = 0; j < rows; ++j)
        D[(stage * n + c) * rows + j] =
            inner<6>(columns[stage] + 30 * c, u + j * duals + 6 * stage);
  add_delta<fixed>(i, D);
  int* pivots = pivots_.data() + link.v_index * S;
  if (!lu_factorize(D, rows, pivots)) return false;
  if (link.parent < 0) return true;
  for (int stage = 0; stage < S; ++stage)
    for (int c = 0; c < n; ++c) {
      const double *H = columns[stage] + 30 * c, *F = H + 24;
      const double* six = z + 6 * stage * w;
      double* row = N + (stage * n + c) * w;
      for (int k = 0; k < w; ++k)
        row[k] = (H[0] * six[k] + H[1] * six[w + k]) +
                 (H[2] * six[2 * w + k] + H[3] * six[3 * w + k]) +
                 (H[4] * six[4 * w + k] + H[5] * six[5 * w + k]);
      for (int j = 0; j < S; ++j)
        for (int d = 0; d < n; ++d)
          axpy(T_q_[36 * (stage * S + j) + c * n + d], F, u + (j * n + d) * duals + 6 * stage, 6);
    }
  lu_solve(D, rows, pivots, N, w);
  double* onward = Z(size(link.parent));
  for (int r = 0; r < duals; ++r)
    add_reduced<fixed * S, w>(z + r * w, u + r, duals, N, rows, onward + r * w);
  return true;
}

/// E_b of (7): entries of v in the rows of a block.
template <int S, int P>
void TreeNewtonOf<S, P>::add_entries(std::size_t i, const Passage& at, double* rho,
                                     double* kap) const {
  const Link& link = model_.links()[i];
  const int n = link.nv, columns = n * S, rows = blocks_[size(at.block)].rows / S;
  const bool velocity = stages_[0].level() == ConstraintLevel::velocity;
  const double* T = velocity ? T_v_ : T_q_;
  for (int stage = 0; stage < S; ++stage)
    for (const auto& entry : data(stage, at.block).entries) {
      const int c = entry.v - link.v_index;
      if (c < 0 || c >= n) continue;
      for (int r = 0; r < rows; ++r) {
        const int row = stage * rows + r;
        rho[(stage * n + c) * S * rows + row] += entry.b[size(r)];
        for (int j = 0; j < S; ++j)
          for (int d = 0; d < n; ++d)
            kap[row * columns + j * n + d] +=
                entry.b[size(r)] * T[36 * (stage * S + j) + c * n + d];
      }
    }
}

/// (7), (8): after eliminate_joint.
template <int S, int P>
template <int fixed>
CHASLES_HOT void TreeNewtonOf<S, P>::border_joint(std::size_t i) {
  const std::size_t begin = first_passage_[i], end = first_passage_[i + 1];
  const Link& link = model_.links()[i];
  const int n = fixed > 0 ? fixed : link.nv, columns = n * S;
  const double *D = lu_.data() + size(squares_[i]) * S * S, *g = G(link.v_index),
               *u = U(link.v_index), *N = DN(link.v_index);
  const int* pivots = pivots_.data() + link.v_index * S;
  for (std::size_t p = begin; p < end; ++p) {
    const Passage& at = passages_[p];
    const int rows = blocks_[size(at.block)].rows;
    double *K = border_.data() + at.K, *R = border_.data() + at.R;
    double *rho = border_.data() + at.Drho, *kap = border_.data() + at.kap;
    for (int c = 0; c < columns; ++c) {
      const double* H = stages_[size(c / n)].columns(size(link.v_index + c % n));
      for (int r = 0; r < rows; ++r) {
        rho[c * rows + r] = inner<6>(H, R + r * duals + 6 * (c / n));
        kap[r * columns + c] = inner<w>(K + r * w, g + c * w);
      }
    }
    if (!data(0, at.block).entries.empty()) add_entries(i, at, rho, kap);
    lu_solve(D, columns, pivots, rho, rows);
    double* R_p = nullptr;
    double* K_p = K_on(link.parent, at.block, &R_p);
    if (K_p == nullptr) continue;
    for (int r = 0; r < rows; ++r) {
      add_reduced<fixed * S, duals>(R + r * duals, rho + r, rows, u, columns, R_p + r * duals);
      add_reduced<fixed * S, w>(K + r * w, kap + r * columns, 1, N, columns, K_p + r * w);
    }
  }
  for (std::size_t p = begin; p < end; ++p)
    for (std::size_t k = begin; k < end; ++k) {
      const Passage &i_at = passages_[p], &j_at = passages_[k];
      const int rows_i = blocks_[size(i_at.block)].rows, rows_j = blocks_[size(j_at.block)].rows;
      double* L = border_.data() +
                  (p == k ? blocks_[size(i_at.block)].L : place_of_L(i_at.block, j_at.block));
      const double *kap = border_.data() + i_at.kap, *rho = border_.data() + j_at.Drho;
      for (int r = 0; r < rows_i; ++r)
        for (int c = 0; c < columns; ++c)
          axpy(-kap[r * columns + c], rho + c * rows_j, L + r * rows_j, rows_j);
    }
}

/// (9).
template <int S, int P>
CHASLES_HOT bool TreeNewtonOf<S, P>::eliminate_block(int b) {
  Block& i = blocks_[size(b)];
  double* L = border_.data() + i.L;
  int* pivots = block_pivots_.data() + i.pivots;
  if (!lu_factorize(L, i.rows, pivots)) return false;
  double *R = nullptr, *K = K_on(i.meets, b, &R), *X = border_.data() + i.X;
  if (K != nullptr) {
    std::copy_n(K, size(i.rows) * w, X);
    lu_solve(L, i.rows, pivots, X, w);
    double* z = Z(size(i.meets));
    for (int r = 0; r < i.rows; ++r)
      for (int k = 0; k < duals; ++k) axpy(-R[r * duals + k], X + r * w, z + k * w, w);
  }
  for (std::size_t o = 0; o < i.others.size(); ++o) {
    const int j = i.others[o], rows = blocks_[size(j)].rows;
    double* Y = border_.data() + i.ij[o];
    const double* L_ji = border_.data() + i.ji[o];
    lu_solve(L, i.rows, pivots, Y, rows);
    double *R_j = nullptr, *K_j = K_on(i.meets, j, &R_j);
    if (K_j == nullptr || K == nullptr) continue;
    for (int r = 0; r < i.rows; ++r)
      for (int c = 0; c < rows; ++c) {
        axpy(-Y[r * rows + c], R + r * duals, R_j + c * duals, duals);
        axpy(-L_ji[c * i.rows + r], X + r * w, K_j + c * w, w);
      }
  }
  for (std::size_t o = 0; o < i.others.size(); ++o)
    for (std::size_t k = 0; k < i.others.size(); ++k) {
      const int j = i.others[o], l = i.others[k];
      const int rows_j = blocks_[size(j)].rows, rows_l = blocks_[size(l)].rows;
      double* L_jl = border_.data() + (j == l ? blocks_[size(j)].L : place_of_L(j, l));
      const double *L_ji = border_.data() + i.ji[o], *Y = border_.data() + i.ij[k];
      for (int r = 0; r < rows_j; ++r)
        for (int c = 0; c < i.rows; ++c)
          axpy(-L_ji[r * i.rows + c], Y + c * rows_l, L_jl + r * rows_l, rows_l);
    }
  return true;
}

template <int S, int P>
template <class F>
decltype(auto) TreeNewtonOf<S, P>::with_freedoms(int nv, const F& f) {
  switch (nv) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 6:
      return f(std::integral_constant<int, 6>{});
    default:
      return f(std::integral_constant<int, 0>{});
  }
}

/// All force elements between two links: they are blocks.
template <int S, int P>
void TreeNewtonOf<S, P>::know_pairs() {
  bool known = true;
  for (const TreeLinearization& stage : stages_)
    for (const LinkPair& pair : stage.pairs())
      if (std::ranges::find(pairs_, pair) == pairs_.end()) pairs_.push_back(pair), known = false;
  if (!known) plan();
  for (TreeLinearization& stage : stages_)
    for (const LinkPair& pair : pairs_) stage.element_of(pair);
}

template <int S, int P>
bool TreeNewtonOf<S, P>::factorize(const StageRelations& relations) {
  if constexpr (P == 3) know_pairs();
  set_links();
  set_borders();
  const int links = static_cast<int>(model_.links().size());
  visits_ += links;
  for (int link = links - 1; link >= -1; --link) {
    for (int b = begins_[size(link + 1)]; b < ends_[size(link + 1)]; ++b)
      if (!eliminate_block(b)) return false;
    if (link < 0) break;
    take_relations(relations, size(link));
    const std::size_t i = size(link);
    const bool regular = with_freedoms(model_.links()[i].nv, [&](auto fixed) {
      set_columns<fixed()>(i);
      if (!eliminate_joint<fixed()>(i)) return false;
      if (first_passage_[i] < first_passage_[i + 1]) border_joint<fixed()>(i);
      return true;
    });
    if (!regular) return false;
  }
  return true;
}

template <int S, int P>
void TreeNewtonOf<S, P>::start_solution(const Matrix& g) {
  std::fill(z_.begin(), z_.end(), 0.0);
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) {
    double* to = border_.data() + blocks_[size(b)].g;
    std::fill_n(to, blocks_[size(b)].rows, 0.0);
    const int n = blocks_[size(b)].rows / S;
    for (int stage = 0; stage < S; ++stage) {
      const BorderBlock& from = data(stage, b);
      for (int k = 0; k < from.kept; ++k)
        for (int e = 0; e < from.equations; ++e)
          to[stage * n + k] += from.U[size(k * from.equations + e)] * g(from.first + e, stage);
    }
  }
}
template <int S, int P>
CHASLES_HOT void TreeNewtonOf<S, P>::block_in(int b) {
  const Block& i = blocks_[size(b)];
  double *y = border_.data() + i.g, *R = nullptr;
  lu_solve(border_.data() + i.L, i.rows, block_pivots_.data() + i.pivots, y);
  if (K_on(i.meets, b, &R) != nullptr)
    for (int r = 0; r < i.rows; ++r)
      axpy(y[r], R + r * duals, z_.data() + size(i.meets) * duals, duals);
  for (std::size_t o = 0; o < i.others.size(); ++o) {
    const Block& j = blocks_[size(i.others[o])];
    const double* L_ji = border_.data() + i.ji[o];
    for (int r = 0; r < j.rows; ++r) border_[j.g + size(r)] -= inner(L_ji + r * i.rows, y, i.rows);
  }
}
template <int S, int P>
template <int fixed>
CHASLES_HOT void TreeNewtonOf<S, P>::joint_in(std::size_t i, const Matrix& r) {
  const Link& link = model_.links()[i];
  const int n = fixed > 0 ? fixed : link.nv, rows = n * S;
  double *z = z_.data() + i * duals, *u = u_.data() + link.v_index * S;
  for (int stage = 0; stage < S; ++stage) {
    const double* H = stages_[size(stage)].columns(size(link.v_index));
    for (int c = 0; c < n; ++c)
      u[stage * n + c] = r(link.v_index + c, stage) - inner<6>(H + 30 * c, z + 6 * stage);
  }
  lu_solve(lu_.data() + size(squares_[i]) * S * S, rows, pivots_.data() + link.v_index * S, u);
  for (std::size_t p = first_passage_[i]; p < first_passage_[i + 1]; ++p) {
    const Block& block = blocks_[size(passages_[p].block)];
    for (int k = 0; k < block.rows; ++k)
      border_[block.g + size(k)] -= inner(border_.data() + passages_[p].kap + k * rows, u, rows);
  }
  if (link.parent < 0) return;
  const double* U_t = U(link.v_index);
  for (int k = 0; k < rows; ++k) axpy(u[k], U_t + k * duals, z, duals);
  axpy(1, z, z_.data() + size(link.parent) * duals, duals);
}
template <int S, int P>
template <int fixed>
CHASLES_HOT void TreeNewtonOf<S, P>::joint_out(std::size_t i, Matrix& d) {
  const Link& link = model_.links()[i];
  const int n = fixed > 0 ? fixed : link.nv, rows = n * S;
  double *u = u_.data() + link.v_index * S, *s = s_.data() + i * w;
  const double *N = DN(link.v_index), *g = G(link.v_index);
  const double* s_p = link.parent >= 0 ? s_.data() + size(link.parent) * w : nullptr;
  for (int k = 0; k < rows && s_p != nullptr; ++k) u[k] -= inner<w>(N + k * w, s_p);
  for (std::size_t p = first_passage_[i]; p < first_passage_[i + 1]; ++p) {
    const Block& block = blocks_[size(passages_[p].block)];
    const double *rho = border_.data() + passages_[p].Drho, *mu = border_.data() + block.g;
    for (int k = 0; k < rows; ++k) u[k] -= inner(rho + k * block.rows, mu, block.rows);
  }
  for (int k = 0; k < rows; ++k) d(link.v_index + k % n, k / n) = u[k];
  if (!moves_others_[i]) return;
  if (s_p != nullptr)
    std::copy_n(s_p, w, s);
  else
    std::fill_n(s, w, 0.0);
  for (int k = 0; k < rows; ++k) axpy(u[k], g + k * w, s, w);
}
/// mu_i = L_ii^-1 (g_i - K_i s - sum_j L_ij mu_j); the first is there already.
template <int S, int P>
CHASLES_HOT void TreeNewtonOf<S, P>::block_out(int b) {
  const Block& i = blocks_[size(b)];
  double* mu = border_.data() + i.g;
  if (i.meets >= 0)
    for (int r = 0; r < i.rows; ++r)
      mu[r] -= inner<w>(border_.data() + i.X + r * w, s_.data() + size(i.meets) * w);
  for (std::size_t o = 0; o < i.others.size(); ++o) {
    const Block& j = blocks_[size(i.others[o])];
    const double* Y = border_.data() + i.ij[o];
    for (int r = 0; r < i.rows; ++r) mu[r] -= inner(Y + r * j.rows, border_.data() + j.g, j.rows);
  }
}

template <int S, int P>
void TreeNewtonOf<S, P>::solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) {
  start_solution(g);
  const int links = static_cast<int>(model_.links().size());
  visits_ += 2 * links;
  for (int link = links - 1; link >= -1; --link) {
    for (int b = begins_[size(link + 1)]; b < ends_[size(link + 1)]; ++b) block_in(b);
    if (link < 0) break;
    with_freedoms(model_.links()[size(link)].nv,
                  [&](auto fixed) { joint_in<fixed()>(size(link), r); });
  }
  for (int link = -1; link < links; ++link) {
    if (link >= 0)
      with_freedoms(model_.links()[size(link)].nv,
                    [&](auto fixed) { joint_out<fixed()>(size(link), d); });
    for (int b = ends_[size(link + 1)] - 1; b >= begins_[size(link + 1)]; --b) block_out(b);
  }
  dlambda.setZero();
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) {
    const double* mu = border_.data() + blocks_[size(b)].g;
    const int n = blocks_[size(b)].rows / S;
    for (int stage = 0; stage < S; ++stage) {
      const BorderBlock& from = data(stage, b);
      for (int k = 0; k < from.kept; ++k)
        for (int e = 0; e < from.equations; ++e)
          dlambda(from.first + e, stage) +=
              from.U[size(k * from.equations + e)] * mu[stage * n + k];
    }
  }
}

/// A tree on which forces may act: while they act in joints only, displacements do not matter by themselves.
template <int S>
class LoadedTree final : public TreeNewton {
 public:
  LoadedTree(const Model& model, std::shared_ptr<std::vector<TreeLinearization>> stages)
      : stages_(*stages), light_(model, stages), loaded_(model, stages) {}

  void choose(std::span<const KeptEquations>) override {}  // there are none
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
