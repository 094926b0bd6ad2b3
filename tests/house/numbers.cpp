/// Numbers in the documents are those of the code: each is read from its sentence and compared with the constant, and
/// where the number is a border, tried on both sides of it.

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <string>

#include "chasles/integrators/integrator.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/so3xr3.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/summary.hpp"
#include "chasles/systems/model_system.hpp"
#include "house/text_files.hpp"

namespace numbers_test {

using namespace chasles;

/// The number that a pattern finds in a document, which must have one such sentence.
double number_in(const std::string& document, const std::string& pattern) {
  const std::string text = std::regex_replace(house::text_of(document), std::regex(R"(\s+)"), " ");
  const std::regex sentence(pattern);
  std::smatch match;
  if (!std::regex_search(text, match, sentence)) {
    ADD_FAILURE() << document << " does not say: " << pattern;
    return NAN;
  }
  return std::stod(match[1]);
}

const std::string number = R"((-?\d[\d.]*(?:e-?\d+)?))";

TEST(Numbers, rotations_and_quaternions_are_cleaned_up_to_the_documented_defect) {
  const double of_rotations =
      number_in("docs/notation.md", R"(defect \$\|R\^T R - I\|\$ is at most )" + number);
  const double of_quaternions =
      number_in("docs/notation.md", "length is within " + number + " of 1");
  EXPECT_EQ(of_rotations, lie::rotation_tolerance);
  EXPECT_EQ(of_quaternions, lie::quaternion_tolerance);
  EXPECT_EQ(number_in("docs/model-files.md", R"(\$\|R\^T R - I\|\$ at most )" + number),
            of_rotations);
  EXPECT_EQ(number_in("docs/model-files.md", "quaternions within " + number), of_quaternions);
  EXPECT_EQ(number_in("docs/scenario-files.md", "must have unit length within " + number),
            of_quaternions);

  const auto stretched = [](double defect) {  // (1 + s)^2 - 1 = defect
    const double s = std::sqrt(1 + defect);
    return Mat3{{s, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  };
  EXPECT_NO_THROW(SO3{stretched(0.99 * of_rotations)});
  EXPECT_THROW(SO3{stretched(1.01 * of_rotations)}, Error);
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_NO_THROW(rotation(Quaternion{1 + sign * 0.99 * of_quaternions, 0, 0, 0}));
    EXPECT_THROW(rotation(Quaternion{1 + sign * 1.01 * of_quaternions, 0, 0, 0}), Error);
    const Model ball =
        compile(MechanismBuilder("ball").body("ball", ground, joints::spherical()).build());
    EXPECT_NO_THROW(checked_configuration(ball, Vector{1 + sign * 0.99 * of_quaternions, 0, 0, 0}));
    EXPECT_THROW(checked_configuration(ball, Vector{1 + sign * 1.01 * of_quaternions, 0, 0, 0}),
                 Error);
  }
}

TEST(Numbers, gravity_is_what_the_notation_says) {
  const Vec3 g = Mechanism{}.gravity;
  EXPECT_EQ(g.x, 0);
  EXPECT_EQ(g.y, 0);
  EXPECT_EQ(g.z, number_in("docs/notation.md", R"(default \(0, 0, )" + number + R"(\) m/s\^2)"));
}

TEST(Numbers, matrices_of_the_groups_have_the_sizes_of_the_notation) {
  const std::string text = R"(matrices of size (\d) \(SO3\))";
  EXPECT_EQ(number_in("docs/notation.md", text), 3);
  EXPECT_EQ(number_in("docs/notation.md", R"((\d) \(SE3\))"), hat(Twist{}).size);
  EXPECT_EQ(number_in("docs/notation.md", R"((\d) \(SO3xR3\))"), hat(MixedTwist{}).size);
}

TEST(Numbers, joints_of_the_notation_are_those_of_the_library) {
  const std::string text = house::text_of("docs/notation.md");
  const std::size_t begin = text.find("| Joint | q | v |"), end = text.find("\n\n", begin);
  ASSERT_NE(begin, std::string::npos);
  std::set<std::string> documented{"fixed"};  // it has no entry in q
  for (const std::string& line : house::lines_of(text.substr(begin, end - begin))) {
    const std::string names = line.substr(0, line.find('|', 1));
    static const std::regex quoted("`([a-z0-9_]+)`");
    for (std::sregex_iterator i(names.begin(), names.end(), quoted), none; i != none; ++i)
      documented.insert((*i)[1]);
  }
  std::set<std::string> known;
  for (const std::string_view name : joint_type_names()) known.emplace(name);
  EXPECT_EQ(documented, known);
  EXPECT_EQ(number_in("README.md", R"(with (\d+) joint types)"), static_cast<double>(known.size()));
}

/// Where a pendulum is after a step of at most 1 s.
double after_a_step(std::optional<double> tolerance) {
  const Model model = compile(MechanismBuilder("pendulum")
                                  .body("rod", ground, joints::revolute({0, 1, 0}))
                                  .inertia(2, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                                  .build());
  ModelSystem system(model);
  const auto integrator = make_integrator(system, {.method = "dop853", .tolerance = tolerance});
  integrator->reset({0, Vector{0.5}, Vector{1.0}});
  integrator->step(1);
  return integrator->state().t;
}

TEST(Numbers, the_default_tolerance_is_the_documented_one) {
  const double documented =
      number_in("docs/scenario-files.md", "error of a step, default " + number);
  EXPECT_EQ(number_in("docs/scenario-files.md", "method: auto, tolerance: " + number), documented);
  EXPECT_EQ(after_a_step({}), after_a_step(documented));
  EXPECT_NE(after_a_step({}), after_a_step(1.5 * documented));
}

TEST(Numbers, the_allowed_constraint_error_is_the_documented_one) {
  EXPECT_EQ(number_in("docs/scenario-files.md", R"(off by more than max\()" + number),
            Summary{}.allowed_violation);
}

}  // namespace numbers_test
