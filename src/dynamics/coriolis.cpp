#include "chasles/dynamics/coriolis.hpp"

#include <cmath>

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"

namespace chasles {

CoriolisMatrix::CoriolisMatrix(const Model& model) : work_(model) {
  detail::Access::memory(work_, model).reserve(kernels::coriolis_matrix);
  C_.setZero(model.nv(), model.nv());
  C_.diagonal().setConstant(NAN);  // until computed
}

const RowMatrix& coriolis_matrix(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                 CoriolisMatrix& out) {
  Workspace::Memory& memory = detail::Access::memory(out.work_, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  memory.run(kernels::coriolis_matrix, model, q, v.data(), nullptr, out.C_.data(), {},
             {.zeroed = true});
  return out.C_;
}

}  // namespace chasles
