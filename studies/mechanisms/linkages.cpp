#include "studies/mechanisms/linkages.hpp"

#include "studies/mechanisms/rods.hpp"

namespace chasles::studies {
namespace {

constexpr Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

std::string numbered(const char* name, int i) { return name + std::to_string(i); }

}  // namespace

Mechanism four_bar() {
  const Vec3 A{0, 0, 0}, B{0, 0, 0.2}, C{0.5, 0, 0.4}, D{0.6, 0, 0};
  MechanismBuilder builder("four_bar");
  rod(builder, "crank", ground, joints::revolute(y, A), A, B, 0.5);
  rod(builder, "coupler", "crank", joints::revolute(y, B), B, C, 1);
  rod(builder, "rocker", ground, joints::revolute(y, D), D, C, 0.8);
  return builder.loop(closure("closure", "coupler", "rocker", JointType::revolute, C, y)).build();
}

Mechanism slider_crank() {
  const Vec3 O{0, 0, 0}, pin{0, 0, 0.15}, end{0.36, 0, 0};
  MechanismBuilder builder("slider_crank");
  rod(builder, "crank", ground, joints::revolute(y, O), O, pin, 0.4);
  rod(builder, "rod", "crank", joints::revolute(y, pin), pin, end, 0.8);
  return builder.body("slider", ground, joints::prismatic(x))
      .pose({{}, end})
      .inertia(0.5, {}, box(0.5, {0.06, 0.04, 0.04}))
      .loop(closure("wrist_pin", "rod", "slider", JointType::revolute, end, y))
      .build();
}

Mechanism n_four_bar(int N) {
  MechanismBuilder builder(numbered("four_bars_", N));
  builder.gravity({0, -9.81, 0});
  const auto foot = [](int i) { return Vec3{static_cast<double>(i), 0, 0}; };
  const auto end = [](int i) { return Vec3{static_cast<double>(i), 1, 0}; };
  for (int i = 0; i <= N; ++i) {
    rod(builder, numbered("standing", i), ground, joints::revolute(z, foot(i)), foot(i), end(i), 1);
    if (i < N)
      rod(builder, numbered("lying", i), numbered("standing", i), joints::revolute(z, end(i)),
          end(i), end(i + 1), 1);
  }
  for (int i = 1; i <= N; ++i)
    builder.loop(closure(numbered("closure", i), numbered("lying", i - 1), numbered("standing", i),
                         JointType::revolute, end(i), z));
  return builder.build();
}

State n_four_bar_start(int N) {
  // Depth first: each upright bar, at -1 rad/s, then the horizontal bar on it, which does not rotate.
  State start{0, Vector(2 * N + 1), Vector(2 * N + 1)};
  for (int i = 0; i <= 2 * N; ++i) start.v[i] = i % 2 == 0 ? -1 : 1;
  return start;
}

Pendulum n_four_bar_reduced(int N) { return {(N + 1) / 3.0 + N, ((N + 1) / 2.0 + N) * 9.81}; }

Mechanism bricard() {
  const Vec3 P[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const Vec3 axes[] = {y, z, x, y, z, x};
  MechanismBuilder builder("bricard");
  builder.gravity({0, -9.81, 0});
  for (int i = 0; i < 5; ++i)
    rod(builder, numbered("bar", i + 1), i == 0 ? std::string(ground) : numbered("bar", i),
        joints::revolute(axes[i], P[i]), P[i], P[i + 1], 1);
  return builder.loop(closure("closure", "bar5", "ground", JointType::revolute, P[5], axes[5]))
      .build();
}

Mechanism ladder(int n) {
  MechanismBuilder builder(numbered("ladder_", n));
  std::string below(ground);
  for (int i = 0; i < n; ++i) {
    const double low = 0.3 * i, high = 0.3 * (i + 1);
    const Vec3 a{0, 0, low}, b{0, 0, high}, c{0.4, 0, high}, d{0.4, 0, low};
    rod(builder, numbered("left", i), below, joints::revolute(y, a), a, b, 0.3);
    rod(builder, numbered("right", i), below, joints::revolute(y, d), d, c, 0.3);
    rod(builder, numbered("rung", i), numbered("left", i), joints::revolute(y, b), b, c, 0.4);
    builder.loop(closure(numbered("closure", i), numbered("rung", i), numbered("right", i),
                         JointType::revolute, c, y));
    below = numbered("rung", i);
  }
  return builder.build();
}

Mechanism rope(int n) {
  MechanismBuilder builder(numbered("rope_", n));
  for (int i = 0; i < n; ++i) {
    const Vec3 a{0.1 * i, 0, 0}, b{0.1 * (i + 1), 0, 0};
    rod(builder, numbered("bar", i), i == 0 ? std::string(ground) : numbered("bar", i - 1),
        joints::spherical(a), a, b, 0.05);
  }
  return builder.build();
}

}  // namespace chasles::studies
