// Included by tree_newton.cpp. Solutions with the factors.
#pragma once

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
  const Link& link = tree_links(model_)[i];
  const int n = fixed > 0 ? fixed : link.nv, rows = n * S;
  double *z = z_.data() + i * duals, *u = u_.data() + link.v_index * S;
  for (int stage = 0; stage < S; ++stage) {
    const double* H = stages_[size(stage)].columns(size(link.v_index));
    for (int c = 0; c < n; ++c)
      u[stage * n + c] = r(link.v_index + c, stage) - inner<6>(H + 30 * c, z + 6 * stage);
  }
  clear_held(link, u, 1);
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
  const Link& link = tree_links(model_)[i];
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
/// mu_i = L_ii^-1 (g_i - K_i s - sum_j L_ij mu_j); L_ii^-1 g_i is already stored.
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
  const int links = static_cast<int>(tree_links(model_).size());
  visits_ += 2 * links;
  for (int link = links - 1; link >= -1; --link) {
    for (int b = begins_[size(link + 1)]; b < ends_[size(link + 1)]; ++b) block_in(b);
    if (link < 0) break;
    with_freedoms(tree_links(model_)[size(link)].nv,
                  [&](auto fixed) { joint_in<fixed()>(size(link), r); });
  }
  for (int link = -1; link < links; ++link) {
    if (link >= 0)
      with_freedoms(tree_links(model_)[size(link)].nv,
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
