#pragma once

#include <atomic>
#include <chasles/simulation/simulation.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

/// A pull at a body: a spring with a damper from a point of it to a place in the world.
struct Pull {
  int body = -1;  // index of the model; -1: none
  chasles::Vec3 point{}, target{};
  double stiffness = 0;  // [N/m]
};

/// What a live run shows: replaced as a whole, and counted, so that others can wait for the next one.
class Board {
 public:
  void write(std::string text);
  /// Waits for a text with another count; the same one after some time. `count` becomes that of the text.
  std::string wait(std::uint64_t& count, std::chrono::milliseconds most) const;
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::string text_;
  std::uint64_t count_ = 0;
};

/// A scenario that runs in real time on a thread of its own, without an end. After a failure it stays at the last valid
/// state, paused, and says why.
class LiveRun {
 public:
  /// @param scenario  its recording and duration do not matter
  /// @param from      a state to go on from, if the scenario can; empty: its start
  /// @param number    of the run, shown with its states
  /// @throws chasles::Error if there is no such run
  LiveRun(chasles::Scenario scenario, const std::optional<chasles::State>& from, int number,
          Board& board);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  void pause(bool paused);
  /// By so many seconds, then a pause.
  void step(double seconds);
  void restart();
  void set_speed(double speed);  // of real time
  void pull(const Pull& pull);

  chasles::State state() const;
  const chasles::Model& model() const { return scenario_.model; }
  /// A stiffness that suits the masses [N/m].
  double usual_stiffness() const { return usual_stiffness_; }

 private:
  struct Shared;
  void run();
  void advance(double until);
  void publish();

  chasles::Scenario scenario_;
  std::shared_ptr<Shared> shared_;  // with the force
  double usual_stiffness_ = 0;
  const int number_;
  Board& board_;
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  bool paused_ = true, restart_ = false, ended_ = false;
  double speed_ = 1, step_ = 0, pace_ = 1;
  Pull pull_;
  chasles::State state_;
  std::string message_;
  std::unique_ptr<chasles::Simulation> simulation_;
  std::thread thread_;
};
