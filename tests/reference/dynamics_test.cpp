/// Dynamics of real robots against Pinocchio 3.7 at random states. The files are not part of the
/// project; without them these tests are skipped.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "chasles/dynamics/recursive.hpp"
#include "chasles/io/mechanism_file.hpp"

namespace chasles {
namespace {

using nlohmann::json;
const std::filesystem::path shared = "../shared";
constexpr Representation all_representations[] = {Representation::body, Representation::spatial,
                                                  Representation::hybrid, Representation::mixed};

class RobotDynamics : public ::testing::TestWithParam<const char*> {
 protected:
  json reference;
  Model model;
  std::vector<Eigen::Index> q_place, v_place;  // of each entry in the reference, in the model

  void SetUp() override {
    const auto file = shared / "refs" / (std::string(GetParam()) + ".json");
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "needs " << file << ", which is not here";
    reference = json::parse(std::ifstream(file));
    model = compile(read_mechanism(shared / "robots" / reference["model"].get<std::string>(),
                                   {reference["floating_base"].get<bool>(), nullptr}));
    for (const json& joint : reference["joints"])
      for (const ModelJoint& j : model.joints())
        if (j.name == joint["name"].get<std::string>()) {
          for (int k = 0; k < j.nq; ++k) q_place.push_back(j.q_index + k);
          for (int k = 0; k < j.nv; ++k) v_place.push_back(j.v_index + k);
        }
    ASSERT_EQ(static_cast<int>(v_place.size()), model.nv());
  }

  static Eigen::VectorXd placed(const json& list, const std::vector<Eigen::Index>& places) {
    Eigen::VectorXd x(list.size());
    for (std::size_t k = 0; k < places.size(); ++k) x[places[k]] = list[k];
    return x;
  }
  Eigen::VectorXd vector(const json& list) const { return placed(list, v_place); }
  Eigen::MatrixXd matrix(const json& rows) const {
    Eigen::MatrixXd m(model.nv(), model.nv());
    for (std::size_t i = 0; i < v_place.size(); ++i)
      m.row(v_place[i]) = vector(rows[i]).transpose();
    return m;
  }
};
INSTANTIATE_TEST_SUITE_P(Pinocchio, RobotDynamics, ::testing::Values("panda", "ur5", "anymal"),
                         [](const auto& robot) { return std::string(robot.param); });

/// The largest deviation, relative to the largest entry wanted.
double deviation(const Eigen::MatrixXd& is, const Eigen::MatrixXd& want) {
  return (is - want).cwiseAbs().maxCoeff() / want.cwiseAbs().maxCoeff();
}

TEST_P(RobotDynamics, recursions) {
  VelocityKinematics kin(model), still(model);
  RecursiveDynamics work(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv());
  double inverse = 0, forward = 0;
  for (const json& state : reference["states"]) {
    const json& want = state["expected"];
    const Eigen::VectorXd q = placed(state["q"], q_place);
    velocities(model, q, vector(state["v"]), kin);
    velocities(model, q, zero, still);
    for (const Representation rep : all_representations) {
      const auto compare = [&](const VelocityKinematics& k, const Eigen::VectorXd& a,
                               const char* name) {
        inverse = std::max(inverse,
                           deviation(inverse_dynamics(model, k, a, rep, work), vector(want[name])));
      };
      compare(kin, vector(state["a"]), "inverse_dynamics");
      compare(kin, zero, "bias");
      compare(still, zero, "gravity");
      forward =
          std::max(forward, deviation(forward_dynamics(model, kin, vector(state["tau"]), rep, work),
                                      vector(want["forward_dynamics"])));
    }
  }
  std::printf("  %s: inverse dynamics %.1e, forward dynamics %.1e\n", GetParam(), inverse, forward);
  EXPECT_LE(inverse, 1e-12);
  EXPECT_LE(forward, 1e-10);
}

}  // namespace
}  // namespace chasles
