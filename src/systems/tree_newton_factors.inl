// Included by tree_newton.cpp. The factorization: tree_newton.hpp (6) to (9).
#pragma once

template <int S, int P>
void TreeNewtonOf<S, P>::take_relations(const StageRelations& relations, std::size_t i) {
  const Link& link = tree_links(model_)[i];
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
  const Link& link = tree_links(model_)[i];
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
  const int n = fixed > 0 ? fixed : tree_links(model_)[i].nv, rows = n * S;
  if (const double armature = tree_links(model_)[i].armature; armature != 0)
    for (int ij = 0; ij < S * S; ++ij)
      for (int r = 0; r < n; ++r)
        for (int d = 0; d < n; ++d)
          D[(ij / S * n + r) * rows + ij % S * n + d] += armature * T_a_[36 * ij + r * n + d];
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

template <int S, int P>
void TreeNewtonOf<S, P>::clear_held(const Link& link, double* rows, int columns) const {
  for (int c = 0; holds_ && c < link.nv; ++c)
    for (int stage = 0; stage < S && held_[size(link.v_index + c)]; ++stage)
      std::fill_n(rows + (stage * link.nv + c) * columns, columns, 0.0);
}

/// (6). Links on ground have no parent to update.
template <int S, int P>
template <int fixed>
CHASLES_HOT bool TreeNewtonOf<S, P>::eliminate_joint(std::size_t i) {
  const Link& link = tree_links(model_)[i];
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
  clear_held(link, D, rows);
  for (int k = 0; holds_ && k < rows; ++k) {
    if (!held_[size(link.v_index + k % n)]) continue;
    for (int r = 0; r < rows; ++r) D[r * rows + k] = r == k ? 1 : 0;  // the column of d_k = 0
  }
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
  clear_held(link, N, w);
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
  const Link& link = tree_links(model_)[i];
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
          for (int d = 0; d < n; ++d) {
            const int at_d = 36 * (stage * S + j) + c * n + d;
            kap[row * columns + j * n + d] +=
                entry.b[size(r)] * T[at_d] + (velocity ? entry.k[size(r)] * T_q_[at_d] : 0);
          }
      }
    }
}

/// (7), (8): after eliminate_joint.
template <int S, int P>
template <int fixed>
CHASLES_HOT void TreeNewtonOf<S, P>::border_joint(std::size_t i) {
  const std::size_t begin = first_passage_[i], end = first_passage_[i + 1];
  const Link& link = tree_links(model_)[i];
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
    clear_held(link, rho, rows);
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
                  (p == k ? blocks_[size(i_at.block)].L : offset_of_L(i_at.block, j_at.block));
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
      double* L_jl = border_.data() + (j == l ? blocks_[size(j)].L : offset_of_L(j, l));
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

/// All force elements between two links, as blocks.
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
  const int links = static_cast<int>(tree_links(model_).size());
  visits_ += links;
  for (int link = links - 1; link >= -1; --link) {
    for (int b = begins_[size(link + 1)]; b < ends_[size(link + 1)]; ++b)
      if (!eliminate_block(b)) return false;
    if (link < 0) break;
    take_relations(relations, size(link));
    const std::size_t i = size(link);
    const bool regular = with_freedoms(tree_links(model_)[i].nv, [&](auto fixed) {
      set_columns<fixed()>(i);
      if (!eliminate_joint<fixed()>(i)) return false;
      if (first_passage_[i] < first_passage_[i + 1]) border_joint<fixed()>(i);
      return true;
    });
    if (!regular) return false;
  }
  return true;
}
