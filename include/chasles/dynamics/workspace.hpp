/// Memory of the fast kernels for one model, made once and reused.
#pragma once

#include <memory>

#include "chasles/dynamics/applied_wrench.hpp"

namespace chasles {

namespace kernels {
template <class Real>
class Memory;  // src/kernels/memory.hpp
}

/// What a single-state algorithm works in. One per thread; it refers to the model it was made for,
/// which must outlive it.
class Workspace {
 public:
  explicit Workspace(const Model& model);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  const Model& model() const { return *model_; }
  kernels::Memory<double>& memory() { return *memory_; }

  /// The wrenches as the kernels want them: body-fixed on each link, or null for none.
  const double* link_wrenches(ConstVectorRef q, AppliedWrenches applied);

 private:
  const Model* model_;
  std::unique_ptr<kernels::Memory<double>> memory_;
  std::unique_ptr<PositionKinematics> kin_;  // made with the first applied wrench
  std::vector<Wrench> W_;
};

}  // namespace chasles
