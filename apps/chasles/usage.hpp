#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// Message for a command line that `program` has just rejected with `error`. A word that
/// the program, or the command it reached, does not know is named with the nearest one it does
/// know; that comes before any other complaint, such as a missing argument.
std::string usage_error(const CLI::App& program, const CLI::ParseError& error);
