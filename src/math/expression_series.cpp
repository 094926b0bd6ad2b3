#include "math/expression.hpp"

namespace chasles {
namespace {

bool is_constant(const PowerSeries& a) {
  for (std::size_t k = 1; k < a.size(); ++k)
    if (a[k] != 0) return false;
  return true;
}
/// A constant exponent is not differentiated: x^2 exists for all x, exp(2 log x) does not.
PowerSeries raised(const PowerSeries& a, const PowerSeries& b) {
  return is_constant(b) ? power(a, b[0]) : exp(b * logarithm(a));
}

}  // namespace

/// The loop of `evaluate`, with series for numbers.
PowerSeries Expression::series(std::span<const PowerSeries> variables) const {
  const std::size_t n = variables.empty() ? 1 : variables[0].size();
  PowerSeries values[most_nodes];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    static const PowerSeries none;
    const PowerSeries& a = node.a >= 0 ? values[node.a] : none;
    const PowerSeries& b = node.b >= 0 ? values[node.b] : none;
    const auto result = [&]() -> PowerSeries {
      switch (node.op) {
        case Op::number:
          return {node.number, n};
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
          return sqrt(a);
        case Op::sin:
          return sine_and_cosine(a).sine;
        case Op::cos:
          return sine_and_cosine(a).cosine;
        case Op::tan: {
          const SineAndCosine both = sine_and_cosine(a);
          return both.sine / both.cosine;
        }
        case Op::exp:
          return exp(a);
        case Op::log:
          return logarithm(a);
        case Op::abs:
          return a[0] < 0 ? -a : a;
        case Op::atan2:
          return atan2(a, b);
        case Op::min:
          return b[0] < a[0] ? b : a;
        case Op::max:
          return a[0] < b[0] ? b : a;
      }
      return {};
    };
    values[i] = result();
  }
  return values[nodes_.size() - 1];
}

Series<4> Expression::series(double x) const {
  PowerSeries variable(x, 4);
  variable[1] = 1;
  const PowerSeries found = series({&variable, 1});
  Series<4> out;
  for (std::size_t k = 0; k < 4; ++k) out.c[k] = found[k];
  return out;
}

bool Expression::is_smooth() const {
  for (const Node& node : nodes_)
    if (node.op == Op::abs || node.op == Op::min || node.op == Op::max) return false;
  return true;
}

}  // namespace chasles
