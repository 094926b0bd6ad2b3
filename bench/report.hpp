/// The measurements, as one table on stdout and as JSON.
#pragma once

#include <string>
#include <vector>

struct PeerTime {
  enum class Verdict { timed, missing, disagrees };
  Verdict verdict = Verdict::missing;
  double ns = 0, error = 0;  // error: largest difference from ours, relative
  std::string note{};        // reason if not available
};

/// Times are ns per state.
struct Row {
  std::string model, algorithm;
  int bodies, nv;
  double one = 0;                            // one state at a time
  double lanes = 0;                          // Batch<double>, BatchLayout::lanes
  double rows = 0;                           // Batch<double>, BatchLayout::rows
  double floats = 0;                         // Batch<float>, BatchLayout::lanes; nan: refused
  double lanes_error = 0, floats_error = 0;  // of the batches, relative to one state at a time
  std::vector<PeerTime> peers{};
};

/// time(1000) / time(500) of chains.
struct Growth {
  std::string algorithm;
  double one, lanes;
};

class Report {
 public:
  Report(int states, std::vector<std::string> peers);
  void print_header() const;
  /// Prints the row as well.
  void add(Row row);
  void add(Growth growth);
  void print_notes() const;
  /// @throws std::runtime_error if it cannot be written
  void write_json(const std::string& path) const;

 private:
  int states_;
  std::vector<std::string> peers_;
  std::vector<Row> rows_;
  std::vector<Growth> growths_;
};
