/// What Algorithms 1 to 6 of 002 cost: multiplications and additions, counted by a scalar that counts, beside the printed
/// numbers; and from which number of joints on Algorithms 5 and 6 are cheaper than 3 and 4.
///
///     for (const Cost& cost : costs()) ...
///     int n = crossover(6, 4, counted);        // the first n from which on Algorithm 6 needs fewer operations
#pragma once

#include <array>
#include <vector>

#include "studies/linearized/forward_algorithms.hpp"

namespace chasles::studies::linearized {

/// c_0 + c_1 n + c_2 n^2 + c_3 n^3.
struct CostLaw {
  std::array<double, 4> c{};
  double at(double n) const { return c[0] + n * (c[1] + n * (c[2] + n * c[3])); }
};
struct Cost {
  int algorithm;  // 1 to 6
  CostLaw printed_multiplications, printed_additions;
  CostLaw multiplications, additions;  // divisions count as multiplications
  /// The part of both that is the base-to-tip sweep (1), (2) of algorithms.hpp.
  CostLaw sweep_multiplications, sweep_additions;
};
std::vector<Cost> costs();

/// Multiplications and additions in a chain of n joints.
struct Operations {
  long multiplications = 0, additions = 0;
};
Operations count_operations(int algorithm, int joints);

enum class CostSource { printed, counted, counted_without_sweep };
double total(const Cost& cost, CostSource source, double joints);
/// The first n <= 100 from which on algorithm `a` needs fewer operations than `b`; 0: none.
int crossover(int a, int b, CostSource source);

/// A chain with axes in general position.
std::vector<ChainJoint<double>> random_chain(int joints);
/// CPU time [us] of an algorithm, with the sweep.
double time_of(int algorithm, int joints);

}  // namespace chasles::studies::linearized
