/// Derivatives of dynamics, for one state and batches, compared with finite differences in the installed
/// peers; then scaling of our algorithms with the length of a chain.
///
///     derivatives [--quick]
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "chasles/derivatives/products.hpp"
#include "chasles/derivatives/second_order.hpp"
#include "chasles/dynamics/batch.hpp"
#include "chasles/textbook/linearized.hpp"
#include "models.hpp"
#include "peers/peer.hpp"
#include "timer.hpp"

namespace {

using namespace chasles;

constexpr int states_count = 32;
double seconds = 0.2;

/// ns per state, one at a time.
template <class F>
double each(const std::vector<bench::State>& states, const F& f) {
  return least_ns(
      states.size(), [&](std::size_t i) { f(states[i]); }, seconds);
}
/// ns per state, in lanes.
template <class F>
double many(const Model& model, const std::vector<bench::State>& states, const F& f) {
  Batch<double> batch(model);
  std::vector<double> q, v, u, D;
  const auto lanes = static_cast<std::size_t>(batch.lanes());
  const auto put = [&](const auto& part, std::vector<double>& to) {
    const auto n = static_cast<std::size_t>(part(states[0]).size());
    to.resize(n * states.size());
    for (std::size_t s = 0; s < states.size(); ++s)
      for (std::size_t e = 0; e < n; ++e)
        to[(s / lanes * n + e) * lanes + s % lanes] = part(states[s])[static_cast<Eigen::Index>(e)];
  };
  put([](const bench::State& s) { return s.q; }, q);
  put([](const bench::State& s) { return s.v; }, v);
  put([](const bench::State& s) { return s.a; }, u);
  D.resize(3 * states.size() * static_cast<std::size_t>(model.nv() * model.nv()));
  const int count = static_cast<int>(states.size());
  return least_ns(
             1, [&](std::size_t) { f(batch, count, q, v, u, D); }, seconds) /
         count;
}
/// Cost of forward differences of inverse dynamics by q and v: 2 nv + 1 evaluations.
double by_differences(Peer& peer, const Model& model, const bench::State& at) {
  constexpr double step = 1e-6;
  std::vector<bench::State> states{at};
  for (int k = 0; k < model.nv(); ++k) {
    bench::State moved = at;
    Vector q(model.nq());
    plus(model, at.q, step * Eigen::VectorXd::Unit(model.nv(), k), q);
    moved.q = q;
    states.push_back(moved);
    moved = at;
    moved.v[k] += step;
    states.push_back(moved);
  }
  peer.load(states);
  return least_ns(
      1,
      [&](std::size_t) {
        for (std::size_t i = 0; i < states.size(); ++i) peer.run(Work::inverse_dynamics, i);
      },
      seconds);
}

template <class Print>
void measure_second(const Model& model, const std::vector<bench::State>& states,
                    const Print& print) {
  SecondDerivatives second(model);
  ContractedDerivatives contracted(model);
  print("d2tau/d(q, v)^2",
        each(states, [&](const auto& s) { d2_inverse_dynamics(model, s.q, s.v, s.a, second); }),
        -1);
  print("d2a/d(q, v)^2",
        each(states, [&](const auto& s) { d2_forward_dynamics(model, s.q, s.v, s.tau, second); }),
        -1);
  print("lambda d2tau/d(q, v)^2",
        each(states,
             [&](const auto& s) {
               d2_inverse_dynamics_contracted(model, s.q, s.v, s.a, s.tau, contracted);
             }),
        -1);
  print("lambda d2a/d(q, v)^2",
        each(states,
             [&](const auto& s) {
               d2_forward_dynamics_contracted(model, s.q, s.v, s.tau, s.a, contracted);
             }),
        -1);
}

/// Plain evaluation, directional derivative, transposed derivative: ns, and ratio to the first.
void products(const Model& model, const std::vector<bench::State>& states) {
  InverseDynamics inverse(model);
  ForwardDynamics forward(model);
  InverseDynamicsProducts tau(model);
  ForwardDynamicsProducts a(model);
  const auto print = [&](const char* name, double alone, double along, double transposed) {
    fmt::print("{:<12}{:>4}  {:<28}{:>10.0f}{:>10.0f} ({:.2f}){:>8.0f} ({:.2f})\n", model.name(),
               model.nv(), name, alone, along, along / alone, transposed, transposed / alone);
    std::fflush(stdout);
  };
  print("tau, along, transposed",
        each(states, [&](const auto& s) { inverse_dynamics(model, s.q, s.v, s.a, inverse); }),
        each(states,
             [&](const auto& s) {
               d_inverse_dynamics_times(model, s.q, s.v, s.a, s.tau, s.v, s.a, tau);
             }),
        each(states, [&](const auto& s) {
          d_inverse_dynamics_transposed_times(model, s.q, s.v, s.a, s.v, tau);
        }));
  print("a, along, transposed",
        each(states, [&](const auto& s) { forward_dynamics(model, s.q, s.v, s.tau, forward); }),
        each(states,
             [&](const auto& s) {
               d_forward_dynamics_times(model, s.q, s.v, s.tau, s.a, s.v, s.tau, a);
             }),
        each(states, [&](const auto& s) {
          d_forward_dynamics_transposed_times(model, s.q, s.v, s.tau, s.v, a);
        }));
}

void measure(const Mechanism& mechanism) {
  const Model model = compile(mechanism);
  const std::vector<bench::State> states = bench::random_states(model, states_count);
  InverseDynamicsDerivatives inverse(model);
  ForwardDynamicsDerivatives forward(model);
  const auto print = [&](const char* name, double one, double lanes) {
    fmt::print("{:<12}{:>4}  {:<28}{:>10.0f}", model.name(), model.nv(), name, one);
    lanes > 0 ? fmt::print("{:>10.0f}\n", lanes) : fmt::print("{:>10}\n", "-");
    std::fflush(stdout);
  };
  products(model, states);
  print("dtau/d(q, v, a)",
        each(states, [&](const auto& s) { d_inverse_dynamics(model, s.q, s.v, s.a, inverse); }),
        many(model, states, [](auto& batch, int n, auto& q, auto& v, auto& u, auto& D) {
          batch.d_inverse_dynamics(n, q, v, u, D, BatchLayout::lanes);
        }));
  print("da/d(q, v, tau)",
        each(states, [&](const auto& s) { d_forward_dynamics(model, s.q, s.v, s.tau, forward); }),
        many(model, states, [](auto& batch, int n, auto& q, auto& v, auto& u, auto& D) {
          batch.d_forward_dynamics(n, q, v, u, D, BatchLayout::lanes);
        }));
  measure_second(model, states, print);
  for (const PeerMaker& maker : installed_peers()) {
    std::string why;
    const auto peer = maker.make(model, why);
    if (!peer || !peer->has(Work::inverse_dynamics)) continue;
    print(("differences, " + maker.name).c_str(), by_differences(*peer, model, states[0]), -1);
  }
}

/// Time of f(model, state) for chains of n and 4 n joints; the exponent of growth between them.
template <class Make>
void growth(const char* name, int n, const Make& make) {
  double ns[2];
  for (int k = 0; k < 2; ++k) {
    const Model model = compile(chain(k == 0 ? n : 4 * n));
    const std::vector<bench::State> states = bench::random_states(model, 4);
    auto call = make(model);
    ns[k] = each(states, [&](const bench::State& s) { call(s); });
  }
  fmt::print("{:<44}{:>10.0f}{:>12.0f}   n^{:.2f}\n", name, ns[0] / 1e3, ns[1] / 1e3,
             std::log(ns[1] / ns[0]) / std::log(4));
  std::fflush(stdout);
}

/// The algorithms of 002, each including the linearization it starts from.
template <class Linearized, class Matrices>
void textbook_growth(int n, const std::array<const char*, 3>& names) {
  for (std::size_t k = 0; k < 3; ++k)
    growth(names[k], n, [k](const Model& model) {
      const int nv = model.nv();
      return [&model, k, kin = VelocityKinematics(model), work = Linearized(model),
              matrices = Matrices(model), x = Vector(nv), y = Vector(nv),
              z = Vector(nv)](const bench::State& s) mutable {
        forward_kinematics(model, s.q, s.v, kin);
        textbook::linearize(model, kin, s.a, work);
        if (k == 0) work.along(s.v, s.a, s.tau, x);
        if (k == 1) work.transposed(s.v, x, y, z);
        if (k == 2) work.matrices(matrices);
      };
    });
}

void growths() {
  constexpr int n = 50;
  fmt::print("\n{:<44}{:>8}{:>3}{:>9}{:>3}\n", "growth on chains [us]", "n =", n, "", 4 * n);
  growth("inverse dynamics", n, [](const Model& model) {
    return [&model, work = InverseDynamics(model)](const bench::State& s) mutable {
      inverse_dynamics(model, s.q, s.v, s.a, work);
    };
  });
  growth("dtau/d(q, v, a) along a direction", n, [](const Model& model) {
    return [&model, work = InverseDynamicsProducts(model)](const bench::State& s) mutable {
      d_inverse_dynamics_times(model, s.q, s.v, s.a, s.tau, s.v, s.a, work);
    };
  });
  growth("its transpose", n, [](const Model& model) {
    return [&model, work = InverseDynamicsProducts(model)](const bench::State& s) mutable {
      d_inverse_dynamics_transposed_times(model, s.q, s.v, s.a, s.v, work);
    };
  });
  growth("dtau/d(q, v, a)", n, [](const Model& model) {
    return [&model, work = InverseDynamicsDerivatives(model)](const bench::State& s) mutable {
      d_inverse_dynamics(model, s.q, s.v, s.a, work);
    };
  });
  growth("da/d(q, v, tau)", n, [](const Model& model) {
    return [&model, work = ForwardDynamicsDerivatives(model)](const bench::State& s) mutable {
      d_forward_dynamics(model, s.q, s.v, s.tau, work);
    };
  });
  textbook_growth<textbook::LinearizedInverseDynamics, textbook::InverseDynamicsMatrices>(
      n, {"Algorithm 1, along a direction", "its transpose", "Algorithm 2, matrices"});
  textbook_growth<textbook::LinearizedForwardDynamics, textbook::ForwardDynamicsMatrices>(
      n, {"Algorithm 5, along a direction", "its transpose", "Algorithm 6, matrices"});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--quick") seconds = 0.01;
  fmt::print("{:<12}{:>4}  {:<28}{:>10}{:>10}   ns per state\n", "model", "nv", "", "one", "lanes");
  for (const Mechanism& mechanism : {chain(7), quadruped(), humanoid(), chain(20), chain(100)})
    measure(mechanism);
  growths();
}
