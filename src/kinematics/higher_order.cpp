#include "chasles/kinematics/higher_order.hpp"

#include "kinematics/link_motion.hpp"
#include "kinematics/series.hpp"

namespace chasles {
namespace {

using namespace kinematics;
using Rates = Eigen::Ref<const Eigen::MatrixXd>;

const std::string& joint_name(const Model& model, const Link& link) {
  for (const ModelJoint& joint : model.joints())
    if (joint.v_index <= link.v_index && link.v_index < joint.v_index + joint.nv) return joint.name;
  return model.name();
}

/// T: the pose of a link in its parent.
SE3 pose_in_parent(const Model& model, const Link& link, const double* q) {
  if (link.nq == 1 && link.motion != LinkMotion::exponential)
    return link.P * exp(*q * screw_of(model, link, q, 0));
  return link.P * group_motion(model, link, q);
}

/// u, ud, ... of an exponential link, u = dexp_{-x} xd with x(t) = Z q(t). The expansion is made at
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
    const Twist& Z = model.screws()[static_cast<std::size_t>(link.screws + k)];
    const lie::Twist<S> screw{{S(Z.w.x), S(Z.w.y), S(Z.w.z)}, {S(Z.v.x), S(Z.v.y), S(Z.v.z)}};
    x += q_k * screw;
    y += v_k * screw;
  }
  int doublings = 0;
  for (double angle = norm(combine(model, link, q).w); angle > 0.5; angle /= 2) ++doublings;
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

/// u, ud, ... of any link.
void joint_rates(const Model& model, const Link& link, const double* q, const Rates& rates,
                 std::vector<Twist>& u) {
  if (link.motion == LinkMotion::exponential) {
    if (u.size() > max_series_order)
      throw Error("joint '" + joint_name(model, link) + "' has coordinates of the first kind; " +
                  std::to_string(u.size()) + " derivatives are wanted, " +
                  std::to_string(max_series_order) + " are possible");
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

/// The table G of (2), of size N x N; entries with k + m < N are used.
class Table {
 public:
  explicit Table(TwistDerivatives& work) : G_(work.table), n_(work.V.size()) {}
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

/// (4) to (6): the derivatives out.V of a body-fixed twist, in another representation.
void represent(const SE3& C, Representation rep, TwistDerivatives& out) {
  if (rep == Representation::body) return;
  const bool spatial = rep == Representation::spatial;
  Table G(out);
  for (std::size_t m = 0; m < out.V.size(); ++m) {
    out.u[m] = spatial ? out.V[m] : Twist{out.V[m].w, {}};
    G(0, m) = out.V[m];
  }
  G.to_first_column(out.u);
  for (std::size_t k = 0; k < out.V.size(); ++k) {
    const Vec3 w_b = out.V[k].w;
    out.V[k] = spatial ? Ad(C, G(k, 0)) : Twist{C.R * G(k, 0).w, C.R * G(k, 0).v};
    if (rep == Representation::mixed) out.V[k].w = w_b;
  }
}

}  // namespace

TwistDerivatives::TwistDerivatives(const Model& model, int order) {
  if (order < 1)
    throw Error("TwistDerivatives: order " + std::to_string(order) +
                " is too small; 1 gives the twist, 2 also its rate");
  const auto n = static_cast<std::size_t>(order);
  V.resize(n);
  u.resize(n);
  table.resize(n * n);
  path.reserve(model.links().size());
}

void twist_derivatives(const Model& model, ConstVectorRef q, const Rates& rates, const Place& place,
                       Representation rep, TwistDerivatives& out) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  require_size("rates, by rows,", static_cast<std::size_t>(rates.rows()), model.nv());
  if (static_cast<std::size_t>(rates.cols()) != out.V.size())
    throw Error("rates has " + std::to_string(rates.cols()) +
                " columns; the TwistDerivatives were made for " + std::to_string(out.V.size()));
  out.path.clear();
  for (int i = place.link; i >= 0; i = model.links()[static_cast<std::size_t>(i)].parent)
    out.path.push_back(i);

  Table G(out);
  SE3 C;
  std::fill(out.V.begin(), out.V.end(), Twist{});
  for (auto i = out.path.rbegin(); i != out.path.rend(); ++i) {
    const Link& link = model.links()[static_cast<std::size_t>(*i)];
    const double* q_i = q.data() + link.q_index;
    const SE3 T = pose_in_parent(model, link, q_i);
    C = C * T;
    joint_rates(model, link, q_i, rates, out.u);
    for (std::size_t k = 0; k < out.V.size(); ++k) G(k, 0) = Ad_inv(T, out.V[k]);
    G.to_first_row(out.u);
    for (std::size_t m = 0; m < out.V.size(); ++m) out.V[m] = G(0, m) + out.u[m];
  }
  for (Twist& V : out.V) V = Ad_inv(place.offset, V);
  represent(C * place.offset, rep, out);
}

}  // namespace chasles
