#include "chasles/dynamics/regressor.hpp"

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

using Matrix10 = Eigen::Matrix<double, 10, 10, Eigen::RowMajor | Eigen::DontAlign>;

/// T of (2), by rows.
Matrix10 transfer(const SE3& offset) {
  Matrix10 T;
  for (int j = 0; j < 10; ++j) {
    std::array<double, 10> unit{};
    unit[static_cast<std::size_t>(j)] = 1;
    const auto column = lie::parameters(transform(offset, lie::inertia_from_parameters(unit)));
    for (int i = 0; i < 10; ++i) T(i, j) = column[static_cast<std::size_t>(i)];
  }
  return T;
}

}  // namespace

Vector inertial_parameters(const Model& model) {
  Vector pi(10 * static_cast<Eigen::Index>(model.bodies().size()));
  Eigen::Index next = 0;
  for (const ModelBody& body : model.bodies())
    for (const double x : lie::parameters(body.inertia)) pi[next++] = x;
  return pi;
}

TorqueRegressor::TorqueRegressor(const Model& model) : work_(model) {
  detail::Access::memory(work_, model).reserve(kernels::regressor);
  Y_.setZero(model.nv(), 10 * static_cast<Eigen::Index>(model.bodies().size()));
  links_.setZero(model.nv(), 10 * static_cast<Eigen::Index>(tree_links(model).size()));
  for (const ModelBody& body : model.bodies()) {
    const Matrix10 T = transfer(body.frame.offset);
    T_.insert(T_.end(), T.data(), T.data() + T.size());
  }
}

const RowMatrix& torque_regressor(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                  ConstVectorRef a, TorqueRegressor& out) {
  Workspace::Memory& memory = detail::Access::memory(out.work_, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  require_size("a", a, memory.tree.nv);
  memory.run(kernels::regressor, model, q, v.data(), a.data(), out.links_.data(), {},
             {.zeroed = true});
  const auto bodies = static_cast<Eigen::Index>(model.bodies().size());
  for (Eigen::Index b = 0; b < bodies; ++b) {
    const Frame& frame = model.bodies()[static_cast<std::size_t>(b)].frame;
    const Eigen::Map<const Matrix10> T(out.T_.data() + 100 * b);
    for (int i = frame.link; i >= 0; i = memory.tree.links[static_cast<std::size_t>(i)].parent) {
      const auto& link = memory.tree.links[static_cast<std::size_t>(i)];
      for (int k = link.v; k < link.v + link.nv; ++k)
        out.Y_.row(k).segment<10>(10 * b).noalias() =
            out.links_.row(k).segment<10>(Eigen::Index{10} * frame.link).lazyProduct(T);
    }
  }
  return out.Y_;
}

}  // namespace chasles
