#pragma once

#include <chasles/linearization/equilibrium.hpp>
#include <chasles/simulation/scenario_system.hpp>

/// To an equilibrium near a state. Joints that stops and friction hold there may not be those held at the start.
/// @param held  those held at the start; on return those held at the equilibrium
/// @throws std::runtime_error if there is none: the input is good, the computation fails
void settle(chasles::ScenarioSystem& run, chasles::State& at, std::vector<int>& held,
            int load_steps = 0);
