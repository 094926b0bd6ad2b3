#include "studies/rcm.hpp"

#include <cmath>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"

namespace chasles::studies {

Mechanism Rcm::mechanism() const {
  const Vec3 up{0, 0, 1};
  return MechanismBuilder("rcm")
      .body("1", ground, joints::revolute(up))
      .pose({{}, {-x[1], 0, z[1]}})
      .body("2", "1", joints::revolute(up, {-d2, 0, 0}))
      .pose({{}, {-x[2], 0, -z[2]}})
      .body("3", "2", joints::revolute(up, {d3, 0, 0}))
      .pose({{}, {x[3], 0, z[3]}})
      .body("4", "3", joints::revolute({-1, 0, 1}, {d4, 0, h4}))
      .pose({exp(Vec3{0, -M_PI / 4, 0}), {x[4], 0, z[4]}})
      .body("5", "4", joints::revolute(up, {d5, 0, 0}))
      .pose({{}, {x[5], 0, z[5]}})
      .build();
}

namespace {

using Column = std::vector<double>;

Column list(const Twist& X) {
  const auto a = coordinates(X);
  return {a.begin(), a.end()};
}
void compare(std::vector<Entry>& entries, const std::string& table, int column,
             const Column& printed, const Column& computed) {
  for (std::size_t i = 0; i < printed.size(); ++i)
    entries.push_back(
        {table, std::to_string(i + 1), std::to_string(column), printed[i], computed[i]});
}

/// Symbols of the formulas.
struct Letters : Rcm {
  double q1 = 0.3, q2 = -0.5, q3 = 0.7, q4 = 0.2, q5 = -0.4;
  double q12 = q1 + q2, q123 = q12 + q3, q23 = q2 + q3;
  double s1 = std::sin(q1), c1 = std::cos(q1), s2 = std::sin(q2), c2 = std::cos(q2);
  double s3 = std::sin(q3), c3 = std::cos(q3), s12 = std::sin(q12), c12 = std::cos(q12);
  double s23 = std::sin(q23), c23 = std::cos(q23), s123 = std::sin(q123), c123 = std::cos(q123);
  double r = std::sqrt(0.5), x1 = x[1], x2 = x[2], x3 = x[3];

  explicit Letters(const Rcm& device) : Rcm(device) {}

  /// Section 2.5: screws of the joints in the world and in the bodies, columns 1 ... 5.
  std::vector<Column> Y() const {
    return {{0, 0, 1, 0, 0, 0},
            {0, 0, 1, 0, d2, 0},
            {0, 0, 1, 0, -d3, 0},
            {-r, 0, r, 0, -r * (d4 + h4), 0},
            {0, 0, 1, 0, -d5, 0}};
  }
  std::vector<Column> X() const {
    return {{0, 0, 1, 0, -x1, 0},
            {0, 0, 1, 0, d2 - x2, 0},
            {0, 0, 1, 0, -d3 + x3, 0},
            {0, 0, 1, 0, r * (-d4 - h4 + x[4] + z[4]), 0},
            {0, 0, 1, 0, -d5 + x[5], 0}};
  }
  /// Section 2.5: the pose of body 3.
  std::vector<Column> C_3() const {
    return {{c123, s123, 0, 0},
            {-s123, c123, 0, 0},
            {0, 0, 1, 0},
            {-d2 * c1 + (d2 + d3) * c12 + (x3 - d3) * c123,
             -d2 * s1 + (d2 + d3) * s12 + (x3 - d3) * s123, z[3], 1}};
  }
  /// Section 2.5: the Jacobian of body 3, body-fixed.
  std::vector<Column> J_3_b() const {
    return {{0, 0, 1, (d2 + d3) * s2 + (x1 + x3 - d3) * s23,
             d2 - x1 - (d2 + d3) * c2 + (d3 - x1 - x3) * c23, 0},
            {0, 0, 1, s3 * (x2 + x3 - d2 - d3), c3 * (d2 + d3 - x2 - x3) - d3 - x2, 0},
            {0, 0, 1, 0, x3 - d3, 0},
            {0, 0, 1, 0, 0, 0},
            {0, 0, 1, 0, 0, 0}};
  }
  /// Section 3.6: the spatial Jacobian, columns 1 ... 4.
  std::vector<Column> J_s() const {
    return {
        {0, 0, 1, 0, 0, 0},
        {0, 0, 1, -d2 * s1, d2 * c1, 0},
        {0, 0, 1, (d2 + d3) * s23 - d2 * s1, d2 * c1 - (d2 + d3) * c12, 0},
        {-r * c123, -r * s123, r, r * ((d2 + d3) * s12 - d2 * s1 + (d4 + h4 - d3) * s123),
         r * (d2 * c1 - (d2 + d3) * c12 + (d3 - d4 - h4) * c123), r * (d2 * s23 - (d2 + d3) * s3)}};
  }
};

}  // namespace

std::vector<Entry> rcm_formulas(const Rcm& device) {
  const Letters letters(device);
  const Model model = compile(device.mechanism());
  PositionKinematics kin(model);
  forward_kinematics(model, Vector{letters.q1, letters.q2, letters.q3, letters.q4, letters.q5},
                     kin);
  std::vector<Entry> entries;

  for (int i = 0; i < 5; ++i) {
    const auto k = static_cast<std::size_t>(i);
    compare(entries, "Y", i + 1, letters.Y()[k], list(model.joints()[k].Y[0]));
    compare(entries, "X", i + 1, letters.X()[k], list(model.joints()[k].X[0]));
  }

  const auto columns = [&](const std::string& table, const std::vector<Column>& printed,
                           const Eigen::MatrixXd& computed) {
    for (int j = 0; j < static_cast<int>(printed.size()); ++j)
      compare(entries, table, j + 1, printed[static_cast<std::size_t>(j)],
              {computed.col(j).begin(), computed.col(j).end()});
  };
  columns("C_3", letters.C_3(), to_eigen(matrix(pose(kin, model.frame("3")))));
  Matrix6X J(6, model.nv());
  jacobian(model, kin, model.frame("3"), Representation::body, J);
  columns("J_3^b", letters.J_3_b(), J);
  jacobian(model, kin, model.frame("5"), Representation::spatial, J);
  columns("J^s", letters.J_s(), J);
  return entries;
}

}  // namespace chasles::studies
