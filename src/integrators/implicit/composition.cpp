#include "integrators/implicit/composition.hpp"

#include <cmath>

namespace chasles {
namespace {

/// w_1 ... w_k, then w_{k-1} ... w_1.
std::vector<double> symmetric(std::initializer_list<double> half) {
  std::vector<double> w(half);
  for (std::size_t i = half.size() - 1; i-- > 0;) w.push_back(w[i]);
  return w;
}

std::vector<double> suzuki(int order) {
  if (order == 2) return {1};
  const std::vector<double> inner = suzuki(order - 2);
  const double s = 1 / (4 - std::pow(4.0, 1.0 / (order - 1)));
  std::vector<double> w;
  for (const double outer : {s, s, 1 - 4 * s, s, s})
    for (const double x : inner) w.push_back(outer * x);
  return w;
}

std::vector<double> yoshida(int order) {
  switch (order) {
    case 4: {
      const double w = 1 / (2 - std::cbrt(2.0));
      return {w, 1 - 2 * w, w};
    }
    case 6:
      return symmetric({0.78451361047755726381949763, 0.23557321335935813368479318,
                        -1.17767998417887100694641568, 1.31518632068391121888424973});
    default:
      return symmetric({0.74167036435061295344822780, -0.40910082580003159399730010,
                        0.19075471029623837995387626, -0.57386247111608226665638773,
                        0.29906418130365592384446354, 0.33462491824529818378495798,
                        0.31529309239676659663205666, -0.79688793935291635401978884});
  }
}

std::vector<double> kahan_li(int order) {
  if (order == 6)
    return symmetric({0.39216144400731413927925056, 0.33259913678935943859974864,
                      -0.70624617255763935980996482, 0.08221359629355080023149045,
                      0.79854399093482996339895035});
  return symmetric(
      {0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
       0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
       0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108});
}

}  // namespace

std::vector<double> composition_weights(const std::string& method, int order, Composition kind) {
  if (order != 4 && order != 6 && order != 8)
    throw Error(method + ": there is no composition of order " + std::to_string(order) +
                "; take 2 (no composition), 4, 6 or 8");
  if (kind == Composition::suzuki) return suzuki(order);
  if (kind == Composition::yoshida) return yoshida(order);
  if (order == 4)
    throw Error(method +
                ": the composition kahan_li is of order 6 or 8; for 4 take suzuki or yoshida");
  return kahan_li(order);
}

}  // namespace chasles
