/// Real robots against Pinocchio 3.7: poses and Jacobians at random states, to 1e-12. The files are
/// not part of the project; without them these tests are skipped.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"

namespace chasles {
namespace {

using nlohmann::json;
const std::filesystem::path shared = "../shared";

Eigen::MatrixXd matrix_from(const json& rows) {
  Eigen::MatrixXd m(rows.size(), rows[0].size());
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      m(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return m;
}

class Robot : public ::testing::TestWithParam<const char*> {
 protected:
  json reference;
  Model model;
  // For each entry of q and v in the reference, its place in the model.
  std::vector<Eigen::Index> q_place, v_place;

  void SetUp() override {
    const auto file = shared / "refs" / (std::string(GetParam()) + ".json");
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "needs " << file << ", which is not here";
    reference = json::parse(std::ifstream(file));
    model = compile(read_mechanism(shared / "robots" / reference["model"].get<std::string>(),
                                   {reference["floating_base"].get<bool>(), nullptr}));
    for (const json& joint : reference["joints"])
      for (const ModelJoint& j : model.joints())
        if (j.name == joint["name"].get<std::string>()) {
          ASSERT_EQ(j.nq, joint["nq"].get<int>());
          for (int k = 0; k < j.nq; ++k) q_place.push_back(j.q_index + k);
          for (int k = 0; k < j.nv; ++k) v_place.push_back(j.v_index + k);
        }
    ASSERT_EQ(static_cast<int>(v_place.size()), model.nv());
  }
};
INSTANTIATE_TEST_SUITE_P(Pinocchio, Robot, ::testing::Values("panda", "ur5", "anymal"),
                         [](const auto& robot) { return std::string(robot.param); });

TEST_P(Robot, poses_and_jacobians) {
  PositionKinematics kin(model);
  Matrix6X J(6, model.nv());
  const std::string frame = reference["frame"];
  const Place place = model.place(frame);
  double worst = 0;
  for (const json& state : reference["states"]) {
    Eigen::VectorXd q(model.nq());
    for (std::size_t k = 0; k < q_place.size(); ++k) q[q_place[k]] = state["q"][k];
    positions(model, q, kin);
    const json& expected = state["expected"];
    const Eigen::MatrixXd C = matrix_from(expected["pose:" + frame]);
    worst = std::max(worst, (to_eigen(pose(kin, place)) - C).cwiseAbs().maxCoeff());
    for (const auto& [name, rep] :
         {std::pair{"body", Representation::body}, std::pair{"spatial", Representation::spatial},
          std::pair{"hybrid", Representation::hybrid}}) {
      const Eigen::MatrixXd want = matrix_from(expected["jacobian:" + frame + ":" + name]);
      jacobian(model, kin, place, rep, J);
      for (std::size_t k = 0; k < v_place.size(); ++k)
        worst = std::max(
            worst,
            (J.col(v_place[k]) - want.col(static_cast<Eigen::Index>(k))).cwiseAbs().maxCoeff());
    }
    const Vec3 com = center_of_mass(model, kin);
    for (int i = 0; i < 3; ++i)
      worst = std::max(
          worst, std::abs(com[i] - expected["com"][static_cast<std::size_t>(i)].get<double>()));
  }
  std::printf("  %s: largest deviation %.1e\n", GetParam(), worst);
  EXPECT_LE(worst, 1e-12);
}

}  // namespace
}  // namespace chasles
