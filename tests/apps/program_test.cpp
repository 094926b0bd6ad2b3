/// The program as its users run it: results on stdout, complaints on stderr, exit code 2 for bad
/// input.
#include "support/program.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/higher_order.hpp"
#include "chasles/textbook/closed_form.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using nlohmann::json;
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

TEST_F(Program, info_tells_limits_mimic_and_which_mass_counts) {
  const fs::path model = write("hand.urdf", R"(<robot name="hand"><link name="palm">
    <inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="a"><inertial><mass value="0.5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="b"/>
  <joint name="j1" type="revolute"><parent link="palm"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-0.5" upper="1.5" velocity="2" effort="7"/><dynamics damping="0.2" friction="0.3"/></joint>
  <joint name="j2" type="prismatic"><parent link="palm"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.1" velocity="0.2" effort="5"/><mimic joint="j1" multiplier="2" offset="0.1"/></joint>
</robot>)");
  const Outcome o = run("info " + model.string());
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* part :
       {"nv = 2, 0.5 kg", "palm: fixed, 3 kg (does not move: not counted)",
        "a: revolute 'j1' q[0] v[0], -0.5 to 1.5 rad, 2 rad/s, 7 N m, damping 0.2 N m s/rad, "
        "friction 0.3 N "
        "m, 0.5 kg\n",
        "b: prismatic 'j2' q[1] v[1], 0 to 0.1 m, 0.2 m/s, 5 N, mimics 'j1' (2 q + 0.1), 0 kg\n"})
    EXPECT_NE(o.out.find(part), std::string::npos) << part << "\n" << o.out;
  const json info = json::parse(run("info --json " + model.string()).out);
  EXPECT_EQ(info["bodies"][0]["moves"], false);
  EXPECT_EQ(info["bodies"][1]["moves"], true);
}

/// Time and stack are those of the file, not of its square or its depth.
TEST_F(Program, long_chains_and_wide_stars_are_legal) {
  std::string chain = "chasles: 1\nbodies:\n  - {name: b0}\n", star = chain, turning = chain;
  for (int i = 1; i < 30'000; ++i) {
    const std::string n = std::to_string(i), on = "parent: b" + std::to_string(i - 1);
    chain += "  - {name: b" + n + ", " + on + "}\n";
    star += "  - {name: b" + n + ", joint: {type: revolute, axis: [0, 0, 1]}}\n";
    if (i < 3'000)  // of moving links every pair on a path counts
      turning += "  - {name: b" + n + ", " + on + ", joint: {type: revolute, axis: [0, 0, 1]}}\n";
  }
  for (const std::string& text : {chain, star, turning}) {
    const fs::path model = write("large.yaml", text);
    for (const std::string command : {"info ", "info --json ", "convert "}) {
      const std::string line = "ulimit -s 512; ulimit -t 60; " + std::string(CHASLES_PROGRAM) +
                               " " + command + model.string() + " >" + (folder / "out").string();
      EXPECT_EQ(std::system(line.c_str()), 0) << command;
      EXPECT_LT(fs::file_size(folder / "out"), 40u << 20) << command;
    }
  }
}

TEST_F(Program, eval_computes_what_the_library_computes) {
  const Model model = compile(read_mechanism(model_file));
  const Vector zero = model.neutral();
  std::vector<double> q(zero.begin(), zero.end()), v, a, jerk;
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
  forward_kinematics(model, map(q), map(v), map(a), kin);
  const Frame hand = model.frame(frame);
  const auto expect = [&](const std::string& key, const Twist& X) {
    const auto c = coordinates(X);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(result[key][i].get<double>(), c[i]) << key;
  };
  expect("twist:" + frame + ":mixed", twist(kin, hand, Representation::mixed));
  expect("acceleration:" + frame + ":hybrid", acceleration(kin, hand, Representation::hybrid));
  TwistDerivatives derivatives(model, 3);
  Eigen::MatrixXd rates(model.nv(), 3);
  rates << map(v), map(a), map(jerk);
  twist_derivatives(model, map(q), rates, hand, Representation::body, derivatives);
  expect("jerk:" + frame + ":body", derivatives.V[2]);
  Matrix6X J(6, model.nv());
  jacobian(model, kin, hand, Representation::spatial, J);
  const json& rows = result["jacobian:" + frame + ":spatial"];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < model.nv(); ++j)
      EXPECT_EQ(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>(),
                J(i, j));
  EXPECT_EQ(result["pose:" + frame][0][3].get<double>(), pose(kin, hand).r.x);
  EXPECT_EQ(result["com"][1].get<double>(), center_of_mass(model, kin).y);
}

/// A rod that turns about y: 2 kg at 0.5 m along x, 0.1 kg m^2 about its center of mass. By hand:
/// M = 0.6, U = -9.81 sin q.
const std::string rod = R"(
chasles: 1
bodies:
  - name: rod
    joint: {name: hinge, type: revolute, axis: [0, 1, 0]}
    inertia: {mass: 2, com: [0.5, 0, 0], tensor: [0.05, 0, 0, 0.1, 0, 0.08]}
)";

TEST_F(Program, eval_of_dynamics_by_hand) {
  const fs::path model = write("rod.yaml", rod);
  const double q = 0.3, v = 1.5, a = -0.7, tau = 2, g = -9.81 * std::cos(q);
  const fs::path states = write("s.json", R"({"states": [
      {"q": [0.3], "v": [1.5], "a": [-0.7], "tau": [2]},
      {"q": [0.3], "v": [1.5], "a": [-0.7], "tau": [2], "wrenches":
        {"rod": {"wrench": [9, 1, 9, 9, 9, 9], "representation": "spatial"}}},
      {"q": [0.3], "wrenches": {"rod": {"wrench": [0, 1, 0, 0, 0, 0]}}}]})");
  const Outcome o = run("eval " + model.string() + " --states " + states.string() +
                        " --compute inverse_dynamics,bias,gravity,forward_dynamics,mass_matrix,"
                        "mass_matrix_inverse,coriolis,christoffel,kinetic_energy,potential_energy,"
                        "momentum,centroidal_momentum,com");
  ASSERT_EQ(o.code, 0) << o.err;
  const json results = json::parse(o.out)["results"];
  ASSERT_EQ(results.size(), 3u);
  const json& r = results[0];
  const auto near = [](const json& got, double want) {
    EXPECT_NEAR(got.get<double>(), want, 1e-13) << got;
  };
  near(r["inverse_dynamics"][0], 0.6 * a + g);
  near(r["bias"][0], g);
  near(r["gravity"][0], g);
  near(r["forward_dynamics"][0], (tau - g) / 0.6);
  near(r["mass_matrix"][0][0], 0.6);
  near(r["mass_matrix_inverse"][0][0], 1 / 0.6);
  near(r["coriolis"][0][0], 0);
  near(r["christoffel"][0][0], 0);
  near(r["kinetic_energy"], 0.3 * v * v);
  near(r["potential_energy"], -9.81 * std::sin(q));
  const double momentum[] = {0, 0.6 * v, 0, -v * std::sin(q), 0, -v * std::cos(q)};
  for (std::size_t i = 0; i < 6; ++i) near(r["momentum"][i], momentum[i]);
  for (std::size_t i = 0; i < 6; ++i)
    near(r["centroidal_momentum"][i], i == 1 ? 0.1 * v : momentum[i]);
  near(r["com"][2], -0.5 * std::sin(q));
  // The torque about the axis counts, the rest of the wrench does not: forces act at the origin.
  near(results[1]["inverse_dynamics"][0], 0.6 * a + g - 1);
  near(results[1]["forward_dynamics"][0], (tau - g + 1) / 0.6);
  near(results[1]["bias"][0], g);
  near(results[2]["inverse_dynamics"][0], g - 1);
}

TEST_F(Program, eval_of_dynamics_is_what_the_library_computes) {
  const Model model = compile(read_mechanism(model_file));
  const int nv = model.nv();
  const Vector neutral = model.neutral();
  const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(neutral.data(), model.nq()),
                        v = Eigen::VectorXd::LinSpaced(nv, -1, 1),
                        a = Eigen::VectorXd::LinSpaced(nv, 2, -1);
  const auto list = [](const Eigen::VectorXd& x) {
    return std::vector<double>(x.data(), x.data() + x.size());
  };
  const std::string body = model.bodies().back().name;
  const json wrench{{"wrench", {1, 2, 3, 4, 5, 6}}, {"representation", "hybrid"}};
  const fs::path states = write(
      "s.json",
      json{{"states", {{{"v", list(v)}, {"a", list(a)}, {"wrenches", {{body, wrench}}}}}}}.dump());
  const Outcome o =
      run("eval " + model_file + " --states " + states.string() +
          " --loops open --compute inverse_dynamics,mass_matrix,coriolis,christoffel,momentum");
  ASSERT_EQ(o.code, 0) << o.err;
  const json r = json::parse(o.out)["results"][0];

  const AppliedWrench applied{model.frame(body), {{1, 2, 3}, {4, 5, 6}}, Representation::hybrid};
  InverseDynamics inverse(model);
  EXPECT_EQ(r["inverse_dynamics"].get<std::vector<double>>(),
            list(inverse_dynamics(model, q, v, a, inverse, {&applied, 1})));
  MassMatrix mass(model);
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  const std::pair<const char*, Eigen::MatrixXd> matrices[] = {
      {"mass_matrix", mass_matrix(model, q, mass)},
      {"coriolis", coriolis_matrix(model, kin)},
      {"christoffel", christoffel_matrix(model, kin)}};
  // The Coriolis matrices of the list are not those of the textbook, which these are.
  for (const auto& [name, matrix] : matrices)
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < nv; ++j)
        EXPECT_NEAR(r[name][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], matrix(i, j),
                    1e-13 * matrix.norm())
            << name << " row " << i;
  const auto momentum = coordinates(spatial_momentum(model, kin));
  EXPECT_EQ(r["momentum"].get<std::vector<double>>(),
            std::vector<double>(momentum.begin(), momentum.end()));
}

TEST_F(Program, forward_dynamics_of_a_massless_leaf_fails_with_the_name_of_its_joint) {
  const fs::path model = write("leaf.yaml", rod + R"(
  - {name: feather, parent: rod, joint: {name: quill, type: revolute, axis: [0, 1, 0]}}
)");
  const std::string states = write("s.json", R"({"states": [{}]})").string();
  for (const char* quantity : {"forward_dynamics", "mass_matrix_inverse"}) {
    const Outcome o =
        run("eval " + model.string() + " --states " + states + " --compute " + quantity);
    EXPECT_EQ(o.code, 1) << o.err;
    EXPECT_EQ(o.out, "");
    for (const std::string part : {"states[0]", quantity, "'quill'"})
      EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
  }
  const Outcome fine =
      run("eval " + model.string() + " --states " + states + " --compute inverse_dynamics");
  EXPECT_EQ(fine.code, 0) << fine.err;
  const Outcome bench = run("bench " + model.string());
  EXPECT_EQ(bench.code, 0) << bench.err;
  EXPECT_NE(bench.out.find("'quill'"), std::string::npos) << bench.out;
}

/// eval closes loops, and opens them if it is asked to; bench times the tree, and says so.
TEST_F(Program, eval_closes_loops_and_bench_says_that_they_are_open) {
  const fs::path model = write("loop.yaml", R"(chasles: 1
bodies:
  - {name: crank, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, com: [1, 0, 0]}}
  - {name: rocker, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 3, com: [1, 0, 0]}}
loops:
  - {name: closure, type: revolute, bodies: [crank, rocker], axis: [0, 0, 1], point: [1, 0, 0]}
)");
  const fs::path states = write("states.json", R"({"states": [{"q": [0, 0], "tau": [1, 0]}]})");
  const std::string eval = "eval " + model.string() + " --states " + states.string();
  const Outcome closed = run(eval + " --compute forward_dynamics");
  ASSERT_EQ(closed.code, 0) << closed.err;
  EXPECT_EQ(closed.err, "");
  const json both = json::parse(closed.out)["results"][0]["forward_dynamics"];
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(both[k].get<double>(), 0.25, 1e-14);  // one body of 4 kg
  const Outcome open = run(eval + " --compute forward_dynamics --loops open");
  ASSERT_EQ(open.code, 0) << open.err;
  EXPECT_EQ(json::parse(open.out)["results"][0]["forward_dynamics"], json::array({1.0, 0.0}));
  expect_bad_input(eval + " --compute multipliers --loops open", {"loop 'closure' is open"});
  expect_bad_input(eval + " --compute com --loops wide", {"--loops", "wide"});
  const Outcome bench = run("bench --json " + model.string());
  EXPECT_NE(bench.err.find("the loop 'closure' is open"), std::string::npos) << bench.err;
  const fs::path arm = fs::absolute("examples/puma560.yaml");
  write("states.json", R"({"states": [{}]})");
  const Outcome tree =
      run("eval " + arm.string() + " --states " + states.string() + " --compute com");
  EXPECT_EQ(tree.err, "");
  EXPECT_FALSE(json::parse(tree.out).contains("warnings"));
}

/// Two fingers of 0.05 kg that a gear moves together, at a state beside the gear's relation and at one on it.
TEST_F(Program, eval_of_geared_fingers_by_hand) {
  const std::string finger =
      R"(, axis: [0, 1, 0]}, inertia: {mass: 0.05, tensor: [1, 0, 0, 1, 0, 1]}}
)";
  const fs::path model =
      write("fingers.yaml",
            "chasles: 1\ngravity: [0, 0, 0]\nbodies:\n  - {name: left, joint: {type: prismatic" +
                finger + "  - {name: right, joint: {type: prismatic" + finger +
                "couplings: [{name: gear, joints: {left: 1, right: -1}}]\n");
  const fs::path states = write("states.json", R"({"states": [{"q": [0.4, 0], "tau": [1, 0]},
    {"q": [0.2, 0.2], "a": [3, 3]}, {"q": [0, 0], "a": [3, 3], "tau": [0, 0.3]}]})");
  const std::string eval = "eval " + model.string() + " --states " + states.string();
  const Outcome o = run(eval +
                        " --compute forward_dynamics,a,multipliers,constraint_violation,"
                        "inverse_dynamics");
  ASSERT_EQ(o.code, 0) << o.err;
  const json doc = json::parse(o.out), &off = doc["results"][0], &on = doc["results"][1];
  EXPECT_EQ(off["forward_dynamics"], json::array({10.0, 10.0}));
  EXPECT_EQ(off["a"], json::array({10.0, 10.0}));
  EXPECT_NEAR(off["multipliers"][0].get<double>(), 0.5, 1e-15);
  EXPECT_NEAR(off["constraint_violation"].get<double>(), 0.4, 1e-16);
  EXPECT_NEAR(on["inverse_dynamics"][0].get<double>(), 0.3, 1e-15);
  EXPECT_NEAR(on["inverse_dynamics"][1].get<double>(), 0, 1e-16);
  EXPECT_NEAR(on["multipliers"][0].get<double>(), 0.15, 1e-15);
  // tau that goes with a is what acts.
  EXPECT_NEAR(doc["results"][2]["inverse_dynamics"][1].get<double>(), 0.3, 1e-15);
  EXPECT_NEAR(doc["results"][2]["multipliers"][0].get<double>(), -0.15, 1e-15);
  ASSERT_EQ(doc["warnings"].size(), 1u);
  EXPECT_NE(
      doc["warnings"][0].get<std::string>().find("states[0]: q does not satisfy coupling 'gear'"),
      std::string::npos);
  const Outcome other = run(eval + " --compute inverse_dynamics --actuators right");
  EXPECT_NEAR(json::parse(other.out)["results"][1]["inverse_dynamics"][1].get<double>(), 0.3,
              1e-15);
  write("states.json", R"({"states": [{"a": [3, 2]}]})");
  expect_bad_input(eval + " --compute inverse_dynamics",
                   {"states[0]", "contradicts coupling 'gear'", "leave a out"});
  write("states.json", R"({"states": [{"v": [1, "x"]}]})");
  expect_bad_input(eval + " --compute com", {"states[0].v[1] (joint 'right')"});
}

/// The default representation of wrenches is the same as in scenarios and in C++.
TEST_F(Program, wrenches_of_states_are_hybrid_by_default) {
  const std::string q = R"({"q": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "wrenches": {"link6": {"wrench": )"
                        R"([1, 2, 3, 4, 5, 6])";
  const fs::path states = write(
      "states.json", R"({"states": [)" + q + "}}}, " + q + R"(, "representation": "hybrid"}}}]})");
  const Outcome o =
      run("eval examples/puma560.yaml --states " + states.string() + " --compute inverse_dynamics");
  ASSERT_EQ(o.code, 0) << o.err;
  const json results = json::parse(o.out)["results"];
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NE(run("eval --help").out.find("hybrid"), std::string::npos);
  EXPECT_NE(run("simulate --help").out.find("hybrid"), std::string::npos);
}

TEST_F(Program, bench_times_every_algorithm) {
  const Outcome table = run("bench");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("puma560"), std::string::npos) << table.out;
  const Outcome o = run("bench examples/cad_arm.yaml --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json report = json::parse(o.out);
  EXPECT_EQ(report["nv"], compile(read_mechanism("examples/cad_arm.yaml")).nv());
  for (const char* name : {"positions", "velocities", "jacobian", "inverse_dynamics",
                           "forward_dynamics", "mass_matrix", "mass_matrix_inverse"})
    EXPECT_GT(report["ns_per_state"][name]["one"].get<double>(), 0) << name;
  for (const char* name : {"inverse_dynamics", "mass_matrix"})
    for (const char* batch : {"batch_double", "batch_float"})
      EXPECT_GT(report["ns_per_state"][name][batch].get<double>(), 0) << name;

  expect_bad_input("bench nonexistent.yaml", {"nonexistent.yaml"});
  const fs::path still = write("still.yaml", "chasles: 1\nbodies: [{name: rock}]\n");
  expect_bad_input("bench " + still.string(), {"no joint that moves"});
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
  expect_bad_input(eval("{"), {"s.json:1:2: here is the end of the text; give a text in quotes"});
  expect_bad_input(eval("{\n \"states\": [}"), {"s.json:2:13: states[0] is '}'; give an object"});
  expect_bad_input(eval("{\"states\": []} x"), {"s.json:1:16: here is 'x' after the end"});
  expect_bad_input(eval("{\"states\": [], \"states\": [{}]}"),
                   {"s.json:1:16: the key 'states' is given twice"});
  expect_bad_input(eval(R"({"states": [{"q": [1,2,3,4,5,6], "q": [0,0,0,0,0,0]}]})"),
                   {"the key 'q' is given twice"});
  expect_bad_input(eval(R"({"states": [{"q": [1,2,3,4,5,06]}]})"), {"'06' is not a finite number"});
  for (const std::string open : {"[", "{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 80'000; ++i) deep += open;
    expect_bad_input(eval(deep), {"s.json:1:"});
    expect_bad_input(eval("{\"states\": " + deep), {"s.json:1:"});
    expect_bad_input(eval("{\"states\": [{\"q\": " + deep), {"s.json:1:"});
    expect_bad_input(eval("{\"states\": [{\"wrenches\": {\"link6\": {\"wrench\": " + deep),
                     {"s.json:1:"});
  }
  expect_bad_input(eval("[]"), {"give {\"states\""});
  expect_bad_input(eval(R"({"state": []})"), {"give {\"states\""});
  expect_bad_input(eval(R"({"states": [{"q": [1]}]})"),
                   {"states[0].q has 1 entries; the model needs 6"});
  expect_bad_input(eval(R"({"states": [{"q": [1,2,3,4,5,"x"]}]})"),
                   {"states[0].q[5]", "finite number"});
  expect_bad_input(eval(R"({"states": [{"q": [1,2,3,4,5,1e999]}]})"), {"s.json"});
  expect_bad_input(eval(R"({"states": [{"w": []}]})"),
                   {"states[0]: unknown key 'w'; give q, v, a,"});
  expect_bad_input(eval(R"({"states": [3]})"), {"states[0] is a number; give an object"});
  expect_bad_input(eval(R"({"states": [{"tau": [1]}]})"), {"states[0].tau has 1 entries"});
  expect_bad_input(eval(R"({"states": [{"wrenches": {"linc6": {"wrench": []}}}]})"),
                   {"states[0].wrenches.linc6: ", "did you mean 'link6'"});
  expect_bad_input(
      eval(R"({"states": [{"wrenches": {"link6": {"wrench": [0,0,0,0,0,0], "rep": 1}}}]})"),
      {"link6: unknown key 'rep'"});
  expect_bad_input(eval(R"({"states": [{"wrenches": {"link6": {"wrench": [0,0,0,0,0,0],
                                                  "representation": "word"}}}]})"),
                   {"no representation 'word'"});
  expect_bad_input(eval(R"({"states": [{"wrenches": {"link6": {"wrench": [1]}}}]})"),
                   {"link6.wrench has 1 entries"});
  expect_bad_input(eval(R"({"states": [{"wrenches": {"link6": [1]}}]})"), {"give {\"wrench\""});
  expect_bad_input(eval(R"({"states": []})", "comm"), {"no quantity 'comm'", "did you mean 'com'"});
  expect_bad_input(eval(R"({"states": []})", "mass_matrxi"), {"did you mean 'mass_matrix'"});
  expect_bad_input(eval(R"({"states": []})", "energy:link6"), {"write energy alone"});
  expect_bad_input(eval(R"({"states": []})", "bias:link6"), {"no joint 'link6'"});
  expect_bad_input(eval(R"({"states": []})", "pose"), {"write pose:FRAME"});
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
