#include "motion/tree_newton.hpp"

#include <algorithm>

#include "constraints/block_order.hpp"
#include "dynamics/links.hpp"
#include "motion/small_lu.hpp"
#include "motion/tree_linearization.hpp"

namespace chasles {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// y += a x over n numbers; n is a constant where this is inlined.
inline void axpy(double a, const double* x, double* y, int n) {
  for (int k = 0; k < n; ++k) y[k] += a * x[k];
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
  TreeNewtonOf(const Model& model, const Constraints& constraints, ConstraintLevel level,
               GeometricStiffness stiffness);
  void choose(std::span<const KeptEquations> kept) override;
  void linearize(int stage, const LinearizationPoint& at, ConstVectorRef lambda) override {
    stages_[size(stage)].take(at, lambda);
  }
  bool factorize(const StageRelations& relations) override;
  void solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) override;
  long visits() const override { return visits_; }

 private:
  static constexpr int w = 6 * P * S, duals = 6 * S, state = 6 * P;

  /// A block on a link: places in border_.
  struct Passage {
    int block;
    std::size_t K, R, Drho, kap;
    int parent;  // the same block on the parent: in passages_; -1: it is forgotten on ground
    // First indices of ends and entries of the block that are on this link.
  };
  struct Block {
    int rows = 0;  // of all stages
    int meets = -1;
    std::size_t L = 0, X = 0,
                g = 0;  // L_ii, then its factors; L_ii^-1 K_i; right-hand side, then mu
    std::size_t pivots = 0;
    int K = -1;               // passage-like storage on the link where it meets: in meeting_
    std::vector<int> others;  // later blocks
    std::vector<std::size_t> ij, ji;  // L_ij, then L_ii^-1 L_ij; L_ji
  };
  struct Meeting {
    std::size_t K, R;
  };

  void plan();
  int passage_of(int link, int block) const;
  std::size_t place_of_L(int i, int j) const;
  const BorderBlock& data(int stage, int block) const;

  void set_links();
  void set_borders();
  void take_relations(const StageRelations& relations, std::size_t link);
  void set_columns(std::size_t link);
  bool eliminate_joint(std::size_t link);
  void add_delta(std::size_t link, double* D) const;
  void border_joint(std::size_t link);
  void add_entries(std::size_t link, const Passage& at, double* rho, double* kap) const;
  bool eliminate_block(int b);
  double* K_on(int link, int block, double** R);

  void start_solution(const Matrix& r, const Matrix& g);
  void block_in(int b);
  void joint_in(std::size_t link, const Matrix& r);
  void joint_out(std::size_t link, Matrix& d);
  void block_out(int b);

  double* Z(std::size_t link) { return Z_.data() + link * duals * w; }
  double* G(int v) { return G_.data() + size(v) * S * w; }
  double* DN(int v) { return DN_.data() + size(v) * S * w; }
  double* U(int v) { return U_.data() + size(v) * S * duals; }

  Model model_;
  std::vector<TreeLinearization> stages_;
  std::vector<LinkPair> pairs_;             // that the plan knows
  std::vector<Block> blocks_;               // in the order of elimination
  std::vector<int> numbers_;                // of them: in constraints, then elements
  std::vector<int> position_;               // of a number: in the order
  std::vector<std::size_t> first_passage_;  // links + 1
  std::vector<Passage> passages_;
  std::vector<Meeting> meetings_;
  std::vector<int> begins_, ends_;  // links + 1, ground first: blocks that meet there
  std::size_t border_size_ = 0;
  int pivot_count_ = 0;

  std::vector<double> Z_, G_, DN_, U_, lu_, border_;
  std::vector<int> pivots_, block_pivots_;
  std::vector<int> squares_;                                    // links: n x n matrices in lu_
  double T_q_[S * S * 36], T_v_[S * S * 36], T_a_[S * S * 36];  // of a joint: nv x nv each
  std::vector<double> z_, s_, u_, scratch_;
  long visits_ = 0;
};

template <int S, int P>
TreeNewtonOf<S, P>::TreeNewtonOf(const Model& model, const Constraints& constraints,
                                 ConstraintLevel level, GeometricStiffness stiffness)
    : model_(model),
      stages_(S, TreeLinearization(model, constraints, level, stiffness)),
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
    block.L = take(n * n), block.g = take(n), block.X = take(n * w);
    block.pivots = size(pivot_count_);
    pivot_count_ += block.rows;
    for (const int j : block.others) {
      block.ij.push_back(take(n * size(blocks_[size(j)].rows)));
      block.ji.push_back(take(n * size(blocks_[size(j)].rows)));
    }
    if (block.meets >= 0) {
      block.K = static_cast<int>(meetings_.size());
      meetings_.push_back({take(n * w), take(n * duals)});
    }
  }
  const auto& links = model_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    first_passage_.push_back(passages_.size());
    for (const int b : order.open()[i]) {
      const std::size_t n = size(blocks_[size(b)].rows), m = size(links[i].nv) * S;
      const std::size_t K = take(n * w), R = take(n * duals), D = take(n * m), k = take(n * m);
      passages_.push_back({b, K, R, D, k, -1});
    }
  }
  first_passage_.push_back(passages_.size());
  for (std::size_t i = 0; i < links.size(); ++i)
    for (std::size_t p = first_passage_[i]; p < first_passage_[i + 1]; ++p)
      passages_[p].parent = passage_of(links[i].parent, passages_[p].block);
  begins_.clear(), ends_.clear();
  for (int link = -1; link < static_cast<int>(links.size()); ++link)
    begins_.push_back(order.begin(link)), ends_.push_back(order.end(link));
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
    const Meeting& m = meetings_[size(b.K)];
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
  std::fill(Z_.begin(), Z_.end(), 0.0);
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
  std::fill(border_.begin(), border_.end(), 0.0);
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
void TreeNewtonOf<S, P>::set_columns(std::size_t i) {
  const Link& link = model_.links()[i];
  const int n = link.nv;
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
void TreeNewtonOf<S, P>::add_delta(std::size_t i, double* D) const {
  const int n = model_.links()[i].nv, rows = n * S;
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

/// (6).
template <int S, int P>
bool TreeNewtonOf<S, P>::eliminate_joint(std::size_t i) {
  const Link& link = model_.links()[i];
  const int n = link.nv, rows = n * S;
  double *N = DN(link.v_index), *g = G(link.v_index), *u = U(link.v_index), *z = Z(i);
  for (int stage = 0; stage < S; ++stage)
    for (int c = 0; c < n; ++c) {
      const double* H = stages_[size(stage)].columns(size(link.v_index + c));
      double* row = N + (stage * n + c) * w;
      std::fill_n(row, w, 0.0);
      for (int k = 0; k < 6; ++k) axpy(H[k], z + (6 * stage + k) * w, row, w);
    }
  for (int j = 0; j < rows; ++j)
    for (int r = 0; r < duals; ++r) u[j * duals + r] = inner(z + r * w, g + j * w, w);
  double* D = lu_.data() + size(squares_[i]) * S * S;
  for (int r = 0; r < rows; ++r) {
    const int stage = r / n;
    const double* H = stages_[size(stage)].columns(size(link.v_index + r % n));
    for (int j = 0; j < rows; ++j) D[r * rows + j] = inner(H, u + j * duals + 6 * stage, 6);
  }
  add_delta(i, D);
  for (int stage = 0; stage < S; ++stage)
    for (int c = 0; c < n; ++c) {
      const double* F = stages_[size(stage)].columns(size(link.v_index + c)) + 24;
      for (int j = 0; j < S; ++j)
        for (int d = 0; d < n; ++d)
          axpy(T_q_[36 * (stage * S + j) + c * n + d], F, u + (j * n + d) * duals + 6 * stage, 6);
    }
  int* pivots = pivots_.data() + link.v_index * S;
  if (!lu_factorize(D, rows, pivots)) return false;
  lu_solve(D, rows, pivots, N, w);
  if (link.parent < 0) return true;
  double* onward = Z(size(link.parent));
  for (int r = 0; r < duals; ++r) {
    double* row = z + r * w;
    for (int j = 0; j < rows; ++j) axpy(-u[j * duals + r], N + j * w, row, w);
    axpy(1, row, onward + r * w, w);
  }
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
        rho[row * columns + stage * n + c] += entry.b[size(r)];
        for (int j = 0; j < S; ++j)
          for (int d = 0; d < n; ++d)
            kap[row * columns + j * n + d] +=
                entry.b[size(r)] * T[36 * (stage * S + j) + c * n + d];
      }
    }
}

/// (7), (8): after eliminate_joint.
template <int S, int P>
void TreeNewtonOf<S, P>::border_joint(std::size_t i) {
  const std::size_t begin = first_passage_[i], end = first_passage_[i + 1];
  if (begin == end) return;
  const Link& link = model_.links()[i];
  const int n = link.nv, columns = n * S;
  const double *D = lu_.data() + size(squares_[i]) * S * S, *g = G(link.v_index),
               *u = U(link.v_index), *N = DN(link.v_index);
  const int* pivots = pivots_.data() + link.v_index * S;
  for (std::size_t p = begin; p < end; ++p) {
    const Passage& at = passages_[p];
    const int rows = blocks_[size(at.block)].rows;
    double *K = border_.data() + at.K, *R = border_.data() + at.R;
    double *rho = border_.data() + at.Drho, *kap = border_.data() + at.kap;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const double* H = stages_[size(c / n)].columns(size(link.v_index + c % n));
        rho[r * columns + c] = inner(H, R + r * duals + 6 * (c / n), 6);
        kap[r * columns + c] = inner(K + r * w, g + c * w, w);
      }
    if (!data(0, at.block).entries.empty()) add_entries(i, at, rho, kap);
    for (int r = 0; r < rows; ++r) lu_solve(D, columns, pivots, rho + r * columns, 1);
    double* R_on = nullptr;
    double* K_p = K_on(link.parent, at.block, &R_on);
    if (K_p == nullptr) continue;
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        axpy(-rho[r * columns + c], u + c * duals, R + r * duals, duals);
        axpy(-kap[r * columns + c], N + c * w, K + r * w, w);
      }
      axpy(1, R + r * duals, R_on + r * duals, duals);
      axpy(1, K + r * w, K_p + r * w, w);
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
        for (int c = 0; c < rows_j; ++c)
          L[r * rows_j + c] -= inner(kap + r * columns, rho + c * columns, columns);
    }
}

/// (9).
template <int S, int P>
bool TreeNewtonOf<S, P>::eliminate_block(int b) {
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
bool TreeNewtonOf<S, P>::factorize(const StageRelations& relations) {
  bool known = true;
  for (const TreeLinearization& stage : stages_)
    for (const LinkPair& pair : stage.pairs())
      if (std::ranges::find(pairs_, pair) == pairs_.end()) pairs_.push_back(pair), known = false;
  if (!known) plan();
  for (TreeLinearization& stage : stages_)
    for (const LinkPair& pair : pairs_) stage.element_of(pair);
  set_links();
  set_borders();
  const int links = static_cast<int>(model_.links().size());
  visits_ += links;
  for (int link = links - 1; link >= -1; --link) {
    for (int b = begins_[size(link + 1)]; b < ends_[size(link + 1)]; ++b)
      if (!eliminate_block(b)) return false;
    if (link < 0) break;
    take_relations(relations, size(link));
    set_columns(size(link));
    if (!eliminate_joint(size(link))) return false;
    border_joint(size(link));
  }
  return true;
}

template <int S, int P>
void TreeNewtonOf<S, P>::start_solution(const Matrix& r, const Matrix& g) {
  std::fill(z_.begin(), z_.end(), 0.0);
  static_cast<void>(r);
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
void TreeNewtonOf<S, P>::block_in(int b) {
  const Block& i = blocks_[size(b)];
  double *y = border_.data() + i.g, *R = nullptr;
  lu_solve(border_.data() + i.L, i.rows, block_pivots_.data() + i.pivots, y, 1);
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
void TreeNewtonOf<S, P>::joint_in(std::size_t i, const Matrix& r) {
  const Link& link = model_.links()[i];
  const int n = link.nv, rows = n * S;
  double *z = z_.data() + i * duals, *u = u_.data() + link.v_index * S;
  for (int k = 0; k < rows; ++k) {
    const int stage = k / n, v = link.v_index + k % n;
    u[k] = r(v, stage) - inner(stages_[size(stage)].columns(size(v)), z + 6 * stage, 6);
  }
  lu_solve(lu_.data() + size(squares_[i]) * S * S, rows, pivots_.data() + link.v_index * S, u, 1);
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
void TreeNewtonOf<S, P>::joint_out(std::size_t i, Matrix& d) {
  const Link& link = model_.links()[i];
  const int n = link.nv, rows = n * S;
  double *u = u_.data() + link.v_index * S, *s = s_.data() + i * w;
  const double *N = DN(link.v_index), *g = G(link.v_index);
  if (link.parent >= 0) {
    const double* s_p = s_.data() + size(link.parent) * w;
    std::copy_n(s_p, w, s);
    for (int k = 0; k < rows; ++k) u[k] -= inner(N + k * w, s_p, w);
  } else {
    std::fill_n(s, w, 0.0);
  }
  for (std::size_t p = first_passage_[i]; p < first_passage_[i + 1]; ++p) {
    const Block& block = blocks_[size(passages_[p].block)];
    const double *rho = border_.data() + passages_[p].Drho, *mu = border_.data() + block.g;
    for (int r = 0; r < block.rows; ++r) axpy(-mu[r], rho + r * rows, u, rows);
  }
  for (int k = 0; k < rows; ++k) {
    axpy(u[k], g + k * w, s, w);
    d(link.v_index + k % n, k / n) = u[k];
  }
}
/// mu_i = L_ii^-1 (g_i - K_i s - sum_j L_ij mu_j); the first is there already.
template <int S, int P>
void TreeNewtonOf<S, P>::block_out(int b) {
  const Block& i = blocks_[size(b)];
  double* mu = border_.data() + i.g;
  if (i.meets >= 0)
    for (int r = 0; r < i.rows; ++r)
      mu[r] -= inner(border_.data() + i.X + r * w, s_.data() + size(i.meets) * w, w);
  for (std::size_t o = 0; o < i.others.size(); ++o) {
    const Block& j = blocks_[size(i.others[o])];
    const double* Y = border_.data() + i.ij[o];
    for (int r = 0; r < i.rows; ++r) mu[r] -= inner(Y + r * j.rows, border_.data() + j.g, j.rows);
  }
}

template <int S, int P>
void TreeNewtonOf<S, P>::solve(const Matrix& r, const Matrix& g, Matrix& d, Matrix& dlambda) {
  start_solution(r, g);
  const int links = static_cast<int>(model_.links().size());
  visits_ += 2 * links;
  for (int link = links - 1; link >= -1; --link) {
    for (int b = begins_[size(link + 1)]; b < ends_[size(link + 1)]; ++b) block_in(b);
    if (link >= 0) joint_in(size(link), r);
  }
  for (int link = -1; link < links; ++link) {
    if (link >= 0) joint_out(size(link), d);
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

template <int S>
std::unique_ptr<TreeNewton> make(const Model& model, const Constraints& constraints,
                                 ConstraintLevel level, bool loads, GeometricStiffness stiffness) {
  if (loads) return std::make_unique<TreeNewtonOf<S, 3>>(model, constraints, level, stiffness);
  return std::make_unique<TreeNewtonOf<S, 2>>(model, constraints, level, stiffness);
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
