/// Paper 001: drift of what should be conserved, Tables VI to VIII.
#include "park_chung.hpp"

#include <fmt/format.h>

#include <chasles/dynamics/energy.hpp>
#include <chasles/mechanism/builder.hpp>
#include <cstdio>

namespace park_chung {

using namespace chasles;

Model three_spheres() {
  const Sym3 I = Sym3::diagonal(4, 4, 4);
  return compile(MechanismBuilder("three_spheres")
                     .gravity({0, 0, 0})
                     .body("sphere1", ground, joints::free())
                     .joint_name("base")
                     .inertia(10, {}, I)
                     .body("sphere2", "sphere1", joints::revolute({0, 0, 1}))
                     .joint_name("joint1")
                     .pose({{}, {2, 0, 0}})
                     .inertia(10, {}, I)
                     .body("sphere3", "sphere2", joints::revolute({1, 0, 0}, {2, 0, 0}))
                     .joint_name("joint2")
                     .pose({{}, {2, 0, -2}})
                     .inertia(10, {}, I)
                     .build());
}

State start(const Twist& V) {
  State state{0, Eigen::VectorXd::Zero(9), Eigen::VectorXd(8)};
  state.q[0] = 1;
  state.v << V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z, 0.4, 0.4;
  return state;
}

Conserved conserved(const Model& model, const State& state) {
  VelocityKinematics kin(model);
  velocities(model, state.q, state.v, kin);
  const Wrench h = spatial_momentum(model, kin);
  return {kinetic_energy(model, kin), h.f, h.t, centroidal_momentum(model, kin).t};
}

std::array<double, 4> drift(const Conserved& from, const Conserved& to) {
  return {std::abs(to.E - from.E), norm(to.P - from.P), norm(to.L - from.L),
          norm(to.L_com - from.L_com)};
}

namespace {

constexpr const char* columns[] = {"1", "0.1", "0.01", "0.001"};
constexpr double steps[] = {1, 0.1, 0.01, 0.001};

/// As the paper prints them ("GG4" is CG4), methods by steps.
using Printed = double[9][4];
constexpr Printed energy = {
    {3.4673e-2, 1.1679e-3, 1.2151e-5, 1.2197e-7},   {3.9707e-2, 4.2896e-5, 4.3020e-8, 4.3059e-11},
    {1.5120e-3, 2.0035e-7, 2.0421e-11, 1.7764e-14}, {3.4673e-2, 1.1679e-3, 1.2151e-5, 1.2197e-7},
    {5.3524e-2, 5.0535e-5, 5.0334e-8, 5.0292e-11},  {3.6308e-3, 3.2133e-7, 3.1989e-11, 1.7764e-14},
    {3.4673e-2, 1.1679e-3, 1.2151e-5, 1.2197e-7},   {5.3524e-2, 5.0535e-5, 5.0334e-8, 5.0292e-11},
    {3.6308e-3, 3.2133e-7, 3.1996e-11, 1.4211e-14}};
constexpr Printed linear_momentum = {
    {5.5613e-1, 5.2947e-3, 5.2633e-5, 5.2600e-7},   {5.6523e-2, 4.7138e-5, 4.6619e-8, 4.6510e-11},
    {8.4583e-3, 8.2850e-7, 8.3399e-11, 3.2901e-13}, {5.5613e-1, 5.2947e-3, 5.2633e-5, 5.2600e-7},
    {5.1921e-2, 5.2437e-5, 5.2982e-8, 5.2981e-11},  {1.5953e-2, 1.5814e-6, 1.5782e-10, 5.7011e-14},
    {5.5613e-1, 5.3178e-3, 5.2893e-5, 5.2864e-7},   {5.2334e-2, 5.3244e-5, 5.3800e-8, 5.3802e-11},
    {1.5910e-2, 1.5903e-6, 1.5877e-10, 9.0256e-14}};
constexpr Printed angular_momentum = {
    {8.3715e-1, 8.1705e-3, 8.3278e-5, 8.3449e-7},   {2.0265e-1, 1.9643e-4, 1.9513e-7, 1.9481e-10},
    {2.3172e-2, 2.6873e-6, 2.8057e-10, 2.7154e-12}, {8.3715e-1, 8.1705e-3, 8.3278e-5, 8.3449e-7},
    {2.8075e-1, 2.8154e-4, 2.8084e-7, 2.8059e-10},  {3.6510e-2, 3.6710e-6, 3.6619e-10, 3.9933e-13},
    {8.3715e-1, 8.1218e-3, 8.2721e-5, 8.2885e-7},   {2.7813e-1, 2.8401e-4, 2.8359e-7, 2.8344e-10},
    {3.9118e-2, 3.8141e-6, 3.8025e-10, 1.9654e-13}};

struct Table {
  const char *number, *title;
  const Printed& printed;
};
constexpr Table tables[] = {{"VI", "kinetic energy", energy},
                            {"VII", "linear momentum", linear_momentum},
                            {"VIII", "angular momentum about the origin", angular_momentum}};

void print(const Table& table, const std::vector<Entry>& entries) {
  fmt::print("\nTable {}: drift of {} at t = 1; printed, computed\n  step", table.number,
             table.title);
  for (const char* column : columns) fmt::print("  {:<24}", column);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].table != table.number) continue;
    if (entries[i].column == columns[0]) fmt::print("\n  {}", entries[i].row);
    fmt::print("   {:.4e}  {:.4e}", entries[i].printed, entries[i].computed);
  }
  fmt::print("\n");
}

}  // namespace

std::vector<Entry> drift_tables() {
  const Model model = three_spheres();
  ModelSystem system(model);
  const State begin = start({});
  const Conserved first = conserved(model, begin);
  std::array<double, 4> drifts[9][4];
  for (std::size_t m = 0; m < 9; ++m)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto integrator =
          make_integrator(system, {.method = methods[m].name, .step = steps[k]});
      integrator->reset(begin);
      while (integrator->state().t < 1) integrator->step(1);
      drifts[m][k] = drift(first, conserved(model, integrator->state()));
    }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < std::size(tables); ++i)
    for (std::size_t m = 0; m < 9; ++m)
      for (std::size_t k = 0; k < 4; ++k)
        entries.push_back({tables[i].number, methods[m].title, columns[k], tables[i].printed[m][k],
                           drifts[m][k][i]});
  for (const Table& table : tables) print(table, entries);
  return entries;
}

}  // namespace park_chung

void reproduce_park_chung(const std::string& directory) {
  fmt::print("park-chung: three spheres in a free chain, paper 001, section VI\n");
  std::vector<Entry> entries = park_chung::drift_tables();
  const std::vector<Entry> counts = park_chung::operation_counts();
  entries.insert(entries.end(), counts.begin(), counts.end());
  write_entries("park-chung", entries, directory);
  park_chung::work_precision(directory);
  if (!directory.empty()) park_chung::long_run_drift(directory);
}
