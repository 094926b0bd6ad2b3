#include "chasles/textbook/operation_counts.hpp"

#include <vector>

#include "chasles/mechanism/builder.hpp"
#include "dynamics/links.hpp"
#include "textbook/momentum_core.hpp"

namespace chasles::textbook {
namespace {

/// A number that counts the operations on it.
struct Counted {
  double x = 0;
  static inline thread_local OperationCount count;
  constexpr Counted() = default;
  constexpr explicit(false) Counted(double value) : x(value) {}
  friend Counted operator+(Counted a, Counted b) { return ++count.additions, a.x + b.x; }
  friend Counted operator-(Counted a, Counted b) { return ++count.additions, a.x - b.x; }
  friend Counted operator*(Counted a, Counted b) { return ++count.multiplications, a.x * b.x; }
  friend Counted operator/(Counted a, Counted b) { return ++count.divisions, a.x / b.x; }
  friend Counted operator-(Counted a) { return -a.x; }
  bool operator==(const Counted&) const = default;
};

}  // namespace
}  // namespace chasles::textbook

template <>
struct chasles::lie::ScalarTraits<chasles::textbook::Counted> {
  using Real = double;
  static double real_part(const textbook::Counted& s) { return s.x; }
};

namespace chasles::textbook {
namespace {

lie::Vec3<Counted> counted(const Vec3& v) { return {v.x, v.y, v.z}; }
lie::SE3<Counted> counted(const SE3& C) {
  const Mat3& R = C.R.matrix();
  return {lie::SO3<Counted>::unchecked({counted(R.c0), counted(R.c1), counted(R.c2)}),
          counted(C.r)};
}
lie::Twist<Counted> counted(const Twist& X) { return {counted(X.w), counted(X.v)}; }
lie::Inertia<Counted> counted(const Inertia& M) {
  return {Counted(M.m), counted(M.mc), {M.I.xx, M.I.xy, M.I.xz, M.I.yy, M.I.yz, M.I.zz}};
}

/// Revolute joints with axes in general position.
Model chain(int bodies) {
  MechanismBuilder builder("chain");
  std::string parent(ground);
  for (int k = 0; k < bodies; ++k) {
    const double z = 0.1 * k;
    const std::string name = std::to_string(k);
    builder.body(name, parent, joints::revolute({0.3, 1, -0.2 * k}, {0.1, 0.2, z}))
        .pose({exp(Vec3{0.1, 0.2, 0.3}), {0.3, 0.1, z}})
        .inertia(1, {0.02, 0.01, -0.05}, Sym3::diagonal(0.02, 0.02, 0.01));
    parent = name;
  }
  return compile(builder.build());
}

/// The arrays of a Recursion over a chain at q = 0.
struct Chain {
  Model model;
  std::vector<int> D_index;
  std::vector<lie::SE3<Counted>> C, C_rel;
  std::vector<lie::Twist<Counted>> X_b, X, V, A, zeta;
  std::vector<lie::Inertia<Counted>> M_b, M;
  std::vector<lie::Wrench<Counted>> W, U, G, f;
  std::vector<lie::ArticulatedInertia<Counted>> P;
  std::vector<Counted> v, a, tau, D, eps;

  explicit Chain(int bodies) : model(chain(bodies)), D_index(dynamics::square_offsets(model)) {
    const Vector q = model.neutral();
    for (const Link& link : tree_links(model)) {
      const double* q_i = q.data() + link.q_index;
      X_b.push_back(counted(links::screw_of(model, link, q_i, 0)));
      M_b.push_back(counted(link.inertia));
      C_rel.push_back(counted(links::pose_in_parent(model, link, q_i)));
      C.push_back(link.parent < 0 ? C_rel.back()
                                  : C[static_cast<std::size_t>(link.parent)] * C_rel.back());
    }
    const std::size_t n = C.size();
    X.resize(n), V.resize(n), A.resize(n), zeta.resize(n), M.resize(n), P.resize(n);
    W.resize(n), U.resize(n), G.resize(n), f.resize(n), D.resize(n), eps.resize(n);
    v.assign(n, 1), a.assign(n, 1), tau.assign(n, 1);
  }
  Recursion<Counted> recursion() {
    Recursion<Counted> r{};
    r.links = tree_links(model);
    r.C = C.data(), r.C_rel = C_rel.data(), r.X_b = X_b.data(), r.M_b = M_b.data();
    r.gravity = counted(model.gravity());
    r.v = v.data(), r.a = a.data(), r.tau = tau.data();
    r.X = X.data(), r.M = M.data(), r.V = V.data(), r.A = A.data(), r.zeta = zeta.data();
    r.W = W.data(), r.P = P.data(), r.U = U.data(), r.G = G.data();
    r.D = D.data(), r.eps = eps.data(), r.D_index = D_index.data();
    return r;
  }

  void poses() {
    for (const Link& link : tree_links(model)) {
      const auto i = static_cast<std::size_t>(link.v_index);
      if (link.parent >= 0) C[i] = C[static_cast<std::size_t>(link.parent)] * C_rel[i];
    }
  }
  template <template <class> class Form>
  void twists(bool also_accelerations) {
    const Recursion<Counted> r = recursion();
    for (std::size_t i = 0; i < C.size(); ++i) {
      const Form<Counted> form{r.pose(i)};
      X[i] = form.screw(X_b[i]);
      const lie::Twist<Counted> u = v[i] * X[i];
      V[i] = i == 0 ? u : form.from_parent(V[i - 1]) + u;
      if (!also_accelerations) continue;
      const lie::Twist<Counted> own =
          a[i] * X[i] + form.zeta(V[i], i == 0 ? lie::Twist<Counted>{} : V[i - 1], u);
      A[i] = i == 0 ? own : form.from_parent(A[i - 1]) + own;
    }
  }
  /// Without the reactions W_i = P Vd_i + z_i that forward_recursion gives as well.
  template <template <class> class Form>
  void accelerations() {
    Recursion<Counted> r = recursion();
    forward_recursion<Form>(r);
    const OperationCount with_reactions = Counted::count;
    for (std::size_t i = 0; i < C.size(); ++i) W[i] += P[i] * A[i];
    const OperationCount both = Counted::count;
    Counted::count = {2 * with_reactions.multiplications - both.multiplications,
                      2 * with_reactions.additions - both.additions, with_reactions.divisions};
  }
  template <template <class> class Form>
  void momenta() {
    Recursion<Counted> r = recursion();
    std::vector<Counted> p_dot(v.size());
    std::vector<lie::Vec3<Counted>> g(v.size());
    constexpr bool turns = std::is_same_v<Form<Counted>, BodyForm<Counted>>;
    momentum_recursion<Form>(r, tau.data(), v.data(), p_dot.data(), f.data(), [&](std::size_t i) {
      if (!turns) return r.gravity;
      return g[i] = inverse_times(C_rel[i].R, i == 0 ? r.gravity : g[i - 1]);
    });
  }
  template <template <class> class Form>
  void run(CountedAlgorithm algorithm) {
    Recursion<Counted> r = recursion();
    switch (algorithm) {
      case CountedAlgorithm::poses:
        return poses();
      case CountedAlgorithm::twists:
      case CountedAlgorithm::accelerations:
        return twists<Form>(algorithm == CountedAlgorithm::accelerations);
      case CountedAlgorithm::inverse_dynamics:
        return inverse_recursion<Form>(r);
      case CountedAlgorithm::forward_dynamics:
        return accelerations<Form>();
      case CountedAlgorithm::momentum_dynamics:
        return momenta<Form>();
    }
  }
};

OperationCount cost(int bodies, CountedAlgorithm algorithm, Representation rep) {
  Chain of(bodies);
  Counted::count = {};
  switch (rep) {
    case Representation::body:
      of.run<BodyForm>(algorithm);
      break;
    case Representation::spatial:
      of.run<SpatialForm>(algorithm);
      break;
    case Representation::hybrid:
      of.run<HybridForm>(algorithm);
      break;
    case Representation::mixed:
      of.run<MixedForm>(algorithm);
  }
  return Counted::count;
}

}  // namespace

OperationCount operations_per_joint(CountedAlgorithm algorithm, Representation rep) {
  lie::require_known(rep);
  require_known(algorithm, CountedAlgorithm::momentum_dynamics, "counted algorithm");
  if (algorithm == CountedAlgorithm::momentum_dynamics && rep == Representation::mixed)
    throw Error(
        "the momentum form is body-fixed, spatial or hybrid; the mixed form has no bracket");
  const OperationCount few = cost(5, algorithm, rep), more = cost(6, algorithm, rep);
  return {more.multiplications - few.multiplications, more.additions - few.additions,
          more.divisions - few.divisions};
}

}  // namespace chasles::textbook
