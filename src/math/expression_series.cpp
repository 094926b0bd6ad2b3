#include "math/expression.hpp"
#include "math/series_functions.hpp"

namespace chasles {
namespace {

using S = Series<4>;

/// A constant exponent is not differentiated: x^2 exists for all x, exp(2 log x) does not.
S raised(const S& a, const S& b) { return b == S(b.c[0]) ? power_of(a, b.c[0]) : exp(b * log(a)); }

}  // namespace

/// The loop of `evaluate`, with series for numbers.
Series<4> Expression::series(double x) const {
  S values[most_nodes];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const S a = node.a >= 0 ? values[node.a] : S(), b = node.b >= 0 ? values[node.b] : S();
    const auto result = [&]() -> S {
      switch (node.op) {
        case Op::number:
          return S(node.number);
        case Op::variable: {
          S variable(x);
          variable.c[1] = 1;
          return variable;
        }
        case Op::negate:
          return -a;
        case Op::add:
          return a + b;
        case Op::subtract:
          return a - b;
        case Op::multiply:
          return a * b;
        case Op::divide:
          return a / b;
        case Op::power:
          return raised(a, b);
        case Op::sqrt:
          return sqrt(a);
        case Op::sin:
          return sine(a);
        case Op::cos:
          return sine(a, 1);
        case Op::tan:
          return sine(a) / sine(a, 1);
        case Op::exp:
          return exp(a);
        case Op::log:
          return log(a);
        case Op::abs:
          return a.c[0] < 0 ? -a : a;
        case Op::atan2:
          return atan2(a, b);
        case Op::min:
          return b.c[0] < a.c[0] ? b : a;
        case Op::max:
          return a.c[0] < b.c[0] ? b : a;
      }
      return S();
    };
    values[i] = result();
  }
  return values[nodes_.size() - 1];
}

}  // namespace chasles
