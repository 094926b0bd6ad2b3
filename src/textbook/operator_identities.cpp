#include "chasles/textbook/operator_identities.hpp"

#include "dynamics/links.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"
#include "textbook/momentum_matrix.hpp"

namespace chasles::textbook {
namespace {

using Dense = Eigen::MatrixXd;

Eigen::Index row(std::size_t link) { return 6 * static_cast<Eigen::Index>(link); }
std::size_t count(const Factorization& f) { return tree_links(f.model()).size(); }

/// taub = 1 - G H^T of a link; 1 for the operator phi.
Matrix6 across_joint(const Factorization& f, std::size_t i, bool projected) {
  Matrix6 out = Matrix6::Identity();
  if (!projected) return out;
  const Link& link = tree_links(f.model())[i];
  for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
    const auto c = static_cast<std::size_t>(k);
    out -= to_eigen(f.G()[c]) * to_eigen(f.H()[c]).transpose();
  }
  return out;
}

/// (1 - E)^-1, where E(p, i) is the matrix across the joint of link i.
Matrix path_operator(const Factorization& f, bool projected) {
  const Eigen::Index n = row(count(f));
  Matrix out = Dense::Identity(n, n);
  dynamics::for_links(f.model(), [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    if (link.parent < 0) return;
    const Matrix6 across = across_joint(f, i, projected);
    for (int a = link.parent; a >= 0; a = tree_links(f.model())[static_cast<std::size_t>(a)].parent)
      out.block<6, 6>(row(static_cast<std::size_t>(a)), row(i)) =
          out.block<6, 6>(row(static_cast<std::size_t>(a)),
                          row(static_cast<std::size_t>(link.parent))) *
          across;
  });
  return out;
}

Dense block_diagonal(std::span<const Matrix6> X) {
  const Eigen::Index n = row(X.size());
  Dense out = Dense::Zero(n, n);
  for (std::size_t i = 0; i < X.size(); ++i) out.block<6, 6>(row(i), row(i)) = X[i];
  return out;
}

/// The recursions of (1) and (2): inward.
std::vector<Matrix6> inward_sums(const Factorization& f, std::span<const Matrix6> X,
                                 bool projected) {
  std::vector<Matrix6> S(X.begin(), X.end());
  dynamics::for_links_inward(
      f.model(), [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
        if (link.parent >= 0) S[dynamics::parent_of(link)] += across_joint(f, i, projected) * S[i];
      });
  return S;
}
/// Those of (3) to (5): outward.
std::vector<Matrix6> outward_sums(const Factorization& f, std::span<const Matrix6> X,
                                  bool projected, bool both_sides) {
  std::vector<Matrix6> S(X.begin(), X.end());
  dynamics::for_links(f.model(), [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    if (link.parent < 0) return;
    const Matrix6 across = across_joint(f, i, projected);
    const Matrix6 moved = across.transpose() * S[dynamics::parent_of(link)];
    S[i] += both_sides ? Matrix6(moved * across) : moved;
  });
  return S;
}

void require_chain(const Model& model) {
  std::vector<int> children(tree_links(model).size() + 1, 0);
  for (const Link& link : tree_links(model))
    if (++children[static_cast<std::size_t>(link.parent + 1)] > 1)
      throw Error("psi^T X psi: the identity holds for chains; '" + model.name() +
                  "' has links on different branches");
}

void require_constant_screws(const Model& model) {
  for (const Link& link : tree_links(model))
    if (links::screws_turn(link))
      throw Error("the identity is that of screws that are constant in their bodies; '" +
                  model.name() + "' has custom joints of the first kind");
}

/// J = phi^T H: 6 n x nv; or phi^T diag of other columns.
Dense outward_columns(const Factorization& f, std::span<const Twist> columns) {
  const Model& model = f.model();
  Dense J = Dense::Zero(row(count(f)), model.nv());
  dynamics::for_links(
      model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        if (link.parent >= 0)
          J.middleRows<6>(row(i)) = J.middleRows<6>(row(dynamics::parent_of(link)));
        for (std::size_t k = first; k < last; ++k)
          J.block<6, 1>(row(i), static_cast<Eigen::Index>(k)) += to_eigen(columns[k]);
      });
  return J;
}
Matrix6 star(const Twist& V) {  // S*[V] = -ad_V
  return -to_eigen(lie::matrix_of<Twist>([&](const Twist& x) { return ad(V, x); }));
}
Matrix6 matrix_of_inertia(const Inertia& M) { return to_eigen(lie::matrix(M)); }

}  // namespace

Matrix phi_operator(const Factorization& f) { return path_operator(f, false); }
Matrix psi_operator(const Factorization& f) { return path_operator(f, true); }

IdentitySides operator_identity(const Factorization& f, OperatorIdentity identity,
                                std::span<const Matrix6> X) {
  using enum OperatorIdentity;
  require_known(identity, psi_transposed_X_phi, "operator identity");
  require_size("X", X.size(), static_cast<int>(count(f)));
  const Dense phi = phi_operator(f), psi = psi_operator(f), x = block_diagonal(X),
              one = Dense::Identity(x.rows(), x.cols());
  IdentitySides out;
  const auto sides = [&](std::vector<Matrix6> S, const Dense& left, const auto& right) {
    out.left = left, out.right = right(block_diagonal(S)), out.S = std::move(S);
  };
  switch (identity) {
    case phi_X_phi:
      sides(inward_sums(f, X, false), phi * x * phi.transpose(),
            [&](const Dense& S) -> Dense { return phi * S + S * (phi - one).transpose(); });
      break;
    case psi_X_phi:
      sides(inward_sums(f, X, true), psi * x * phi.transpose(),
            [&](const Dense& S) -> Dense { return psi * S + S * (phi - one).transpose(); });
      break;
    case psi_transposed_X_psi:
      require_chain(f.model());
      sides(outward_sums(f, X, true, true), psi.transpose() * x * psi,
            [&](const Dense& S) -> Dense { return psi.transpose() * S + S * (psi - one); });
      break;
    case phi_transposed_X_phi:
      sides(outward_sums(f, X, false, false), phi.transpose() * x * (phi - one).transpose(),
            [&](const Dense& S) -> Dense { return S * phi.transpose() - phi.transpose() * S; });
      break;
    case psi_transposed_X_phi:
      sides(outward_sums(f, X, true, false), psi.transpose() * x * (phi - one).transpose(),
            [&](const Dense& S) -> Dense { return S * phi.transpose() - psi.transpose() * S; });
      break;
  }
  return out;
}

Matrix joint_twist_gradient(const Factorization& f, ConstVectorRef x) {
  require_size("x", x, f.model().nv());
  require_constant_screws(f.model());
  Dense J = outward_columns(f, f.H());
  dynamics::for_links(f.model(),
                      [&](const Link&, std::size_t i, std::size_t first, std::size_t last) {
                        Twist u;
                        for (std::size_t k = first; k < last; ++k)
                          u += x[static_cast<Eigen::Index>(k)] * f.H()[k];
                        J.middleRows<6>(row(i)) = (star(u) * J.middleRows<6>(row(i))).eval();
                      });
  return J;
}

Matrix projected_wrench_gradient(const Factorization& f, std::span<const Wrench> X) {
  const Model& model = f.model();
  require_size("X", X.size(), static_cast<int>(count(f)));
  require_constant_screws(model);
  const Dense J = outward_columns(f, f.H());
  Matrix out(model.nv(), model.nv());
  dynamics::for_links(model, [&](const Link&, std::size_t i, std::size_t first, std::size_t last) {
    const Dense turned = momentum_matrix(X[i]) * J.middleRows<6>(row(i));
    for (std::size_t k = first; k < last; ++k)
      out.row(static_cast<Eigen::Index>(k)) = to_eigen(f.H()[k]).transpose() * turned;
  });
  return out;
}

Matrix momentum_gradient(const Factorization& f, std::span<const Twist> X) {
  require_size("X", X.size(), static_cast<int>(count(f)));
  require_constant_screws(f.model());
  Dense J = outward_columns(f, f.H());
  for (std::size_t i = 0; i < count(f); ++i) {
    const Matrix6 turned =
        momentum_matrix(f.M()[i] * X[i]) + matrix_of_inertia(f.M()[i]) * star(X[i]);
    J.middleRows<6>(row(i)) = (-turned * J.middleRows<6>(row(i))).eval();
  }
  return J;
}

Matrix momentum_gradient_at(const Factorization& f, ConstVectorRef v) {
  const Model& model = f.model();
  require_size("v", v, model.nv());
  require_constant_screws(model);
  std::vector<Twist> V(count(f)), Psi(f.H().size());
  dynamics::for_links(
      model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        const Twist before = link.parent < 0 ? Twist{} : V[dynamics::parent_of(link)];
        V[i] = before;
        for (std::size_t k = first; k < last; ++k) {
          Psi[k] = ad(before, f.H()[k]);
          V[i] += v[static_cast<Eigen::Index>(k)] * f.H()[k];
        }
      });
  const Dense J = outward_columns(f, f.H()), rates = outward_columns(f, Psi);
  Matrix out(J.rows(), J.cols());
  for (std::size_t i = 0; i < count(f); ++i)
    out.middleRows<6>(row(i)) = matrix_of_inertia(f.M()[i]) * rates.middleRows<6>(row(i)) -
                                momentum_matrix(f.M()[i] * V[i]) * J.middleRows<6>(row(i));
  return out;
}

}  // namespace chasles::textbook
