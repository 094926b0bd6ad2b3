#include "math/units.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "chasles/suggest.hpp"

namespace chasles {
namespace {

/// Lengths and masses of inch, foot and pound are exact by definition.
std::span<const Unit> all_units() {
  using namespace dimensions;
  constexpr double pi = M_PI;
  constexpr Dimension energy = torque, power{2, 1, -3}, pressure{-1, 1, -2};
  static constexpr Unit table[] = {
      {"m", 1, 1, length},
      {"mm", 1, 1e3, length},
      {"cm", 1, 1e2, length},
      {"km", 1e3, 1, length},
      {"um", 1, 1e6, length},
      {"in", 254, 1e4, length},
      {"ft", 3048, 1e4, length},
      {"rad", 1, 1, angle},
      {"mrad", 1, 1e3, angle},
      {"deg", pi, 180, angle},
      {"rev", 2 * pi, 1, angle},
      {"s", 1, 1, time},
      {"ms", 1, 1e3, time},
      {"us", 1, 1e6, time},
      {"min", 60, 1, time},
      {"h", 3600, 1, time},
      {"Hz", 1, 1, frequency},
      {"kHz", 1e3, 1, frequency},
      {"rpm", 2 * pi, 60, angular_velocity},
      {"kg", 1, 1, mass},
      {"g", 1, 1e3, mass},
      {"mg", 1, 1e6, mass},
      {"t", 1e3, 1, mass},
      {"lb", 45359237, 1e8, mass},
      {"N", 1, 1, force},
      {"mN", 1, 1e3, force},
      {"kN", 1e3, 1, force},
      {"MN", 1e6, 1, force},
      {"Nm", 1, 1, torque},
      {"J", 1, 1, energy},
      {"kJ", 1e3, 1, energy},
      {"W", 1, 1, power},
      {"kW", 1e3, 1, power},
      {"Pa", 1, 1, pressure},
      {"kPa", 1e3, 1, pressure},
      {"MPa", 1e6, 1, pressure},
      {"GPa", 1e9, 1, pressure},
  };
  return table;
}

}  // namespace

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : all_units())
    if (unit.name == name) return &unit;
  return nullptr;
}

std::string unit_choices(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Unit& unit : all_units()) names.push_back(unit.name);
  const std::string near = did_you_mean(word, names);
  return near.empty() ? "; give one such as m, mm, deg, rpm, s, kg, g, N or Hz" : near;
}

std::string dimension_text(const Dimension& d) {
  if (d.is_none()) return "a number without unit";
  // Forces in newtons: kg m/s^2, and with a rate of change at least kg/s = N s/m.
  const bool forceful = d.mass == 1 && d.time < 0;
  const Dimension rest = forceful ? d + Dimension{.length = -1, .mass = -1, .time = 2} : d;
  const std::pair<const char*, int> parts[] = {{"N", forceful},
                                               {"kg", rest.mass},
                                               {"m", rest.length},
                                               {"s", rest.time},
                                               {"rad", rest.angle}};
  std::string above, below;
  for (const auto& [name, n] : parts) {
    if (n == 0) continue;
    std::string& text = n > 0 ? above : below;
    if (n > 0 && !text.empty()) text += ' ';
    if (n < 0) text += '/';
    text += name;
    if (std::abs(n) < 2) continue;
    text += '^';
    text += std::to_string(std::abs(n));
  }
  return (above.empty() ? "1" : above) + below;
}

bool fits(const Dimension& given, const Dimension& wanted) {
  if (wanted == dimensions::any) return true;
  Dimension a = given, b = wanted;
  if (b.mass != 0) a.angle = b.angle = 0;
  return a == b;
}

}  // namespace chasles
