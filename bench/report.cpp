#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace {

std::string cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}
std::string compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string cell(const PeerTime& peer, double ours) {
  switch (peer.verdict) {
    case PeerTime::Verdict::timed:
      return fmt::format("{:.0f} ({:.1f}x)", peer.ns, peer.ns / ours);
    case PeerTime::Verdict::disagrees:
      return fmt::format("off by {:.0e}", peer.error);
    case PeerTime::Verdict::missing:
      break;
  }
  return "-";
}

}  // namespace

Report::Report(int states, std::vector<std::string> peers)
    : states_(states), peers_(std::move(peers)) {}

void Report::print_header() const {
  fmt::print(
      "Dynamics on {} ({} processors), {}. Least time of many runs over {} random states,\n"
      "1 thread, ns per state; (ratio to ours, one state at a time). lanes, rows: Batch<double>\n"
      "in its own layout and by rows; floats: Batch<float>, its own layout (nan: it refuses).\n\n",
      cpu(), std::thread::hardware_concurrency(), compiler(), states_);
  fmt::print("{:<9} {:>4}  {:<17} {:>8} {:>8} {:>8} {:>8}", "model", "nv", "algorithm", "one",
             "lanes", "rows", "floats");
  for (const std::string& peer : peers_) fmt::print(" {:>16}", peer);
  fmt::print("\n");
}

void Report::add(Row row) {
  fmt::print("{:<9} {:>4}  {:<17} {:>8.0f} {:>8.0f} {:>8.0f} {:>8.0f}", row.model, row.nv,
             row.algorithm, row.one, row.lanes, row.rows, row.floats);
  for (const PeerTime& peer : row.peers) fmt::print(" {:>16}", cell(peer, row.one));
  fmt::print("\n");
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

void Report::add(Growth growth) { growths_.push_back(std::move(growth)); }

void Report::print_notes() const {
  fmt::print("\n");
  for (const Growth& g : growths_)
    fmt::print("{}, chain of 1000 / chain of 500: {:.2f} one state, {:.2f} in lanes\n", g.algorithm,
               g.one, g.lanes);
  std::vector<std::string> said;
  for (const Row& row : rows_)
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const PeerTime& peer = row.peers[k];
      std::string note;
      if (peer.verdict == PeerTime::Verdict::disagrees)
        note = fmt::format("{} disagrees on the {} of {} by {:.1e}: not timed", peers_[k],
                           row.algorithm, row.model, peer.error);
      else if (!peer.note.empty())
        note = fmt::format("{} without {}: {}", peers_[k], row.model, peer.note);
      if (note.empty() || std::find(said.begin(), said.end(), note) != said.end()) continue;
      fmt::print("{}\n", note);
      said.push_back(note);
    }
  double worst = 0;
  for (const Row& row : rows_) worst = std::max(worst, row.lanes_error);
  fmt::print("largest relative difference from one state: Batch<double> {:.0e}", worst);
  for (std::size_t k = 0; k < peers_.size(); ++k) {
    worst = 0;
    for (const Row& row : rows_)
      if (row.peers[k].verdict == PeerTime::Verdict::timed)
        worst = std::max(worst, row.peers[k].error);
    fmt::print(", {} {:.0e}", peers_[k], worst);
  }
  fmt::print("\n");
}

void Report::write_json(const std::string& path) const {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array(), growths = Json::array();
  for (const Row& row : rows_) {
    Json peers = Json::object();
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const PeerTime& peer = row.peers[k];
      if (peer.verdict == PeerTime::Verdict::timed)
        peers[peers_[k]] = {{"ns", peer.ns}, {"ratio", peer.ns / row.one}, {"error", peer.error}};
      else if (peer.verdict == PeerTime::Verdict::disagrees)
        peers[peers_[k]] = {{"error", peer.error}, {"timed", false}};
    }
    rows.push_back({{"model", row.model},
                    {"bodies", row.bodies},
                    {"nv", row.nv},
                    {"algorithm", row.algorithm},
                    {"one_ns", row.one},
                    {"lanes_ns", row.lanes},
                    {"rows_ns", row.rows},
                    {"floats_ns", row.floats},
                    {"lanes_error", row.lanes_error},
                    {"floats_error", row.floats_error},
                    {"peers", std::move(peers)}});
  }
  for (const Growth& g : growths_)
    growths.push_back({{"algorithm", g.algorithm}, {"one", g.one}, {"lanes", g.lanes}});
  const Json document{{"cpu", cpu()}, {"compiler", compiler()}, {"states", states_},
                      {"threads", 1}, {"rows", rows},           {"time_1000_over_500", growths}};
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder);
  std::ofstream file(path);
  if (!(file << document.dump(1) << '\n').flush())
    throw std::runtime_error(path + ": cannot be written");
}
