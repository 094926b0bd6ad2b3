#include "chasles/linearization/accessibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "chasles/error.hpp"

namespace chasles {

/// Monomials in order of degree, and the products that are kept.
struct TaylorPolynomial::Monomials {
  int degree = 0;
  std::vector<std::vector<int>> exponents{};
  std::vector<std::array<std::size_t, 3>> products{};  // i, j, index of the product
  /// By variable: monomial, its derivative, the exponent.
  std::vector<std::vector<std::array<std::size_t, 3>>> derivatives{};

  Monomials(int n, int d) : degree(d), derivatives(static_cast<std::size_t>(n)) {
    std::map<std::vector<int>, std::size_t> index;
    std::vector<int> e(static_cast<std::size_t>(n), 0);
    for (int total = 0; total <= d; ++total) append(e, 0, total);
    std::vector<int> degrees;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      index[exponents[i]] = i;
      int sum = 0;
      for (const int k : exponents[i]) sum += k;
      degrees.push_back(sum);
    }
    for (std::size_t i = 0; i < exponents.size(); ++i)
      for (std::size_t j = 0; j < exponents.size(); ++j) {
        if (degrees[i] + degrees[j] > d) break;  // degrees increase with j
        std::vector<int> sum = exponents[i];
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += exponents[j][k];
        products.push_back({i, j, index.at(sum)});
      }
    for (std::size_t k = 0; k < derivatives.size(); ++k)
      for (std::size_t i = 0; i < exponents.size(); ++i) {
        if (exponents[i][k] == 0) continue;
        std::vector<int> less = exponents[i];
        --less[k];
        derivatives[k].push_back({i, index.at(less), static_cast<std::size_t>(exponents[i][k])});
      }
  }

 private:
  void append(std::vector<int>& e, std::size_t k, int left) {
    if (k + 1 >= e.size()) {
      if (!e.empty()) e.back() = left;
      if (!e.empty() || left == 0) exponents.push_back(e);
      return;
    }
    for (int power = left; power >= 0; --power) e[k] = power, append(e, k + 1, left - power);
    e[k] = 0;
  }
};

std::vector<TaylorPolynomial> TaylorPolynomial::variables(ConstVectorRef at, int degree) {
  const auto n = static_cast<int>(at.size());
  double count = 1;
  for (int k = 1; k <= degree; ++k) count *= static_cast<double>(n + k) / k;
  if (degree < 0 || count > 20000)
    throw Error("polynomials of degree " + std::to_string(degree) + " in " + std::to_string(n) +
                " variables are too large; use a smaller depth or a smaller system");
  const auto table = std::make_shared<const Monomials>(n, degree);
  std::vector<TaylorPolynomial> list(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < list.size(); ++k) {
    list[k].monomials_ = table;
    list[k].c_.assign(table->exponents.size(), 0);
    list[k].c_[0] = at[static_cast<Eigen::Index>(k)];
    if (degree > 0) list[k].c_[1 + k] = 1;  // monomials of degree 1, in the order of the variables
  }
  return list;
}

double TaylorPolynomial::value() const { return monomials_ ? c_[0] : constant_; }

double TaylorPolynomial::largest() const {
  double out = monomials_ ? 0 : std::abs(constant_);
  for (const double c : c_) out = std::max(out, std::abs(c));
  return out;
}

TaylorPolynomial TaylorPolynomial::derivative(int k) const {
  if (!monomials_) return 0.0;
  if (const std::size_t n = monomials_->derivatives.size();
      k < 0 || static_cast<std::size_t>(k) >= n)
    throw Error("a Taylor polynomial of " + std::to_string(n) +
                " variables has no derivative by variable " + std::to_string(k) +
                "; they count from 0");
  TaylorPolynomial out;
  out.monomials_ = monomials_;
  out.c_.assign(c_.size(), 0);
  for (const auto& [from, to, power] : monomials_->derivatives[static_cast<std::size_t>(k)])
    out.c_[to] += static_cast<double>(power) * c_[from];
  return out;
}

namespace {
void require_same(const TaylorPolynomial::Monomials& a, const TaylorPolynomial::Monomials& b) {
  if (a.degree != b.degree || a.derivatives.size() != b.derivatives.size())
    throw Error("Taylor polynomials of " + std::to_string(a.derivatives.size()) +
                " variables with degree " + std::to_string(a.degree) + " and of " +
                std::to_string(b.derivatives.size()) + " with degree " + std::to_string(b.degree) +
                " do not go together; make all by one call of variables");
}
}  // namespace

TaylorPolynomial operator+(const TaylorPolynomial& a, const TaylorPolynomial& b) {
  if (!a.monomials_ && !b.monomials_) return a.constant_ + b.constant_;
  if (!a.monomials_) return b + a;
  TaylorPolynomial out = a;
  if (!b.monomials_)
    out.c_[0] += b.constant_;
  else
    require_same(*a.monomials_, *b.monomials_);
  for (std::size_t i = 0; b.monomials_ && i < out.c_.size(); ++i) out.c_[i] += b.c_[i];
  return out;
}
TaylorPolynomial operator-(const TaylorPolynomial& a) { return a * -1.0; }
TaylorPolynomial operator-(const TaylorPolynomial& a, const TaylorPolynomial& b) { return a + -b; }
TaylorPolynomial operator*(const TaylorPolynomial& a, const TaylorPolynomial& b) {
  if (!a.monomials_ && !b.monomials_) return a.constant_ * b.constant_;
  if (!a.monomials_) return b * a;
  TaylorPolynomial out = a;
  if (!b.monomials_) {
    for (double& c : out.c_) c *= b.constant_;
    return out;
  }
  require_same(*a.monomials_, *b.monomials_);
  out.c_.assign(a.c_.size(), 0);
  for (const auto& [i, j, to] : a.monomials_->products) out.c_[to] += a.c_[i] * b.c_[j];
  return out;
}

template <class Coefficient>
TaylorPolynomial TaylorPolynomial::composed(const Coefficient& coefficient) const {
  if (!monomials_) return coefficient(0);
  TaylorPolynomial step = *this;
  step.c_[0] = 0;
  TaylorPolynomial out = coefficient(monomials_->degree);
  for (int k = monomials_->degree - 1; k >= 0; --k) out = out * step + coefficient(k);
  return out;
}

TaylorPolynomial operator/(const TaylorPolynomial& a, const TaylorPolynomial& b) {
  const double x = b.value();
  return a * b.composed([x](int k) { return (k % 2 == 0 ? 1 : -1) / std::pow(x, k + 1); });
}

namespace {

/// The derivatives of sin and cos repeat: s, c, -s, -c.
double circular(double s, double c, int k) {
  const double cycle[] = {s, c, -s, -c};
  return cycle[k % 4] / std::tgamma(k + 1);
}

}  // namespace

TaylorPolynomial sin(const TaylorPolynomial& a) {
  const double s = std::sin(a.value()), c = std::cos(a.value());
  return a.composed([=](int k) { return circular(s, c, k); });
}
TaylorPolynomial cos(const TaylorPolynomial& a) {
  const double s = std::sin(a.value()), c = std::cos(a.value());
  return a.composed([=](int k) { return circular(c, -s, k); });
}
TaylorPolynomial sqrt(const TaylorPolynomial& a) {
  const double x = a.value();
  return a.composed([x](int k) {
    double binomial = 1;
    for (int i = 0; i < k; ++i) binomial *= (0.5 - i) / (i + 1);
    return binomial * std::pow(x, 0.5 - k);
  });
}

namespace {

using Components = std::vector<TaylorPolynomial>;
struct NamedField {
  std::string name;
  Components x;
  bool has_input;
  double size;  // of its coefficients, or of those it was formed of

  /// Zero but for rounding.
  bool is_zero() const {
    for (const TaylorPolynomial& component : x)
      if (component.largest() > rounding * size) return false;
    return true;
  }
  static constexpr double rounding = 1e-13;
};

double largest(const Components& x) {
  double out = 0;
  for (const TaylorPolynomial& component : x) out = std::max(out, component.largest());
  return out;
}

Components bracket(const Components& X, const Components& Y) {
  const auto n = static_cast<int>(X.size());
  Components out(X.size());
  for (std::size_t i = 0; i < X.size(); ++i)
    for (int k = 0; k < n; ++k) {
      const auto j = static_cast<std::size_t>(k);
      out[i] = out[i] + Y[i].derivative(k) * X[j] - X[i].derivative(k) * Y[j];
    }
  return out;
}

/// An orthonormal basis that grows.
class Span {
 public:
  explicit Span(Eigen::Index n) : basis_(n, 0) {}
  int rank() const { return static_cast<int>(basis_.cols()); }
  bool extend(const Eigen::VectorXd& given, double tolerance) {
    Eigen::VectorXd x = given;
    for (int pass = 0; pass < 2; ++pass) x -= basis_ * (basis_.transpose() * x);
    if (!(x.norm() > tolerance * given.norm())) return false;
    basis_.conservativeResize(Eigen::NoChange, basis_.cols() + 1);
    basis_.col(basis_.cols() - 1) = x.normalized();
    return true;
  }

 private:
  Eigen::MatrixXd basis_;
};

Eigen::VectorXd value_of(const NamedField& field) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(field.x.size()));
  for (std::size_t i = 0; i < field.x.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = field.x[i].value();
  if (!out.allFinite())
    throw Error("the field " + field.name + " has numbers that are not finite at x");
  return out;
}

}  // namespace

Accessibility accessibility(const VectorField& drift, const std::vector<VectorField>& inputs,
                            ConstVectorRef x, int depth, double tolerance) {
  constexpr int most = 12;
  if (depth < 1 || depth > most)
    throw Error("depth " + std::to_string(depth) + " of brackets is out of range; give 1 to " +
                std::to_string(most));
  const Components at = TaylorPolynomial::variables(x, depth - 1);
  std::vector<NamedField> generators;
  const auto add = [&](const std::string& name, const VectorField& field, bool input) {
    if (!field) throw Error("the field " + name + " has no function");
    generators.push_back({name, field(at), input, 0});
    if (generators.back().x.size() != at.size())
      throw Error("the field " + name + " has " + std::to_string(generators.back().x.size()) +
                  " components; the state has " + std::to_string(at.size()));
    generators.back().size = largest(generators.back().x);
  };
  if (drift) add("f", drift, false);
  for (std::size_t i = 0; i < inputs.size(); ++i) add(fmt::format("g{}", i + 1), inputs[i], true);

  Accessibility out;
  Span all(x.size()), strong(x.size());
  std::vector<Eigen::VectorXd> values;
  std::vector<NamedField> level = generators;
  for (int k = 1; k <= depth; ++k) {
    for (const NamedField& field : level) {
      const Eigen::VectorXd value = value_of(field);
      if (!(value.norm() > NamedField::rounding * field.size)) continue;
      if (field.has_input) strong.extend(value, tolerance);
      if (all.extend(value, tolerance)) out.basis.push_back(field.name), values.push_back(value);
    }
    out.rank_at_depth.push_back(all.rank());
    if (k == depth || strong.rank() == x.size()) break;
    std::vector<NamedField> next;
    for (const NamedField& X : generators)
      for (const NamedField& Y : level) {
        if (X.name == Y.name) continue;
        NamedField both{"[" + X.name + ", " + Y.name + "]", bracket(X.x, Y.x),
                        X.has_input || Y.has_input,
                        static_cast<double>(depth * x.size()) * X.size * Y.size};
        if (!both.is_zero()) next.push_back(std::move(both));
      }
    level = std::move(next);
  }
  out.rank = all.rank(), out.strong_rank = strong.rank();
  out.values = Matrix(x.size(), out.rank);
  for (std::size_t i = 0; i < values.size(); ++i)
    out.values.col(static_cast<Eigen::Index>(i)) = values[i];
  return out;
}

}  // namespace chasles
