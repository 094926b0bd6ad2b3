#include "live_run.hpp"

#include <fmt/format.h>

#include <chasles/kinematics/kinematics.hpp>
#include <cmath>

#include "json.hpp"

using namespace chasles;
using Clock = std::chrono::steady_clock;

void Board::write(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
  ++count_;
  changed_.notify_all();
}
std::string Board::wait(std::uint64_t& count, std::chrono::milliseconds most) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return count_ != count; });
  count = count_;
  return text_;
}
std::string Board::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

/// What the force reads on the thread of the run. The run writes it only between steps.
struct LiveRun::Shared {
  Pull pull;
  double damping = 0;
  std::atomic<bool> ended = false;
};

namespace {

struct Ended : std::exception {
  const char* what() const noexcept override { return "the run is ended"; }
};

constexpr std::chrono::microseconds frame{16'667};

/// All mass that moves, at least a gram.
double moving_mass(const Model& model) {
  double mass = 0;
  for (const ModelBody& body : model.bodies())
    if (body.frame.link >= 0) mass += body.inertia.m;
  return std::max(mass, 1e-3);
}

}  // namespace

LiveRun::LiveRun(Scenario scenario, const std::optional<State>& from, int number, Board& board)
    : scenario_(std::move(scenario)),
      shared_(std::make_shared<Shared>()),
      number_(number),
      board_(board) {
  // All mass swings at 1.5 Hz on the spring, with half of the critical damping.
  const double mass = moving_mass(scenario_.model), frequency = 2 * M_PI * 1.5;
  usual_stiffness_ = mass * frequency * frequency;
  const auto law = [shared = shared_, mass](double, const VelocityKinematics& kin,
                                            JointForces& out) {
    if (shared->ended) throw Ended{};  // however long a step may take
    const Pull& pull = shared->pull;
    if (pull.body < 0) return;
    const ModelBody& body = kin.model().bodies()[static_cast<std::size_t>(pull.body)];
    const Frame at = body.frame.at(SE3{SO3{}, pull.point});
    const Vec3 velocity = twist(kin, at, Representation::hybrid).v;
    const double damping = std::sqrt(pull.stiffness * mass);
    const Vec3 force = pull.stiffness * (pull.target - pose(kin, at).r) - damping * velocity;
    out.wrenches.push_back({at, {{}, force}, Representation::hybrid});
  };
  Force pull{"pull", scenario_.model, ForceLaw(ForceFunction(law))};
  pull.actuator = false;
  scenario_.forces.add(std::move(pull));
  simulation_ = std::make_unique<Simulation>(scenario_);
  if (from) simulation_->reset(*from);
  state_ = simulation_->state();
  thread_ = std::thread([this] { run(); });
}

LiveRun::~LiveRun() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = shared_->ended = true;
    woken_.notify_all();
  }
  thread_.join();
}

void LiveRun::pause(bool paused) {
  {
    const std::lock_guard lock(mutex_);
    paused_ = paused, step_ = 0;
    if (!paused) message_.clear();
    woken_.notify_all();
  }
  publish();  // a run that is paused says nothing more by itself
}
void LiveRun::step(double seconds) {
  const std::lock_guard lock(mutex_);
  paused_ = true, step_ = seconds;
  message_.clear();
  woken_.notify_all();
}
void LiveRun::restart() {
  const std::lock_guard lock(mutex_);
  restart_ = true;
  woken_.notify_all();
}
void LiveRun::set_speed(double speed) {
  const std::lock_guard lock(mutex_);
  speed_ = speed;
}
void LiveRun::pull(const Pull& pull) {
  const std::lock_guard lock(mutex_);
  pull_ = pull;
}
State LiveRun::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}
/// One step of the run, without the lock: it may take long.
void LiveRun::advance(double until) {
  std::string message;
  try {
    simulation_->step(until);
    if (simulation_->summary().finished) message = "an event of the scenario has ended the run";
  } catch (const Ended&) {
    return;
  } catch (const std::exception& error) {
    message = error.what();
  }
  const std::lock_guard lock(mutex_);
  state_ = simulation_->state();
  if (message.empty()) return;
  paused_ = true;
  message_ = message;
}

/// Nothing after the end, lest it be taken for the state of the next run.
void LiveRun::publish() {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  const Json out{{"run", number_},    {"t", state_.t},   {"q", state_.q}, {"v", state_.v},
                 {"paused", paused_}, {"speed", speed_}, {"pace", pace_}, {"message", message_}};
  std::string text = out.dump(0);
  std::erase(text, '\n');
  board_.write(std::move(text));
}

void LiveRun::run() {
  publish();
  auto before = Clock::now();
  for (;;) {
    double length = 0;
    bool again = false;
    {
      std::unique_lock lock(mutex_);
      if (woken_.wait_until(lock, before + frame, [&] { return ended_; })) return;
      const bool idle = paused_ && step_ == 0 && !restart_;
      if (idle) {
        woken_.wait(lock, [&] { return ended_ || restart_ || !paused_ || step_ > 0; });
        if (ended_) return;
        before = Clock::now() - frame;
      }
      // After a long step the run is behind, and stays so: it does not hurry to catch up.
      const double elapsed = std::chrono::duration<double>(Clock::now() - before).count();
      length = step_ > 0 ? step_ : std::min(elapsed, 0.05) * speed_;
      step_ = 0;
      shared_->pull = pull_;
      again = restart_;
    }
    before = Clock::now();
    if (again) {
      std::string message;
      try {
        simulation_->reset();
      } catch (const std::exception& error) {
        message = error.what();
      }
      const std::lock_guard lock(mutex_);
      restart_ = false;
      state_ = simulation_->state();
      message_ = message;
    } else {
      const double t = simulation_->state().t;
      advance(t + length);
      const double taken = std::chrono::duration<double>(Clock::now() - before).count();
      const std::lock_guard lock(mutex_);
      if (!paused_) pace_ += 0.1 * (length / std::max(taken, 0.016'667) - pace_);
    }
    publish();
  }
}
