#include "chasles/kinematics/higher_order.hpp"

#include "kinematics/screw_derivative.hpp"
#include "math/series.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

using namespace links;
using Rates = Eigen::Ref<const Eigen::MatrixXd>;

/// u, ud, ... of a custom link, u = dexp_{-x} xd with x(t) = Z q(t). The expansion is made at
/// a = x / 2^s, small enough for the power series of the Stumpff functions at every order, and
/// doubled s times:
///
///     dexp_{-2a} = (1 + Ad_{exp a}^-1) / 2 dexp_{-a}
template <int N>
void exponential_rates(const Model& model, const Link& link, const double* q, const Rates& rates,
                       std::vector<Twist>& u) {
  using S = Series<N>;
  lie::Twist<S> x, y;
  for (int k = 0; k < link.nv; ++k) {
    S q_k(q[k]), v_k;
    double factorial = 1;
    for (std::size_t n = 0; n < u.size(); ++n) {
      v_k.c[n] = rates(link.v_index + k, static_cast<Eigen::Index>(n)) / factorial;
      factorial *= static_cast<double>(n + 1);
      if (n + 1 < N) q_k.c[n + 1] = v_k.c[n] / static_cast<double>(n + 1);
    }
    const Twist& Z = custom_screws(model)[static_cast<std::size_t>(link.screws + k)];
    const lie::Twist<S> screw{{S(Z.w.x), S(Z.w.y), S(Z.w.z)}, {S(Z.v.x), S(Z.v.y), S(Z.v.z)}};
    x += q_k * screw;
    y += v_k * screw;
  }
  int doublings = halvings(model, link, q);
  const auto a = S(std::ldexp(1.0, -doublings)) * x;

  const S ww = dot(a.w, a.w);
  const auto c = lie::stumpff_near_zero<5>(ww);
  lie::Isotropic<S> A{-a.w, ww, S(1), c[2], c[3]};  // dexp_isotropic<1>, near zero
  A.k1 = S(2) * c[4] - c[3];
  A.k2 = S(3) * c[5] - c[4];
  auto sum = lie::SE3Map<S>{A, -a.v}(y);
  lie::SE3<S> E{lie::SO3<S>::unchecked(lie::rodrigues(a.w, c[0], c[1], c[2])),
                c[1] * a.v + c[2] * cross(a.w, a.v) + (c[3] * dot(a.w, a.v)) * a.w};
  for (; doublings > 0; --doublings) {
    sum = S(0.5) * (sum + Ad_inv(E, sum));
    E = E * E;
  }
  double factorial = 1;
  for (std::size_t n = 0; n < u.size(); ++n) {
    u[n] = {{sum.w.x.c[n], sum.w.y.c[n], sum.w.z.c[n]}, {sum.v.x.c[n], sum.v.y.c[n], sum.v.z.c[n]}};
    u[n] = factorial * u[n];
    factorial *= static_cast<double>(n + 1);
  }
}

/// The table G of (2), of size N x N; entries with k + m < N are used.
class Table {
 public:
  Table(std::vector<Twist>& memory, std::size_t n) : G_(memory), n_(n) {}
  Twist& operator()(std::size_t k, std::size_t m) { return G_[k * n_ + m]; }

  /// (2): from the first column to the first row.
  void to_first_row(const std::vector<Twist>& u) {
    for (std::size_t m = 0; m + 1 < n_; ++m)
      for (std::size_t k = 0; k + m + 1 < n_; ++k)
        (*this)(k, m + 1) = (*this)(k + 1, m) - bracket(u, k, m);
  }
  /// (2) solved for G_{k+1,m}: from the first row to the first column.
  void to_first_column(const std::vector<Twist>& u) {
    for (std::size_t k = 0; k + 1 < n_; ++k)
      for (std::size_t m = 0; k + m + 1 < n_; ++m)
        (*this)(k + 1, m) = (*this)(k, m + 1) + bracket(u, k, m);
  }

 private:
  /// sum_j (m over j) ad_{u^(j)} G_{k,m-j}.
  Twist bracket(const std::vector<Twist>& u, std::size_t k, std::size_t m) {
    Twist sum;
    double binomial = 1;
    for (std::size_t j = 0; j <= m; ++j) {
      sum += binomial * ad(u[j], (*this)(k, m - j));
      binomial = binomial * static_cast<double>(m - j) / static_cast<double>(j + 1);
    }
    return sum;
  }
  std::vector<Twist>& G_;
  std::size_t n_;
};

/// u, ud, ... of a link on SO(3) x R^3: (w; y) with y = R^T Q rd. With g_k = R^T Q r^(k+1),
/// g_k' = g_{k+1} - w x g_k: the recursion (2) again.
void direct_rates(const Link& link, const double* q, const Rates& rates, Table& G,
                  std::vector<Twist>& u) {
  const SO3 R = rotation_of(q);
  for (std::size_t n = 0; n < u.size(); ++n) {
    const auto rate = [&](int k) { return rates(link.v_index + k, static_cast<Eigen::Index>(n)); };
    u[n] = {{rate(0), rate(1), rate(2)}, {}};
    G(n, 0) = {{}, inverse_times(R, link.Q * Vec3{rate(3), rate(4), rate(5)})};
  }
  G.to_first_row(u);
  for (std::size_t n = 0; n < u.size(); ++n) u[n].v = G(0, n).v;
}

/// u, ud, ... of any link.
void joint_rates(const Model& model, const Link& link, const double* q, const Rates& rates,
                 Table& G, std::vector<Twist>& u) {
  if (has_position_axes(link)) return direct_rates(link, q, rates, G, u);
  if (is_exponential(link)) {
    if (u.size() > max_series_order)
      throw Error("joint '" + model.joint_of_v(link.v_index).name +
                  "' has coordinates of the first kind; " + std::to_string(u.size()) +
                  " derivatives are wanted, " + std::to_string(max_series_order) + " are possible");
    return u.size() <= 4   ? exponential_rates<4>(model, link, q, rates, u)
           : u.size() <= 8 ? exponential_rates<8>(model, link, q, rates, u)
                           : exponential_rates<max_series_order>(model, link, q, rates, u);
  }
  for (std::size_t n = 0; n < u.size(); ++n) {
    u[n] = {};
    for (int k = 0; k < link.nv; ++k)
      u[n] += rates(link.v_index + k, static_cast<Eigen::Index>(n)) * screw_of(model, link, q, k);
  }
}

/// (4) to (6): the derivatives out.V of a body-fixed twist, in another representation.
void represent(const SE3& C, Representation rep, Table& G, std::vector<Twist>& u,
               std::vector<Twist>& V) {
  if (rep == Representation::body) return;
  const bool spatial = rep == Representation::spatial;
  for (std::size_t m = 0; m < V.size(); ++m) {
    u[m] = spatial ? V[m] : Twist{V[m].w, {}};
    G(0, m) = V[m];
  }
  G.to_first_column(u);
  for (std::size_t k = 0; k < V.size(); ++k) {
    const Vec3 w_b = V[k].w;
    V[k] = spatial ? Ad(C, G(k, 0)) : Twist{C.R * G(k, 0).w, C.R * G(k, 0).v};
    if (rep == Representation::mixed) V[k].w = w_b;
  }
}

}  // namespace

TwistDerivatives::TwistDerivatives(const Model& model, int order) : model_(model) {
  if (order < 1)
    throw Error("TwistDerivatives: order " + std::to_string(order) +
                " is too small; 1 gives the twist, 2 also its rate");
  const auto n = static_cast<std::size_t>(order);
  V.resize(n);
  u_.resize(n);
  table_.resize(n * n);
  path_.reserve(tree_links(model).size());
}

void twist_derivatives(const Model& model, ConstVectorRef q, ConstMatrixRef rates,
                       const Frame& frame, Representation rep, TwistDerivatives& out) {
  require_model("the workspace", out.model_, model);
  require_frame(frame, model);
  lie::require_known(rep);
  require_size("q", q, model.nq());
  require_size("rates, by rows,", static_cast<std::size_t>(rates.rows()), model.nv());
  if (rates.cols() != static_cast<Eigen::Index>(out.u_.size()))
    throw Error("rates has " + std::to_string(rates.cols()) +
                " columns; the TwistDerivatives were made for " + std::to_string(out.u_.size()));
  out.V.resize(out.u_.size());
  out.path_.clear();
  for (int i = frame.link; i >= 0; i = tree_links(model)[static_cast<std::size_t>(i)].parent)
    out.path_.push_back(i);

  Table G(out.table_, out.V.size());
  SE3 C;
  std::fill(out.V.begin(), out.V.end(), Twist{});
  for (auto i = out.path_.rbegin(); i != out.path_.rend(); ++i) {
    const Link& link = tree_links(model)[static_cast<std::size_t>(*i)];
    const double* q_i = q.data() + link.q_index;
    const SE3 T = pose_in_parent(model, link, q_i);
    C = C * T;
    joint_rates(model, link, q_i, rates, G, out.u_);
    for (std::size_t k = 0; k < out.V.size(); ++k) G(k, 0) = Ad_inv(T, out.V[k]);
    G.to_first_row(out.u_);
    for (std::size_t m = 0; m < out.V.size(); ++m) out.V[m] = G(0, m) + out.u_[m];
  }
  for (Twist& V : out.V) V = Ad_inv(frame.offset, V);
  represent(C * frame.offset, rep, G, out.u_, out.V);
}

}  // namespace chasles
