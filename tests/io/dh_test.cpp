/// Tables of Denavit and Hartenberg against their defining products, written out with sines and
/// cosines.

#include <gtest/gtest.h>

#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/model/model.hpp"
#include "support/near.hpp"

namespace {

using namespace chasles;

SE3 from_rows(const Mat3& rows, const Vec3& r) { return {SO3(transpose(rows)), r}; }

/// Rz(theta) Tz(d) Tx(a) Rx(alpha), multiplied out.
SE3 standard(double a, double alpha, double d, double theta) {
  const double c = std::cos(theta), s = std::sin(theta), ca = std::cos(alpha), sa = std::sin(alpha);
  return from_rows({{c, -s * ca, s * sa}, {s, c * ca, -c * sa}, {0, sa, ca}}, {a * c, a * s, d});
}
/// Rx(alpha) Tx(a) Rz(theta) Tz(d), multiplied out.
SE3 modified(double a, double alpha, double d, double theta) {
  const double c = std::cos(theta), s = std::sin(theta), ca = std::cos(alpha), sa = std::sin(alpha);
  return from_rows({{c, -s, 0}, {s * ca, c * ca, -sa}, {s * sa, c * sa, ca}}, {a, -sa * d, ca * d});
}

struct Row {
  const char* type;
  double a, alpha, d, theta, offset;
};
constexpr Row rows[] = {{"revolute", 0.1, 0.5, 0.3, 0.2, 0.7},
                        {"prismatic", -0.2, -1.2, 0.1, 1.1, 0.05},
                        {"revolute", 0.4, M_PI / 2, 0, 0, 0},
                        {"fixed", 0.05, 0.1, 0.2, 0.3, 0},
                        {"prismatic", 0, 0, 0, -0.4, 0}};

void expect_table(const char* key, SE3 (*link)(double, double, double, double)) {
  std::string text = "chasles: 1\n" + std::string(key) + ":\n";
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const Row& row = rows[i];
    text += "  - {name: link" + std::to_string(i) + ", type: " + row.type;
    text += ", a: " + to_text(row.a) + ", alpha: " + to_text(row.alpha);
    text += ", d: " + to_text(row.d) + ", theta: " + to_text(row.theta);
    if (row.offset != 0) text += ", offset: " + to_text(row.offset);
    text += "}\n";
  }
  const Model model = compile(read_yaml(text, "dh.yaml"));
  ASSERT_EQ(model.nq(), 4);
  PositionKinematics kinematics(model);
  Eigen::VectorXd q(4);
  q << 0.3, -0.2, 1.9, 0.4;
  forward_kinematics(model, q, kinematics);
  SE3 C;
  int k = 0;
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const Row& row = rows[i];
    const std::string_view type = row.type;
    const double variable = type == "fixed" ? 0 : q[k++] + row.offset;
    C = C * link(row.a, row.alpha, row.d + (type == "prismatic" ? variable : 0),
                 row.theta + (type == "revolute" ? variable : 0));
    EXPECT_CLOSE(pose(kinematics, model.frame("link" + std::to_string(i))), C, 4e-15) << i;
  }
}

TEST(Dh, standard_is_the_product_of_its_rows) { expect_table("dh", standard); }
TEST(Dh, modified_is_the_product_of_its_rows) { expect_table("mdh", modified); }

}  // namespace
