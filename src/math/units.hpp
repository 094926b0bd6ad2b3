/// Units of measurement as factors to SI, with their dimension. Angles are a dimension of their own, so that degrees
/// are not taken for meters, nor rpm for Hz.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chasles {

/// Exponents of meter, kilogram, second and radian.
struct Dimension {
  int length = 0, mass = 0, time = 0, angle = 0;
  bool operator==(const Dimension&) const = default;
  bool is_none() const { return *this == Dimension{}; }
  Dimension operator+(const Dimension& b) const {
    return {length + b.length, mass + b.mass, time + b.time, angle + b.angle};
  }
  Dimension operator*(int n) const { return {length * n, mass * n, time * n, angle * n}; }
};

/// SI value = x numerator / denominator. Two factors, so that `40 mm` is the double of 0.04.
struct Unit {
  std::string_view name;
  double numerator, denominator;
  Dimension dimension;
};

/// Null if there is no such unit.
const Unit* find_unit(std::string_view name);
/// "; did you mean 'mm'?", or examples of units.
std::string unit_choices(std::string_view word);
/// "N m/rad", "kg m^2"; "a number without unit" for none.
std::string dimension_text(const Dimension& dimension);

/// Whether a value of dimension `given` may be used where `wanted` is. In mechanical quantities with mass (torque,
/// stiffness, damping, inertia) radians may be written or not: N m/rad is N m. Everywhere else they count.
bool fits(const Dimension& given, const Dimension& wanted);

namespace dimensions {
inline constexpr Dimension any{99, 99, 99, 99};  // fits everything
inline constexpr Dimension none{}, length{1}, mass{0, 1}, time{0, 0, 1}, angle{0, 0, 0, 1},
    frequency{0, 0, -1}, velocity{1, 0, -1}, angular_velocity{0, 0, -1, 1}, acceleration{1, 0, -2},
    force{1, 1, -2}, torque{2, 1, -2}, inertia{2, 1}, stiffness{0, 1, -2}, damping{0, 1, -1},
    angular_stiffness{2, 1, -2, -1}, angular_damping{2, 1, -1, -1}, pitch{1, 0, 0, -1};
}  // namespace dimensions

}  // namespace chasles
