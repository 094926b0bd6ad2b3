/// One step of the methods of paper 001 on SE(3) x se(3) x R^N x R^N, written operation by operation as in
/// its Appendix I, on a scalar that counts operations. Twists are in the paper's order, (v; w).
#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace chasles::studies::park_chung {

/// Operations on numbers, Table V, and the larger ones they belong to, Table X.
struct Counts {
  long add = 0, mult = 0, div = 0, sqrt = 0, trig = 0;
  long fdyn = 0, svmultadd_6 = 0, svmultadd_N = 0, svmult_6 = 0, exp = 0, hmmult = 0, time = 0,
       dexpinv = 0, mvmult = 0;
};
/// Operations of this thread so far.
inline thread_local Counts counts;

/// A double that counts its operations. A change of sign is free.
struct Counted {
  double x = 0;
  Counted(double value = 0) : x(value) {}
  Counted operator-() const { return -x; }
  friend Counted operator+(Counted a, Counted b) { return ++counts.add, a.x + b.x; }
  friend Counted operator-(Counted a, Counted b) { return ++counts.add, a.x - b.x; }
  friend Counted operator*(Counted a, Counted b) { return ++counts.mult, a.x * b.x; }
  friend Counted operator/(Counted a, Counted b) { return ++counts.div, a.x / b.x; }
  friend Counted sqrt(Counted a) { return ++counts.sqrt, std::sqrt(a.x); }
  friend Counted sin(Counted a) { return ++counts.trig, std::sin(a.x); }
  friend Counted cos(Counted a) { return ++counts.trig, std::cos(a.x); }
};
using Vector = std::vector<Counted>;
using Matrix3 = std::array<std::array<Counted, 3>, 3>;

struct Pose {
  Matrix3 R{};
  std::array<Counted, 3> r{};
};

/// Intermediate results of exp, reused by dexp^-1.
struct Exponential {
  Pose T;
  std::array<Counted, 3> w2;               // w1 w1, w2 w2, w3 w3
  std::array<Counted, 3> ww;               // w2 w3, w1 w3, w1 w2
  Matrix3 wv;                              // w_i v_j
  Counted square, dot, s, c, alpha, beta;  // |w|^2, w . v, and (14)
};

/// 1 + a [w] + b [w]^2, 9 products and 12 sums.
Matrix3 rodrigues(const Counted* w, Counted a, Counted b, const Exponential& e);
/// exp of (v; w): 26 sums, 38 products, 2 quotients, 1 root, 2 sines.
Exponential exp(const Vector& V);
/// The 6 x 6 matrix of dexp^-1 at V, given exp at V or -V: 36 sums, 29 products, 4 quotients. The
/// paper, which does not spell all of them out, counts 33, 33 and 3.
std::array<std::array<Counted, 6>, 6> dexp_inv(const Vector& V, const Exponential& e);

/// The operations of one step of a method, with N joints.
/// @param name  "CG2" ... "MK4"
/// @paper 001 Appendix I
Counts count_step(const char* name, int N);

}  // namespace chasles::studies::park_chung
