#include "constraints/elimination.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/links.hpp"
#include "textbook/ldl.hpp"

namespace chasles {
namespace {

using dynamics::parent_of;
using textbook::ldl_solve;

/// Pivots of L below this part of what they came from are rounding: rows that depend on each other here.
constexpr double dependent = 1e-14, infinite = 1e200;

Wrench felt_by_parent(const Vec3& way, const Wrench& W) { return {W.t + cross(way, W.f), W.f}; }

/// x := C^-1 x and x := C^-T x, C lower triangular, n x n, row by row.
template <class X>
void solve_lower(const double* C, int n, X* x) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] = x[i] - C[i * n + k] * x[k];
    x[i] = (1 / C[i * n + i]) * x[i];
  }
}
void solve_upper(const double* C, int n, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= C[k * n + i] * x[k];
    x[i] /= C[i * n + i];
  }
}
/// L = C C^T in place, with mu times `sizes` on the diagonal. `parts`: the pivots as parts of `sizes`.
/// Rows that depend on others keep a little, or are left out.
void cholesky(double* L, int n, const double* sizes, double mu, bool leave_out, double* parts) {
  for (int j = 0; j < n; ++j) {
    const double alone = sizes[j];
    double pivot = L[j * n + j] + mu * alone;
    for (int k = 0; k < j; ++k) pivot -= L[j * n + k] * L[j * n + k];
    parts[j] = alone > 0 ? pivot / alone : 0;
    if (!(parts[j] > dependent)) pivot = leave_out ? infinite : alone > 0 ? dependent * alone : 1;
    pivot = std::sqrt(pivot);
    L[j * n + j] = pivot;
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) L[i * n + j] -= L[i * n + k] * L[j * n + k];
      L[i * n + j] /= pivot;
    }
  }
}

}  // namespace

/// What the rows do on their own links: wrenches into K, entries into k.
void Elimination::take_rows(const PositionKinematics& kin, const Constraints& constraints) {
  std::fill(K_.begin(), K_.end(), Wrench{});
  std::fill(k_.begin(), k_.end(), 0.0);
  const Constraints::Parts& parts = constraints.parts();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    const RowBlock& rows = parts.blocks[block.number];
    for (std::size_t end = 0; end < block.ends.size(); ++end) {
      const LoopPart& loop = parts.loops[block.number];
      const int link = rows.links[end];
      Wrench* K = K_.data() + block.ends[end];
      for (std::size_t r = 0; r < block.picked.size(); ++r)
        K[r] += loop.sign(link) *
                loop.felt_at(kin.C()[size(link)].r, loop.joint.W()[size(block.picked[r])]);
    }
    for (std::size_t e = 0; e < rows.entries.size(); ++e) {
      const int link = model_.link_of_v()[size(rows.entries[e])];
      const Link& of = model_.links()[size(link)];
      const auto& here = passages_[size(link)];
      const auto on =
          std::find_if(here.begin(), here.end(), [&](const Passage& p) { return p.block == b; });
      double* k = k_.data() + on->k + rows.entries[e] - of.v_index;
      for (std::size_t r = 0; r < block.picked.size(); ++r)
        k[r * size(of.nv)] += rows.coefficients(e)[block.picked[r]];
    }
  }
}

/// What the links are by themselves.
void Elimination::take_links(const PositionKinematics& kin) {
  const auto& links = model_.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const SE3& C = kin.C()[i];
    const Mat3& R = C.R.matrix();
    const Inertia& M = links[i].inertia;
    inertia_[i] = {M.m, R * M.mc, rotate(R, M.I)};
    P_[i] = ArticulatedInertia(inertia_[i]);
    carried_[i] = {M.m, inertia_[i].mc, 0.5 * trace(M.I)};
    way_[i] = links[i].parent < 0 ? C.r : C.r - kin.C()[parent_of(links[i])].r;
  }
}

void Elimination::factorize(const PositionKinematics& kin, const Constraints& constraints,
                            double mu, bool leave_out) {
  mu_ = mu, leave_out_ = leave_out;
  take_links(kin);
  take_rows(kin, constraints);
  std::fill(L_.begin(), L_.end(), 0.0);
  std::fill(pivots_.begin(), pivots_.end(), 0.0);
  least_pivot_ = 1;
  const auto& links = model_.links();
  for (std::size_t i = links.size(); i-- > 0;) {
    for (const std::size_t b : at_link_[i]) eliminate_rows(blocks_[b]);
    switch (links[i].nv) {
      case 1:
        eliminate_joint<1>(kin, i);
        break;
      case 3:
        eliminate_joint<3>(kin, i);
        break;
      case 6:
        eliminate_joint<6>(kin, i);
        break;
      default:
        eliminate_joint<0>(kin, i);
    }
  }
  for (const std::size_t b : at_link_.back()) eliminate_rows(blocks_[b]);
}

/// H^T M H, for the twist H of link i and all that it carries.
double Elimination::diagonal_of_M(const Twist& H, std::size_t i) {
  const auto& links = model_.links();
  double sum = 0;
  for (std::size_t j = i; j < size(links[i].end); ++j) {
    a_[j] = H;
    if (j > i) a_[j].v = a_[parent_of(links[j])].v + cross(H.w, way_[j]);
    sum += 2 * kinetic_energy(inertia_[j], a_[j]);
  }
  return sum;
}

/// D = L diag(d) L^T. M is singular if a pivot is rounding of what it came from; a bound of that is
/// enough most of the time.
template <int N>
void Elimination::factorize_D(std::size_t i) {
  const Link& link = model_.links()[i];
  const int n = N > 0 ? N : link.nv;
  const Twist* H = H_.data() + link.v_index;
  double* D = D_.data() + D_index_[i];
  if (N == 1 && D[0] > dynamics::singular * carried_[i].bound(H[0])) return;
  double least[6] = {}, before[36];
  std::copy_n(D, n * n, before);
  for (int c = 0; c < n; ++c) least[c] = dynamics::singular * carried_[i].bound(H[c]);
  if (textbook::ldl_factor(D, n, least) < 0) return;
  std::copy_n(before, n * n, D);
  for (int c = 0; c < n; ++c) least[c] = dynamics::singular * diagonal_of_M(H[c], i);
  if (const int failed = textbook::ldl_factor(D, n, least); failed >= 0)
    dynamics::throw_singular(model_, link.v_index + failed);
}

/// (3) and (5). N: Link::nv, so that loops over it are no loops; 0: any.
template <int N>
void Elimination::eliminate_joint(const PositionKinematics& kin, std::size_t i) {
  const Link& link = model_.links()[i];
  const int n = N > 0 ? N : link.nv;
  Twist* H = H_.data() + link.v_index;
  Wrench *U = U_.data() + link.v_index, *G = G_.data() + link.v_index;
  double* D = D_.data() + D_index_[i];
  for (int c = 0; c < n; ++c) {
    H[c] = world_screw(kin, i, c);
    U[c] = P_[i] * H[c];
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) D[r * n + c] = dot(U[r], H[c]);
  factorize_D<N>(i);

  for (const Passage& passage : passages_[i]) {
    if (!passage.open) continue;
    Wrench* K = K_.data() + passage.K;
    double *k = k_.data() + passage.k, *kD = kD_.data() + passage.k;
    for (int r = 0; r < blocks_[passage.block].rows; ++r, k += n, kD += n) {
      for (int c = 0; c < n; ++c) kD[c] = k[c] += dot(K[r], H[c]);
      ldl_solve(D, n, kD);
      double& alone = pivots_[size(blocks_[passage.block].first + r)];
      for (int c = 0; c < n; ++c) alone += k[c] * kD[c];
      if (passage.onward == none) continue;
      for (int c = 0; c < n; ++c) K[r] += -kD[c] * U[c];
      K_[passage.onward + size(r)] += felt_by_parent(way_[i], K[r]);
    }
  }
  for (const Meeting& meeting : meetings_[i]) {
    const Passage &a = passages_[i][meeting.i], &b = passages_[i][meeting.j];
    const int rows_a = blocks_[a.block].rows, rows_b = blocks_[b.block].rows;
    double* L = L_.data() + meeting.L;
    const double *k = k_.data() + b.k, *kD = kD_.data() + a.k;
    for (int r = 0; r < rows_b; ++r)
      for (int s = 0; s < rows_a; ++s, ++L)
        for (int c = 0; c < n; ++c) *L += k[r * n + c] * kD[s * n + c];
  }
  if (link.parent < 0) return;
  std::copy_n(U, n, G);
  ldl_solve(D, n, G);
  for (int c = 0; c < n; ++c) P_[i].subtract(U[c], G[c]);
  P_[parent_of(link)] += shift(way_[i], P_[i]);
  carried_[parent_of(link)].add(way_[i], carried_[i]);
}

/// (6) and (7).
void Elimination::eliminate_rows(const Block& block) {
  const int n = block.rows;
  double* C = L_.data() + block.C;
  double *parts = pivots_.data() + block.first, *sizes = sizes_.data() + block.first;
  for (int r = 0; r < n; ++r) sizes[r] = std::max(sizes[r], parts[r]);
  cholesky(C, n, sizes, mu_, leave_out_, parts);
  for (int r = 0; r < n; ++r) {
    double& best = best_[size(block.first + r)];
    best = std::max(best, parts[r]);
    least_pivot_ = std::min(least_pivot_, best > 0 ? parts[r] / best : 0);
  }
  Wrench* Y = Y_.data() + block.Y;
  if (block.meets >= 0) {
    std::copy_n(K_.data() + block.K[0], n, Y);
    solve_lower(C, n, Y);
    for (int r = 0; r < n; ++r) P_[size(block.meets)].subtract(Y[r], -1.0 * Y[r]);
  }
  for (std::size_t j = 0; j < block.coupled.size(); ++j) {
    double* X = L_.data() + block.X[j];
    for (int r = 0; r < blocks_[block.coupled[j]].rows; ++r, X += n) {
      solve_lower(C, n, X);
      if (block.K[j + 1] != none)
        for (int s = 0; s < n; ++s) K_[block.K[j + 1] + size(r)] += -X[s] * Y[s];
    }
  }
  const std::size_t* pair = block.pairs.data();
  for (std::size_t a = 0; a < block.coupled.size(); ++a) {
    const int rows_a = blocks_[block.coupled[a]].rows;
    for (std::size_t b = a; b < block.coupled.size(); ++b) {
      const int rows_b = blocks_[block.coupled[b]].rows;
      const double *X_a = L_.data() + block.X[a], *X_b = L_.data() + block.X[b];
      double* L = L_.data() + *pair++;
      for (int r = 0; r < rows_b; ++r)
        for (int s = 0; s < rows_a; ++s, ++L)
          for (int c = 0; c < n; ++c) *L -= X_b[r * n + c] * X_a[s * n + c];
    }
  }
}

/// The right-hand side of (7).
void Elimination::start_rows(const Block& block) {
  double* y = g_.data() + block.first;
  solve_lower(L_.data() + block.C, block.rows, y);
  if (block.meets >= 0)
    for (int r = 0; r < block.rows; ++r) p_[size(block.meets)] += -y[r] * Y_[block.Y + size(r)];
  for (std::size_t j = 0; j < block.coupled.size(); ++j) {
    const Block& other = blocks_[block.coupled[j]];
    const double* X = L_.data() + block.X[j];
    for (int r = 0; r < other.rows; ++r)
      for (int s = 0; s < block.rows; ++s) g_[size(other.first + r)] -= *X++ * y[s];
  }
}
/// (8).
void Elimination::end_rows(const Block& block, VectorRef lambda) const {
  double* x = lambda.data() + block.first;
  for (int r = 0; r < block.rows; ++r) {
    x[r] = -g_[size(block.first + r)];
    if (block.meets >= 0) x[r] += dot(Y_[block.Y + size(r)], a_[size(block.meets)]);
  }
  for (std::size_t j = 0; j < block.coupled.size(); ++j) {
    const Block& other = blocks_[block.coupled[j]];
    const double* X = L_.data() + block.X[j];
    for (int r = 0; r < other.rows; ++r)
      for (int s = 0; s < block.rows; ++s) x[s] -= *X++ * lambda[other.first + r];
  }
  solve_upper(L_.data() + block.C, block.rows, x);
}

void Elimination::solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  std::fill(p_.begin(), p_.end(), Wrench{});
  sweep(b, c, x, lambda);
}

void Elimination::accelerate(const AccelerationKinematics& kin, AppliedWrenches applied,
                             ConstVectorRef tau, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  const Vec3& gravity = model_.gravity();
  for (std::size_t i = 0; i < p_.size(); ++i) {
    const Inertia& M = inertia_[i];
    const Vec3& w = kin.V_h()[i].w;
    const Twist A{kin.A_h()[i].w, kin.A_h()[i].v - gravity};
    p_[i] = M * A + Wrench{cross(w, M.I * w), cross(w, cross(w, M.mc))};
  }
  for (const AppliedWrench& a : applied) {
    require_place(a.place, model_);
    if (a.place.link < 0) continue;
    const auto i = size(a.place.link);
    const SE3 C = kin.C()[i] * a.place.offset;
    const Wrench W = lie::convert(a.W, C, a.representation, Representation::hybrid);
    p_[i] -= felt_by_parent(C.r - kin.C()[i].r, W);
  }
  sweep(tau, c, x, lambda);
}

/// (1) with the p that is there.
void Elimination::sweep(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  const auto& links = model_.links();
  std::copy_n(c.data(), c.size(), g_.data());
  for (std::size_t i = links.size(); i-- > 0;) {
    const Link& link = links[i];
    for (const std::size_t number : at_link_[i]) start_rows(blocks_[number]);
    double* u = u_.data() + link.v_index;
    for (int k = 0; k < link.nv; ++k)
      u[k] = b[link.v_index + k] - dot(p_[i], H_[size(link.v_index + k)]);
    for (const Passage& passage : passages_[i]) {
      if (!passage.open) continue;
      const Block& block = blocks_[passage.block];
      const double* kD = kD_.data() + passage.k;
      for (int r = 0; r < block.rows; ++r)
        for (int k = 0; k < link.nv; ++k) g_[size(block.first + r)] -= *kD++ * u[k];
    }
    if (link.parent < 0) continue;
    for (int k = 0; k < link.nv; ++k) p_[i] += u[k] * G_[size(link.v_index + k)];
    p_[parent_of(link)] += felt_by_parent(way_[i], p_[i]);
  }
  const auto& on_ground = at_link_.back();
  for (const std::size_t number : on_ground) start_rows(blocks_[number]);
  for (auto number = on_ground.rbegin(); number != on_ground.rend(); ++number)
    end_rows(blocks_[*number], lambda);

  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    Twist a;
    if (link.parent >= 0) {
      const Twist& a_p = a_[parent_of(link)];
      a = {a_p.w, a_p.v + cross(a_p.w, way_[i])};
    }
    double* x_i = x.data() + link.v_index;
    std::copy_n(u_.data() + link.v_index, link.nv, x_i);
    if (const double* D = D_.data() + D_index_[i]; link.nv == 1)
      *x_i /= *D;
    else
      ldl_solve(D, link.nv, x_i);
    if (link.parent >= 0)
      for (int k = 0; k < link.nv; ++k) x_i[k] -= dot(G_[size(link.v_index + k)], a);
    for (const Passage& passage : passages_[i]) {
      if (!passage.open) continue;
      const Block& block = blocks_[passage.block];
      const double* kD = kD_.data() + passage.k;
      for (int r = 0; r < block.rows; ++r)
        for (int k = 0; k < link.nv; ++k) x_i[k] -= *kD++ * lambda[block.first + r];
    }
    for (int k = 0; k < link.nv; ++k) a += x_i[k] * H_[size(link.v_index + k)];
    a_[i] = a;
    const auto& here = at_link_[i];
    for (auto number = here.rbegin(); number != here.rend(); ++number)
      end_rows(blocks_[*number], lambda);
  }
}

}  // namespace chasles
