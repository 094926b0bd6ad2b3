/// Kernel tables: for one state and for states in lanes, for every instruction set.
#pragma once

#include <span>

#include "kernels/pass.hpp"

namespace chasles::kernels {

/// Kernels return -1, or the first link (from the leaves) with a singular joint inertia.
template <class Real>
using Kernel = int (*)(const Pass<Real>&);
/// A kernel and its workspace size in bytes.
template <class Real>
struct AlgorithmKernel {
  Kernel<Real> run = nullptr;
  std::size_t (*work)(const Tree<Real>&) = nullptr;
};

template <class Real>
struct KernelTable {
  int lanes = 0;
  AlgorithmKernel<Real> of[algorithm_count] = {};
  int block_width = 0;  // width for Tree::list_blocks, required by mass_matrix; 0: none
  // Transposes the first `used` of `lanes` states from rows of n numbers into lanes (unused lanes repeat the
  // last state), and back.
  void (*gather)(const Real* rows, int n, int used, Real* block) = nullptr;
  void (*scatter)(const Real* block, int n, int used, Real* rows) = nullptr;

  int run(Algorithm algorithm, const Pass<Real>& pass) const { return of[algorithm].run(pass); }
  std::size_t work(Algorithm algorithm, const Tree<Real>& tree) const {
    return of[algorithm].work(tree);
  }
};

/// First derivatives at one state, differentiated again along `directions` directions: vectors/dual.inl.
inline constexpr int directions = 4;
struct DirectionalKernels {
  AlgorithmKernel<double> inverse, forward;
  const AlgorithmKernel<double>& of(Algorithm algorithm) const {
    return algorithm == d_inverse_dynamics ? inverse : forward;
  }
};

/// Second derivatives at one state, for joints with constant screws: as tensors, and contracted with weights.
/// Those of forward dynamics are computed from those of inverse dynamics.
struct SecondOrderKernels {
  Kernel<double> inverse, inverse_contracted, forward, forward_contracted;
  std::size_t (*inverse_work)(const Tree<double>&);  // bytes
  std::size_t (*contracted_work)(const Tree<double>&);
  std::size_t (*forward_work)(const Tree<double>&);
};
/// Products of derivatives at one state with a vector, and of their transposes:
/// derivatives/inverse_tangent.inl.
struct ProductKernels {
  using Run = int (*)(const ProductPass&);
  Run inverse, inverse_transposed, forward, forward_transposed;
  std::size_t (*work)(bool forward, const Tree<double>&);  // bytes
};

/// Kernels for one state, and for states in lanes, for the instruction set of this machine.
const KernelTable<double>& single_kernels();
const ProductKernels& product_kernels();
const DirectionalKernels& directional_kernels();
const SecondOrderKernels& second_order_kernels();
template <class Real>
const KernelTable<Real>& lane_kernels();

struct KktKernels;  // constraints/kkt_factorization.hpp

/// Instruction sets, in ascending order; `available` if this machine supports it.
struct InstructionSet {
  const char* name;
  bool available;
  const KernelTable<double>* single;
  const KernelTable<double>* lanes;
  const KernelTable<float>* float_lanes;
  const DirectionalKernels* directional;
  const SecondOrderKernels* second_order;
  const ProductKernels* products;
  const KktKernels* elimination;
};
std::span<const InstructionSet> instruction_sets();

}  // namespace chasles::kernels
