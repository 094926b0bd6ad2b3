/// Arithmetic of files: as a constant, and as a function of variables.
#include "math/expression.hpp"

#include <array>
#include <cmath>
#include <optional>

#include "fuzz/targets.hpp"

namespace chasles::fuzz {
namespace {

int nothing(std::string_view) { throw Error("there is no variable"); }
int pair(std::string_view name) { return name == "s" ? 0 : name == "q.a.1" ? 1 : nothing(name); }
int one(std::string_view name) { return name == "s" ? 0 : nothing(name); }

template <class Use>
void read(std::string_view text, int (*variables)(std::string_view), const Use& use) {
  try {
    use(Expression(text, variables));
  } catch (const ExpressionError& error) {
    const std::string message = error.what();
    require(message.starts_with("at column ") || message.starts_with("has "), "a place is missing");
    require(message.size() < 1100, "a long message");
  }
}
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

void expression(std::string_view bytes) {
  std::optional<Measure> constant;
  try {
    constant = evaluate_constant(bytes);
  } catch (const ExpressionError&) {
  }
  bool function = false;
  read(bytes, nothing, [&](const Expression& f) {
    function = true;
    if (constant) require(same(f.value({}), constant->value), "a constant that is none");
  });
  require(function || !constant, "a constant is not a function");
  read(bytes, pair, [](const Expression& f) {
    const std::array x{0.3, -0.7};
    std::array<double, 2> gradient{};
    require(same(f.value(x), f.value(x, gradient)), "the value beside its gradient");
  });
  read(bytes, one, [](const Expression& f) { f.series(0.3); });
}

}  // namespace chasles::fuzz
