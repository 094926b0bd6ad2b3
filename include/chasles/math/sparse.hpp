/// Sparse matrices of the interface, as Eigen expressions: what dense.hpp is for dense ones. The
/// numbers do not change; copies share them.
#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <vector>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// The arrays of a matrix in compressed columns, and a look at them.
class Sparse : public Eigen::Map<const Eigen::SparseMatrix<double>> {
 public:
  struct Arrays {
    Eigen::Index rows = 0, columns = 0;
    std::vector<int> starts = std::vector<int>(1), row_indices{};  // starts: columns + 1
    std::vector<double> values{};
  };
  Sparse() : Sparse(Arrays{}) {}
  explicit Sparse(Arrays arrays) : Sparse(std::make_shared<const Arrays>(std::move(arrays))) {}

 private:
  using Map = Eigen::Map<const Eigen::SparseMatrix<double>>;
  explicit Sparse(std::shared_ptr<const Arrays> a)
      : Map(a->rows, a->columns, static_cast<Eigen::Index>(a->values.size()), a->starts.data(),
            a->row_indices.data(), a->values.data()),
        arrays_(std::move(a)) {}
  std::shared_ptr<const Arrays> arrays_;
};

}  // namespace CHASLES_API
