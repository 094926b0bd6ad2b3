/// Block matrices over the moving bodies of a mechanism, for system_jacobian.cpp and textbook/system_matrices.cpp.
#pragma once

#include <Eigen/SparseCore>

#include "chasles/kinematics/system_jacobian.hpp"

namespace chasles::system_blocks {

/// The moving bodies, their parents among them and their joints.
struct Tree {
  std::vector<int> bodies;                // n
  std::vector<int> parents;               // n: positions in `bodies`; -1: ground
  std::vector<const ModelJoint*> joints;  // n: null if fixed to the parent

  std::size_t size() const { return bodies.size(); }
};

inline Tree moving_tree(const Model& model) {
  Tree t;
  std::vector<int> position(model.bodies().size(), -1);
  t.bodies = moving_bodies(model);
  for (std::size_t i = 0; i < t.bodies.size(); ++i)
    position[static_cast<std::size_t>(t.bodies[i])] = static_cast<int>(i);
  std::vector<const ModelJoint*> joint_of(model.bodies().size());
  for (const ModelJoint& joint : model.joints())
    joint_of[static_cast<std::size_t>(joint.child)] = &joint;
  for (const int b : t.bodies) {
    const int parent = model.bodies()[static_cast<std::size_t>(b)].parent;
    t.parents.push_back(parent < 0 ? -1 : position[static_cast<std::size_t>(parent)]);
    t.joints.push_back(joint_of[static_cast<std::size_t>(b)]);
  }
  return t;
}

inline const Frame& frame_of(const Model& model, int body) {
  return model.bodies()[static_cast<std::size_t>(body)].frame;
}

inline Sparse owned(const Eigen::SparseMatrix<double>& m) {
  return Sparse({m.rows(),
                 m.cols(),
                 {m.outerIndexPtr(), m.outerIndexPtr() + m.outerSize() + 1},
                 {m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros()},
                 {m.valuePtr(), m.valuePtr() + m.nonZeros()}});
}

/// A matrix of 6 x m blocks, filled block by block. Zeros are left out.
class Blocks {
 public:
  template <class Block>
  void add(std::size_t block_row, Eigen::Index column, const Block& block) {
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        if (block(i, j) != 0)
          entries_.emplace_back(6 * static_cast<int>(block_row) + static_cast<int>(i),
                                static_cast<int>(column + j), block(i, j));
  }
  Sparse matrix(std::size_t block_rows, Eigen::Index columns) const {
    Eigen::SparseMatrix<double> m(6 * static_cast<Eigen::Index>(block_rows), columns);
    m.setFromTriplets(entries_.begin(), entries_.end());
    return owned(m);
  }

 private:
  std::vector<Eigen::Triplet<double>> entries_;
};

/// The first column of block j.
inline Eigen::Index block_column(std::size_t j) { return 6 * static_cast<Eigen::Index>(j); }

}  // namespace chasles::system_blocks
