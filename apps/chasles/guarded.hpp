#pragma once

#include <functional>

/// Runs a program and turns what it throws into a message on stderr and an exit code: 0 done, 1 a computation
/// or writing failed, 2 bad input (chasles::Error), 128 + N ended by signal N (130: Ctrl-C, 141: the reader of the
/// output is gone). Standard streams that are closed are opened on /dev/null before it, standard output is flushed
/// after it.
/// @param run  its result is the exit code
int guarded(const std::function<int()>& run);

constexpr int done = 0, failed = 1, bad_input = 2, by_signal = 128;
