/// docs/tutorial.md in C++: motors lift the arm of examples/tutorial/arm.urdf and hold it, and
/// something pushes it, as in examples/tutorial/reach.yaml; then once more in a wind.
#include <chasles/chasles.hpp>
#include <cstdio>

using namespace chasles;

/// A recorder gets every sample of a run; this one prints the height of the hand.
struct Heights : Recorder {
  explicit Heights(const Model& model) : kin(model), hand(model.frame("hand")) {}
  void sample(const Sample& s) override {
    forward_kinematics(kin.model(), s.state.q, kin);
    std::printf("t = %.1f s: hand at %.4f m\n", s.state.t, pose(kin, hand).r.z);
  }
  PositionKinematics kin;
  Frame hand;
};

bool run(const Scenario& scenario) {
  Simulation simulation(scenario);
  Heights heights(scenario.model);
  simulation.run(heights);
  const Summary summary = simulation.summary();
  std::printf("%ld steps, energy balanced to %.0e J\n", summary.statistics.steps,
              summary.worst.energy);
  for (const Violation& violation : summary.violations)
    std::printf("%s\n", violation.text().c_str());
  return summary.finished && summary.worst.energy < 1e-6;
}

int main(int argc, char** argv) {
  const Model model = compile(read_mechanism(argc > 1 ? argv[1] : "examples/tutorial/arm.urdf"));

  const State rest{0, model.neutral(), Vector(model.nv())};
  Scenario reach{.model = model, .start = rest};
  reach.duration = 5;
  reach.every = 0.5;
  reach.forces.add(pd_hold(model, "shoulder", 200, 20, {signals::table({0.5, 1.5}, {0, 0.8})}));
  reach.forces.add(pd_hold(model, "elbow", 100, 8, {signals::table({0.5, 1.5}, {0, 1.2})}));
  const Signal push = signals::table({3, 3, 3.2, 3.2}, {0, -10, -10, 0});
  reach.forces.add(body_wrench(model, {"hand"}, {0, 0, 0, 0, 0, push}));
  const bool reached = run(reach);

  // A force of one's own is a function of time and state: a wind that grows with the height.
  const Frame hand = model.frame("hand");
  Force wind{"wind", model, [hand](double, const VelocityKinematics& kin, JointForces& out) {
               out.wrenches.push_back({hand, {{}, {5 * pose(kin, hand).r.z, 0, 0}}});
             }};
  wind.actuator = false;  // does not count toward effort limits
  reach.forces.add(wind);
  std::puts("\nin a wind");
  return reached && run(reach) ? 0 : 1;
}
