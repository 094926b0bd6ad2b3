#pragma once

#include <fstream>
#include <string>
#include <vector>

/// A number that a paper prints, and what we compute.
struct Entry {
  std::string table, row, column;
  double printed, computed;
};

std::vector<Entry> reproduce_rcm();
/// Paper 001: prints its tables and two studies; with a directory, writes them and the data there.
void reproduce_park_chung(const std::string& directory);

/// A file in the directory, which is made if need be.
/// @throws std::runtime_error naming the file
std::ofstream open_result(const std::string& directory, const std::string& name);
/// DIRECTORY/NAME.json with {"entries": [..]}; nothing if the directory is empty.
void write_entries(const std::string& name, const std::vector<Entry>& entries,
                   const std::string& directory);
