#pragma once

#include "command.hpp"

/// One function per command: it adds the command to the program, with its options and its callback.
/// A callback reports bad input by throwing chasles::Error, a failed computation by any other
/// std::exception.
using AddCommand = void(Command program);

AddCommand add_bench, add_convert, add_equilibrium, add_eval, add_ik, add_info, add_linearize,
    add_methods, add_plot, add_render, add_report, add_reproduce, add_serve, add_simulate,
    add_verify, add_view, add_help;

/// In the order of the help; `help` is last, since it lists all others.
constexpr AddCommand* all_commands[] = {
    add_bench,     add_convert,  add_equilibrium, add_eval,   add_ik,     add_info,
    add_linearize, add_methods,  add_plot,        add_render, add_report, add_reproduce,
    add_serve,     add_simulate, add_verify,      add_view,   add_help};
