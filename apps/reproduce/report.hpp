#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "chasles/io/output_file.hpp"
#include "studies/entry.hpp"

/// Output of `reproduce`: printed numbers of papers beside computed ones, and data.
using chasles::studies::Entry;

/// The studies: each prints its tables and, with a directory, writes them and its data there.
void report_rcm(const std::string& directory);
void report_park_chung(const std::string& directory);
void report_se3_vs_so3xr3(const std::string& directory);
void report_linearized(const std::string& directory);
void report_costs(const std::string& directory);

/// A file in a directory, which is made if need be.
class ResultFile {
 public:
  /// @throws chasles::Error naming the file
  ResultFile(const std::string& directory, const std::string& name);
  std::ostream& stream() { return text_; }
  /// Commits the complete file.
  /// @throws std::system_error naming the file
  void close();

 private:
  chasles::OutputFile file_;
  std::ostringstream text_;
};

/// DIRECTORY/NAME.json with {"entries": [..]}; nothing if the directory is empty.
void write_entries(const std::string& name, const std::vector<Entry>& entries,
                   const std::string& directory);
