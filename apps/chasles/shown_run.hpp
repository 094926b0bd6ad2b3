#pragma once

#include <chasles/io/report.hpp>

#include "subject.hpp"

/// What reports, views and pictures are made from.

/// A recorded run with its model. Without one it is plotted only, and a warning says so.
/// @param given   file of the scenario or model; empty: the one that the run names
/// @param inputs  receives the names of the files read
chasles::ReportRun read_shown_run(const std::filesystem::path& path, const std::string& given,
                                  std::vector<std::filesystem::path>& inputs);

/// The configuration that a view begins with: closed, if the mechanism has loops and they can be.
chasles::Vector first_configuration(const Subject& subject, std::vector<std::string>& warnings);
