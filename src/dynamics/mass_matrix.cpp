#include "chasles/dynamics/mass_matrix.hpp"

#include <cmath>

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"
#include "math/not_computed.hpp"

namespace chasles {

MassMatrix::MassMatrix(const Model& model) : work_(model) {
  detail::Access::memory(work_, model).reserve(kernels::mass_matrix);  // throws if too large
  M_.setZero(model.nv(), model.nv());
  M_.diagonal().setConstant(NAN);  // until computed
}
MassMatrixInverse::MassMatrixInverse(const Model& model) : work(model) {
  detail::Access::memory(work, model).reserve(kernels::mass_matrix_inverse);
  M_inv = not_computed<Matrix>(model.nv(), model.nv());
}

const Matrix& mass_matrix(const Model& model, ConstVectorRef q, MassMatrix& out, Triangle part) {
  Workspace::Memory& memory = detail::Access::memory(out.work_, model);
  require_size("q", q, memory.tree.nq);
  require_known(part, Triangle::upper, "triangle");
  // Its lower triangle by rows is the upper triangle by columns.
  memory.run(kernels::mass_matrix, model, q, nullptr, nullptr, out.M_.data(), {},
             {.zeroed = true, .lower = part == Triangle::upper});
  return out.M_;
}

const Matrix& mass_matrix_inverse(const Model& model, ConstVectorRef q, MassMatrixInverse& out) {
  Workspace::Memory& memory = detail::Access::memory(out.work, model);
  require_size("q", q, memory.tree.nq);
  out.M_inv.resize(memory.tree.nv, memory.tree.nv);
  memory.run(kernels::mass_matrix_inverse, model, q, nullptr, nullptr, out.M_inv.data());
  return out.M_inv;
}

}  // namespace chasles
