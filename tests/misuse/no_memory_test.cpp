/// Memory runs out at the first, second, third, ... allocation of what programs do: bad_alloc or an Error comes
/// out, nothing stays behind, and the same call succeeds afterwards.
#include <gtest/gtest.h>

#include "misuse/memory_faults.hpp"

#ifdef CHASLES_REFUSES_MEMORY

#include "chasles/chasles.hpp"
#include "support/random_loops.hpp"
#include "support/small_runs.hpp"

namespace no_memory_test {

using namespace chasles;
using test::memory_faults;

using Numbers = std::vector<double>;

/// Whether `work` came to its end before allocation `first`; the others are refused, `refusals` of them.
template <class Work>
bool survives(const Work& work, long first, long refusals) {
  memory_faults.calls = 0, memory_faults.first = first, memory_faults.refusals = refusals;
  bool refused = false;
  try {
    work();
  } catch (const std::bad_alloc&) {
    refused = true;
  } catch (const std::exception&) {  // a message that said it
    refused = true;
  }
  memory_faults.first = 0;
  return !refused && memory_faults.calls < first;
}

/// @param work  gives numbers that do not depend on what was before
void expect_clean(const char* name, const std::function<Numbers()>& work) {
  const Numbers expected = work();  // what is allocated once and kept: locale, tables
  work();
  for (const long refusals : {1L, 1L << 60}) {
    long tried = 0;
    for (long first = 1;; first += 1 + first / 50, ++tried) {
      const long before = memory_faults.blocks;
      const bool done = survives([&] { work(); }, first, refusals);
      EXPECT_EQ(memory_faults.blocks, before)
          << name << ": blocks left after allocation " << first << " was refused";
      if (done) break;
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(tried, 5) << name;
  }
  EXPECT_EQ(work(), expected) << name;
}

/// An object that was refused memory in a call does the call afterwards, as one that was not.
template <class Object>
void expect_usable(const char* name, const std::function<Object()>& make,
                   const std::function<Numbers(Object&)>& work) {
  Object untouched = make();
  const Numbers expected = work(untouched);
  for (const long refusals : {1L, 1L << 60})
    for (long first = 1;; ++first) {
      Object object = make();
      const bool done = survives([&] { work(object); }, first, refusals);
      EXPECT_EQ(work(object), expected) << name << ": allocation " << first << " was refused";
      if (done || ::testing::Test::HasFailure()) break;
    }
}

Numbers numbers(const Vector& x) { return {x.begin(), x.end()}; }

Model looped() {
  std::mt19937_64 generator(4);
  return compile(test::looped_tree(generator, 6, {{JointType::spherical}}).mechanism);
}
Vector looped_q() {
  std::mt19937_64 generator(4);
  return test::looped_tree(generator, 6, {{JointType::spherical}}).q;
}

TEST(NoMemory, files_are_read_and_compiled) {
  for (const char* file : {"examples/four_bar.yaml", "examples/every_joint.yaml"})
    expect_clean(file, [&] { return numbers(compile(read_mechanism(file)).neutral()); });
  expect_clean("scenario",
               [] { return Numbers{read_scenario("examples/scenarios/tumble.yaml").duration}; });
}
TEST(NoMemory, descriptions_are_built) {
  expect_clean("builder", [] { return numbers(test::pendulum().neutral()); });
}
TEST(NoMemory, workspaces_are_made) {
  std::mt19937_64 generator(1);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 16}));
  const Vector q = test::random_configuration(model, generator),
               v = test::random_vector(model.nv(), generator);
  expect_clean("kinematics", [&] {
    AccelerationKinematics kin(model);
    forward_kinematics(model, q, v, v, kin);
    TwistDerivatives derivatives(model, 3);
    return Numbers{kin.C().back().r.x};
  });
  expect_clean("dynamics", [&] {
    InverseDynamics inverse(model);
    ForwardDynamics forward(model);
    MassMatrix M(model);
    MassMatrixInverse M_inv(model);
    CoriolisMatrix C(model);
    CentroidalMomentum A(model);
    TorqueRegressor Y(model);
    MassFactorization factors(model);
    mass_matrix(model, q, M), mass_matrix_inverse(model, q, M_inv);
    const AppliedWrench push{model.bodies().back().frame, {{1, 0, 0}, {}}};
    return numbers(forward_dynamics(model, q, v, inverse_dynamics(model, q, v, v, inverse), forward,
                                    {&push, 1}));
  });
  expect_clean("derivatives", [&] {
    InverseDynamicsDerivatives d(model);
    ForwardDynamicsDerivatives f(model);
    InverseDynamicsProducts p(model);
    ForwardDynamicsProducts fp(model);
    ContractedDerivatives c(model);
    TimeDerivatives t(model, 2);
    DirectionalDerivatives h(model);
    d_inverse_dynamics_along(model, q, v, v, {v, v, v}, h);
    return numbers(d_inverse_dynamics_times(model, q, v, v, v, v, v, p));
  });
  expect_clean("batch", [&] {
    Batch<float> batch(model, 1);
    std::vector<float> q_f(q.begin(), q.end()), v_f(v.begin(), v.end()), tau(v_f.size());
    batch.inverse_dynamics(1, q_f, v_f, v_f, tau);
    return Numbers(tau.begin(), tau.end());
  });
}
TEST(NoMemory, constrained_systems_are_made) {
  const Model model = looped();
  const Vector q = looped_q();
  expect_clean("constrained", [&] {
    ConstrainedSystem system(model, {}, q);
    ClosedKinematics closed(system);
    closed.at(system.assembled(), Vector(model.nv()));
    MechanicalSystem::Tangent tangent;
    system.tangent(Vector(model.nv()), tangent);
    Vector a(model.nv());
    system.acceleration(a);
    return numbers(a);
  });
}
TEST(NoMemory, runs_are_simulated_and_reported) {
  expect_clean("run", [] {
    Scenario s = test::swing({.method = "dop853", .tolerance = 1e-9});
    s.duration = 0.2;
    s.quantities = {"energy", "pose:arm"};
    s.events.push_back({{"turn", [](const State& at) { return at.v[0]; }}, RunEvent::log});
    Simulation simulation(s);
    ReportRun run;
    ReportRecorder recorder(run);
    int steps = 0;
    simulation.run(recorder, [&](double t) { return recorder.step(t), ++steps < 3; });
    write_report("<script>CHASLES_DATA</script>", {&run, 1});
    return numbers(simulation.state().q);
  });
}

TEST(NoMemory, systems_stay_usable) {
  const Model model = looped();
  const Vector q = looped_q(), v(model.nv());
  const auto everything = [&](MechanismState& s) {
    s.set(0, q, v);
    Vector a(model.nv());
    Matrix M, B, U;
    MechanicalSystem::Tangent tangent;
    s.acceleration(a);
    Numbers all = numbers(a);
    s.tangent(v, tangent), s.mass_matrix(M), s.constraint_matrix(B), s.independent_equations(U);
    for (const Matrix* x : {&tangent.K, &M, &B, &U})
      all.insert(all.end(), x->data(), x->data() + x->size());
    s.momentum_rate(a);
    all.insert(all.end(), a.begin(), a.end());
    return all;
  };
  const MechanismState tree(model);
  expect_usable<MechanismState>(
      "tree", [&] { return tree; }, everything);
  const ConstrainedSystem closed(model, {}, q);
  expect_usable<ConstrainedSystem>(
      "closed", [&] { return closed; }, everything);
}
TEST(NoMemory, batches_stay_usable) {
  const Model model = test::pendulum();
  const std::vector<double> q{1, 0, 0, 0, 0.3}, v{0.1, 0.2, 0.3, 0.4};
  expect_usable<Batch<double>>(
      "batch", [&] { return Batch<double>(model, 1); },
      [&](Batch<double>& batch) {
        Numbers tau(4), a(4), M(16);
        const Frame frames[] = {model.frame("arm")};
        const std::vector<double> W(6, 1);
        batch.inverse_dynamics(1, q, v, v, tau, BatchLayout::rows, {frames, W});
        batch.forward_dynamics(1, q, v, tau, a);
        batch.mass_matrix(1, q, M);
        a.insert(a.end(), M.begin(), M.end());
        return a;
      });
}
TEST(NoMemory, owning_matrices_keep_what_they_had) {
  Matrix x(2, 2);
  x.setConstant(3);
  const Matrix large(50, 50);
  EXPECT_FALSE(survives([&] { x = large; }, 1, 1));
  EXPECT_EQ(x.rows(), 2);
  EXPECT_FALSE(survives([&] { x.resize(40, 40); }, 1, 1));
  EXPECT_EQ(x.size(), 4);
  EXPECT_EQ(x(1, 1), 3);
}

}  // namespace no_memory_test

#endif
