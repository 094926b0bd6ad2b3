/// Two arms and a quadruped with the values that Pinocchio 3.7 gives at random states: data/NAME.yaml
/// and data/NAME.json.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "chasles/chasles.hpp"

namespace chasles::test {

class Robot : public ::testing::TestWithParam<const char*> {
 protected:
  using json = nlohmann::json;

  const std::string stem = std::string("tests/reference/data/") + GetParam();
  const Model model = compile(read_mechanism(stem + ".yaml"));
  const json states = json::parse(std::ifstream(stem + ".json"))["states"];

  static Vector vector(const json& numbers) {
    Vector x(static_cast<Eigen::Index>(numbers.size()));
    for (std::size_t k = 0; k < numbers.size(); ++k) x[static_cast<Eigen::Index>(k)] = numbers[k];
    return x;
  }
  static Eigen::MatrixXd matrix(const json& rows) {
    Eigen::MatrixXd m(rows.size(), rows[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      m.row(static_cast<Eigen::Index>(i)) = vector(rows[i]).transpose();
    return m;
  }
  /// The largest deviation, relative to the largest entry wanted.
  static double deviation(const Eigen::MatrixXd& is, const Eigen::MatrixXd& want) {
    return (is - want).cwiseAbs().maxCoeff() / want.cwiseAbs().maxCoeff();
  }
};

inline const auto robots = ::testing::Values("arm6", "arm7", "quadruped");
inline std::string robot_name(const ::testing::TestParamInfo<const char*>& robot) {
  return robot.param;
}

}  // namespace chasles::test
