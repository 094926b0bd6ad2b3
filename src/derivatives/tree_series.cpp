#include "derivatives/tree_series.hpp"

#include "math/not_computed.hpp"
#include "model/model_data.hpp"

namespace chasles::derivatives {
namespace {

using links::LinkSeries;

/// R_z(c, s)^T x and R_z(c, s) x without the third entry.
void add_turned_back(double c, double s, const Vec3& x, Vec3& to) {
  to.x += c * x.x + s * x.y;
  to.y += c * x.y - s * x.x;
}
void add_turned(double c, double s, const Vec3& x, Vec3& to) {
  to.x += c * x.x - s * x.y;
  to.y += s * x.x + c * x.y;
}
/// -(d e_z) x w.
void add_shifted(double d, const Vec3& w, Vec3& to) {
  to.x += d * w.y;
  to.y -= d * w.x;
}

/// Coefficient k of M (0; g) - ad_V^T M V, with S = w w^T, which is symmetric, and a = w x v + g:
///
///     f = m a + (S - tr S) m c,      t = m c x a + w x I w,  where w_i (I w)_j = (S I)_ij
Wrench velocity_wrench(const Inertia& M, const Twist* V, std::size_t k, const Vec3& g) {
  Sym3 S{};
  for (std::size_t j = 0; 2 * j < k; ++j) S = S + symmetric_outer(V[j].w, V[k - j].w);
  if (k % 2 == 0) S = S + 0.5 * symmetric_outer(V[k / 2].w, V[k / 2].w);
  Vec3 a = g;
  for (std::size_t j = 0; j <= k; ++j) a += cross(V[j].w, V[k - j].v);
  const Mat3 SI = matrix(S) * matrix(M.I);
  const Vec3 turning{SI(1, 2) - SI(2, 1), SI(2, 0) - SI(0, 2), SI(0, 1) - SI(1, 0)};
  return {cross(M.mc, a) + turning, M.m * a + S * M.mc - trace(S) * M.mc};
}

}  // namespace

TreeSeries::TreeSeries(const Model& model, int order)
    : v(not_computed<Matrix>(model.nv(), order + 2)),
      tau(not_computed<Matrix>(model.nv(), order + 1)),
      model_(model),
      length_(static_cast<std::size_t>(order) + 2),
      nv_(static_cast<std::size_t>(model.nv())),
      factors_(model) {
  const std::size_t n = tree_links(model).size();
  for (const Link& link : tree_links(model)) {
    series_.emplace_back(model, link, length_);
    M_.push_back(link.inertia);
  }
  C_rel_.resize(n), c_.resize(n), A_.resize(n), z_.resize(n), sum_.resize(n);
  loads_.resize(n);
  for (auto* list : {&V_, &V_p_}) list->resize(n * length_);
  for (auto* list : {&moved_, &g_, &force_}) list->resize(n * length_);
  W_.resize(n * length_);
  X_0_.resize(nv_), eps_.resize(nv_);
}

/// sum_{j>0} of Ad_T^-1 = (R^T w; R^T (v - r x w)), of the parent's twist in the joint frame. V_p[k]
/// is taken as zero.
Twist TreeSeries::carried(std::size_t i, std::size_t k) {
  const LinkSeries& T = series_[i];
  const Twist* V = &V_p_[at(i, 0)];
  Vec3* moved = &moved_[at(i, 0)];
  Twist sum;
  moved[k] = {};
  if (T.along_z()) {
    if (T.slides_along_z())
      for (std::size_t j = 1; j <= k; ++j) add_shifted(T.d()[j], V[k - j].w, moved[k]);
    if (!T.turns_about_z()) return {{}, moved[k]};
    const double *c = T.c(), *s = T.s();
    for (std::size_t j = 1; j <= k; ++j) {
      add_turned_back(c[j], s[j], V[k - j].w, sum.w);
      add_turned_back(c[j], s[j], moved[k - j], sum.v);
    }
    add_turned_back(c[0], s[0], moved[k], sum.v);
    return sum;
  }
  const Mat3* R_t = T.R_t();
  if (T.shifts())
    for (std::size_t j = 1; j <= k; ++j) moved[k] -= cross(T.r()[j], V[k - j].w);
  for (std::size_t j = 1; j <= k; ++j) {
    sum.w += R_t[j] * V[k - j].w;
    sum.v += R_t[j] * moved[k - j];
  }
  sum.v += R_t[0] * moved[k];
  return sum;
}

/// sum_{j>0} of Ad_T^-T = (R t + r x R f; R f), of the link's wrench. W[k] is taken as zero.
Wrench TreeSeries::returned(std::size_t i, std::size_t k) {
  const LinkSeries& T = series_[i];
  const Wrench* W = &W_[at(i, 0)];
  Vec3* force = &force_[at(i, 0)];
  Wrench sum;
  if (T.along_z()) {
    if (T.turns_about_z())
      for (std::size_t j = 1; j <= k; ++j) {
        add_turned(T.c()[j], T.s()[j], W[k - j].t, sum.t);
        add_turned(T.c()[j], T.s()[j], W[k - j].f, sum.f);
      }
    force[k] = sum.f;
    if (T.slides_along_z())
      for (std::size_t j = 0; j <= k; ++j) add_shifted(-T.d()[j], force[k - j], sum.t);
    return sum;
  }
  for (std::size_t j = 1; j <= k; ++j) {
    sum.t += transpose_times(T.R_t()[j], W[k - j].t);
    sum.f += transpose_times(T.R_t()[j], W[k - j].f);
  }
  force[k] = sum.f;
  if (T.shifts())
    for (std::size_t j = 0; j <= k; ++j) sum.t += cross(T.r()[j], force[k - j]);
  return sum;
}

double TreeSeries::turned_screws(std::size_t i, std::size_t k, std::size_t c) const {
  double sum = 0;
  if (series_[i].screws_turn())
    for (std::size_t j = 1; j <= k; ++j) sum += dot(W_[at(i, k - j)], series_[i].X(j, c));
  return sum;
}

/// Completes V_p[k] and moved[k].
void TreeSeries::set_twist(std::size_t i, std::size_t k, const Twist& V) {
  const Link& link = tree_links(model_)[i];
  V_[at(i, k)] = V;
  if (link.parent < 0) return;
  const Twist V_p = Ad_inv(link.P, V_[at(dynamics::parent_of(link), k)]);
  V_p_[at(i, k)] = V_p;
  moved_[at(i, k)] += V_p.v - cross(series_[i].pose().r, V_p.w);
}
void TreeSeries::set_wrench(std::size_t i, std::size_t k, const Wrench& W) {
  W_[at(i, k)] = W;
  force_[at(i, k)] += series_[i].pose().R * W.f;
}

void TreeSeries::start(ConstVectorRef q, const AppliedSeries& applied) {
  dynamics::for_links(
      model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        series_[i].start(model_, link, q.data() + link.q_index);
        C_rel_[i] = link.P * series_[i].pose();
        moved_[at(i, 0)] = {};
        Twist V;
        if (link.parent >= 0) V = Ad_inv(C_rel_[i], V_[at(dynamics::parent_of(link), 0)]);
        for (std::size_t k = first; k < last; ++k) {
          X_0_[k] = series_[i].X(0, k - first);
          V += v(static_cast<Eigen::Index>(k), 0) * X_0_[k];
        }
        set_twist(i, 0, V);
        const Vec3 g = link.parent < 0 ? -model_.gravity() : g_[at(dynamics::parent_of(link), 0)];
        g_[at(i, 0)] = inverse_times(C_rel_[i].R, g);
      });
  start_wrenches(applied);
}

void TreeSeries::factorize() {
  factors_.factorize(model_, X_0_.data(), M_.data(), [&](std::size_t i, const auto& inertia) {
    return transform(C_rel_[i], inertia);
  });
}

/// c[k+1], and z[k] without contributions of children.
void TreeSeries::prepare(std::size_t k) {
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const Link& link = tree_links(model_)[i];
    LinkSeries& T = series_[i];
    const double* rates = v.data() + link.v_index;
    T.extend(model_, link, rates, nv_, k);
    c_[i] = link.parent < 0 ? Twist{} : carried(i, k + 1);
    if (T.screws_turn())
      for (std::size_t j = 1; j <= k + 1; ++j)
        for (int c = 0; c < link.nv; ++c)
          c_[i] += rates[(k + 1 - j) * nv_ + static_cast<std::size_t>(c)] *
                   T.X(j, static_cast<std::size_t>(c));
    const Twist* V = &V_[at(i, 0)];
    Vec3* g = &g_[at(i, 0)];
    if (k > 0) {
      Vec3 turned;
      for (std::size_t j = 0; j < k; ++j) turned += cross(g[j], V[k - 1 - j].w);
      g[k] = turned / static_cast<double>(k);
    }
    z_[i] = velocity_wrench(link.inertia, V, k, g[k]);
    z_[i] -= loads_[i];
  }
  for (std::size_t w = 0; w < wrenches_; ++w) add_wrench(applied_[w], k);
}

void TreeSeries::inverse(std::size_t k) {
  prepare(k);
  const auto column = static_cast<Eigen::Index>(k);
  dynamics::for_links(model_,
                      [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                        Twist V = c_[i];
                        if (link.parent >= 0)
                          V += Ad_inv(C_rel_[i], V_[at(dynamics::parent_of(link), k + 1)]);
                        for (std::size_t l = first; l < last; ++l)
                          V += v(static_cast<Eigen::Index>(l), column + 1) * X_0_[l];
                        set_twist(i, k + 1, V);
                        z_[i] += link.inertia * (static_cast<double>(k + 1) * V);
                      });
  dynamics::for_links_inward(model_, [&](const Link& link, std::size_t i, std::size_t first,
                                         std::size_t last) {
    const Wrench lower = returned(i, k);
    set_wrench(i, k, z_[i]);
    for (std::size_t l = first; l < last; ++l)
      tau(static_cast<Eigen::Index>(l), column) =
          dot(z_[i], X_0_[l]) + turned_screws(i, k, l - first) +
          link.armature * static_cast<double>(k + 1) * v(static_cast<Eigen::Index>(l), column + 1);
    if (link.parent >= 0)
      z_[dynamics::parent_of(link)] += Ad_inv_dual(C_rel_[i], z_[i]) + Ad_inv_dual(link.P, lower);
  });
}

/// With zeta = (k+1) c and z of this order:
///
///     inward   eps = Q - X^T (z + P zeta),   z_p += T^T (z + P zeta + G eps)
///     outward  a = D^-1 eps - G^T T A_p,     A = T A_p + X a + zeta,   W = P A + z
void TreeSeries::forward(std::size_t k) {
  prepare(k);
  const auto column = static_cast<Eigen::Index>(k);
  const double next = static_cast<double>(k + 1);
  dynamics::for_links_inward(
      model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        const Wrench lower = returned(i, k);
        Wrench z = z_[i] + factors_.P(i) * (next * c_[i]);
        for (std::size_t l = first; l < last; ++l) {
          eps_[l] = tau(static_cast<Eigen::Index>(l), column) - turned_screws(i, k, l - first) -
                    dot(z, X_0_[l]);
        }
        for (std::size_t l = first; l < last; ++l) z += eps_[l] * factors_.G(l);
        if (link.parent >= 0)
          z_[dynamics::parent_of(link)] += Ad_inv_dual(C_rel_[i], z) + Ad_inv_dual(link.P, lower);
      });
  dynamics::for_links(model_,
                      [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                        Twist A;
                        if (link.parent >= 0) A = Ad_inv(C_rel_[i], A_[dynamics::parent_of(link)]);
                        const Twist before = A;
                        factors_.solve_joint(link, i, &eps_[first]);
                        A += next * c_[i];
                        for (std::size_t l = first; l < last; ++l) {
                          const double a = eps_[l] - dot(factors_.G(l), before);
                          v(static_cast<Eigen::Index>(l), column + 1) = a / next;
                          A += a * X_0_[l];
                        }
                        A_[i] = A;
                        set_twist(i, k + 1, (1 / next) * A);
                        set_wrench(i, k, factors_.P(i) * A + z_[i]);
                      });
}

}  // namespace chasles::derivatives
