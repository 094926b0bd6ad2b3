/// The work that headers promise ("O(n)", "O(n depth)", "O(n^2)") is what the functions of the library take: CPU time
/// of a call at n bodies and at 8 n, which grows by 8 if it is linear and by 64 if it is quadratic. The limits lie
/// between, far from both, and the least of several times counts, so that a busy machine does not matter.

#include <gtest/gtest.h>
#include <malloc.h>
#include <time.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chasles/control/sensitivities.hpp"
#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/derivatives/parameters.hpp"
#include "chasles/derivatives/products.hpp"
#include "chasles/derivatives/second_order.hpp"
#include "chasles/derivatives/time_derivatives.hpp"
#include "chasles/dynamics/centroidal.hpp"
#include "chasles/dynamics/coriolis.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/factorization.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/dynamics/momentum.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/motion/model_system.hpp"
#include "chasles/textbook/closed_form.hpp"
#include "chasles/textbook/composite.hpp"
#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/linearised.hpp"
#include "chasles/textbook/recursive.hpp"
#include "chasles/textbook/time_derivatives.hpp"

namespace complexity_test {

using namespace chasles;

/// Arms of `depth` revolute joints each, on ground.
Model arms(int bodies, int depth) {
  MechanismBuilder builder("arms");
  for (int k = 0; k < bodies; ++k) {
    const double z = 0.1 * (k % depth);
    const std::string parent = k % depth == 0 ? std::string(ground) : "b" + std::to_string(k - 1);
    builder.body("b" + std::to_string(k), parent,
                 joints::revolute(k % 2 == 0 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, {0, 0, -z}));
    builder.pose({{}, {0, 0, -z}})
        .inertia(1, {0.02, 0.01, -0.05}, Sym3::diagonal(0.02, 0.02, 0.01));
  }
  return compile(builder.build());
}

/// A mechanism at a state, as all cases take it.
struct At {
  Model model;
  Vector q, v, a, x, y, z;
  VelocityKinematics kin;
  explicit At(const Model& of)
      : model(of), q(of.nv()), v(of.nv()), a(of.nv()), x(of.nv()), y(of.nv()), z(of.nv()), kin(of) {
    for (Eigen::Index k = 0; k < of.nv(); ++k) {
      const double phase = static_cast<double>(k);
      q[k] = 0.3 * std::sin(phase), v[k] = std::cos(phase), a[k] = std::sin(2 * phase),
      x[k] = 1 / (1 + phase);
    }
    velocities(model, q, v, kin);
  }
};

double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU time of a call [s]: the least of several, each of calls for at least 200 microseconds.
double time_of(const std::function<void()>& call) {
  call();
  double least = INFINITY;
  for (int k = 0; k < 9; ++k) {
    int calls = 0;
    const double start = now();
    do call(), ++calls;
    while (now() - start < 2e-4);
    least = std::min(least, (now() - start) / calls);
  }
  return least;
}

/// What is measured: a workspace of the mechanism, and a call with it.
using Case = std::function<std::function<void()>(std::shared_ptr<At>)>;

template <class Work>
Case with(void (*call)(At&, Work&)) {
  return [call](std::shared_ptr<At> at) {
    auto work = std::make_shared<Work>(at->model);
    return [=] { call(*at, *work); };
  };
}

struct Row {
  const char* name;
  Case make;
};

/// log8 of how much longer a call takes with eight times the bodies: 1 of O(n), 2 of O(n^2).
double exponent(const Row& row, int bodies, int depth) {
  const auto time_at = [&](int n) {
    return time_of(row.make(std::make_shared<At>(arms(n, depth > 0 ? depth : n))));
  };
  return std::log(time_at(8 * bodies) / time_at(bodies)) / std::log(8);
}

/// depth 0: a chain as deep as it is long.
void expect_growth(const std::vector<Row>& rows, int bodies, int depth, double limit) {
  for (const Row& row : rows) {
    double p = exponent(row, bodies, depth);
    for (int again = 0; again < 3 && !(p < limit); ++again)
      p = std::min(p, exponent(row, bodies, depth));
    EXPECT_LT(p, limit) << row.name;
  }
}

TEST(Complexity, linear_in_the_length_of_a_chain) {
  using textbook::LinearisedForwardDynamics, textbook::LinearisedInverseDynamics;
  const std::vector<Row> rows{
      {"inverse_dynamics",
       with<InverseDynamics>([](At& s, auto& w) { inverse_dynamics(s.model, s.q, s.v, s.a, w); })},
      {"forward_dynamics",
       with<ForwardDynamics>([](At& s, auto& w) { forward_dynamics(s.model, s.q, s.v, s.a, w); })},
      {"mass_times",
       with<MomentumDynamics>([](At& s, auto& w) { mass_times(s.model, s.kin, s.x, s.y, w); })},
      {"momentum_rate",
       with<MomentumDynamics>([](At& s, auto& w) { momentum_rate(s.model, s.kin, s.x, s.y, w); })},
      {"MassFactorization", with<MassFactorization>([](At& s, auto& w) {
         w.factorize(s.model, s.kin), w.solve(s.x, s.y);
       })},
      {"centroidal_momentum_matrix", with<CentroidalMomentum>([](At& s, auto& w) {
         centroidal_momentum_matrix(s.model, s.q, s.v, w);
       })},
      {"centroidal_matrix",
       with<CentroidalMatrix>([](At& s, auto& w) { centroidal_matrix(s.model, s.kin, w); })},
      {"center_of_mass_jacobian", with<CenterOfMassJacobian>([](At& s, auto& w) {
         center_of_mass_jacobian(s.model, s.kin, w);
       })},
      {"d_inverse_dynamics_times", with<InverseDynamicsProducts>([](At& s, auto& w) {
         d_inverse_dynamics_times(s.model, s.q, s.v, s.a, s.x, s.x, s.x, w);
         d_inverse_dynamics_transposed_times(s.model, s.q, s.v, s.a, s.x, w);
       })},
      {"d_forward_dynamics_times", with<ForwardDynamicsProducts>([](At& s, auto& w) {
         d_forward_dynamics_times(s.model, s.q, s.v, s.a, s.x, s.x, s.x, w);
         d_forward_dynamics_transposed_times(s.model, s.q, s.v, s.a, s.x, w);
       })},
      {"forward_dynamics_derivatives",
       [](std::shared_ptr<At> s) {
         auto work = std::make_shared<TimeDerivatives>(s->model, 2);
         return [=] { forward_dynamics_derivatives(s->model, s->q, s->v, s->a, *work); };
       }},
      {"force_sensitivity",
       [](std::shared_ptr<At> s) {
         const Parameter mass = parameter(s->model, "b0", "m");
         auto work = std::make_shared<ForceSensitivity>(s->model, std::span(&mass, 1));
         return [=] { force_sensitivity(s->model, s->q, s->v, s->a, *work); };
       }},
      {"textbook::inverse_dynamics", with<textbook::RecursiveDynamics>([](At& s, auto& w) {
         textbook::inverse_dynamics(s.model, s.kin, s.a, Representation::body, w);
       })},
      {"textbook::forward_dynamics", with<textbook::RecursiveDynamics>([](At& s, auto& w) {
         textbook::forward_dynamics(s.model, s.kin, s.a, Representation::body, w);
       })},
      {"textbook::inverse_dynamics_rates", with<textbook::InverseDynamicsRates>([](At& s, auto& w) {
         textbook::inverse_dynamics_rates(s.model, s.kin, s.a, s.x, s.x, Representation::body, w);
       })},
      {"textbook::hamiltonian_dynamics", with<textbook::HamiltonianDynamics>([](At& s, auto& w) {
         textbook::hamiltonian_dynamics(s.model, s.kin, s.x, s.a, w);
         textbook::generalized_momenta(s.model, s.kin, s.y, w);
       })},
      {"textbook::Factorization", with<textbook::Factorization>([](At& s, auto& w) {
         factorize(s.model, s.kin, w), w.solve(s.x, s.y);
       })},
      {"textbook::compliances",
       [](std::shared_ptr<At> s) {
         auto factors = std::make_shared<textbook::Factorization>(s->model);
         auto Ups = std::make_shared<std::vector<textbook::Matrix6>>(s->model.links().size());
         factorize(s->model, s->kin, *factors);
         return [=] { compliances(*factors, *Ups); };
       }},
      {"LinearisedInverseDynamics::along", with<LinearisedInverseDynamics>([](At& s, auto& w) {
         linearise(s.model, s.kin, s.a, w), w.along(s.x, s.x, s.x, s.y),
             w.transposed(s.x, s.y, s.z, s.y);
       })},
      {"LinearisedForwardDynamics::along", with<LinearisedForwardDynamics>([](At& s, auto& w) {
         linearise(s.model, s.kin, s.a, w), w.along(s.x, s.x, s.x, s.y),
             w.transposed(s.x, s.y, s.z, s.y);
       })},
  };
  expect_growth(rows, 64, 0, 1.4);
}

/// "O(n depth)": linear in the number of arms of 8 joints.
TEST(Complexity, linear_in_the_number_of_arms) {
  using textbook::LinearisedInverseDynamics;
  const std::vector<Row> rows{
      {"mass_matrix", with<MassMatrix>([](At& s, auto& w) { mass_matrix(s.model, s.q, w); })},
      {"coriolis_matrix",
       with<CoriolisMatrix>([](At& s, auto& w) { coriolis_matrix(s.model, s.q, s.v, w); })},
      {"d_inverse_dynamics", with<InverseDynamicsDerivatives>([](At& s, auto& w) {
         d_inverse_dynamics(s.model, s.q, s.v, s.a, w);
       })},
      {"textbook::coriolis_matrix",
       [](std::shared_ptr<At> s) { return [=] { textbook::coriolis_matrix(s->model, s->kin); }; }},
      {"LinearisedInverseDynamics::matrices",
       [](std::shared_ptr<At> s) {
         auto linear = std::make_shared<LinearisedInverseDynamics>(s->model);
         auto work = std::make_shared<textbook::InverseDynamicsMatrices>(s->model);
         linearise(s->model, s->kin, s->a, *linear);
         return [=] { linear->matrices(*work); };
       }},
      {"textbook::mass_matrix", with<textbook::CompositeBodies>([](At& s, auto& w) {
         textbook::mass_matrix(s.model, s.kin, w);
       })},
  };
  expect_growth(rows, 40, 8, 1.5);
  const Row tensors{"d2_inverse_dynamics", with<SecondDerivatives>([](At& s, auto& w) {
                      d2_inverse_dynamics(s.model, s.q, s.v, s.a, w);
                    })};
  expect_growth({tensors}, 12, 4, 1.5);
}

/// What is measured tells linear from quadratic: M of a chain is full.
TEST(Complexity, the_measure_tells_growth) {
  const Row full{"mass_matrix",
                 with<MassMatrix>([](At& s, auto& w) { mass_matrix(s.model, s.q, w); })};
  double p = exponent(full, 64, 0);
  for (int again = 0; again < 3 && !(p > 1.5); ++again) p = std::max(p, exponent(full, 64, 0));
  EXPECT_GT(p, 1.5);
}

/// Matrices that are full: quadratic, not cubic, in the length of a chain.
TEST(Complexity, quadratic_where_all_entries_are_computed) {
  const std::vector<Row> rows{
      {"mass_matrix_inverse",
       with<MassMatrixInverse>([](At& s, auto& w) { mass_matrix_inverse(s.model, s.q, w); })},
      {"d_forward_dynamics", with<ForwardDynamicsDerivatives>([](At& s, auto& w) {
         d_forward_dynamics(s.model, s.q, s.v, s.a, w);
       })},
      {"textbook::mass_matrix_inverse",
       [](std::shared_ptr<At> s) {
         auto factors = std::make_shared<textbook::Factorization>(s->model);
         auto work = std::make_shared<textbook::OperatorInverse>(s->model);
         factorize(s->model, s->kin, *factors);
         return [=] { mass_matrix_inverse(*factors, *work); };
       }},
      {"LinearisedForwardDynamics::matrices",
       [](std::shared_ptr<At> s) {
         auto linear = std::make_shared<textbook::LinearisedForwardDynamics>(s->model);
         auto work = std::make_shared<textbook::ForwardDynamicsMatrices>(s->model);
         linearise(s->model, s->kin, s->a, *linear);
         return [=] { linear->matrices(*work); };
       }},
      {"d2_inverse_dynamics_contracted", with<ContractedDerivatives>([](At& s, auto& w) {
         d2_inverse_dynamics_contracted(s.model, s.q, s.v, s.a, s.x, w);
       })},
  };
  expect_growth(rows, 24, 0, 2.5);
}

#ifndef __SANITIZE_ADDRESS__  // mallinfo2 is that of the C library
/// Memory that is in use while an adjoint of N steps goes backward, less that of the arguments [bytes].
double memory_of_adjoint(int steps) {
  const Model model = arms(4, 4);
  ModelSystem system(model);
  SensitiveStep step(system, "mk4");
  const State start{0, Vector(4), Vector(4)};
  const Matrix U(4, steps);
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  std::size_t most = 0;
  adjoint(
      step, start, 1e-4, U, [](const State&) { return Vector(8); },
      [&](int, const State&, VectorRef, VectorRef) {
        most = std::max(most, mallinfo2().uordblks + mallinfo2().hblkhd);
      });
  // dU, the result, has a column for every step.
  return static_cast<double>(most - before) - 4.0 * steps * sizeof(double);
}

/// sqrt(64) = 8 times the states; all of them would be 64 times.
TEST(Complexity, an_adjoint_keeps_states_of_the_root_of_its_steps) {
  EXPECT_LT(memory_of_adjoint(64 * 100), 12 * memory_of_adjoint(100));
}
#endif

}  // namespace complexity_test
