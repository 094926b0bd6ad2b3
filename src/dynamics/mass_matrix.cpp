#include "chasles/dynamics/mass_matrix.hpp"

#include "dynamics/kernel_memory.hpp"

namespace chasles {

MassMatrix::MassMatrix(const Model& model)
    : M(Eigen::MatrixXd::Zero(model.nv(), model.nv())), work(model) {
  work.memory().reserve(kernels::mass_matrix);
}
MassMatrixInverse::MassMatrixInverse(const Model& model)
    : M_inv(Eigen::MatrixXd::Zero(model.nv(), model.nv())), work(model) {
  work.memory().reserve(kernels::mass_matrix_inverse);
}

const Eigen::MatrixXd& mass_matrix(const Model& model, ConstVectorRef q, MassMatrix& out) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  out.work.memory().run(kernels::mass_matrix, model, q, nullptr, nullptr, out.M.data());
  return out.M;
}

const Eigen::MatrixXd& mass_matrix_inverse(const Model& model, ConstVectorRef q,
                                           MassMatrixInverse& out) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  out.work.memory().run(kernels::mass_matrix_inverse, model, q, nullptr, nullptr, out.M_inv.data());
  return out.M_inv;
}

}  // namespace chasles
