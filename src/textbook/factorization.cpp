#include "chasles/textbook/factorization.hpp"

#include "access.hpp"
#include "chasles/screws/eigen.hpp"
#include "math/not_computed.hpp"
#include "model/model_data.hpp"
#include "textbook/operational_space.hpp"
#include "textbook/recursive_core.hpp"

namespace chasles::textbook {
namespace {

using namespace dynamics;

/// x := D^1/2 x with D = L diag L^T, D^1/2 = L diag^1/2; its transpose and their inverses.
struct Block {
  const double* D;
  int n;
  double* x;

  void scale(double power) const {
    for (int i = 0; i < n; ++i) x[i] *= std::pow(D[i * n + i], power);
  }
  void multiply_lower() const {
    for (int i = n - 1; i > 0; --i)
      for (int k = 0; k < i; ++k) x[i] += D[i * n + k] * x[k];
  }
  void multiply_upper() const {
    for (int i = 0; i < n; ++i)
      for (int k = i + 1; k < n; ++k) x[i] += D[k * n + i] * x[k];
  }
  void solve_lower() const { ldl_solve_lower(D, n, x); }
  void solve_upper() const { ldl_solve_upper(D, n, x); }
};

template <class Each>
void for_blocks(const Factorization& f, VectorRef x, const Each& each) {
  for_links(f.model(), [&](const Link& link, std::size_t i, std::size_t first, std::size_t) {
    each(Block{f.D(i), link.nv, x.data() + first});
  });
}

}  // namespace

Factorization::Factorization(const Model& model) : model_(model), D_index_(square_offsets(model)) {
  const std::size_t n = tree_links(model).size(), nv = static_cast<std::size_t>(model.nv());
  C_.resize(n), M_.resize(n), Mc_.resize(n), P_.resize(n), V_.resize(n), z_.resize(n);
  H_.resize(nv), U_.resize(nv), G_.resize(nv), least_pivot_.resize(nv), sizes_.resize(3 * n);
  D_.resize(static_cast<std::size_t>(D_index_.back()));
}

void factorize(const Model& model, const PositionKinematics& kin, Factorization& out) {
  require_model("the factorization", out.model_, model);
  require_model("the kinematics", kin.model(), model);
  out.reference_point_ = reference_point(kin);
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    out.C_[i] = about(out.reference_point_, kin.C()[i]);
    out.M_[i] = out.Mc_[i] = transform(out.C_[i], link.inertia);
    for (std::size_t k = first; k < last; ++k)
      out.H_[k] = Ad(out.C_[i], screw_of_v(model, link, kin.q(), k));
  });
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t first,
                              std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      out.least_pivot_[k] = singular * (2 * kinetic_energy(out.Mc_[i], out.H_[k]) + link.armature);
    if (link.parent >= 0) out.Mc_[parent_of(link)] += out.Mc_[i];
  });
  Recursion<double> r{};
  r.links = tree_links(model);
  r.C = r.C_rel = out.C_.data();
  r.X = out.H_.data();
  r.M = out.M_.data();
  r.P = out.P_.data();
  r.U = out.U_.data();
  r.G = out.G_.data();
  r.D = out.D_.data();
  r.D_index = out.D_index_.data();
  r.least_pivot = out.least_pivot_.data();
  r.sizes = out.sizes_.data();
  if (const int failed = articulated_inertias<SpatialForm>(r); failed >= 0)
    throw_singular(model, failed);
}

void Factorization::take(ConstVectorRef x, VectorRef y) const {
  require_size("x", x, model_.nv());
  require_size("y", y, model_.nv());
  if (y.data() != x.data()) y = x;
}

void Factorization::outward(double sign, VectorRef x) {
  for_links(model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const Twist V_p = link.parent < 0 ? Twist{} : V_[parent_of(link)];
    V_[i] = V_p;
    for (std::size_t k = first; k < last; ++k) {
      double& x_k = x[static_cast<Eigen::Index>(k)];
      const double before = x_k;
      x_k += sign * dot(G_[k], V_p);
      V_[i] += (sign > 0 ? before : x_k) * H_[k];
    }
  });
}

void Factorization::inward(double sign, VectorRef x) {
  std::fill(z_.begin(), z_.end(), Wrench{});
  for_links_inward(model_,
                   [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                     Wrench z = z_[i];
                     for (std::size_t k = first; k < last; ++k) {
                       double& x_k = x[static_cast<Eigen::Index>(k)];
                       const double before = x_k;
                       x_k += sign * dot(z_[i], H_[k]);
                       z += (sign > 0 ? before : x_k) * G_[k];
                     }
                     if (link.parent >= 0) z_[parent_of(link)] += z;
                   });
}

void Factorization::multiply(ConstVectorRef x, VectorRef y) {
  sqrt_transpose_multiply(x, y);
  sqrt_multiply(y, y);
}

void Factorization::solve(ConstVectorRef x, VectorRef y) {
  take(x, y);
  inward(-1, y);
  for_blocks(*this, y, [](const Block& b) { ldl_solve(b.D, b.n, b.x); });
  outward(-1, y);
}

double Factorization::log_determinant() const {
  double sum = 0;
  for_links(model_, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    for (int k = 0; k < link.nv; ++k) sum += std::log(D(i)[k * link.nv + k]);
  });
  return sum;
}

void Factorization::sqrt_multiply(ConstVectorRef x, VectorRef y) {
  take(x, y);
  for_blocks(*this, y, [](const Block& b) { b.scale(0.5), b.multiply_lower(); });
  inward(1, y);
}

void Factorization::sqrt_transpose_multiply(ConstVectorRef x, VectorRef y) {
  take(x, y);
  outward(1, y);
  for_blocks(*this, y, [](const Block& b) { b.multiply_upper(), b.scale(0.5); });
}

void Factorization::sqrt_solve(ConstVectorRef x, VectorRef y) {
  take(x, y);
  inward(-1, y);
  for_blocks(*this, y, [](const Block& b) { b.solve_lower(), b.scale(-0.5); });
}

void Factorization::sqrt_transpose_solve(ConstVectorRef x, VectorRef y) {
  take(x, y);
  for_blocks(*this, y, [](const Block& b) { b.scale(-0.5), b.solve_upper(); });
  outward(-1, y);
}

OperatorInverse::OperatorInverse(const Model& model)
    : M_inv(not_computed<Matrix>(model.nv(), model.nv())), model_(model) {
  fit(model);
}
void OperatorInverse::fit(const Model& model) {
  require_model("the workspace", model_, model);
  M_inv.resize(model.nv(), model.nv());
  Ups.resize(tree_links(model).size()), B.resize(tree_links(model).size());
}

namespace {

/// (9) from out.B[root], over the links first <= j < last, all of them beyond root.
void down(const Factorization& f, std::size_t row, int first, int last, OperatorInverse& out) {
  for (int j = first; j < last; ++j) {
    const auto i = static_cast<std::size_t>(j);
    const Link& link = tree_links(f.model())[i];
    const Twist& B_p = out.B[parent_of(link)];
    Twist B = B_p;
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
      const double entry = -dot(f.G()[static_cast<std::size_t>(k)], B_p);
      const auto r = static_cast<Eigen::Index>(row);
      out.M_inv(r, k) = out.M_inv(k, r) = entry;
      B += entry * f.H()[static_cast<std::size_t>(k)];
    }
    out.B[i] = B;
  }
}

}  // namespace

const Matrix& mass_matrix_inverse(const Factorization& f, OperatorInverse& out) {
  const std::vector<Link>& links = tree_links(f.model());
  detail::Access::fit(out, f.model());
  out.M_inv.setZero();
  for_links(f.model(), [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const LinkCompliance own = link_compliance(f, i, compliance_of_parent(f, i, out.Ups));
    out.Ups[i] = own.Ups;
    const auto n = static_cast<Eigen::Index>(link.nv);
    out.M_inv.block(link.v_index, link.v_index, n, n) =
        Eigen::Map<const Eigen::MatrixXd>(own.Lam.data(), n, n);
    for (std::size_t a = first; a < last; ++a) {
      out.B[i] = own.B[a - first];
      down(f, a, static_cast<int>(i) + 1, link.end, out);

      // (10). Branches before k are already done: M^-1 is symmetric.
      Wrench row = f.G()[a];
      for (std::size_t came = i; links[came].parent >= 0; came = parent_of(links[came])) {
        const std::size_t c = parent_of(links[came]);
        out.B[c] = -from_eigen<Twist>(out.Ups[c] * to_eigen(row));
        down(f, a, links[came].end, links[c].end, out);
        row = left_by_joint(f, links[c], row);
      }
    }
  });
  return out.M_inv;
}

void inverse_operational_space_inertias(const Factorization& f, std::vector<Matrix6>& Ups) {
  require_size("Ups", Ups.size(), static_cast<int>(tree_links(f.model()).size()));
  for (std::size_t i = 0; i < Ups.size(); ++i)
    Ups[i] = link_compliance(f, i, compliance_of_parent(f, i, Ups)).Ups;
}

namespace {

/// Product of taub over the links after c up to k.
Matrix6 way_out(const Factorization& f, int c, int k) {
  const std::vector<Link>& links = tree_links(f.model());
  Matrix6 way = Matrix6::Identity();
  for (; k != c; k = links[static_cast<std::size_t>(k)].parent)
    way = left_by_joint(f, links[static_cast<std::size_t>(k)], way);
  return way;
}

}  // namespace

Matrix6 inverse_operational_space_inertia(const Factorization& f, const std::vector<Matrix6>& Ups,
                                          int k, int j) {
  const auto n = static_cast<int>(tree_links(f.model()).size());
  require_size("Ups", Ups.size(), n);
  for (const int i : {k, j})
    if (i < 0 || i >= n)
      throw Error("there is no link " + std::to_string(i) + "; model '" + f.model().name() +
                  "' has " + std::to_string(n));
  int c = k;
  while (c >= 0 && !carries(f.model(), c, j))
    c = tree_links(f.model())[static_cast<std::size_t>(c)].parent;
  if (c < 0) return Matrix6::Zero();
  return way_out(f, c, k).transpose() * Ups[static_cast<std::size_t>(c)] * way_out(f, c, j);
}

}  // namespace chasles::textbook
