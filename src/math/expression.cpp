#include "math/expression.hpp"

#include <algorithm>
#include <cmath>

namespace chasles {
namespace {

/// x^y. A whole exponent is a product, which is exact for small powers and for negative x.
double raised(double x, double y) {
  const double n = std::abs(y);
  if (n != std::floor(n) || n > 64) return std::pow(x, y);
  double product = 1;
  for (int k = 0; k < static_cast<int>(n); ++k) product *= x;
  return y < 0 ? 1 / product : product;
}
double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

double Expression::evaluate(std::span<const double> variables, double* values) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const double a = node.a >= 0 ? values[node.a] : 0, b = node.b >= 0 ? values[node.b] : 0;
    const auto result = [&]() -> double {
      switch (node.op) {
        case Op::number:
          return node.number;
        case Op::variable:
          return variables[static_cast<std::size_t>(node.variable)];
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
          return std::sqrt(a);
        case Op::sin:
          return std::sin(a);
        case Op::cos:
          return std::cos(a);
        case Op::tan:
          return std::tan(a);
        case Op::exp:
          return std::exp(a);
        case Op::log:
          return std::log(a);
        case Op::abs:
          return std::abs(a);
        case Op::atan2:
          return std::atan2(a, b);
        case Op::min:
          return std::min(a, b);
        case Op::max:
          return std::max(a, b);
      }
      return 0;
    };
    values[i] = result();
  }
  return values[nodes_.size() - 1];
}

double Expression::value(std::span<const double> variables) const {
  double values[most_nodes];
  return evaluate(variables, values);
}

double Expression::value(std::span<const double> variables, std::span<double> gradient) const {
  double values[most_nodes], adjoints[most_nodes];
  const double result = evaluate(variables, values);
  std::fill_n(adjoints, nodes_.size(), 0.0);
  std::fill(gradient.begin(), gradient.end(), 0.0);
  adjoints[nodes_.size() - 1] = 1;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    const double adjoint = adjoints[i], y = values[i];
    if (adjoint == 0) continue;
    const double a = node.a >= 0 ? values[node.a] : 0, b = node.b >= 0 ? values[node.b] : 0;
    const auto by = [&](double d_a, double d_b = 0) {  // (1)
      adjoints[node.a] += adjoint * d_a;
      if (node.b >= 0) adjoints[node.b] += adjoint * d_b;
    };
    switch (node.op) {
      case Op::number:
        break;
      case Op::variable:
        gradient[static_cast<std::size_t>(node.variable)] += adjoint;
        break;
      case Op::negate:
        by(-1);
        break;
      case Op::add:
        by(1, 1);
        break;
      case Op::subtract:
        by(1, -1);
        break;
      case Op::multiply:
        by(b, a);
        break;
      case Op::divide:
        by(1 / b, -y / b);
        break;
      case Op::power:
        // The exponent is a constant almost always; its derivative, y log a, does not exist for a <= 0.
        by(b == 0 ? 0 : b * raised(a, b - 1),
           nodes_[static_cast<std::size_t>(node.b)].op == Op::number ? 0 : y * std::log(a));
        break;
      case Op::sqrt:
        by(0.5 / y);
        break;
      case Op::sin:
        by(std::cos(a));
        break;
      case Op::cos:
        by(-std::sin(a));
        break;
      case Op::tan:
        by(1 + y * y);
        break;
      case Op::exp:
        by(y);
        break;
      case Op::log:
        by(1 / a);
        break;
      case Op::abs:
        by(sign_of(a));
        break;
      case Op::atan2:
        by(b / (a * a + b * b), -a / (a * a + b * b));
        break;
      case Op::min:
        by(b < a ? 0 : 1, b < a ? 1 : 0);
        break;
      case Op::max:
        by(a < b ? 0 : 1, a < b ? 1 : 0);
        break;
    }
  }
  return result;
}

}  // namespace chasles
