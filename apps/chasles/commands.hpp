#pragma once

#include <CLI/CLI.hpp>

/// One function per command: it adds the command to the program, with its options and its callback.
/// A callback reports a failed computation by throwing std::exception.
void add_info(CLI::App& program);
