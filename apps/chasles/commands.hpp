#pragma once

#include <CLI/CLI.hpp>

/// One function per command: it adds the command to the program, with its options and its callback.
/// A callback reports bad input by throwing chasles::Error, a failed computation by any other
/// std::exception.
void add_bench(CLI::App& program);
void add_convert(CLI::App& program);
void add_eval(CLI::App& program);
void add_help(CLI::App& program);  // the last: it knows all others
void add_ik(CLI::App& program);
void add_info(CLI::App& program);
void add_linearize(CLI::App& program);
void add_methods(CLI::App& program);
void add_plot(CLI::App& program);
void add_report(CLI::App& program);
void add_reproduce(CLI::App& program);
void add_simulate(CLI::App& program);
void add_view(CLI::App& program);
