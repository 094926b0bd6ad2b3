/// Workspaces of a model that are not in use, one per verb.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace chasles::python {

/// A call takes the workspace of its verb by an exchange with null, or makes one, and gives it back: no lock, right
/// without the GIL, and right if a call is entered twice.
class Spares {
 public:
  static constexpr std::size_t most = 64;  // verbs, and two batches

  Spares() = default;
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares();  // the table of verbs knows how: verb.cpp

  std::atomic<void*>& operator[](std::size_t k) { return kept_[k]; }

 private:
  std::array<std::atomic<void*>, most> kept_{};
};

}  // namespace chasles::python
