/// Functions that are called in loops, made from a table: one row per function (verbs.cpp). Every function takes the
/// model, arrays, perhaps a frame and a representation, and `out=`. A row gives names and sizes; argument passing,
/// conversion, batches, errors and documentation follow from it.
///
/// A call with plain arrays (float64, contiguous, of the right size) costs a few comparisons above the C++ function.
/// Everything else (lists, other types, batches, and every error) goes through `convert`.
#pragma once

#include <span>

#include "common.hpp"

namespace chasles::python {

/// A call for one state.
struct Call {
  const Model& model;
  std::array<const double*, 6> in{};
  double* out = nullptr;
  Frame frame{};
  Representation representation{};
  AppliedWrenches applied{};
  int nq, nv;

  explicit Call(const Model& m) : model(m), nq(m.nq()), nv(m.nv()) {}
  Eigen::Map<const Eigen::VectorXd> q(std::size_t k = 0) const { return {in[k], nq}; }
  Eigen::Map<const Eigen::VectorXd> v(std::size_t k) const { return {in[k], nv}; }
  /// Writes a result, in C order.
  template <class Derived>
  void give(const Eigen::MatrixBase<Derived>& x, Eigen::Index at = 0) const {
    using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
    Eigen::Map<Rows>(out + at, x.rows(), x.cols()) = x;
  }
  void give(const Vector& x) const { std::copy_n(x.data(), x.size(), out); }
};

/// A call for many states, state after state.
template <class Real>
struct ManyCall {
  int states = 0;
  std::array<std::span<const Real>, 6> in{};
  std::span<Real> out{};
  Frame frame{};
  Representation representation{};
  int nv = 0;
};

struct Verb {
  const char* name;
  std::array<const char*, 6> inputs;  // names of the arrays
  const char* sizes;                  // of them, a letter each: q nq, v nv
  const char* result;                 // its shape: letters as above, j joints, p parameters, digits
  enum Takes : unsigned { nothing = 0, frame = 1, representation = 2, applied = 4 };
  unsigned takes;
  // One state.
  void* (*make)(const Model&);
  void (*destroy)(void*);
  void (*one)(const Call&, void* workspace);
  // Many states; null: one after the other.
  void (*many)(Batch<double>&, const ManyCall<double>&);
  void (*many_float)(Batch<float>&, const ManyCall<float>&);
  const char* documentation;

  std::size_t arrays() const { return std::char_traits<char>::length(sizes); }
};

struct OneState {
  void* (*make)(const Model&);
  void (*destroy)(void*);
  void (*one)(const Call&, void*);
};
template <class Work, class F>
constexpr OneState one(F) {
  return {[](const Model& model) -> void* { return new Work(model); },
          [](void* work) { delete static_cast<Work*>(work); },
          [](const Call& c, void* work) { F{}(c, *static_cast<Work*>(work)); }};
}
struct ManyStates {
  void (*many)(Batch<double>&, const ManyCall<double>&);
  void (*many_float)(Batch<float>&, const ManyCall<float>&);
};
template <class F>
constexpr ManyStates many(F) {
  return {[](Batch<double>& batch, const ManyCall<double>& c) { F{}(batch, c); },
          [](Batch<float>& batch, const ManyCall<float>& c) { F{}(batch, c); }};
}
constexpr ManyStates one_by_one() { return {nullptr, nullptr}; }

std::span<const Verb> verbs();

}  // namespace chasles::python
