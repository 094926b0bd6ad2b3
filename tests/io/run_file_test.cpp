/// Recorded runs: what is read from them, and how they are continued.
#include "chasles/io/run_file.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <system_error>

#include "support/errors.hpp"
#include "support/failing_stream.hpp"
#include "support/scenario_files.hpp"

namespace chasles {
namespace {

using test::ScenarioFile;

/// Stopped in the middle, written, and continued from the file: the same numbers as in one go, bit by
/// bit, with forces that know the time, work and a quaternion.
TEST_F(ScenarioFile, continues_a_run_from_json_bit_by_bit) {
  const std::string forces =
      "forces: [{type: joint_friction, joint: shoulder, viscous: 0.1}, "
      "{type: joint_torque, joint: shoulder, value: {amplitude: 2, frequency: 0.5}}]\n";
  for (const std::string integrator :
       {"method: dop853, tolerance: 1e-9", "method: dp54, tolerance: 1e-7",
        "method: bs32, tolerance: 1e-5", "method: cf43, tolerance: 1e-6", "method: mk4, step: 0.03",
        "method: rk4, step: 0.03", "method: mk8, step: 0.1", "method: cg4, step: 0.03"}) {
    const std::string rest = "integrator: {" + integrator + "}\n" + forces;
    const Scenario scenario =
        read("duration: 2\ninitial: {v: {shoulder: 1, wrist: [1, 2, 3]}}\n" + rest);
    Trajectory path;
    Simulation whole(scenario), first(scenario);
    whole.run(path);
    first.run(*make_run_file(folder / "run.json"), [](double t) { return t < 1.2; });
    const Scenario continued =
        read("duration: " + to_text(2 - first.state().t) + "\ninitial: {from: run.json}\n" + rest);
    Simulation second(continued);
    second.run(path);
    EXPECT_EQ(second.state().t, 2) << integrator;
    EXPECT_EQ(second.state().q, whole.state().q) << integrator;
    EXPECT_EQ(second.state().v, whole.state().v) << integrator;
    EXPECT_EQ(second.summary().end.work, whole.summary().end.work) << integrator;

    // Another method, or a state that is not the end, starts anew.
    EXPECT_FALSE(
        read("duration: 1\ninitial: {from: run.json}\nintegrator: {method: abm, step: 0.1}\n")
            .checkpoint);
    EXPECT_FALSE(
        read("duration: 1\ninitial: {from: run.json, v: {shoulder: 2}}\n" + rest).checkpoint);
  }
}

TEST_F(ScenarioFile, continues_a_recorded_run) {
  Scenario whole = read(
      "duration: 2\nrecord: {every: 0.5, quantities: [energy, pose:hand]}\n"
      "initial: {v: {shoulder: 1, wrist: [1, 2, 3]}}\n");
  Trajectory path;
  Simulation(whole).run(path);
  for (const char* name : {"run.csv", "run.json"}) {
    const std::string from = std::string("initial: {from: ") + name;
    Scenario half = whole;
    half.duration = 1;
    Simulation(half).run(*make_run_file(folder / name));
    const Scenario rest = read("duration: 1\n" + from + "}\n");
    EXPECT_EQ(rest.start.t, 1) << name;
    Trajectory second;
    Simulation(rest).run(second);
    EXPECT_EQ(second.states.back().t, 2);
    // Two runs at a tolerance of 1e-10 with other steps.
    EXPECT_LT((second.states.back().v - path.states.back().v).norm(), 1e-8) << name;

    const Scenario middle = read("duration: 1\n" + from + ", at: 0.5, v: {shoulder: 7}}\n");
    EXPECT_EQ(middle.start.t, 0.5);
    EXPECT_EQ(middle.start.q, path.states[1].q) << name;
    EXPECT_EQ(middle.start.v[0], 7);
    EXPECT_EQ(middle.start.v.tail<3>(), path.states[1].v.tail<3>()) << name;
    refused("duration: 1\n" + from + ", at: 0.7}\n", 4,
            {"no sample at t = 0.7", "times from 0 to 1"});
  }
  refused("duration: 1\ninitial: {from: none.csv}\n", 4, {"none.csv", "no such recorded run"});
  refused("duration: 1\ninitial: {from: run.txt}\n", 4, {"run.txt", ".csv or .json"});
  write("other.csv", "t [s],q:elbow [rad],v:elbow [rad/s]\n0,0,0\n");
  refused("duration: 1\ninitial: {from: other.csv}\n", 4,
          {"other.csv:1", "not a run of this model", "column 2 is 'q:elbow [rad]'",
           "not 'q:shoulder [rad]'"});
  write("other.json",
        "{\"samples\": [\n{\"t\": 0, \"q\": [1, 0], \"v\": [1, 2, 3, 4, 5, 6, 7, 8]}\n]}");
  refused("duration: 1\ninitial: {from: other.json}\n", 4,
          {"other.json:2", "q has 2 numbers", "has 5"});
  write("named.json", "{\"joints\": [{\"name\": \"elbow\"}], \"samples\": []}");
  refused("duration: 1\ninitial: {from: named.json}\n", 4,
          {"named.json:1", "not a run of this model", "joint 1 is 'elbow', not 'shoulder'"});
  write("empty.json", "{\"samples\": [\n]}");
  refused("duration: 1\ninitial: {from: empty.json}\n", 4, {"has no samples"});
  std::ofstream(folder / "run.csv", std::ios::app) << "3,1,2\n";
  refused("duration: 1\ninitial: {from: run.csv}\n", 4, {"run.csv:5", "has 3 cells", "header has"});
}

/// A number that is missing is not replaced by the next one.
TEST_F(ScenarioFile, recorded_numbers_stay_in_their_places) {
  const Model model = compile(read_mechanism(folder / "arm.yaml"));
  const auto read_json = [&](const std::string& samples) {
    return read_recorded_state(write("r.json", "{\"samples\": [" + samples + "]}"), model);
  };
  const auto says = [&](const auto& f, std::initializer_list<const char*> parts) {
    try {
      f();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      for (const char* part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const std::string q = "\"q\": [0.5, 1, 0, 0, 0]";
  const State good = read_json("{\"energy\": 99, \"v\": [1, 2, 3, 4],\n " + q + ", \"t\": 7}");
  EXPECT_EQ(good.t, 7);
  EXPECT_EQ(good.q[0], 0.5);
  EXPECT_EQ(good.v, (Eigen::VectorXd{{1, 2, 3, 4}}));
  says([&] { read_json("{\"t\": 0, " + q + ", \"v\": [null, 7, 1, 2], \"energy\": 99}"); },
       {"r.json:1:", "null", "is not a finite number"});
  says([&] { read_json("{\"t\": 0, " + q + ", \"v\": [7, 1, 2], \"energy\": 99}"); },
       {"v has 3 numbers", "has 4"});
  says([&] { read_json("{\"t\": 0, " + q + ", \"energy\": 99}"); }, {"the sample has no v"});
  says([&] { read_json("{\"t\": 0, " + q + ", \"v\": [1, 2, 3, 4], \"t\": 1}"); },
       {"the key 't' is given twice"});
  says(
      [&] {
        read_json("{\"t\": 0, " + q + ", \"v\": [1, 2, 3, 4], \"x\": " + std::string(80'000, '['));
      },
      {"r.json:1:", "nested deeper than 64 levels"});

  Scenario s = read("duration: 1\nrecord: {every: 1, quantities: [energy]}\n");
  Simulation(s).run(*make_run_file(folder / "run.csv"));
  std::ifstream file(folder / "run.csv");
  std::string header, row;
  std::getline(file, header);
  std::getline(file, row);
  const auto read_csv = [&](const std::string& line) {
    return read_recorded_state(write("r.csv", header + "\n" + line + "\n"), model);
  };
  EXPECT_EQ(read_csv("7,0.5,1,0,0,0,1,2,3,4,99").v, good.v);
  EXPECT_EQ(read_csv("7,0.5,1,0,0,0,1,2,3,4,nan").v, good.v);  // a quantity that failed
  says([&] { read_csv("7,0.5,1,0,0,0,,2,3,4,99"); },
       {"r.csv:2", "'v:shoulder [rad/s]'", "'' is not a finite number"});
  says([&] { read_csv("7,0.5,1,0,0,0,1,2,3,4"); }, {"r.csv:2", "has 10 cells", "header has 11"});
  says([&] { read_csv("7,0.5,1,0,0,0,1 5,2,3,4,99"); }, {"'1 5' is not a finite number"});
}

/// The unit of every number, by joint and row.
TEST_F(ScenarioFile, recorded_columns_have_units) {
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: upper, joint: {name: shoulder, type: revolute, axis: [0, 1, 0]},
     inertia: {mass: 1, com: [0, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
  - {name: hand, parent: upper, joint: {name: "slide, 2", type: prismatic, axis: [0, 0, 1]},
     inertia: {mass: 1, com: [0, 0, -1.2], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)");
  const Scenario s = read(
      "duration: 1\nrecord: {every: 1, quantities: [tau, mass_matrix, 'pose:hand', "
      "'jacobian:hand:body', 'twist:hand:body']}\n");
  Simulation(s).run(*make_run_file(folder / "run.csv"));
  std::ifstream file(folder / "run.csv");
  std::string header;
  std::getline(file, header);
  for (const char* column :
       {"t [s],q:shoulder [rad],\"q:slide, 2 [m]\",v:shoulder [rad/s],\"v:slide, 2 [m/s]\",",
        ",tau:shoulder [N m],\"tau:slide, 2 [N]\",",
        ",mass_matrix[0][0] [kg m^2],mass_matrix[0][1] [kg m],", ",mass_matrix[1][1] [kg],",
        ",pose:hand[0][0] [1],", ",pose:hand[2][3] [m],", ",pose:hand[3][3] [1],",
        ",jacobian:hand:body[0][0] [1],jacobian:hand:body[0][1] [1/m],",
        ",jacobian:hand:body[3][0] [m],jacobian:hand:body[3][1] [1],",
        ",twist:hand:body[2] [rad/s],twist:hand:body[3] [m/s],"})
    EXPECT_NE(header.find(column), std::string::npos) << column << "\n" << header;
  EXPECT_EQ(read_recorded_state(folder / "run.csv", s.model).t, 1);  // names with commas read back
}

/// A disk that fails in the middle is not the end of the run.
TEST_F(ScenarioFile, reading_that_fails_is_not_the_end_of_a_run) {
  const Scenario scenario =
      read("duration: 2\ninitial: {v: {shoulder: 1}}\nrecord: {every: 0.5}\n");
  for (const char* name : {"run.csv", "run.json"}) {
    Simulation(scenario).run(*make_run_file(folder / name));
    std::ostringstream all;
    all << std::ifstream(folder / name).rdbuf();
    const std::string text = all.str();
    const RunFormat format = std::string(name) == "run.csv" ? RunFormat::csv : RunFormat::json;
    for (std::size_t bytes = 0; bytes < text.size(); bytes += 1 + text.size() / 50) {
      test::FailingStream in(text, bytes);
      try {
        read_recorded_state(in, name, format, scenario.model);
        ADD_FAILURE() << name << ": an error after " << bytes << " bytes is not noticed";
      } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::io_error);
        EXPECT_EQ(std::string(error.what()).rfind(std::string(name) + ": reading failed", 0), 0u)
            << error.what();
      }
    }
    std::istringstream whole(text);
    EXPECT_EQ(read_recorded_state(whole, name, format, scenario.model).t, 2);
  }
}

TEST_F(ScenarioFile, a_line_without_end_is_refused) {
  test::EndlessStream in('x');
  EXPECT_SAYS(read_recorded_state(in, "endless", RunFormat::csv, read("duration: 1\n").model),
              "endless: a line is longer than 64 MB");
  test::EndlessStream digits('1');
  EXPECT_SAYS(read_recorded_state(digits, "endless", RunFormat::json, read("duration: 1\n").model),
              "endless");
}

TEST_F(ScenarioFile, a_run_continues_on_joints_of_its_kind_only) {
  const std::string body = "inertia: {mass: 1, com: [0, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}";
  const auto model = [&](const std::string& joint) {
    write("arm.yaml",
          "chasles: 1\nbodies:\n  - {name: a, joint: {name: j, " + joint + "}, " + body + "}\n");
  };
  const auto record = [&](const std::string& joint) {
    model(joint);
    Simulation(read("duration: 1\n")).run(*make_run_file(folder / "run.json"));
  };
  const std::string again = "duration: 1\ninitial: {from: run.json}\n";
  record("type: revolute, axis: [0, 0, 1]");
  EXPECT_EQ(read(again).start.t, 1);
  model("type: prismatic, axis: [0, 0, 1]");  // radians once became meters
  refused(again, 4, {"is not a run of this model", "'j', revolute, not prismatic"});
  record("type: floating");
  model("type: floating, group: so3xr3");
  refused(again, 4, {"'j', on se3, not on so3xr3"});
  record("type: custom, screws: [{axis: [0, 0, 1]}]");
  model("type: custom, screws: [{axis: [0, 0, 1], pitch: .inf}]");
  refused(again, 4, {"'j', in rad, not in m"});
}

TEST_F(ScenarioFile, a_controller_of_a_continued_run_says_where_it_holds) {
  const std::string control = "control: [{type: pd, joints: [shoulder], stiffness: 10";
  Simulation(read("duration: 1\ninitial: {q: {shoulder: 0.3}}\n" + control + "}]\n"))
      .run(*make_run_file(folder / "run.json"));
  const std::string again = "duration: 1\ninitial: {from: run.json}\n" + control;
  refused(again + "}]\n", 5, {"joint 'shoulder' has no reference", "reference: {shoulder: ..}"});
  EXPECT_EQ(read(again + ", reference: {shoulder: 0.3}}]\n").forces.list().size(), 1u);
}

/// Cut off anywhere, a run goes on to the same file: bit by bit with fixed explicit steps.
TEST_F(ScenarioFile, a_run_that_was_cut_off_goes_on) {
  const std::string described =
      "duration: 2\ninitial: {q: {shoulder: 0.3}, v: {shoulder: 1, wrist: [1, 2, 3]}}\n"
      "forces: [{type: joint_friction, joint: shoulder, viscous: 0.1}]\n"
      "control: [{type: pd, joints: [shoulder], stiffness: 10}]\n"
      "record: {every: 0.1, quantities: [energy, work]}\n";
  const auto all = [](const std::filesystem::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  };
  for (const std::string integrator :
       {"method: mk4, step: 0.01", "method: dop853, tolerance: 1e-11"})
    for (const char* name : {"run.csv", "run.json"})
      for (const bool absolute : {false, true}) {
        const std::string whole_text = described + "integrator: {" + integrator + "}\n" +
                                       (absolute ? "coordinates: maximal\n" : "");
        const std::filesystem::path file = folder / name, left = part_of(file);
        const Scenario scenario = read(whole_text);
        Trajectory path;
        Simulation(scenario).run(path);
        Simulation(scenario).run(*make_run_file(file));
        const std::string whole = all(file);
        EXPECT_SAYS(find_cut_run(file, scenario), "has come to its end");
        for (const double share : {0.02, 0.4, 0.7}) {
          std::filesystem::remove(file);
          std::ofstream(left) << whole.substr(
              0, static_cast<std::size_t>(share * static_cast<double>(whole.size())));
          EXPECT_SAYS(make_run_file(file), "would be lost", "--resume");
          Scenario rest = scenario;
          const std::optional<CutRun> cut = find_cut_run(file, rest);
          EXPECT_EQ(cut.has_value(), share > 0.3);
          if (cut) go_on(rest, *cut);
          Simulation simulation(rest);
          simulation.run(*make_run_file(file, RunFileOptions{{}, cut ? &*cut : nullptr}));
          EXPECT_FALSE(std::filesystem::exists(left));
          const double tolerance =
              integrator.find("mk4") != integrator.npos && !absolute ? 0 : 1e-9;
          EXPECT_LE((simulation.state().q - path.states.back().q).norm(), tolerance)
              << name << share;
          if (tolerance == 0 && file.extension() == ".csv") {
            EXPECT_EQ(all(file), whole) << share;
          }
          EXPECT_EQ(read_recorded_state(file, rest.model, 0.1).t, path.states[1].t);
          EXPECT_EQ(read_recorded_state(file, rest.model).t, 2);
        }
      }
  // Another run does not go on there.
  std::filesystem::rename(folder / "run.csv", folder / "run.part.csv");
  Scenario other = read(described);
  EXPECT_SAYS(find_cut_run(folder / "run.csv", other), "is not a run of this model");
  EXPECT_SAYS(find_cut_run(folder / "none.csv", other), "there is no such run");
}

TEST_F(ScenarioFile, runs_in_absolute_coordinates_continue_with_their_turns) {
  write("arm.yaml", R"(chasles: 1
bodies:
  - {name: a, inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]},
     joint: {name: j, type: revolute, axis: [0, 0, 1]}}
)");
  const std::string spring =
      "coordinates: maximal\nforces: [{type: joint_spring_damper, joint: j, stiffness: 0.1}]\n";
  const Scenario scenario = read("duration: 2\ninitial: {v: {j: 12}}\n" + spring);
  Simulation whole(scenario), half(scenario);
  Trajectory path;
  whole.run(path);
  half.run(*make_run_file(folder / "run.json"), [](double t) { return t < 1; });
  const Scenario rest =
      read("duration: " + to_text(2 - half.state().t) + "\ninitial: {from: run.json}\n" + spring);
  EXPECT_GT(rest.joints_q[0], 2 * M_PI);
  Simulation second(rest);
  second.run(path);
  EXPECT_LE((second.state().q - whole.state().q).norm(), 1e-12);
}

}  // namespace
}  // namespace chasles
