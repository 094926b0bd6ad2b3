#include "chasles/derivatives/second_order.hpp"

#include <algorithm>

#include "access.hpp"
#include "derivatives/second_order_duals.hpp"
#include "math/not_computed.hpp"

namespace chasles {

/// Runs the kernels of second derivatives, for models with constant joint screws.
class SecondOrderClosed {
 public:
  static bool takes(const Workspace::Memory& memory) { return memory.tree.constant_screws; }

  /// Reserves memory for all kernels involved, for tensors or for contractions.
  static void reserve(Workspace::Memory& memory, bool tensors) {
    const kernels::SecondOrderKernels& kernel = kernels::second_order_kernels();
    memory.trees.prepare<double>(kernels::d_inverse_dynamics);
    memory.scratch.reserve((tensors ? kernel.inverse_work : kernel.contracted_work)(memory.tree),
                           memory.tree);
    memory.scratch.reserve(kernel.forward_work(memory.tree), memory.tree);
  }
  static void check(const Workspace::Memory& memory, ConstVectorRef q, ConstVectorRef v,
                    const char* name, ConstVectorRef u) {
    require_size("q", q, memory.tree.nq);
    require_size("v", v, memory.tree.nv);
    require_size(name, u, memory.tree.nv);
  }
  /// At accelerations a.
  static void run(Workspace::Memory& memory, kernels::Kernel<double> kernel, const Model& model,
                  ConstVectorRef q, ConstVectorRef v, const double* a, double* out,
                  const double* weights, const double* first) {
    memory.scratch.poison();
    memory.scratch.check_quaternions(model, q.data());
    kernels::Pass<double> pass{.tree = &memory.tree,
                               .q = q.data(),
                               .v = v.data(),
                               .force = a,
                               .wrench = nullptr,
                               .group = nullptr,
                               .work = memory.scratch.data(),
                               .out = out};
    pass.weights = weights, pass.first = first;
    pass.zeroed = true;
    kernel(pass);
  }

  static void inverse(const Model& model, ConstVectorRef q, ConstVectorRef v, const double* a,
                      SecondDerivatives& out) {
    if (!out.sparse_) std::fill(out.all_.begin(), out.all_.end(), 0.0);
    out.sparse_ = true;
    run(detail::Access::memory(out.work_, model), kernels::second_order_kernels().inverse, model, q,
        v, a, out.all_.data(), nullptr, nullptr);
  }
  static void forward(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                      SecondDerivatives& out) {
    const ForwardDynamicsDerivatives& first = d_forward_dynamics(model, q, v, tau, out.first_);
    inverse(model, q, v, first.a().data(), out);
    out.sparse_ = false;
    run(detail::Access::memory(out.work_, model), kernels::second_order_kernels().forward, model, q,
        v, nullptr, out.all_.data(), nullptr, first.dq().data());
  }
  static void inverse(const Model& model, ConstVectorRef q, ConstVectorRef v, const double* a,
                      const double* lambda, ContractedDerivatives& out) {
    if (!out.sparse_) out.all_.setZero();
    out.sparse_ = true;
    run(detail::Access::memory(out.work_, model),
        kernels::second_order_kernels().inverse_contracted, model, q, v, a, out.all_.data(), lambda,
        nullptr);
  }
  static void forward(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                      ConstVectorRef lambda, ContractedDerivatives& out) {
    const ForwardDynamicsDerivatives& first = d_forward_dynamics(model, q, v, tau, out.first_);
    out.mu_.noalias() = first.dtau() * lambda;
    inverse(model, q, v, first.a().data(), out.mu_.data(), out);
    out.sparse_ = false;
    run(detail::Access::memory(out.work_, model),
        kernels::second_order_kernels().forward_contracted, model, q, v, nullptr, out.all_.data(),
        nullptr, first.dq().data());
  }
  /// Contracts the tensors.
  static void contract(const SecondDerivatives& from, ConstVectorRef lambda,
                       ContractedDerivatives& out) {
    const SecondDerivatives::Contraction sum = from.contracted(lambda);
    const Eigen::Index n = sum.qq.rows();
    out.sparse_ = false;
    out.all_.middleRows(0, n) = sum.qq;
    out.all_.middleRows(n, n) = sum.vq;
    out.all_.middleRows(2 * n, n) = sum.uq;
    out.all_.middleRows(3 * n, n) = sum.vv;
  }
  /// Whether an argument aliases a result, which is written while it is still being read.
  template <class Out>
  static bool holds(const Out& out,
                    std::initializer_list<const Eigen::Ref<const Eigen::VectorXd>*> arguments) {
    return std::ranges::any_of(arguments, [&](const auto* x) {
      return begins_in(x->data(), out.all_.data(), static_cast<std::size_t>(out.all_.size()));
    });
  }
  template <class Out>
  static Workspace::Memory& memory(const Model& model, Out& out) {
    return detail::Access::memory(out.work_, model);
  }
};

DirectionalDerivatives::DirectionalDerivatives(const Model& model)
    : work_(model), all_(not_computed<RowMatrix>(Eigen::Index{3} * model.nv(), model.nv())) {}

SecondDerivatives::SecondDerivatives(const Model& model)
    : work_(model), first_(model), nv_(model.nv()) {
  if (nv_ > 2000)
    throw Error("second derivatives of model '" + model.name() + "' are 4 x " +
                std::to_string(nv_) +
                "^3 numbers, which is too many; take those along a direction, or contracted");
  all_.assign(static_cast<std::size_t>(4 * nv_ * nv_ * nv_),
              std::numeric_limits<double>::quiet_NaN());
  if (Workspace::Memory& memory = detail::Access::memory(work_, model);
      SecondOrderClosed::takes(memory))
    SecondOrderClosed::reserve(memory, true);
}
RowsView SecondDerivatives::matrix(int tensor, int k) const {
  if (k < 0 || k >= nv_)
    throw Error("second derivatives: " + std::to_string(k) + " is not in 0 ... " +
                std::to_string(nv_ - 1));
  if (all_.empty()) throw Error("these second derivatives were moved from; make new ones");
  return {all_.data() + (tensor * nv_ + k) * nv_ * nv_, nv_, nv_};
}
SecondDerivatives::Contraction SecondDerivatives::contracted(ConstVectorRef lambda) const {
  require_size("lambda", lambda, static_cast<int>(nv_));
  Contraction sum{Matrix(nv_, nv_), Matrix(nv_, nv_), Matrix(nv_, nv_), Matrix(nv_, nv_)};
  for (int k = 0; k < static_cast<int>(nv_); ++k) {
    sum.qq.col(k) = qq(k).transpose() * lambda;
    sum.vq.col(k) = vq(k).transpose() * lambda;
    sum.uq.col(k) = uq(k).transpose() * lambda;
    sum.vv.col(k) = vv(k).transpose() * lambda;
  }
  return sum;
}
ContractedDerivatives::ContractedDerivatives(const Model& model)
    : work_(model),
      first_(model),
      mu_(model.nv()),
      all_(not_computed<RowMatrix>(Eigen::Index{4} * model.nv(), model.nv())) {
  if (Workspace::Memory& memory = detail::Access::memory(work_, model);
      SecondOrderClosed::takes(memory))
    SecondOrderClosed::reserve(memory, false);
}

const DirectionalDerivatives& d_inverse_dynamics_along(const Model& model, ConstVectorRef q,
                                                       ConstVectorRef v, ConstVectorRef a,
                                                       const Direction& direction,
                                                       DirectionalDerivatives& out) {
  return SecondOrder::one(model, q, v, a, kernels::d_inverse_dynamics, direction, out);
}
const DirectionalDerivatives& d_forward_dynamics_along(const Model& model, ConstVectorRef q,
                                                       ConstVectorRef v, ConstVectorRef tau,
                                                       const Direction& direction,
                                                       DirectionalDerivatives& out) {
  return SecondOrder::one(model, q, v, tau, kernels::d_forward_dynamics, direction, out);
}
const SecondDerivatives& d2_inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                             ConstVectorRef a, SecondDerivatives& out) {
  const Workspace::Memory& memory = SecondOrderClosed::memory(model, out);
  if (!SecondOrderClosed::takes(memory))
    return SecondOrder::all(model, q, v, a, kernels::d_inverse_dynamics, out);
  SecondOrderClosed::check(memory, q, v, "a", a);
  if (SecondOrderClosed::holds(out, {&q, &v, &a})) [[unlikely]]
    return d2_inverse_dynamics(model, Vector(q), Vector(v), Vector(a), out);
  SecondOrderClosed::inverse(model, q, v, a.data(), out);
  return out;
}
const SecondDerivatives& d2_forward_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                             ConstVectorRef tau, SecondDerivatives& out) {
  const Workspace::Memory& memory = SecondOrderClosed::memory(model, out);
  if (!SecondOrderClosed::takes(memory))
    return SecondOrder::all(model, q, v, tau, kernels::d_forward_dynamics, out);
  SecondOrderClosed::check(memory, q, v, "tau", tau);
  if (SecondOrderClosed::holds(out, {&q, &v, &tau})) [[unlikely]]
    return d2_forward_dynamics(model, Vector(q), Vector(v), Vector(tau), out);
  SecondOrderClosed::forward(model, q, v, tau, out);
  return out;
}
const ContractedDerivatives& d2_inverse_dynamics_contracted(const Model& model, ConstVectorRef q,
                                                            ConstVectorRef v, ConstVectorRef a,
                                                            ConstVectorRef lambda,
                                                            ContractedDerivatives& out) {
  const Workspace::Memory& memory = SecondOrderClosed::memory(model, out);
  SecondOrderClosed::check(memory, q, v, "a", a);
  require_size("lambda", lambda, model.nv());
  if (SecondOrderClosed::holds(out, {&q, &v, &a, &lambda})) [[unlikely]]
    return d2_inverse_dynamics_contracted(model, Vector(q), Vector(v), Vector(a), Vector(lambda),
                                          out);
  if (SecondOrderClosed::takes(memory)) {
    SecondOrderClosed::inverse(model, q, v, a.data(), lambda.data(), out);
  } else {
    SecondDerivatives tensors(model);
    SecondOrderClosed::contract(d2_inverse_dynamics(model, q, v, a, tensors), lambda, out);
  }
  return out;
}
const ContractedDerivatives& d2_forward_dynamics_contracted(const Model& model, ConstVectorRef q,
                                                            ConstVectorRef v, ConstVectorRef tau,
                                                            ConstVectorRef lambda,
                                                            ContractedDerivatives& out) {
  const Workspace::Memory& memory = SecondOrderClosed::memory(model, out);
  SecondOrderClosed::check(memory, q, v, "tau", tau);
  require_size("lambda", lambda, model.nv());
  if (SecondOrderClosed::holds(out, {&q, &v, &tau, &lambda})) [[unlikely]]
    return d2_forward_dynamics_contracted(model, Vector(q), Vector(v), Vector(tau), Vector(lambda),
                                          out);
  if (SecondOrderClosed::takes(memory)) {
    SecondOrderClosed::forward(model, q, v, tau, lambda, out);
  } else {
    SecondDerivatives tensors(model);
    SecondOrderClosed::contract(d2_forward_dynamics(model, q, v, tau, tensors), lambda, out);
  }
  return out;
}

}  // namespace chasles
