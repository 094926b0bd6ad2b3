#pragma once

#include <chasles/io/scenario_numbers.hpp>
#include <filesystem>
#include <map>

#include "live_run.hpp"
#include "local_server.hpp"

/// A scenario file that is watched, the numbers that the page has changed in it, and the run of both. All functions may be
/// called by any thread.
class Served {
 public:
  /// @param paused  whether it waits for the page to start it
  Served(std::string path, bool paused);

  /// Reads the file again if it, or a file that it names, has changed.
  void watch();
  LocalServer::Answer answer(const LocalServer::Request& request);
  /// Why there is no run; empty: there is one.
  std::string failure() const;

 private:
  using Stamps =
      std::map<std::filesystem::path, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;

  void load();
  void go_on();
  void describe(const std::vector<std::string>& warnings);
  std::string changed_text() const;
  void set(const std::string& path, double value);
  void command(const LocalServer::Request& request);
  LocalServer::Answer events() const;
  static Stamps stamps_of(const std::vector<std::filesystem::path>& files);

  const std::string path_;
  mutable std::mutex mutex_;
  std::string text_;                       // of the file
  std::map<std::string, double> changes_;  // numbers other than those of the file
  std::vector<chasles::ScenarioNumber> numbers_;
  std::vector<std::filesystem::path> files_;
  Stamps stamps_;
  chasles::Appearance appearance_;
  std::string failure_, model_;  // model_: as JSON for the page
  int number_ = 0;               // of the run
  bool paused_;                  // what the page wants
  double speed_ = 1;
  Board board_;
  std::unique_ptr<LiveRun> run_;
};
