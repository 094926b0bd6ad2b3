#include <algorithm>
#include <charconv>
#include <cmath>

#include "chasles/suggest.hpp"
#include "math/expression.hpp"

namespace chasles {
namespace {

using Op = Expression::Op;

struct FunctionName {
  std::string_view name;
  Op op;
  int arguments;
};
constexpr FunctionName function_names[] = {
    {"sqrt", Op::sqrt, 1}, {"sin", Op::sin, 1}, {"cos", Op::cos, 1}, {"tan", Op::tan, 1},
    {"exp", Op::exp, 1},   {"log", Op::log, 1}, {"abs", Op::abs, 1}, {"atan2", Op::atan2, 2},
    {"min", Op::min, 2},   {"max", Op::max, 2},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

/// Recursive descent; `depth_` bounds the recursion. Dimensions are those of constants, checked only without variables.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Expression::Variables* variables)
      : text_(text), variables_(variables) {
    if (text.size() > Expression::longest)
      throw ExpressionError("has " + std::to_string(text.size()) +
                            " characters; an expression has at most " +
                            std::to_string(Expression::longest));
  }

  Expression read(Dimension& dimension) {
    const Part whole = sum();
    skip();
    if (at_ < text_.size())
      fail(at_, "found '" + character() + "' after the end of the expression" + after_end());
    dimension = whole.dimension;
    return std::move(out_);
  }

 private:
  /// Index of a node, its dimension, and where its text begins.
  struct Part {
    short node;
    Dimension dimension;
    std::size_t at;
  };

  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw ExpressionError("at column " + std::to_string(at + 1) + ": " + message);
  }
  std::string character() const {
    std::size_t n = 1;  // whole UTF-8 characters
    while (at_ + n < text_.size() && (static_cast<unsigned char>(text_[at_ + n]) & 0xC0U) == 0x80U)
      ++n;
    return std::string(text_.substr(at_, n));
  }
  std::string after_end() const {
    const bool operand = is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '(';
    return operand ? "; write * for a product" : "; remove it";
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    return ++at_, true;
  }
  /// A name at a position. With dots: q.elbow.1, and in braces any text, q.{left-knee}.
  std::string_view name_at(std::size_t at, bool dots) const {
    std::size_t end = at;
    if (end >= text_.size() || !is_letter(text_[end])) return {};
    while (end < text_.size()) {
      const char c = text_[end];
      if (dots && c == '{' && text_[end - 1] == '.') {
        const std::size_t close = text_.find('}', end);
        if (close == text_.npos) fail(end, "a '}' is missing");
        end = close + 1;
      } else if (is_letter(c) || is_digit(c) || (dots && c == '.')) {
        ++end;
      } else {
        break;
      }
    }
    return text_.substr(at, end - at);
  }

  Part add(std::size_t at, Op op, Part a, Dimension dimension, short b = -1) {
    return push({op, a.node, b}, dimension, at);
  }
  Part push(Expression::Node node, Dimension dimension, std::size_t at) {
    if (out_.nodes_.size() >= static_cast<std::size_t>(Expression::most_nodes))
      fail(at, "the expression has more than " + std::to_string(Expression::most_nodes) +
                   " numbers, names and operations; shorten it");
    constexpr int most = 90;  // exponents of powers of powers stay far from overflow
    for (const int n : {dimension.length, dimension.mass, dimension.time, dimension.angle})
      if (std::abs(n) > most) fail(at, "the unit has an exponent beyond " + std::to_string(most));
    out_.nodes_.push_back(node);
    return {static_cast<short>(out_.nodes_.size() - 1), dimension, at};
  }
  bool checks() const { return variables_ == nullptr; }
  void require_same(std::size_t at, const Part& a, const Part& b, const char* what) const {
    if (checks() && a.dimension != b.dimension)
      fail(at, std::string(what) + dimension_text(a.dimension) + " and " +
                   dimension_text(b.dimension) + "; give both the same unit");
  }

  Part sum() {
    if (++depth_ > Expression::deepest)
      fail(at_, "parentheses are nested more than " + std::to_string(Expression::deepest) +
                    " deep; simplify it");
    Part a = product();
    for (;;) {
      skip();
      const std::size_t at = at_;
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      const Part b = product();
      require_same(at, a, b, "sum of ");
      a = add(at, plus ? Op::add : Op::subtract, a, a.dimension, b.node);
    }
    --depth_;
    return a;
  }
  Part product() {
    Part a = with_sign();
    for (;;) {
      skip();
      const std::size_t at = at_;
      const bool times = take('*');
      if (!times && !take('/')) break;
      const Part b = with_sign();
      a = add(at, times ? Op::multiply : Op::divide, a,
              a.dimension + b.dimension * (times ? 1 : -1), b.node);
    }
    return a;
  }
  Part with_sign() {
    skip();
    const std::size_t at = at_;
    const bool negative = take('-');
    const bool signed_once = negative || take('+');
    skip();
    if (signed_once && at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+'))
      fail(at_, "two signs follow each other; give one, or parentheses");
    const Part a = power();
    return negative ? add(at, Op::negate, a, a.dimension) : a;
  }
  Part power() {
    const Part a = operand();
    skip();
    const std::size_t at = at_;
    if (!take('^')) return a;
    if (++depth_ > Expression::deepest) fail(at, "too many powers of powers; simplify it");
    const Part b = with_sign();
    --depth_;
    if (!checks() || (a.dimension.is_none() && b.dimension.is_none()))
      return add(at, Op::power, a, {}, b.node);
    const Expression::Node& exponent = out_.nodes_[static_cast<std::size_t>(b.node)];
    const bool small = exponent.op == Op::number && b.dimension.is_none() &&
                       exponent.number == std::floor(exponent.number) &&
                       std::abs(exponent.number) <= 9;
    if (!small) fail(at, "a power of " + dimension_text(a.dimension) + "; give a whole exponent");
    return add(at, Op::power, a, a.dimension * static_cast<int>(exponent.number), b.node);
  }

  Part operand() {
    skip();
    const std::size_t at = at_;
    if (at_ >= text_.size()) fail(at_, "the expression ends; a number is missing");
    if (take('(')) {
      const Part inner = sum();
      if (!take(')')) fail(at_, "a ')' is missing for the '(' at column " + std::to_string(at + 1));
      return with_units(inner);
    }
    if (is_digit(text_[at]) || text_[at] == '.') return with_units(number());
    const std::string_view name = name_at(at, variables_ != nullptr);
    if (name.empty()) fail(at, "found '" + character() + "'; give a number or a name");
    at_ += name.size();
    skip();
    if (at_ < text_.size() && text_[at_] == '(') return call(name, at);
    if (name == "pi") return with_units(push({Op::number, -1, -1, -1, M_PI}, {}, at));
    return variable(name, at);
  }
  Part number() {
    const std::size_t at = at_;
    double value = 0;
    const char *begin = text_.data() + at, *end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) fail(at, "a number is out of range");
    if (error != std::errc{}) fail(at, "found '" + character() + "'; give a number or a name");
    at_ += static_cast<std::size_t>(stop - begin);
    return push({Op::number, -1, -1, -1, value}, {}, at);
  }
  Part variable(std::string_view name, std::size_t at) {
    if (checks()) {
      if (std::ranges::find(function_names, name, &FunctionName::name) != std::end(function_names))
        fail(at, "'" + std::string(name) + "' is a function; write " + std::string(name) + "(..)");
      std::vector<std::string_view> known{"pi"};
      for (const FunctionName& f : function_names) known.push_back(f.name);
      fail(at, find_unit(name) != nullptr
                   ? "the unit '" + std::string(name) + "' does not follow a number"
                   : "there is no name '" + std::string(name.substr(0, 60)) + "'" +
                         did_you_mean(name, known));
    }
    int index = -1;
    try {
      index = (*variables_)(name);
    } catch (const Error& error) {
      fail(at, error.what());
    }
    return push({Op::variable, -1, -1, index}, {}, at);
  }

  Part call(std::string_view name, std::size_t at) {
    const auto* f = std::ranges::find(function_names, name, &FunctionName::name);
    if (f == std::end(function_names)) {
      std::vector<std::string_view> known;
      for (const FunctionName& one : function_names) known.push_back(one.name);
      fail(at,
           "there is no function '" + std::string(name.substr(0, 60)) + "'" + choices(name, known));
    }
    ++at_;  // the parenthesis
    const Part a = sum();
    if (f->arguments == 1 && take(',')) fail(at, std::string(name) + " has one argument");
    if (f->arguments == 2 && !take(',')) fail(at_, std::string(name) + " has two arguments");
    const Part b = f->arguments == 2 ? sum() : Part{-1, {}, at};
    if (!take(')')) fail(at_, "a ')' is missing after the arguments of " + std::string(name));
    const Part result = add(at, f->op, a, dimension_of(*f, a, b, at), b.node);
    return result;
  }
  Dimension dimension_of(const FunctionName& f, const Part& a, const Part& b,
                         std::size_t at) const {
    if (!checks()) return {};
    const std::string of = std::string(f.name) + " of ";
    switch (f.op) {
      case Op::abs:
        return a.dimension;
      case Op::atan2:
        require_same(at, a, b, of.c_str());
        return {};
      case Op::min:
      case Op::max:
        require_same(at, a, b, of.c_str());
        return a.dimension;
      case Op::sqrt: {
        const Dimension d = a.dimension;
        if (((d.length | d.mass | d.time | d.angle) & 1) != 0)
          fail(at, of + dimension_text(d) + ", which is not a square");
        return {d.length / 2, d.mass / 2, d.time / 2, d.angle / 2};
      }
      default:
        break;
    }
    const bool is_angle = a.dimension == dimensions::angle && f.op != Op::exp && f.op != Op::log;
    if (!a.dimension.is_none() && !is_angle)
      fail(at, of + dimension_text(a.dimension) + "; give a number without unit");
    return {};
  }

  /// The unit at a position, if a name of one begins there and it is not a function or a variable.
  std::string_view unit_at(std::size_t at) const {
    while (at < text_.size() && text_[at] == ' ') ++at;
    const std::string_view name = name_at(at, false);
    std::size_t end = at + name.size();
    const bool dotted = end < text_.size() && text_[end] == '.';
    while (end < text_.size() && text_[end] == ' ') ++end;
    const bool call = end < text_.size() && text_[end] == '(';
    return call || dotted ? std::string_view{} : name;
  }
  Part with_units(Part part) {
    std::string_view name = unit_at(at_);
    if (name.empty()) return part;
    double above = 1, below = 1;
    bool divides = false;
    while (!name.empty()) {
      const Unit* unit = find_unit(name);
      const std::size_t at = static_cast<std::size_t>(name.data() - text_.data());
      if (unit == nullptr)
        fail(at, "there is no unit '" + std::string(name.substr(0, 60)) + "'" + unit_choices(name) +
                     "; write * before a name that is not a unit");
      at_ = at + name.size();
      int n = unit_exponent();
      if (divides) n = -n;
      for (int k = 0; k < std::abs(n); ++k) {
        above *= n > 0 ? unit->numerator : unit->denominator;
        below *= n > 0 ? unit->denominator : unit->numerator;
      }
      part.dimension = part.dimension + unit->dimension * n;  // at most 9 per unit: no overflow
      name = next_unit(divides);
    }
    return scaled(part, above, below);
  }
  /// The unit after a space, "*" or "/", consumed up to it; empty: the units end.
  std::string_view next_unit(bool& divides) {
    const std::string_view direct = unit_at(at_);
    if (!direct.empty()) return direct;  // N m/rad s: the s multiplies
    std::size_t at = at_;
    while (at < text_.size() && text_[at] == ' ') ++at;
    if (at >= text_.size() || (text_[at] != '*' && text_[at] != '/')) return {};
    const std::string_view name = unit_at(at + 1);
    if (name.empty() || find_unit(name) == nullptr || is_variable(name)) return {};
    divides = text_[at] == '/';
    return name;
  }
  bool is_variable(std::string_view name) const {
    if (variables_ == nullptr) return false;
    try {
      return (*variables_)(name) >= 0;
    } catch (const Error&) {
      return false;
    }
  }
  int unit_exponent() {
    if (at_ >= text_.size() || text_[at_] != '^') return 1;
    int n = 0;
    const char* begin = text_.data() + at_ + 1;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), n);
    if (error != std::errc{} || n == 0 || std::abs(n) > 9)
      fail(at_, "the exponent of a unit is not a whole number up to 9");
    at_ += 1 + static_cast<std::size_t>(stop - begin);
    return n;
  }
  /// x above / below; a literal is scaled at once, so that no operation is left to evaluate.
  Part scaled(const Part& part, double above, double below) {
    Expression::Node& node = out_.nodes_[static_cast<std::size_t>(part.node)];
    if (node.op == Op::number) {
      node.number = node.number * above / below;
      return part;
    }
    Part out = part;
    const auto factor = [&](Op op, double x) {
      if (x == 1) return;
      const Part b = push({Op::number, -1, -1, -1, x}, {}, part.at);
      out = add(part.at, op, out, part.dimension, b.node);
    };
    factor(Op::multiply, above), factor(Op::divide, below);
    return out;
  }

  std::string_view text_;
  const Expression::Variables* variables_;  // null: a constant
  Expression out_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string_view text, const Variables& variables) {
  Dimension unused;
  *this = ExpressionParser(text, &variables).read(unused);
}

Dimension dimension_of(std::string_view unit) {
  return unit == "1" ? Dimension{} : evaluate_constant("1 " + std::string(unit)).dimension;
}

Measure evaluate_constant(std::string_view text) {
  Measure out{};
  out.value = ExpressionParser(text, nullptr).read(out.dimension).value({});
  return out;
}

}  // namespace chasles
