#pragma once

#include "command.hpp"

/// One function per command: it adds the command to the program, with its options and its callback.
/// A callback reports bad input by throwing chasles::Error, a failed computation by any other
/// std::exception.
void add_bench(Command program);
void add_convert(Command program);
void add_eval(Command program);
void add_help(Command program);  // the last: it knows all others
void add_ik(Command program);
void add_info(Command program);
void add_linearize(Command program);
void add_methods(Command program);
void add_plot(Command program);
void add_report(Command program);
void add_reproduce(Command program);
void add_simulate(Command program);
void add_view(Command program);
