/// chasles linearize with sampled controllers: the loop from sample to sample.
#pragma once

#include <chasles/linearization/sampled_system.hpp>
#include <chasles/simulation/control.hpp>

#include "json.hpp"

/// "elbow", or "ball[1]" of a joint with several velocities.
std::string joint_name(const chasles::Model& model, Eigen::Index k);

struct SampledLinearization {
  chasles::SampledSystem system;
  std::vector<std::string> controllers;  // names, in the order of its feedbacks
  std::vector<std::complex<double>> eigenvalues;
};
/// @param plant  the mechanism between samples, at `at`
/// @throws Error naming two controllers whose periods differ
SampledLinearization sampled_linearization(std::span<const chasles::Controller> controllers,
                                           const chasles::State& at,
                                           const chasles::LinearSystem& plant);
Json describe(const chasles::Model& model, const SampledLinearization& loop);
void print(const chasles::Model& model, const SampledLinearization& loop);
