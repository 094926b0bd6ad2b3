/// Arithmetic in files: constants with units, and functions of variables with exact partial derivatives.
///
///     sum     = product {("+" | "-") product}                    power  = operand ["^" signed]
///     product = signed {("*" | "/") signed}                      signed = ["+" | "-"] power
///     operand = (number | "pi" | "(" sum ")") [units] | function "(" sum {"," sum} ")" | variable
///     variable = name {"." (name | index | "{" any text "}")}
///     units   = unit ["^" integer] {[" " | "*" | "/"] unit ["^" integer]}
///
/// Units follow a number, pi or a parenthesis; they bind more tightly than "*" and "/": 1/2 m is 1/(2 m). Nodes are
/// stored operands first, so that one loop forward evaluates, and one loop backward has all partial derivatives
/// (reverse mode):
///
///     adjoint of the result: 1;   adjoint of operand += adjoint of node * d node / d operand          (1)
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chasles/error.hpp"
#include "math/power_series.hpp"
#include "math/series.hpp"
#include "math/units.hpp"

namespace chasles {

/// An expression that cannot be read or evaluated: "at column 3: ..".
class ExpressionError : public Error {
  using Error::Error;
};

class Expression {
 public:
  /// Bounds of memory and recursion: longer or deeper texts are errors.
  static constexpr int most_nodes = 256, deepest = 64;
  static constexpr std::size_t longest = 4096;  // bytes

  enum class Op : unsigned char {
    number,
    variable,
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    sqrt,
    sin,
    cos,
    tan,
    exp,
    log,
    abs,
    atan2,
    min,
    max
  };

  /// Index of the variable of a name, from 0, which is passed to `value`.
  /// @throws Error without column for an unknown name
  using Variables = std::function<int(std::string_view name)>;

  /// A function of variables. Units only scale numbers to SI; dimensions are not checked.
  /// @throws ExpressionError
  Expression(std::string_view text, const Variables& variables);

  /// Does not allocate. Not finite where the expression is undefined.
  double value(std::span<const double> variables) const;
  /// Also the partial derivatives; those of abs, min and max at a kink are one of both sides'.
  /// @param gradient  as many as variables; overwritten
  double value(std::span<const double> variables, std::span<double> gradient) const;
  /// Taylor coefficients of a function of one variable at x; kinks as above.
  Series<4> series(double x) const;
  /// The same of variables that are series; all of one length.
  PowerSeries series(std::span<const PowerSeries> variables) const;
  /// Whether it has no kinks: no abs, min and max.
  bool is_smooth() const;

 private:
  friend class ExpressionParser;
  struct Node {
    Op op;
    short a = -1, b = -1;  // operands
    int variable = -1;
    double number = 0;
  };
  Expression() = default;
  double evaluate(std::span<const double> variables, double* values) const;
  std::vector<Node> nodes_;  // the last one is the result
};

/// A number of a file in SI units.
struct Measure {
  double value;
  Dimension dimension;  // none: written without unit
};

/// A constant expression: "30 deg", "sqrt(2)/2", "2*pi/3", "-1e-3".
/// @throws ExpressionError: syntax, names, units that do not fit each other (1 mm + 1 s)
Measure evaluate_constant(std::string_view text);
/// The dimension of a unit: "N m/rad"; "1" has none.
Dimension dimension_of(std::string_view unit);

}  // namespace chasles
