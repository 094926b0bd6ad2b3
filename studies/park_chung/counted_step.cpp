#include "studies/park_chung/counted_step.hpp"

#include <algorithm>
#include <string_view>

namespace chasles::studies::park_chung {

Matrix3 rodrigues(const Counted* w, Counted a, Counted b, const Exponential& e) {
  const Counted aw[3] = {a * w[0], a * w[1], a * w[2]};
  const Counted b2[3] = {b * e.w2[0], b * e.w2[1], b * e.w2[2]};
  const Counted bw[3] = {b * e.ww[0], b * e.ww[1], b * e.ww[2]};
  const Counted one = 1;
  return {{{one - (b2[1] + b2[2]), bw[2] - aw[2], bw[1] + aw[1]},
           {bw[2] + aw[2], one - (b2[0] + b2[2]), bw[0] - aw[0]},
           {bw[1] - aw[1], bw[0] + aw[0], one - (b2[0] + b2[1])}}};
}

Exponential exp(const Vector& V) {
  ++counts.exp;
  const Counted *v = V.data(), *w = V.data() + 3;
  Exponential e;
  e.w2 = {w[0] * w[0], w[1] * w[1], w[2] * w[2]};
  e.ww = {w[1] * w[2], w[0] * w[2], w[0] * w[1]};
  e.square = e.w2[0] + e.w2[1] + e.w2[2];
  const Counted half = Counted(0.5) * sqrt(e.square);
  e.s = sin(half) / half, e.c = cos(half);
  e.alpha = e.s * e.c, e.beta = e.s * e.s;
  const Counted half_beta = Counted(0.5) * e.beta;
  e.T.R = rodrigues(w, e.alpha, half_beta, e);

  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) e.wv[i][j] = w[i] * v[j];
  e.dot = e.wv[0][0] + e.wv[1][1] + e.wv[2][2];
  const Counted cross[3] = {e.wv[1][2] - e.wv[2][1], e.wv[2][0] - e.wv[0][2],
                            e.wv[0][1] - e.wv[1][0]};
  const Counted along = (Counted(1) - e.alpha) / e.square * e.dot;
  for (std::size_t i = 0; i < 3; ++i)
    e.T.r[i] = e.alpha * v[i] + along * w[i] + half_beta * cross[i];
  return e;
}

std::array<std::array<Counted, 6>, 6> dexp_inv(const Vector& V, const Exponential& e) {
  ++counts.dexpinv;
  const Counted *v = V.data(), *w = V.data() + 3;
  const Counted gamma = e.c / e.s;
  const Counted b = (Counted(1) - gamma) / e.square;
  const Matrix3 A = rodrigues(w, -0.5, b, e);

  Matrix3 P, W;  // [v, w] = v w^T + w v^T - 2 v^T w 1, and [w]^2
  const Counted two = 2;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    P[i][i] = -(two * (e.wv[j][j] + e.wv[k][k]));
    P[j][k] = P[k][j] = e.wv[j][k] + e.wv[k][j];
    W[i][i] = e.w2[i] - e.square;
    W[j][k] = W[k][j] = e.ww[i];
  }
  const Counted scale = (Counted(1) / e.beta + gamma - two) * e.dot / (e.square * e.square);
  std::array<std::array<Counted, 6>, 6> M{};
  Matrix3 D;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = i; j < 3; ++j) D[i][j] = D[j][i] = b * P[i][j] + scale * W[i][j];
  const Counted half[3] = {Counted(0.5) * v[0], Counted(0.5) * v[1], Counted(0.5) * v[2]};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    M[i][3 + i] = D[i][i];
    M[j][3 + k] = D[j][k] + half[i];
    M[k][3 + j] = D[k][j] - half[i];
    for (std::size_t l = 0; l < 3; ++l) M[i][l] = M[3 + i][3 + l] = A[i][l];
  }
  return M;
}

namespace {

/// c_1 x_1 + c_2 x_2 + ...; stages by number.
struct Term {
  int stage;
  double weight;
};
using Sum = std::vector<Term>;
/// The pose of a stage or of the step: a product of exponentials of sums, after that of the step's
/// beginning or of an earlier stage.
struct Product {
  std::vector<Sum> factors;
  int after = -1;
};
struct Method {
  std::string_view name;
  bool algebra;                // Munthe-Kaas: sums of dexp^-1 V instead of V
  std::vector<Sum> sums;       // of every stage but the first, then of the step
  std::vector<Product> poses;  // likewise
};

Sum row(std::initializer_list<double> weights) {
  Sum sum;
  int stage = 0;
  for (const double weight : weights) {
    if (weight != 0) sum.push_back({stage, weight});
    ++stage;
  }
  return sum;
}
Product one_by_one(const Sum& sum) {
  Product product;
  for (const Term& term : sum) product.factors.push_back({term});
  return product;
}
Method crouch_grossman(std::string_view name, std::vector<Sum> sums) {
  Method method{name, false, std::move(sums), {}};
  for (const Sum& sum : method.sums) method.poses.push_back(one_by_one(sum));
  return method;
}
Method munthe_kaas(std::string_view name, std::vector<Sum> sums) {
  Method method{name, true, std::move(sums), {}};
  for (const Sum& sum : method.sums) method.poses.push_back({{sum}});
  return method;
}

/// The weights of CG4 are all different from zero, and their values do not change the counts.
std::vector<Method> all_methods() {
  const std::vector<Sum> heun{row({1}), row({0.5, 0.5})};
  const std::vector<Sum> heun3{row({1. / 3}), row({0, 2. / 3}), row({0.25, 0, 0.75})};
  const std::vector<Sum> classical{row({0.5}), row({0, 0.5}), row({0, 0, 1}),
                                   row({1. / 6, 1. / 3, 1. / 3, 1. / 6})};
  return {crouch_grossman("CG2", heun),
          crouch_grossman("CG3", {row({0.75}), row({119. / 216, 17. / 108}),
                                  row({13. / 51, -2. / 3, 24. / 17})}),
          crouch_grossman("CG4",
                          {row({0.82}), row({0.32, 0.07}), row({0.92, 0.5, -1.1}),
                           row({0.36, 0.24, 1.39, -1.11}), row({0.14, -0.02, 0.74, -0.19, 0.33})}),
          crouch_grossman("CF2", heun),
          {"CF3",
           false,
           heun3,
           {{{row({1. / 3})}}, {{row({0, 2. / 3})}}, {{row({-1. / 12, 0, 0.75})}, 1}}},
          {"CF4",
           false,
           classical,
           {{{row({0.5})}},
            {{row({0, 0.5})}},
            {{row({-0.5, 0, 1})}, 1},
            {{row({0.25, 1. / 6, 1. / 6, -1. / 12}), row({-1. / 12, 1. / 6, 1. / 6, 0.25})}}}},
          munthe_kaas("MK2", heun),
          munthe_kaas("MK3", heun3),
          munthe_kaas("MK4", classical)};
}

Vector scaled_sum(Vector x, const Sum& sum, const std::vector<Vector>& of, long& counter) {
  for (const Term& term : sum) {
    ++counter;
    const Vector& y = of[static_cast<std::size_t>(term.stage)];
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + Counted(term.weight) * y[i];
  }
  return x;
}
/// The same without a first summand.
Vector sum_of(const Sum& sum, const std::vector<Vector>& of) {
  ++counts.svmult_6;
  Vector x(6);
  for (std::size_t i = 0; i < 6; ++i)
    x[i] = Counted(sum[0].weight) * of[static_cast<std::size_t>(sum[0].stage)][i];
  return scaled_sum(std::move(x), Sum(sum.begin() + 1, sum.end()), of, counts.svmultadd_6);
}

Pose product(const Pose& A, const Pose& B) {
  ++counts.hmmult;
  Pose C;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      C.R[i][j] = A.R[i][0] * B.R[0][j] + A.R[i][1] * B.R[1][j] + A.R[i][2] * B.R[2][j];
    C.r[i] = A.R[i][0] * B.r[0] + A.R[i][1] * B.r[1] + A.R[i][2] * B.r[2] + A.r[i];
  }
  return C;
}
Vector product(const std::array<std::array<Counted, 6>, 6>& M, const Vector& x) {
  ++counts.mvmult;
  Vector y(6);
  for (std::size_t i = 0; i < 6; ++i) {
    y[i] = M[i][0] * x[0];
    for (std::size_t j = 1; j < 6; ++j) y[i] = y[i] + M[i][j] * x[j];
  }
  return y;
}

void step(const Method& method, int N) {
  const Vector V0(6, 0.3), u0(static_cast<std::size_t>(N), 0.4);
  const Pose T0;
  std::vector<Vector> V{V0}, u{u0}, K_V, K_q, F{V0};
  std::vector<Pose> T{T0};
  for (std::size_t i = 0; i < method.sums.size(); ++i) {
    ++counts.time;
    Counted(0) + Counted(0.5);  // t + c h
    ++counts.fdyn;
    K_V.emplace_back(6, 0.1), K_q.emplace_back(u0.size(), 0.1);
    const Sum& sum = method.sums[i];
    const Product& pose = method.poses[i];
    const bool last = i + 1 == method.sums.size();
    Pose at = pose.after < 0 ? T0 : T[static_cast<std::size_t>(pose.after)];
    for (const Sum& factor : pose.factors) {
      const Vector X = sum_of(factor, method.algebra ? F : V);
      const Exponential e = exp(X);
      at = product(at, e.T);
      if (method.algebra && !last) {
        const Vector V_i = scaled_sum(V0, sum, K_V, counts.svmultadd_6);
        Vector minus_X = X;
        for (Counted& x : minus_X) x = -x;
        F.push_back(product(dexp_inv(minus_X, e), V_i));
        V.push_back(V_i);
      }
    }
    if (!method.algebra || last) V.push_back(scaled_sum(V0, sum, K_V, counts.svmultadd_6));
    T.push_back(at);
    scaled_sum(u0, sum, u, counts.svmultadd_N);                 // q
    u.push_back(scaled_sum(u0, sum, K_q, counts.svmultadd_N));  // its rate
  }
}

}  // namespace

Counts count_step(const char* name, int N) {
  static const std::vector<Method> list = all_methods();
  const auto method =
      std::find_if(list.begin(), list.end(), [&](const Method& m) { return m.name == name; });
  counts = {};
  step(*method, N);
  return counts;
}

}  // namespace chasles::studies::park_chung
