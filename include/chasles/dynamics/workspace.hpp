/// Memory of the fast kernels for one model, made once and reused.
#pragma once

#include <memory>

#include "chasles/dynamics/applied_wrench.hpp"

namespace chasles {

/// What a single-state algorithm works in. One per thread.
class Workspace {
 public:
  struct Memory;  // src/dynamics/kernel_memory.hpp
  explicit Workspace(const Model& model);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

}  // namespace chasles
