/// Exceptions of functions that are not the library's: they come out as they were thrown, whatever the method,
/// and the integration can go on from the last state. What a state cannot do (StateError) is another matter:
/// failures_test.cpp.
#include <gtest/gtest.h>

#include <stdexcept>

#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/motions.hpp"
#include "support/system_cases.hpp"

namespace chasles {
namespace exceptions_test {

/// Calls until one throws; -1: none.
struct Fuse {
  int left = -1;
  bool of_library = false;
  void burn() {
    if (left < 0 || left-- > 0) return;
    if (of_library) throw Error("the brake is open");
    throw std::runtime_error("the brake is open");
  }
};

/// A weak spring in every joint that is a number; each of its functions may throw.
void add_springs(MechanismState& system, Fuse& fuse, bool tangents) {
  const Model& model = system.model();
  Vector k(model.nv());
  for (const ModelJoint& joint : model.joints())
    if (joint.is_vector()) k.segment(joint.v_index, joint.nv).setConstant(0.3);
  const auto apply = [&fuse, k](double, const VelocityKinematics& kin, JointForces& out) {
    fuse.burn();
    if (kin.q().size() == k.size()) out.tau -= k.cwiseProduct(kin.q());
  };
  const auto expand = [&fuse, k](ForceExpansion& out) {
    fuse.burn();
    out.stiffness = k;
  };
  TangentFunction tangent;
  if (tangents)
    tangent = [&fuse, k](double, const VelocityKinematics& kin, ForceTangent& out) {
      fuse.burn();
      if (kin.q().size() != k.size()) return;
      for (Eigen::Index i = 0; i < k.size(); ++i) {
        ForceTangent::JointBlock block{static_cast<int>(i), 1, {}, {}};
        block.K[0] = k[i];
        out.joints.push_back(block);
      }
    };
  system.set_forces(apply, expand, tangent);
}

/// What came out of a step, or "" if all went well.
std::string thrown(Integrator& integrator, bool of_library) {
  const State before = integrator.state();
  std::string text;
  try {
    integrator.step(10);
    return "";
  } catch (const StateError& e) {
    text = std::string("a StateError: ") + e.what();
  } catch (const Error& e) {
    text = of_library ? e.what() : std::string("an Error: ") + e.what();
  } catch (const std::runtime_error& e) {
    text = of_library ? std::string("a runtime_error: ") + e.what() : e.what();
  }
  EXPECT_EQ(integrator.state().t, before.t);
  EXPECT_EQ(integrator.state().q, before.q);
  EXPECT_EQ(integrator.state().v, before.v);
  return text;
}

void expect_the_same(Integrator& went_on, Integrator& fresh, const std::string& name) {
  fresh.resume(went_on.state(), went_on.checkpoint());
  for (int k = 0; k < 6; ++k) {
    went_on.step(10), fresh.step(10);
    ASSERT_EQ(went_on.state().t, fresh.state().t) << name << " " << k;
    ASSERT_EQ(went_on.state().q, fresh.state().q) << name << " " << k;
    ASSERT_EQ(went_on.state().v, fresh.state().v) << name << " " << k;
  }
}

void check(const MethodInfo& info, const std::function<std::shared_ptr<MechanismState>()>& make,
           const State& start, bool tangents, int call, bool of_library) {
  Fuse fuse, none;
  const auto system = make(), other = make();
  add_springs(*system, fuse, tangents), add_springs(*other, none, tangents);
  const IntegratorOptions options = test::steps_of(0.02, info);
  const auto integrator = make_integrator(*system, options),
             fresh = make_integrator(*other, options);
  const std::string name = std::string(info.name) + ", call " + std::to_string(call) +
                           (of_library ? ", Error" : ", runtime_error");
  integrator->reset(start);
  fuse.left = call, fuse.of_library = of_library;
  std::string text;
  for (int k = 0; k < 60 && text.empty(); ++k) text = thrown(*integrator, of_library);
  EXPECT_EQ(text, "the brake is open") << name;
  expect_the_same(*integrator, *fresh, name);
}

TEST(Exceptions, of_forces_come_out_of_every_method_unchanged) {
  const test::Motion tree = test::double_pendulum();
  const auto make = [&] { return std::make_shared<MechanismState>(tree.model); };
  for (const MethodInfo& info : methods())
    for (const bool of_library : {true, false})
      for (const bool tangents : {true, false})
        for (int call = 0; call < 24; ++call)
          check(info, make, tree.start, tangents, call, of_library);
}

TEST(Exceptions, of_forces_on_closed_mechanisms_come_out_unchanged) {
  const Model model = compile(studies::four_bar());
  const auto make = [&] { return std::make_shared<ConstrainedSystem>(model); };
  const State start = test::on_constraints(*make(), make()->assembled(), Vector{0.4, -0.2, 0.1});
  for (const MethodInfo& info : methods()) {
    if (info.needs >= Needs::mechanism) continue;
    for (const bool of_library : {true, false})
      for (int call = 0; call < 24; call += 3) check(info, make, start, true, call, of_library);
  }
}

/// Also where accelerations are limits at a singular configuration, found at states around it.
TEST(Exceptions, come_out_near_singular_configurations) {
  const Model model = compile(studies::n_four_bar(2));
  const auto make = [&] { return std::make_shared<ConstrainedSystem>(model); };
  State start = studies::n_four_bar_start(2);
  start.q = Vector{M_PI / 2, -M_PI / 2, M_PI / 2, -M_PI / 2, M_PI / 2};
  for (const char* method : {"dop853", "hem4", "mk4", "generalized_alpha"})
    for (int call = 0; call < 40; call += 3)
      check(method_info(method), make, start, true, call, true);
}

/// Hooks, too.
TEST(Exceptions, of_hooks_come_out_of_every_method_unchanged) {
  struct Hook : StepHook {
    Fuse fuse;
    void reached(State&) override { fuse.burn(); }
  };
  const test::Motion m = test::double_pendulum();
  for (const MethodInfo& info : methods()) {
    const auto hook = std::make_shared<Hook>();
    IntegratorOptions options = test::steps_of(0.02, info);
    ModelSystem system(m.model);
    options.hook = hook;
    const auto integrator = make_integrator(system, options);
    integrator->reset(m.start);
    hook->fuse = {2, true};
    std::string text;
    for (int k = 0; k < 60 && text.empty(); ++k) text = thrown(*integrator, true);
    EXPECT_EQ(text, "the brake is open") << info.name;
    EXPECT_EQ(integrator->statistics().steps, 2) << info.name;
  }
}

}  // namespace exceptions_test
}  // namespace chasles
