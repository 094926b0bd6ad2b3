#include "chasles/derivatives/inverse_dynamics.hpp"

#include <cmath>

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"

namespace chasles {

InverseDynamicsDerivatives::InverseDynamicsDerivatives(const Model& model) : work_(model) {
  detail::Access::memory(work_, model).reserve(kernels::d_inverse_dynamics);  // throws if too large
  const Eigen::Index n = model.nv();
  all_.setZero(3 * n, n);
  for (int k = 0; k < 3; ++k) all_.middleRows(k * n, n).diagonal().setConstant(NAN);
}

const InverseDynamicsDerivatives& d_inverse_dynamics(const Model& model, ConstVectorRef q,
                                                     ConstVectorRef v, ConstVectorRef a,
                                                     InverseDynamicsDerivatives& out,
                                                     AppliedWrenches applied) {
  Workspace::Memory& memory = detail::Access::memory(out.work_, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  require_size("a", a, memory.tree.nv);
  memory.run(kernels::d_inverse_dynamics, model, q, v.data(), a.data(), out.all_.data(), applied,
             {.zeroed = true});
  return out;
}

}  // namespace chasles
