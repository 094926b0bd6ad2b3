/// Memory of the optimized kernels for one model, allocated once and reused.
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Workspace of a single-state algorithm. One per thread; a copy has its own memory.
class Workspace {
 public:
  struct Memory;  // src/dynamics/kernel_memory.hpp
  explicit Workspace(const Model& model);

  const Model& model() const { return model_; }

 private:
  friend struct detail::Access;
  Memory& memory(const Model& model) {
    require_model("the workspace", model_, model);
    return *memory_;
  }
  Model model_;
  ValuePtr<Memory> memory_;
};

}  // namespace CHASLES_API
