#include "chasles/dynamics/forward_dynamics.hpp"

#include "dynamics/kernel_memory.hpp"

namespace chasles {

ForwardDynamics::ForwardDynamics(const Model& model)
    : a(Eigen::VectorXd::Zero(model.nv())), work(model) {
  work.memory().reserve(kernels::forward_dynamics);
}

const Eigen::VectorXd& forward_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                        ConstVectorRef tau, ForwardDynamics& out,
                                        AppliedWrenches applied) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  require_size("v", static_cast<std::size_t>(v.size()), model.nv());
  require_size("tau", static_cast<std::size_t>(tau.size()), model.nv());
  out.work.memory().run(kernels::forward_dynamics, model, q, v.data(), tau.data(), out.a.data(),
                        applied);
  return out.a;
}

}  // namespace chasles
