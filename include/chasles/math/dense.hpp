/// Vectors and matrices of the public interface: they own their memory and are Eigen expressions.
///
/// The allocation of Eigen::VectorXd depends on the compiler flags of the translation unit: with AVX it allocates for
/// 32-byte alignment and frees accordingly, without AVX it calls malloc and free. A vector made by the library and
/// destroyed by a program with other flags corrupts the heap. So no owning Eigen object passes through the interface.
/// These classes hold a std::vector, whose memory any unit may free, and access it by Eigen::Map; they can be used
/// wherever Eigen takes an expression or a Ref, and convert to Eigen's own types by copying
/// (docs/adr/0009-the-interface-owns-its-memory.md).
///
///     Vector tau{1, 2, 3};
///     Eigen::VectorXd mine = 2 * tau;
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "chasles/error.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// An owning matrix with the compile-time sizes of `Plain`, column-major unless `Plain` is row-major.
template <class Plain>
class Dense : public Eigen::Map<Plain> {
  using Map = Eigen::Map<Plain>;
  static constexpr bool is_vector = Plain::ColsAtCompileTime == 1;
  static constexpr Eigen::Index least(int size) { return size == Eigen::Dynamic ? 0 : size; }

 public:
  using Index = Eigen::Index;

  Dense() : Dense(least(Plain::RowsAtCompileTime), least(Plain::ColsAtCompileTime)) {}
  /// Zero-initialized.
  /// @throws Error for sizes that are negative, not those of the type, or too large
  Dense(Index rows, Index columns) : Dense(count(rows, columns), rows, columns) {}
  explicit Dense(Index size) requires(is_vector) : Dense(size, 1) {}
  Dense(std::initializer_list<double> numbers) requires(is_vector)
      : Dense(static_cast<Index>(numbers.size()), 1) {
    numbers_.assign(numbers.begin(), numbers.end());
    look();
  }
  Dense(const Dense& other) : Map(nullptr, other.rows(), other.cols()), numbers_(other.numbers_) {
    look();
  }
  Dense(Dense&& other) noexcept
      : Map(nullptr, other.rows(), other.cols()), numbers_(std::move(other.numbers_)) {
    look();
    other.forget();
  }
  template <class Derived>
  Dense(const Eigen::MatrixBase<Derived>& x) : Dense(x.rows(), x.cols()) {
    Map::operator=(x);
  }

  Dense& operator=(const Dense& other) {
    numbers_ = other.numbers_;
    shape(other.rows(), other.cols());
    return *this;
  }
  Dense& operator=(Dense&& other) noexcept {
    if (this == &other) return *this;
    numbers_ = std::move(other.numbers_);
    shape(other.rows(), other.cols());
    other.forget();
    return *this;
  }
  /// Takes the size of x; x may alias *this.
  template <class Derived>
  Dense& operator=(const Eigen::MatrixBase<Derived>& x) {
    if (x.rows() == this->rows() && x.cols() == this->cols())
      Map::operator=(x);
    else
      *this = Dense(x);
    return *this;
  }

  /// Keeps the contents if the size does not change.
  void resize(Index rows, Index columns) {
    if (rows == this->rows() && columns == this->cols()) return;
    numbers_.resize(count(rows, columns));
    shape(rows, columns);
  }
  void resize(Index size) requires(is_vector) { resize(size, 1); }
  using Map::setZero;
  Dense& setZero(Index size) requires(is_vector) {
    resize(size);
    Map::setZero();
    return *this;
  }
  Dense& setZero(Index rows, Index columns) {
    resize(rows, columns);
    Map::setZero();
    return *this;
  }
  void swap(Dense& other) noexcept {
    Dense kept = std::move(*this);
    *this = std::move(other);
    other = std::move(kept);
  }

 private:
  Dense(std::size_t count, Index rows, Index columns)
      : Map(nullptr, rows, columns), numbers_(count) {
    look();
  }
  /// rows * columns, checked for overflow.
  static std::size_t count(Index rows, Index columns) {
    constexpr Index R = Plain::RowsAtCompileTime, C = Plain::ColsAtCompileTime,
                    most = std::numeric_limits<Index>::max() / Index{sizeof(double)};
    if (rows < 0 || columns < 0 || (R >= 0 && rows != R) || (C >= 0 && columns != C) ||
        (columns > 0 && rows > most / columns)) [[unlikely]]
      throw Error("there is no matrix of " + std::to_string(rows) + " x " +
                  std::to_string(columns) + " numbers" +
                  (R >= 0 ? " with " + std::to_string(R) + " rows" : "") +
                  (C >= 0 ? " with " + std::to_string(C) + " columns" : ""));
    return static_cast<std::size_t>(rows * columns);
  }
  void look() { this->m_data = numbers_.data(); }
  void shape(Index rows, Index columns) {
    // Placement new, as the Eigen documentation prescribes for re-seating a Map.
    new (static_cast<Map*>(this)) Map(numbers_.data(), rows, columns);
  }
  void forget() {
    numbers_.clear();
    shape(least(Plain::RowsAtCompileTime), least(Plain::ColsAtCompileTime));
  }
  std::vector<double> numbers_;
};

using Vector = Dense<Eigen::VectorXd>;
using Matrix = Dense<Eigen::MatrixXd>;
/// Row-major.
using RowMatrix = Dense<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
/// Twists or wrenches as columns.
using Matrix6X = Dense<Eigen::Matrix<double, 6, Eigen::Dynamic>>;
using Matrix3X = Dense<Eigen::Matrix<double, 3, Eigen::Dynamic>>;

/// Argument types: accept any contiguous Eigen object or the types above, without copying.
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;
using VectorRef = Eigen::Ref<Eigen::VectorXd>;
using ConstMatrixRef = const Eigen::Ref<const Eigen::MatrixXd>&;
using Matrix6XRef = Eigen::Ref<Eigen::Matrix<double, 6, Eigen::Dynamic>>;
using Matrix6Ref = Eigen::Ref<Eigen::Matrix<double, 6, 6>, 0, Eigen::OuterStride<>>;

}  // namespace CHASLES_API
