#include "studies/linearized/costs.hpp"

#include <time.h>

#include <algorithm>
#include <random>

namespace chasles::studies::linearized {
namespace {

/// A number that counts the operations on it.
struct Counted {
  double x = 0;
  static inline thread_local Operations count;
  constexpr Counted() = default;
  constexpr explicit(false) Counted(double value) : x(value) {}
  friend Counted operator+(Counted a, Counted b) { return ++count.additions, a.x + b.x; }
  friend Counted operator-(Counted a, Counted b) { return ++count.additions, a.x - b.x; }
  friend Counted operator*(Counted a, Counted b) { return ++count.multiplications, a.x * b.x; }
  friend Counted operator/(Counted a, Counted b) { return ++count.multiplications, a.x / b.x; }
  friend Counted operator-(Counted a) { return -a.x; }
  bool operator==(const Counted&) const = default;
};

template <class S>
std::vector<ChainJoint<S>> over(const std::vector<ChainJoint<double>>& chain) {
  const auto vec = [](const Vec3& v) { return lie::Vec3<S>{S(v.x), S(v.y), S(v.z)}; };
  std::vector<ChainJoint<S>> out;
  for (const ChainJoint<double>& j : chain) {
    const Sym3& I = j.M.I;
    out.push_back({vec(j.h),
                   vec(j.r),
                   {S(j.M.m), vec(j.M.mc), {S(I.xx), S(I.xy), S(I.xz), S(I.yy), S(I.yz), S(I.zz)}},
                   S(j.rate),
                   S(j.acceleration)});
  }
  return out;
}

template <class S>
void run(int algorithm, const std::vector<ChainJoint<S>>& chain, const Numbers<S>& x) {
  const std::vector<ChainLink<S>> links = sweep(chain, {S(0), S(0), S(-9.81)});
  if (algorithm == 1) algorithm_1(links, x, x, &x);
  if (algorithm == 2) algorithm_2(links);
  if (algorithm == 3) algorithm_3(links, x, x, x);
  if (algorithm == 4) algorithm_4(links);
  if (algorithm == 5) algorithm_5(links, articulated(links), x, x, x);
  if (algorithm == 6) algorithm_6(links, articulated(links));
}

/// The cubic through the values at n = 4 to 7.
CostLaw law(const std::array<double, 4>& at) {
  const double d1 = at[1] - at[0], d2 = at[2] - 2 * at[1] + at[0],
               d3 = at[3] - 3 * at[2] + 3 * at[1] - at[0];
  // Newton's polynomial in s = n - 4, expanded.
  const double s1 = d1 - d2 / 2 + d3 / 3, s2 = d2 / 2 - d3 / 2, s3 = d3 / 6;
  return {{at[0] - 4 * s1 + 16 * s2 - 64 * s3, s1 - 8 * s2 + 48 * s3, s2 - 12 * s3, s3}};
}

}  // namespace
}  // namespace chasles::studies::linearized

template <>
struct chasles::lie::ScalarTraits<chasles::studies::linearized::Counted> {
  using Real = double;
  static double real_part(const studies::linearized::Counted& s) { return s.x; }
};

namespace chasles::studies::linearized {

std::vector<ChainJoint<double>> random_chain(int joints) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vec = [&] { return Vec3{uniform(random), uniform(random), uniform(random)}; };
  std::vector<ChainJoint<double>> chain;
  Vec3 at;
  for (int k = 0; k < joints; ++k) {
    const Vec3 axis = vec();
    at += 0.4 * vec();
    chain.push_back({axis / norm(axis), at,
                     lie::compose_inertia(1.5, 0.2 * vec(), Sym3::diagonal(0.03, 0.02, 0.04)),
                     uniform(random), uniform(random)});
  }
  return chain;
}

Operations count_operations(int algorithm, int joints) {
  const auto chain = over<Counted>(random_chain(joints));
  const Numbers<Counted> x(static_cast<std::size_t>(joints), Counted(0.3));
  Counted::count = {};
  run(algorithm, chain, x);
  return Counted::count;
}

std::vector<Cost> costs() {
  const auto counted = [](int algorithm, auto member) {
    std::array<double, 4> at{};
    for (int k = 0; k < 4; ++k)
      at[static_cast<std::size_t>(k)] =
          static_cast<double>(count_operations(algorithm, k + 4).*member);
    return law(at);
  };
  std::vector<Cost> list = {
      {1, {{-159, 320}}, {{-149, 303}}, {}, {}, {}, {}},
      {2, {{-132, 333, 21}}, {{-145, 302.5, 23.5}}, {}, {}, {}, {}},
      {3, {{-153, 952 / 3., 1.5, 1 / 6.}}, {{-147, 1805 / 6., 1, 1 / 6.}}, {}, {}, {}, {}},
      {4, {{-132, 998 / 3., 21.5, 17 / 6.}}, {{-145, 1819 / 6., 20, 17 / 6.}}, {}, {}, {}, {}},
      {5, {{-129, 259}}, {{-123, 232}}, {}, {}, {}, {}},
      {6, {{-225, 781, 36}}, {{-255, 773, 33}}, {}, {}, {}, {}}};
  for (Cost& cost : list) {
    cost.multiplications = counted(cost.algorithm, &Operations::multiplications);
    cost.additions = counted(cost.algorithm, &Operations::additions);
    cost.sweep_multiplications = counted(0, &Operations::multiplications);
    cost.sweep_additions = counted(0, &Operations::additions);
  }
  return list;
}

double total(const Cost& cost, CostSource source, double n) {
  if (source == CostSource::printed)
    return cost.printed_multiplications.at(n) + cost.printed_additions.at(n);
  const double sweep = cost.sweep_multiplications.at(n) + cost.sweep_additions.at(n);
  return cost.multiplications.at(n) + cost.additions.at(n) -
         (source == CostSource::counted_without_sweep ? sweep : 0);
}

int crossover(int a, int b, CostSource source) {
  const std::vector<Cost> list = costs();
  const auto of = [&](int algorithm, int n) {
    return total(list[static_cast<std::size_t>(algorithm - 1)], source, n);
  };
  int first = 0;
  for (int n = 100; n >= 1 && of(a, n) < of(b, n); --n) first = n;
  return first;
}

double time_of(int algorithm, int joints) {
  const auto chain = random_chain(joints);
  const Numbers<double> x(static_cast<std::size_t>(joints), 0.3);
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
  };
  double least = 1e99;
  const int calls = 1 + 4000 / (joints * joints);
  for (int sample = 0; sample < 9; ++sample) {
    const double start = now();
    for (int k = 0; k < calls; ++k) run(algorithm, chain, x);
    least = std::min(least, (now() - start) / calls);
  }
  return least;
}

}  // namespace chasles::studies::linearized
