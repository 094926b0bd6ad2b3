/// The reader of recorded runs (run_file.hpp), CSV and JSON, for restarts, reports and plots. A visitor
/// receives the columns, then every sample, then the summary. Nothing is stored; an incomplete last line or
/// sample is ignored.
#pragma once

#include <functional>
#include <istream>
#include <span>

#include "chasles/io/run_file.hpp"
#include "io/text.hpp"

namespace chasles::io {

struct RunColumn {
  std::string group;  // columns of one quantity: "t", "q", "pose:hand"
  std::string label;  // as in CSV: "q:elbow [rad]", "pose:hand[0][3] [m]"
};

/// As described in JSON; fields missing in older files are empty.
struct RunJoint {
  std::string name, type, group;
  std::vector<std::string> q_units, v_units;
};

class RunVisitor {
 public:
  enum class Cell : unsigned char {
    skip,
    any,
    finite
  };  // any: what is empty or null is not a number

  virtual ~RunVisitor() = default;
  // JSON only, in this order if present.
  virtual void name(const std::string&) {}
  virtual void scenario(const std::string&) {}
  virtual void joint(std::size_t /*number*/, const RunJoint&, LineColumn) {}
  /// Called before the first sample. The first column is t.
  /// @returns how to read each column; empty: all as `any`
  virtual std::vector<Cell> begin(std::span<const RunColumn> columns, LineColumn at) = 0;
  /// @param numbers  one per column; NaN where skipped
  /// @returns whether to continue
  virtual bool sample(std::span<const double> numbers, LineColumn at) = 0;
  /// Called after every sample for which the visitor continues. @param bytes  of the text up to its end
  virtual void after_sample(std::uint64_t /*bytes*/) {}
  // Summary, JSON only.
  virtual void summary(const std::string& /*key*/, const std::string& /*text*/) {}
  virtual void summary(const std::string& /*key*/, std::span<const double> /*numbers*/) {}
};

/// @param name  of the text in messages
/// @returns whether it was complete
/// @throws Error naming the text and the location
bool read_run(std::istream& in, const std::string& name, RunFormat format, RunVisitor& visitor);
/// The same for a file; `-`, standard input, is CSV.
/// @throws Error if a file is missing, is a directory, or its extension is not .csv or .json
bool read_run(const std::filesystem::path& path, RunVisitor& visitor);

}  // namespace chasles::io
