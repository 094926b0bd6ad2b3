/// The mechanisms in examples/: all are read, and say what they claim to say.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/model/model.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "studies/three_spheres.hpp"

namespace {

using namespace chasles;

TEST(Examples, are_all_read_and_compiled) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const Mechanism m = read_mechanism(entry.path());
    EXPECT_EQ(m.name, entry.path().stem());
    EXPECT_NO_THROW(check(m));
    EXPECT_GT(compile(m).nv(), 0) << entry.path();
    const Mechanism copy = read_yaml(write_yaml(m), "copy.yaml");
    EXPECT_EQ(write_yaml(copy), write_yaml(m));
    ++files;
  }
  EXPECT_GE(files, 5);
}

/// The largest value of the first quantity in any sample.
struct LargestSample : Recorder {
  void sample(const Sample& sample) override {
    if (!sample.values.empty()) largest = std::max(largest, sample.values[0](0, 0));
  }
  double largest = 0;
};

/// No criterion that ends runs stops a healthy one; and no sample is worse than the summary says.
TEST(Examples, run_to_their_end) {
  int runs = 0;
  for (const char* folder : {"examples/scenarios", "examples/tutorial"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml") continue;
      auto file = read_scenario_or_mechanism(entry.path());
      Scenario* s = std::get_if<Scenario>(&file);
      if (s == nullptr) continue;
      if (s->loops && !s->model.loops().empty()) s->quantities = {"constraint_violation"};
      LargestSample samples;
      Simulation simulation(*s);
      EXPECT_NO_THROW(simulation.run(samples)) << entry.path();
      EXPECT_TRUE(simulation.summary().finished) << entry.path();
      if (!s->quantities.empty() && s->quantities[0] == "constraint_violation") {
        EXPECT_GE(simulation.summary().constraint_violation, samples.largest) << entry.path();
      }
      ++runs;
    }
  EXPECT_GE(runs, 16);
}

TEST(Examples, every_joint_has_every_joint) {
  std::set<JointType> types;
  std::set<Parameterization> kinds;
  for (const Body& body : read_mechanism("examples/every_joint.yaml").bodies) {
    types.insert(body.joint.type);
    if (body.joint.type == JointType::custom) kinds.insert(body.joint.parameterization);
  }
  EXPECT_EQ(types.size(), joint_type_names().size());
  EXPECT_EQ(kinds.size(), 2);
}

TEST(Examples, three_spheres_are_those_of_the_studies) {
  EXPECT_EQ(write_yaml(read_mechanism("examples/three_spheres.yaml")),
            write_yaml(studies::three_spheres()));
}

/// Files have twelve digits.
void expect_same(const Mechanism& file, const Mechanism& study) {
  EXPECT_EQ(file.name, study.name);
  EXPECT_EQ(file.gravity, study.gravity);
  const Model a = compile(file), b = compile(study);
  ASSERT_EQ(a.bodies().size(), b.bodies().size());
  ASSERT_EQ(a.joints().size(), b.joints().size());
  ASSERT_EQ(a.loops().size(), b.loops().size());
  ASSERT_EQ(a.couplings().size(), b.couplings().size());
  const auto near = [](const SE3& x, const SE3& y) {
    return max_abs(x.r - y.r) < 1e-11 && max_abs(log(inverse(x.R) * y.R)) < 1e-11;
  };
  const ReferenceGeometry f = reference_geometry(file), g = reference_geometry(study);
  for (std::size_t i = 0; i < f.A.size(); ++i) {
    EXPECT_TRUE(near(f.A[i], g.A[i]) && near(f.J[i], g.J[i])) << file.bodies[i].name;
    const Inertia &I = a.bodies()[i].inertia, &K = b.bodies()[i].inertia;
    EXPECT_EQ(a.bodies()[i].name, b.bodies()[i].name);
    EXPECT_EQ(I.m, K.m);
    const Sym3 d = I.I - K.I;
    EXPECT_LT(max_abs(I.mc - K.mc) + std::abs(d.xx) + std::abs(d.yy) + std::abs(d.zz) +
                  std::abs(d.xy) + std::abs(d.xz) + std::abs(d.yz),
              1e-11);
  }
  for (std::size_t i = 0; i < a.joints().size(); ++i) {
    EXPECT_EQ(a.joints()[i].name, b.joints()[i].name);
    EXPECT_EQ(a.joints()[i].type, b.joints()[i].type);
  }
  for (std::size_t i = 0; i < a.loops().size(); ++i) {
    EXPECT_EQ(a.loops()[i].name, b.loops()[i].name);
    EXPECT_EQ(a.loops()[i].type, b.loops()[i].type);
    EXPECT_EQ(a.loops()[i].bodies, b.loops()[i].bodies);
    EXPECT_TRUE(near(a.loops()[i].from.offset, b.loops()[i].from.offset));
    EXPECT_TRUE(near(a.loops()[i].to.offset, b.loops()[i].to.offset));
  }
  for (std::size_t i = 0; i < a.couplings().size(); ++i)
    for (std::size_t k = 0; k < a.couplings()[i].terms.size(); ++k)
      EXPECT_EQ(a.couplings()[i].terms[k].coefficient, b.couplings()[i].terms[k].coefficient);
}

TEST(Examples, with_loops_are_those_of_the_studies) {
  using namespace studies;
  for (const Mechanism& m :
       {four_bar(), slider_crank(), bricard(), andrews(), stewart(), delta(), differential()}) {
    SCOPED_TRACE(m.name);
    expect_same(read_mechanism("examples/" + m.name + ".yaml"), m);
  }
}

}  // namespace
