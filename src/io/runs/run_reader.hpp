/// The reader of recorded runs (run_file.hpp), CSV and JSON, for restarts, reports and plots: it tells a visitor
/// which columns there are, then every sample, then what the summary says. Nothing is kept; a last line or sample
/// that was not written to its end is not read.
#pragma once

#include <functional>
#include <istream>
#include <span>

#include "chasles/io/run_file.hpp"
#include "io/text.hpp"

namespace chasles::io {

struct RunColumn {
  std::string group;  // what belongs together: "t", "q", "pose:hand"
  std::string label;  // as in CSV: "q:elbow [rad]", "pose:hand[0][3] [m]"
};

/// As JSON describes it; what older files do not say is empty.
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
  // Of JSON, in this order if at all.
  virtual void name(const std::string&) {}
  virtual void scenario(const std::string&) {}
  virtual void joint(std::size_t /*number*/, const RunJoint&, LineColumn) {}
  /// Before the first sample. The first column is t.
  /// @returns what is read of each column; empty: any number of all
  virtual std::vector<Cell> begin(std::span<const RunColumn> columns, LineColumn at) = 0;
  /// @param numbers  one per column; not a number where it is skipped
  /// @returns whether to go on
  virtual bool sample(std::span<const double> numbers, LineColumn at) = 0;
  /// After every sample that the visitor went on from. @param bytes  of the text up to its end
  virtual void after_sample(std::uint64_t /*bytes*/) {}
  // Of the summary, JSON only.
  virtual void summary(const std::string& /*key*/, const std::string& /*text*/) {}
  virtual void summary(const std::string& /*key*/, std::span<const double> /*numbers*/) {}
};

/// @param name  of the text in messages
/// @returns whether it was read to its end, which was written
/// @throws Error naming the text and the place
bool read_run(std::istream& in, const std::string& name, RunFormat format, RunVisitor& visitor);
/// The same of a file; `-`, standard input, is CSV.
/// @throws Error naming a file that is not there, a directory, or has another ending than .csv and .json
bool read_run(const std::filesystem::path& path, RunVisitor& visitor);

}  // namespace chasles::io
