/// Forward kinematics of revolute chains, compared with the installed peers on the same numbers,
/// cross-checked before timing. Minimum over many batches of 64 random states, one thread.
#include <algorithm>
#include <cstdio>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "model/model_data.hpp"
#include "models.hpp"
#include "peers/peer.hpp"
#include "timer.hpp"

namespace {

using namespace chasles;

struct Bench {
  Model model;
  std::vector<State> states;
  AccelerationKinematics kin;

  explicit Bench(const Mechanism& mechanism)
      : model(compile(mechanism)), states(bench::random_states(model, 64)), kin(model) {}
};

void line(const char* model, const char* what, const char* who, double ns, double ours) {
  std::printf("%-10s %-24s %-8s %10.1f ns  %5.2fx\n", model, what, who, ns, ns / ours);
}

void run(Bench& b, double seconds) {
  const char* name = b.model.name().c_str();
  const Frame tip{static_cast<int>(tree_links(b.model).size()) - 1, {}, b.model.id()};
  PositionKinematics at(b.model);
  FrameJacobian frame(b.model);
  Matrix6X J(6, b.model.nv());
  const auto time = [&](const auto& f) {
    return least_ns(
        64, [&](std::size_t i) { f(b.states[i]); }, seconds);
  };
  const double poses = time([&](const State& s) { forward_kinematics(b.model, s.q, at); });
  line(name, "poses", "Chasles", poses, poses);
  const double all =
      time([&](const State& s) { forward_kinematics(b.model, s.q, s.v, s.a, b.kin); });
  line(name, "poses, twists, accel.", "Chasles", all, all);
  const double jac = time([&](const State& s) {
    forward_kinematics(b.model, s.q, at);
    jacobian(b.model, at, tip, Representation::hybrid, J);
  });
  line(name, "poses, Jacobian of tip", "Chasles", jac, jac);
  const double path =
      time([&](const State& s) { jacobian(b.model, s.q, tip, Representation::hybrid, frame); });
  line(name, "Jacobian of tip alone", "Chasles", path, jac);

  std::string why;
  for (const PeerMaker& maker : installed_peers()) {
    const auto peer = maker.make(b.model, why);
    if (!peer || !peer->has(Work::poses)) continue;
    peer->load(b.states);
    double error = 0;
    for (std::size_t i = 0; i < b.states.size(); ++i) {
      forward_kinematics(b.model, b.states[i].q, at);
      peer->run(Work::poses, i);
      error = std::max(error, max_abs(minus(peer->tip(), pose(at, tip))));
    }
    if (!(error < 1e-11)) {
      std::printf("%s disagrees by %g: not timed\n", peer->name().c_str(), error);
      continue;
    }
    for (const Work work : {Work::poses, Work::jacobian})
      line(name, work == Work::poses ? "poses" : "poses, Jacobian of tip", peer->name().c_str(),
           least_ns(
               64, [&](std::size_t i) { peer->run(work, i); }, seconds),
           work == Work::poses ? poses : jac);
  }
}

}  // namespace

/// Arguments: --quick, and model files to time besides the chains.
int main(int argc, char** argv) {
  double seconds = 0.3;
  std::vector<Mechanism> mechanisms;
  for (const int n : {7, 20, 100}) mechanisms.push_back(chain(n));
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--quick")
      seconds = 0.002;
    else
      mechanisms.push_back(read_mechanism(argv[i]));
  std::printf("%-10s %-24s %-8s %13s  %s\n", "model", "work", "library", "time", "ratio");
  for (const Mechanism& mechanism : mechanisms) {
    Bench b(mechanism);
    run(b, seconds);
  }
}
