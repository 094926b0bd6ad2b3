#include "chasles/dynamics/coriolis.hpp"

#include "dynamics/kernel_memory.hpp"

namespace chasles {

CoriolisMatrix::CoriolisMatrix(const Model& model)
    : C(unknown<RowMatrix>(model.nv(), model.nv())), work(model) {
  work.memory(model).reserve(kernels::coriolis_matrix);
}

const RowMatrix& coriolis_matrix(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                 CoriolisMatrix& out) {
  Workspace::Memory& memory = out.work.memory(model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  out.C.resize(memory.tree.nv, memory.tree.nv);
  memory.run(kernels::coriolis_matrix, model, q, v.data(), nullptr, out.C.data());
  return out.C;
}

}  // namespace chasles
