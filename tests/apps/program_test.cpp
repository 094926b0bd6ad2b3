/// The program as its users run it: results on stdout, complaints on stderr, exit code 2 for bad
/// input.
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/higher_order.hpp"

namespace chasles {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Outcome {
  int code;
  std::string out, err;
};

class Program : public ::testing::Test {
 protected:
  fs::path folder =
      fs::temp_directory_path() / ("chasles_program_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  static std::string text(const fs::path& file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
  }
  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Outcome run(const std::string& arguments) {
    const fs::path out = folder / "out", err = folder / "err";
    const std::string command =
        std::string(CHASLES_PROGRAM) + " " + arguments + " >" + out.string() + " 2>" + err.string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text(out), text(err)};
  }
  void expect_bad_input(const std::string& arguments, std::initializer_list<const char*> parts) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_EQ(o.out, "");
    for (const char* part : parts) EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
  }
};

const std::string model_file = "examples/every_joint.yaml";

TEST_F(Program, info_as_json_is_the_model) {
  const Outcome o = run("info " + model_file + " --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json info = json::parse(o.out);
  const Model model = compile(read_mechanism(model_file));
  EXPECT_EQ(info["nq"], model.nq());
  EXPECT_EQ(info["nv"], model.nv());
  ASSERT_EQ(info["joints"].size(), model.joints().size());
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    const ModelJoint& joint = model.joints()[i];
    EXPECT_EQ(info["joints"][i]["name"], joint.name);
    EXPECT_EQ(info["joints"][i]["q_index"], joint.q_index);
    EXPECT_EQ(info["joints"][i]["nv"], joint.nv);
    EXPECT_EQ(info["joints"][i]["X"].size(), joint.X.size());
    EXPECT_EQ(info["joints"][i]["Y"][0][2].get<double>(), joint.Y[0].w.z);
  }
  EXPECT_EQ(info["bodies"].size(), model.bodies().size());
}

TEST_F(Program, info_prints_a_tree_with_every_body) {
  const Outcome o = run("info " + model_file);
  ASSERT_EQ(o.code, 0) << o.err;
  const Model model = compile(read_mechanism(model_file));
  for (const ModelBody& body : model.bodies())
    EXPECT_NE(o.out.find(body.name), std::string::npos) << body.name;
}

TEST_F(Program, eval_computes_what_the_library_computes) {
  const Model model = compile(read_mechanism(model_file));
  const std::vector<double> zero = model.neutral();
  std::vector<double> q = zero, v, a, jerk;
  for (int k = 0; k < model.nv(); ++k)
    v.push_back(0.1 * k - 1), a.push_back(0.5), jerk.push_back(1);
  const std::string frame = model.bodies().back().name;
  const fs::path states =
      write("s.json", json{{"states", {{{"q", q}, {"v", v}, {"a", a}, {"jerk", jerk}}}}}.dump());
  const Outcome o =
      run("eval " + model_file + " --states " + states.string() + " --compute com,pose:" + frame +
          ",twist:" + frame + ":mixed,acceleration:" + frame + ":hybrid,jerk:" + frame +
          ":body,jacobian:" + frame + ":spatial,jacobian_rate:" + frame + ":body");
  ASSERT_EQ(o.code, 0) << o.err;
  const json result = json::parse(o.out)["results"][0];
  const auto map = [](const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  AccelerationKinematics kin(model);
  accelerations(model, map(q), map(v), map(a), kin);
  const Place place = model.place(frame);
  const auto expect = [&](const std::string& key, const Twist& X) {
    const auto c = coordinates(X);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(result[key][i].get<double>(), c[i]) << key;
  };
  expect("twist:" + frame + ":mixed", twist(kin, place, Representation::mixed));
  expect("acceleration:" + frame + ":hybrid", acceleration(kin, place, Representation::hybrid));
  TwistDerivatives derivatives(model, 3);
  Eigen::MatrixXd rates(model.nv(), 3);
  rates << map(v), map(a), map(jerk);
  twist_derivatives(model, map(q), rates, place, Representation::body, derivatives);
  expect("jerk:" + frame + ":body", derivatives.V[2]);
  Matrix6X J(6, model.nv());
  jacobian(model, kin, place, Representation::spatial, J);
  const json& rows = result["jacobian:" + frame + ":spatial"];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < model.nv(); ++j)
      EXPECT_EQ(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>(),
                J(i, j));
  EXPECT_EQ(result["pose:" + frame][0][3].get<double>(), pose(kin, place).r.x);
  EXPECT_EQ(result["com"][1].get<double>(), center_of_mass(model, kin).y);
}

TEST_F(Program, eval_writes_a_file_and_missing_entries_are_zero) {
  const fs::path states = write("s.json", R"({"states": [{}, {"tau": [1, 2, 3, 4, 5, 6],
      "wrenches": {"link6": {"wrench": [0, 0, 0, 1, 2, 3], "representation": "hybrid"}}}]})");
  const fs::path out = folder / "out.json";
  const Outcome o = run("eval examples/puma560.yaml --states " + states.string() +
                        " --compute com --gravity 0,0,-1 -o " + out.string());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(json::parse(text(out))["results"].size(), 2u);
}

TEST_F(Program, bad_states_and_quantities_are_named) {
  const auto eval = [&](const std::string& states, const std::string& quantities = "com") {
    return "eval examples/puma560.yaml --states " + write("s.json", states).string() +
           " --compute " + quantities;
  };
  expect_bad_input(eval("{"), {"s.json", "not JSON"});
  expect_bad_input(eval("[]"), {"give {\"states\""});
  expect_bad_input(eval(R"({"state": []})"), {"give {\"states\""});
  expect_bad_input(eval(R"({"states": [{"q": [1]}]})"),
                   {"states[0].q has 1 entries; the model needs 6"});
  expect_bad_input(eval(R"({"states": [{"q": [1,2,3,4,5,"x"]}]})"),
                   {"states[0].q[5]", "finite number"});
  expect_bad_input(eval(R"({"states": [{"q": [1,2,3,4,5,1e999]}]})"), {"s.json"});
  expect_bad_input(eval(R"({"states": [{"w": []}]})"), {"states[0].w: unknown key"});
  expect_bad_input(eval(R"({"states": [3]})"), {"states[0] is not an object"});
  expect_bad_input(eval(R"({"states": [{"tau": [1]}]})"), {"states[0].tau has 1 entries"});
  expect_bad_input(eval(R"({"states": [{"wrenches": {"link9": {"wrench": []}}}]})"), {"'link9'"});
  expect_bad_input(eval(R"({"states": [{"wrenches": {"link6": {"wrench": [1]}}}]})"),
                   {"link6.wrench has 1 entries"});
  expect_bad_input(eval(R"({"states": [{"wrenches": {"link6": [1]}}]})"), {"give {\"wrench\""});
  expect_bad_input(eval(R"({"states": []})", "comm"), {"no quantity 'comm'", "did you mean 'com'"});
  expect_bad_input(eval(R"({"states": []})", "twist:link6"), {"write twist:FRAME:REP"});
  expect_bad_input(eval(R"({"states": []})", "pose:link7"), {"no body or frame 'link7'"});
  expect_bad_input(eval(R"({"states": []})", "twist:ground:bdy"), {"did you mean 'body'"});
  expect_bad_input(eval(R"({"states": []})") + " --gravity 0,0",
                   {"--gravity '0,0'", "three numbers"});
  expect_bad_input("eval examples/puma560.yaml --states /nonexistent.json --compute com",
                   {"cannot be read"});
  expect_bad_input("info nonexistent.yaml", {"nonexistent.yaml"});
  expect_bad_input("reproduce rmc", {"no 'rmc'", "did you mean 'rcm'"});
}

TEST_F(Program, reproduces_the_rcm_mechanism_with_its_seven_misprints) {
  const Outcome o = run("reproduce rcm -o " + folder.string());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("130 entries, 7 misprinted"), std::string::npos);
  const json entries = json::parse(text(folder / "rcm.json"))["entries"];
  std::vector<std::string> misprints;
  for (const json& e : entries)
    if (std::abs(e["printed"].get<double>() - e["computed"].get<double>()) > 1e-12)
      misprints.push_back(e["table"].get<std::string>() + " " + e["row"].get<std::string>() + "," +
                          e["column"].get<std::string>());
  EXPECT_EQ(misprints, (std::vector<std::string>{"J_3^b 4,1", "J_3^b 5,1", "J_3^b 4,2", "J_3^b 5,2",
                                                 "J_3^b 3,4", "J_3^b 3,5", "J^s 4,3"}));
}

}  // namespace
}  // namespace chasles
