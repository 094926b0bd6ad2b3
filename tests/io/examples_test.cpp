/// The mechanisms in examples/: all are read, and say what they claim to say.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/model/model.hpp"
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

TEST(Examples, every_joint_has_every_joint) {
  std::set<JointType> types;
  std::set<Coordinates> kinds;
  for (const Body& body : read_mechanism("examples/every_joint.yaml").bodies) {
    types.insert(body.joint.type);
    if (body.joint.type == JointType::custom) kinds.insert(body.joint.coordinates);
  }
  EXPECT_EQ(types.size(), joint_type_names().size());
  EXPECT_EQ(kinds.size(), 2);
}

TEST(Examples, three_spheres_are_those_of_the_studies) {
  EXPECT_EQ(write_yaml(read_mechanism("examples/three_spheres.yaml")),
            write_yaml(studies::three_spheres()));
}

}  // namespace
