#include "access.hpp"
#include "math/not_computed.hpp"
#include "math/overlap.hpp"
#include "model/model_data.hpp"
#include "textbook/linearized_parts.hpp"
#include "textbook/operational_space.hpp"

namespace chasles::textbook {

using namespace dynamics;

ForwardDynamicsMatrices::ForwardDynamicsMatrices(const Model& model)
    : da_dq(not_computed<Matrix>(model.nv(), model.nv())),
      da_dv(da_dq),
      M_inv(da_dq),
      model_(model) {}
void ForwardDynamicsMatrices::fit(const Model& model) {
  require_model("the workspace", model_, model);
  for (Matrix* m : {&da_dq, &da_dv, &M_inv}) m->resize(model.nv(), model.nv());
}

/// (10) to (12), and scratch of Algorithms 5 and 6.
struct LinearizedForwardDynamics::Scratch {
  std::vector<Matrix6> PN, PE;         // links
  std::vector<Wrench> GN, GE, YA, YB;  // nv
  std::vector<Wrench> z;               // links
  Vector zero, nu;                     // nv
  // Algorithm 6: response of a link to motions of joints before it.
  std::vector<Matrix6> Ups, JN, JE;  // links
  std::vector<Wrench> QN, QE;        // nv
  std::vector<Twist> EA, EB;         // nv
  std::vector<Twist> B;              // links: one row of M^-1 J^T
  Vector grad_a;                     // nv

  explicit Scratch(const Model& model) : zero(model.nv()), nu(model.nv()), grad_a(model.nv()) {
    const std::size_t n = tree_links(model).size(), nv = static_cast<std::size_t>(model.nv());
    for (auto* x : {&PN, &PE, &Ups, &JN, &JE}) x->resize(n);
    for (auto* x : {&GN, &GE, &YA, &YB, &QN, &QE}) x->resize(nv);
    z.resize(n), B.resize(n), EA.resize(nv), EB.resize(nv);
  }

  void articulate(const Factorization& f, const LinearizedInverseDynamics::Parts& x);
  void operators(const Factorization& f, const LinearizedInverseDynamics::Parts& x, std::size_t i,
                 const LinkCompliance& own);
};

/// (10) to (12), inward.
void LinearizedForwardDynamics::Scratch::articulate(const Factorization& f,
                                                    const LinearizedInverseDynamics::Parts& x) {
  for (std::size_t i = 0; i < PN.size(); ++i) PN[i] = x.N(i), PE[i] = -x.E[i];
  for_links_inward(f.model(),
                   [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                     for (std::size_t k = first; k < last; ++k) {
                       GN[k] = transpose_times(PN[i], x.H[k]);
                       GE[k] = transpose_times(PE[i], x.H[k]);
                       YA[k] = f.P()[i] * x.U[k] + times(PN[i], x.H[k]);
                       YB[k] = f.P()[i] * x.Psid[k] + times(PN[i], x.Psi[k]) + times(PE[i], x.H[k]);
                     }
                     ldl_solve(f.D(i), link.nv, GN.data() + first);
                     ldl_solve(f.D(i), link.nv, GE.data() + first);
                     if (link.parent < 0) return;
                     PN[parent_of(link)] += left_by_joint(f, link, PN[i]);
                     PE[parent_of(link)] += left_by_joint(f, link, PE[i]);
                   });
}

LinearizedForwardDynamics::LinearizedForwardDynamics(const Model& model)
    : inverse_(model),
      factorization_(model),
      a_(not_computed<Vector>(model.nv())),
      scratch_(ValuePtr<Scratch>::make(model)) {}

void LinearizedForwardDynamics::require_ready() {
  if (!ready_ || !scratch_) throw Error("nothing was linearized yet; call linearize first");
}

void linearize(const Model& model, const VelocityKinematics& kin, ConstVectorRef tau,
               LinearizedForwardDynamics& out, AppliedWrenches applied) {
  require_model("the workspace", out.model(), model);
  require_size("tau", tau, model.nv());
  out.ready_ = false;
  factorize(model, kin, out.factorization_);
  LinearizedForwardDynamics::Scratch& s = *out.scratch_;
  // M a = tau - (inverse dynamics at a = 0)
  linearize(model, kin, s.zero, out.inverse_, applied);
  out.a_ = tau - out.inverse_.tau();
  out.factorization_.solve(out.a_, out.a_);
  linearize(model, kin, out.a_, out.inverse_, applied);
  s.articulate(out.factorization_, detail::Access::parts(out.inverse_));
  out.ready_ = true;
}

void LinearizedForwardDynamics::along(ConstVectorRef dq, ConstVectorRef dv, ConstVectorRef dtau,
                                      VectorRef da) {
  const int nv = model().nv();
  require_size("dq", dq, nv);
  require_size("dv", dv, nv);
  require_size("dtau", dtau, nv);
  require_size("da", da, nv);
  require_ready();
  if (begins_in(dq, da) || begins_in(dv, da))
      [[unlikely]]  // results are written while these are still being read
    return along(Vector(dq), Vector(dv), dtau, da);
  LinearizedInverseDynamics::Parts& x = inverse_.parts();
  Scratch& s = *scratch_;
  const Factorization& f = factorization_;
  std::fill(s.z.begin(), s.z.end(), Wrench{});
  for_links_inward(
      model(), [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        s.z[i] += combine(s.YA, dv, first, last) + combine(s.YB, dq, first, last);
        for (std::size_t k = first; k < last; ++k) {
          double eps = dtau[at(k)] - dot(s.z[i], x.H[k]);
          for (std::size_t l = first; l < last; ++l)
            eps -= x.K_of(i, link, k - first, l - first) * dq[at(l)];
          s.nu[at(k)] = eps;
        }
        if (link.parent >= 0)
          s.z[parent_of(link)] +=
              s.z[i] + combine(f.G(), s.nu, first, last) + combine(x.F, dq, first, last);
        ldl_solve(f.D(i), link.nv, s.nu.data() + first);
      });
  for_links(model(), [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const bool on_ground = link.parent < 0;
    const Twist eta = on_ground ? Twist{} : x.eta[parent_of(link)],
                th = on_ground ? Twist{} : x.th[parent_of(link)],
                xi = on_ground ? Twist{} : x.xi[parent_of(link)];
    for (std::size_t k = first; k < last; ++k)
      da[at(k)] = s.nu[at(k)] - dot(f.G()[k], xi) - dot(s.GN[k], th) - dot(s.GE[k], eta);
    x.eta[i] = eta + combine(x.H, dq, first, last);
    x.th[i] = th + combine(x.H, dv, first, last) + combine(x.Psi, dq, first, last);
    x.xi[i] = xi + combine(x.H, da, first, last) + combine(x.U, dv, first, last) +
              combine(x.Psid, dq, first, last);
  });
}

/// lambda^T da = (M^-1 lambda)^T (dtau - dtau/dq dq - dtau/dv dv).
void LinearizedForwardDynamics::transposed(ConstVectorRef lambda, VectorRef grad_q,
                                           VectorRef grad_v, VectorRef grad_tau) {
  const int nv = model().nv();
  require_size("lambda", lambda, nv);
  require_size("on_tau", grad_tau, nv);
  require_ready();
  factorization_.solve(lambda, grad_tau);
  inverse_.transposed(grad_tau, grad_q, grad_v, scratch_->grad_a);
  grad_q = -grad_q;
  grad_v = -grad_v;
}

/// JN, JE of a link, and EA, EB: its response when its joint or one before it moves by dv or dq.
///
///     QN = GN - JN_p^T G,   JN = JN_p + H QN^T         QE, JE alike
///     EA = U - Ups YA + JN H,   EB = Psid - Ups YB - taub^T Ups_p F + JN Psi + JE H
void LinearizedForwardDynamics::Scratch::operators(const Factorization& f,
                                                   const LinearizedInverseDynamics::Parts& x,
                                                   std::size_t i, const LinkCompliance& own) {
  const Link& link = tree_links(f.model())[i];
  const auto first = static_cast<std::size_t>(link.v_index),
             last = static_cast<std::size_t>(link.v_index + link.nv);
  const bool on_ground = link.parent < 0;
  const auto p = on_ground ? i : parent_of(link);
  const auto response = [](const Matrix6& m, const auto& y) {
    return from_eigen<Twist>(m * to_eigen(y));
  };
  Ups[i] = own.Ups;
  const Matrix6 JN_p = on_ground ? Matrix6::Zero() : JN[p],
                JE_p = on_ground ? Matrix6::Zero() : JE[p];
  JN[i] = JN_p, JE[i] = JE_p;
  for (std::size_t k = first; k < last; ++k) {
    const auto G = to_eigen(f.G()[k]), H = to_eigen(x.H[k]);
    QN[k] = GN[k] - from_eigen<Wrench>(JN_p.transpose() * G);
    QE[k] = GE[k] - from_eigen<Wrench>(JE_p.transpose() * G);
    JN[i] += H * to_eigen(QN[k]).transpose();
    JE[i] += H * to_eigen(QE[k]).transpose();
  }
  for (std::size_t k = first; k < last; ++k) {
    EA[k] = x.U[k] - response(Ups[i], YA[k]) + response(JN[i], x.H[k]);
    EB[k] =
        x.Psid[k] - response(Ups[i], YB[k]) + response(JN[i], x.Psi[k]) + response(JE[i], x.H[k]);
    if (on_ground) continue;
    const Twist parent = response(Ups[p], x.F[k]);
    EB[k] -= parent;
    for (std::size_t l = first; l < last; ++l) EB[k] += dot(f.G()[l], parent) * x.H[l];
  }
}

namespace {

/// One row r of the matrices, Algorithm 6. B of a link is its response to a unit force at r, and by symmetry
/// the response of r to a wrench on the link.
template <class Scratch>
struct Row {
  const Factorization& f;
  const LinearizedInverseDynamics::Parts& x;
  Scratch& s;
  ForwardDynamicsMatrices& out;
  Eigen::Index r;

  /// Contribution of configuration-dependent screws of a link to a step of q: forces K dq in its joint.
  void own_forces(std::size_t i, const Link& link) const {
    if (!links::screws_turn(link)) return;
    for (int l = 0; l < link.nv; ++l)
      for (int k = 0; k < link.nv; ++k)
        out.da_dq(r, link.v_index + l) -=
            out.M_inv(r, link.v_index + k) *
            x.K_of(i, link, static_cast<std::size_t>(k), static_cast<std::size_t>(l));
  }
  /// The columns of a link, from its B and that of its parent; M_inv must be set.
  void columns(std::size_t i, const Link& link, const Twist& B_p) const {
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
      const auto c = static_cast<std::size_t>(k);
      out.da_dv(r, k) = -dot(s.YA[c], s.B[i]);
      out.da_dq(r, k) = -dot(s.YB[c], s.B[i]) - dot(x.F[c], B_p);
    }
    own_forces(i, link);
  }
  /// Outward from B of a link, over the links first <= j < last beyond it.
  void down(int first, int last) const {
    for (int j = first; j < last; ++j) {
      const auto i = static_cast<std::size_t>(j);
      const Link& link = tree_links(f.model())[i];
      const Twist& B_p = s.B[parent_of(link)];
      s.B[i] = B_p;
      for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
        const auto c = static_cast<std::size_t>(k);
        const double entry = -dot(f.G()[c], B_p);
        out.M_inv(r, k) = out.M_inv(k, r) = entry;
        s.B[i] += entry * x.H[c];
      }
      columns(i, link, B_p);
    }
  }
  /// The columns of the links before link i, which the row belongs to, and of branches there.
  void inward(std::size_t i) const {
    const std::vector<Link>& links = tree_links(f.model());
    const auto row = static_cast<std::size_t>(r);
    Wrench w = f.G()[row];
    for (std::size_t came = i; links[came].parent >= 0; came = parent_of(links[came])) {
      const std::size_t j = parent_of(links[came]);
      const Link& link = links[j];
      for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
        const auto c = static_cast<std::size_t>(k);
        out.da_dv(r, k) = -dot(w, s.EA[c]) - dot(s.QN[row], x.H[c]);
        out.da_dq(r, k) = -dot(w, s.EB[c]) - dot(s.QN[row], x.Psi[c]) - dot(s.QE[row], x.H[c]);
      }
      own_forces(j, link);
      s.B[j] = -from_eigen<Twist>(s.Ups[j] * to_eigen(w));
      down(static_cast<int>(j) + 1, static_cast<int>(came));
      down(links[came].end, link.end);
      w = left_by_joint(f, link, w);
    }
  }
};

}  // namespace

const ForwardDynamicsMatrices& LinearizedForwardDynamics::matrices(ForwardDynamicsMatrices& out) {
  require_ready();
  detail::Access::fit(out, model());
  for (Matrix* m : {&out.da_dq, &out.da_dv, &out.M_inv}) m->setZero();
  const LinearizedInverseDynamics::Parts& x = inverse_.parts();
  Scratch& s = *scratch_;
  const Factorization& f = factorization_;
  for_links(model(), [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const LinkCompliance own = link_compliance(f, i, compliance_of_parent(f, i, s.Ups));
    s.operators(f, x, i, own);
    const auto n = static_cast<Eigen::Index>(link.nv);
    out.M_inv.block(link.v_index, link.v_index, n, n) =
        Eigen::Map<const Eigen::MatrixXd>(own.Lam.data(), n, n);
    for (std::size_t a = first; a < last; ++a) {
      const Row<Scratch> row{f, x, s, out, at(a)};
      s.B[i] = own.B[a - first];
      row.columns(i, link, -own.Z[a - first]);
      row.down(static_cast<int>(i) + 1, link.end);
      row.inward(i);
    }
  });
  return out;
}

}  // namespace chasles::textbook
