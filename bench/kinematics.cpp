/// Forward kinematics of revolute chains: ours, and the peers that are installed (libmujoco-dev,
/// liborocos-kdl-dev), on the same numbers, cross-checked before timing. Least of many batches of
/// 64 random states, one thread.
#include <cstdio>
#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/lie/geodesic.hpp"
#include "chasles/mechanism/builder.hpp"
#include "peers/peer.hpp"
#include "timer.hpp"

namespace {

using namespace chasles;

Mechanism chain(int n) {
  std::mt19937_64 generator(1);
  MechanismBuilder builder("chain" + std::to_string(n));
  std::string parent(ground);
  SE3 A;
  for (int i = 0; i < n; ++i) {
    A = A * random_element<SE3>(generator, 0.3);
    const std::string name = "body" + std::to_string(i);
    builder.body(name, parent, joints::revolute(A.R.matrix().c2, A.r)).pose(A);
    builder.inertia(1, {}, Sym3::diagonal(0.1, 0.1, 0.1));
    parent = name;
  }
  return builder.build();
}

struct Bench {
  Mechanism mechanism;
  Model model;
  AccelerationKinematics kin;
  std::vector<Eigen::VectorXd> q, v, a;

  explicit Bench(Mechanism m) : mechanism(std::move(m)), model(compile(mechanism)), kin(model) {
    std::mt19937_64 generator(2);
    std::uniform_real_distribution<double> uniform(-3, 3);
    for (int i = 0; i < 64; ++i)
      for (auto* list : {&q, &v, &a})
        list->push_back(
            Eigen::VectorXd::NullaryExpr(model.nv(), [&] { return uniform(generator); }));
  }
};

void line(const char* model, const char* what, const char* who, double ns, double ours) {
  std::printf("%-10s %-24s %-8s %10.1f ns  %5.2fx\n", model, what, who, ns, ns / ours);
}

void run(Bench& b, bool peers) {
  const char* name = b.model.name().c_str();
  const Place tip = b.model.bodies().back().place;
  Matrix6X J(6, b.model.nv());
  const double poses = least_ns(64, [&](std::size_t i) { positions(b.model, b.q[i], b.kin); });
  line(name, "poses", "Chasles", poses, poses);
  const double all =
      least_ns(64, [&](std::size_t i) { accelerations(b.model, b.q[i], b.v[i], b.a[i], b.kin); });
  line(name, "poses, twists, accel.", "Chasles", all, all);
  const double jac = least_ns(64, [&](std::size_t i) {
    positions(b.model, b.q[i], b.kin);
    jacobian(b.model, b.kin, tip, Representation::hybrid, J);
  });
  line(name, "poses, Jacobian of tip", "Chasles", jac, jac);
  if (!peers) return;
  for (auto make : {make_kdl, make_mujoco}) {
    const auto peer = make(b.mechanism, b.model);
    if (!peer) continue;
    for (const Eigen::VectorXd& q : b.q) {
      positions(b.model, q, b.kin);
      peer->positions(q);
      if (const double e = max_abs(minus(peer->tip(), pose(b.kin, tip))); !(e < 1e-11)) {
        std::printf("%s disagrees by %g: not timed\n", peer->name().c_str(), e);
        return;
      }
    }
    line(name, "poses", peer->name().c_str(),
         least_ns(64, [&](std::size_t i) { peer->positions(b.q[i]); }), poses);
    line(name, "poses, Jacobian of tip", peer->name().c_str(),
         least_ns(64, [&](std::size_t i) { peer->jacobian(b.q[i]); }), jac);
  }
}

}  // namespace

/// Arguments: model files to time besides the chains.
int main(int argc, char** argv) {
  std::printf("%-10s %-24s %-8s %13s  %s\n", "model", "work", "library", "time", "ratio");
  for (const int n : {7, 20, 100}) {
    Bench b(chain(n));
    run(b, true);
  }
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;
    Bench b(read_mechanism(argv[i]));
    run(b, false);
  }
}
