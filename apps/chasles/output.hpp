#pragma once

#include <chasles/io/output_file.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

/// A file gets the format that its name promises. Devices and pipes promise nothing.
/// @param path     as given with -o; empty: standard output
/// @param message  for other endings: "models are written as .yaml"
/// @throws chasles::Error
void require_ending(const std::string& path, std::initializer_list<std::string_view> endings,
                    const std::string& message);

/// Writes a result whole or not at all.
/// @param path    as given with -o; empty: standard output
/// @param inputs  what it was made from, which is never overwritten
void write_output(std::string_view text, const std::string& path,
                  chasles::OutputFile::Paths inputs = {});
