#include "chasles/dynamics/centroidal.hpp"

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"
#include "math/not_computed.hpp"

namespace chasles {

CentroidalMomentum::CentroidalMomentum(const Model& model)
    : A(not_computed<Matrix6X>(6, model.nv())), A_rate(A), work(model) {
  Workspace::Memory& memory = detail::Access::memory(work, model);
  memory.reserve(kernels::centroidal);
  out_.resize(static_cast<std::size_t>(kernels::output_size(kernels::centroidal, memory.tree)));
}

const Matrix6X& centroidal_momentum_matrix(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                           CentroidalMomentum& out) {
  using namespace kernels;
  Workspace::Memory& memory = detail::Access::memory(out.work, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  if (!(model.mass() > 0))
    throw Error("nothing that moves in model '" + model.name() + "' has mass");
  memory.run(centroidal, model, q, v.data(), nullptr, out.out_.data());
  const double* x = out.out_.data();
  const auto wrench = [&](int at) { return Wrench{vec3_at(x + at), vec3_at(x + at + 3)}; };
  out.com = vec3_at(x + centroidal_com);
  out.h = wrench(centroidal_h);
  out.bias = wrench(centroidal_bias);
  const int n = memory.tree.nv;
  out.A.resize(6, n), out.A_rate.resize(6, n);
  std::copy_n(x + centroidal_A, 6 * n, out.A.data());
  std::copy_n(x + centroidal_A + Eigen::Index{6} * n, 6 * n, out.A_rate.data());
  return out.A;
}

}  // namespace chasles
