/// Sparse matrices of the public interface, as Eigen expressions; see dense.hpp for dense ones. Immutable; copies share
/// the data.
#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <vector>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A matrix in compressed column storage, viewed by an Eigen::Map.
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
