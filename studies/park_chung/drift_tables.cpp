#include "studies/park_chung/drift_tables.hpp"

#include <iterator>

#include "studies/drift.hpp"
#include "studies/park_chung/methods.hpp"
#include "studies/three_spheres.hpp"

namespace chasles::studies::park_chung {
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

constexpr const Printed* printed[] = {&energy, &linear_momentum, &angular_momentum};

}  // namespace

std::vector<Entry> drift_tables() {
  const Model model = compile(three_spheres());
  ModelSystem system(model);
  const State start = three_spheres_start();
  Drift drifts[9][4];
  for (std::size_t m = 0; m < 9; ++m)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto integrator =
          make_integrator(system, {.method = methods[m].name, .step = steps[k]});
      drifts[m][k] = drift(model, start, run(*integrator, start, 1));
    }
  constexpr double Drift::*quantity[] = {&Drift::energy, &Drift::linear_momentum,
                                         &Drift::angular_momentum};
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < std::size(drift_titles); ++i)
    for (std::size_t m = 0; m < 9; ++m)
      for (std::size_t k = 0; k < 4; ++k)
        entries.push_back({drift_titles[i].number, methods[m].title, columns[k],
                           (*printed[i])[m][k], drifts[m][k].*quantity[i]});
  return entries;
}

}  // namespace chasles::studies::park_chung
