/// The surgical device of paper 003: screws, poses and Jacobians that it prints as formulas.
#include <chasles/kinematics/jacobian.hpp>
#include <chasles/mechanism/builder.hpp>
#include <cmath>

#include "reproduce.hpp"

namespace {

using namespace chasles;

/// The surgical device of 003, sections 2.5 and 3.6, with lengths [m] that the paper leaves open.
struct Rcm {
  double d2 = 0.4, d3 = 0.35, d4 = 0.45, h4 = 0.2, d5 = 0.6;
  double x[6] = {0, 0.2, 0.05, 0.4, 0.5, 0.6}, z[6] = {0, 0.1, 0.02, 0.12, 0.16, 0.05};
  Eigen::VectorXd q = Eigen::VectorXd{{0.3, -0.5, 0.7, 0.2, -0.4}};

  Model model() const {
    const Vec3 up{0, 0, 1};
    return compile(MechanismBuilder("rcm")
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
                       .build());
  }
};

void compare(std::vector<Entry>& entries, const std::string& table, const std::string& column,
             const std::vector<double>& printed, const std::vector<double>& computed) {
  for (std::size_t i = 0; i < printed.size(); ++i)
    entries.push_back({table, std::to_string(i + 1), column, printed[i], computed[i]});
}
std::vector<double> list(const Twist& X) {
  const auto a = coordinates(X);
  return {a.begin(), a.end()};
}
std::vector<double> list(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

}  // namespace

std::vector<Entry> reproduce_rcm() {
  const Rcm g;
  const auto [d2, d3, d4, h4, d5] = std::tuple{g.d2, g.d3, g.d4, g.h4, g.d5};
  const double x1 = g.x[1], x2 = g.x[2], x3 = g.x[3], r = std::sqrt(0.5);
  const double q1 = g.q[0], q12 = q1 + g.q[1], q123 = q12 + g.q[2], q23 = g.q[1] + g.q[2];
  const double s1 = std::sin(q1), c1 = std::cos(q1), s12 = std::sin(q12), c12 = std::cos(q12);
  const double s123 = std::sin(q123), c123 = std::cos(q123), s23 = std::sin(q23),
               c23 = std::cos(q23);
  const double s2 = std::sin(g.q[1]), c2 = std::cos(g.q[1]), s3 = std::sin(g.q[2]),
               c3 = std::cos(g.q[2]);
  const Model model = g.model();
  PositionKinematics kin(model);
  positions(model, g.q, kin);
  std::vector<Entry> entries;

  const std::vector<double> Y[5] = {{0, 0, 1, 0, 0, 0},
                                    {0, 0, 1, 0, d2, 0},
                                    {0, 0, 1, 0, -d3, 0},
                                    {-r, 0, r, 0, -r * (d4 + h4), 0},
                                    {0, 0, 1, 0, -d5, 0}};
  const std::vector<double> X[5] = {{0, 0, 1, 0, -x1, 0},
                                    {0, 0, 1, 0, d2 - x2, 0},
                                    {0, 0, 1, 0, -d3 + x3, 0},
                                    {0, 0, 1, 0, r * (-d4 - h4 + g.x[4] + g.z[4]), 0},
                                    {0, 0, 1, 0, -d5 + g.x[5], 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    compare(entries, "Y", std::to_string(i + 1), Y[i], list(model.joints()[i].Y[0]));
    compare(entries, "X", std::to_string(i + 1), X[i], list(model.joints()[i].X[0]));
  }

  const auto C3 = matrix(pose(kin, model.place("3")));
  const double C3_printed[4][4] = {{c123, -s123, 0, -d2 * c1 + (d2 + d3) * c12 + (x3 - d3) * c123},
                                   {s123, c123, 0, -d2 * s1 + (d2 + d3) * s12 + (x3 - d3) * s123},
                                   {0, 0, 1, g.z[3]},
                                   {0, 0, 0, 1}};
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i)
      entries.push_back(
          {"C_3", std::to_string(i + 1), std::to_string(j + 1), C3_printed[i][j], C3(i, j)});

  Matrix6X J(6, model.nv());
  jacobian(model, kin, model.place("3"), Representation::body, J);
  const std::vector<double> J3b[5] = {
      {0, 0, 1, (d2 + d3) * s2 + (x1 + x3 - d3) * s23,
       d2 - x1 - (d2 + d3) * c2 + (d3 - x1 - x3) * c23, 0},
      {0, 0, 1, s3 * (x2 + x3 - d2 - d3), c3 * (d2 + d3 - x2 - x3) - d3 - x2, 0},
      {0, 0, 1, 0, x3 - d3, 0},
      {0, 0, 1, 0, 0, 0},
      {0, 0, 1, 0, 0, 0}};
  for (int j = 0; j < 5; ++j)
    compare(entries, "J_3^b", std::to_string(j + 1), J3b[j], list(Eigen::VectorXd(J.col(j))));

  jacobian(model, kin, model.place("5"), Representation::spatial, J);
  const std::vector<double> Js[4] = {
      {0, 0, 1, 0, 0, 0},
      {0, 0, 1, -d2 * s1, d2 * c1, 0},
      {0, 0, 1, (d2 + d3) * s23 - d2 * s1, d2 * c1 - (d2 + d3) * c12, 0},
      {-r * c123, -r * s123, r, r * ((d2 + d3) * s12 - d2 * s1 + (d4 + h4 - d3) * s123),
       r * (d2 * c1 - (d2 + d3) * c12 + (d3 - d4 - h4) * c123), r * (d2 * s23 - (d2 + d3) * s3)}};
  for (int j = 0; j < 4; ++j)
    compare(entries, "J^s", std::to_string(j + 1), Js[j], list(Eigen::VectorXd(J.col(j))));
  return entries;
}
