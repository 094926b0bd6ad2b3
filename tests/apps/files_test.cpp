/// What the program reads is never harmed, what it writes is whole, and where it cannot write it says
/// so.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/io/run_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "support/program.hpp"

namespace chasles {
namespace {

using nlohmann::json;

const std::string pendulum = R"(chasles: 1
name: pendulum
bodies:
  - name: rod
    joint: {name: hinge, type: revolute, axis: [0, 1, 0]}
    inertia: {mass: 2, com: [0.5, 0, 0], tensor: [0.05, 0, 0, 0.1, 0, 0.08]}
)";

class ProgramFiles : public Program {
 protected:
  std::string at(const std::string& name) const { return (folder / name).string(); }
  /// m.yaml, its links hard.yaml and soft.yaml, a scenario, states.
  void SetUp() override {
    Program::SetUp();
    write("m.yaml", pendulum);
    write("s.yaml", "chasles: 1\nmodel: m.yaml\nduration: 1\nrecord: {every: 0.5}\n");
    write("states.json", R"({"states": [{"q": [0.5]}]})");
    fs::create_hard_link(folder / "m.yaml", folder / "hard.yaml");
    fs::create_symlink("m.yaml", folder / "soft.yaml");
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& entry : fs::directory_iterator(folder))
      list.push_back(entry.path().filename());
    std::sort(list.begin(), list.end());
    return list;
  }
};

TEST_F(ProgramFiles, an_input_is_never_overwritten) {
  for (const char* out : {"m.yaml", "hard.yaml", "soft.yaml", "./m.yaml"})
    expect_bad_input("convert " + at("m.yaml") + " -o " + at(out),
                     {out, "is the input", "m.yaml' itself", "give another name"});
  expect_bad_input("convert " + at("soft.yaml") + " -o " + at("hard.yaml"), {"is the input"});
  EXPECT_EQ(text(folder / "m.yaml"), pendulum);

  const std::string eval = "eval " + at("m.yaml") + " --compute com --states " + at("states.json");
  const std::string states = text(folder / "states.json");
  expect_bad_input(eval + " -o " + at("states.json"), {"is the input"});
  fs::create_symlink("m.yaml", folder / "model.json");
  expect_bad_input(eval + " -o " + at("model.json"), {"is the input"});
  EXPECT_EQ(text(folder / "states.json"), states);

  // The scenario, the model, and the run that is continued, all of which may be called .json.
  write("s.json", R"({"chasles": 1, "model": "n.json", "duration": 1})");
  const std::string model =
      R"({"chasles": 1, "bodies": [{"name": "rod", "joint": {"type": "revolute", "axis": [0, 1, 0]},
          "inertia": {"mass": 2, "com": [0.5, 0, 0], "tensor": [0.05, 0, 0, 0.1, 0, 0.08]}}]})";
  write("n.json", model);
  for (const char* out : {"s.json", "n.json"})
    expect_bad_input("simulate " + at("s.json") + " -o " + at(out), {out, "is the input"});
  EXPECT_EQ(text(folder / "n.json"), model);
  ASSERT_EQ(run("simulate " + at("s.json") + " -o " + at("run.csv")).code, 0);
  const std::string recorded = text(folder / "run.csv");
  write("on.yaml", "chasles: 1\nmodel: n.json\nduration: 1\ninitial: {from: run.csv}\n");
  expect_bad_input("simulate " + at("on.yaml") + " -o " + at("run.csv"), {"is the input"});
  EXPECT_EQ(text(folder / "run.csv"), recorded);
  // Nor is the file that it would be written under on the way.
  fs::rename(folder / "run.csv", folder / "next.part.csv");
  write("on.yaml", "chasles: 1\nmodel: n.json\nduration: 1\ninitial: {from: next.part.csv}\n");
  expect_bad_input("simulate " + at("on.yaml") + " -o " + at("next.csv"),
                   {"next.csv", "next.part.csv", "is the input"});
  EXPECT_EQ(text(folder / "next.part.csv"), recorded);
}

TEST_F(ProgramFiles, an_ending_that_is_not_written_is_refused) {
  for (const char* out : {"p.json", "p.txt", "p"})
    expect_bad_input("convert " + at("m.yaml") + " -o " + at(out),
                     {out, "models are written as .yaml"});
  for (const char* out : {"r.csv", "r.yaml", "r"})
    expect_bad_input(
        "eval " + at("m.yaml") + " --compute com --states " + at("states.json") + " -o " + at(out),
        {out, "results are written as .json"});
  for (const char* out : {"r.txt", "r.yaml", "r"})
    expect_bad_input("simulate " + at("s.yaml") + " -o " + at(out), {out, ".csv or .json"});
  for (const char* name : {"p.yaml", "p.yml"}) {
    EXPECT_EQ(run("convert " + at("m.yaml") + " -o " + at(name)).code, 0);
    EXPECT_EQ(read_mechanism(folder / name).bodies.size(), 1u);
  }
}

TEST_F(ProgramFiles, what_is_replaced_is_replaced_whole) {
  write("old.yaml", "precious\n");
  fs::permissions(folder / "old.yaml", fs::perms(0640));
  fs::create_symlink("old.yaml", folder / "link.yaml");
  const auto before = names();
  write("bad.yaml", "chasles: 1\nbodies: [{name: a, parent: nobody}]\n");
  expect_bad_input("convert " + at("bad.yaml") + " -o " + at("old.yaml"), {"bad.yaml:2", "nobody"});
  fs::remove(folder / "bad.yaml");
  EXPECT_EQ(text(folder / "old.yaml"), "precious\n");

  EXPECT_EQ(run("convert " + at("m.yaml") + " -o " + at("link.yaml")).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder / "link.yaml"));  // what it leads to is written
  EXPECT_EQ(read_mechanism(folder / "old.yaml").name, "pendulum");
  EXPECT_EQ(fs::status(folder / "old.yaml").permissions(), fs::perms(0640));
  EXPECT_EQ(names().size(), before.size() + 2) << "out and err, and nothing else";
}

TEST_F(ProgramFiles, a_full_disk_is_an_error_in_every_command) {
  const std::string eval = "eval " + at("m.yaml") + " --compute com --states " + at("states.json"),
                    of_model = " " + at("m.yaml"), simulate = "simulate " + at("s.yaml");
  const std::vector<std::string> commands{"--help",
                                          "--version",
                                          "help",
                                          "help --man",
                                          "help --completion",
                                          "methods",
                                          "info" + of_model,
                                          "info --json" + of_model,
                                          "convert" + of_model,
                                          eval,
                                          simulate,
                                          "linearize" + of_model,
                                          "ik --frame ground --target 0,0,0" + of_model,
                                          "bench --json" + of_model,
                                          "reproduce rcm"};
  for (const std::string& command : commands) {
    const int status = std::system(
        (std::string(CHASLES_PROGRAM) + " " + command + " >/dev/full 2>" + at("err")).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << command;
    EXPECT_NE(text(folder / "err").find("standard output: writing failed: No space left"),
              std::string::npos)
        << command << ": " << text(folder / "err");
  }
  for (const std::string& command : {"convert" + of_model, eval, simulate, "linearize" + of_model})
    for (const std::string out : {"/dev/full", "-", "/dev/stdout"}) {
      const int status = std::system((std::string(CHASLES_PROGRAM) + " " + command + " -o " + out +
                                      " >/dev/full 2>" + at("err"))
                                         .c_str());
      EXPECT_EQ(WEXITSTATUS(status), 1) << command << out;
      EXPECT_NE(text(folder / "err").find("writing failed: No space left"), std::string::npos)
          << command << ": " << text(folder / "err");
    }
}

TEST_F(ProgramFiles, a_closed_pipe_ends_every_command_in_silence) {
  const std::string of_model = " " + at("m.yaml");
  const std::vector<std::string> commands{"--help", "info" + of_model, "convert" + of_model,
                                          "simulate " + at("s.yaml") + " -o -", "methods --json"};
  for (const std::string& command : commands) {
    // The reader is gone before the program begins: it waits for the end of `true`.
    const std::string script = "mkfifo " + at("ready") + "; { read -r _ <" + at("ready") + "; " +
                               CHASLES_PROGRAM + " " + command + " 2>" + at("err") + "; echo $? >" +
                               at("code") + "; } | { exec <&-; echo >" + at("ready") + "; }; rm " +
                               at("ready");
    std::system(script.c_str());
    EXPECT_EQ(text(folder / "code"), "141\n") << command;
    EXPECT_EQ(text(folder / "err"), "") << command;
  }
}

TEST_F(ProgramFiles, a_closed_standard_output_is_an_error_and_no_file_takes_its_place) {
  const std::string command = std::string(CHASLES_PROGRAM) + " simulate " + at("s.yaml") + " -o " +
                              at("run.csv") + " >&- 2>" + at("err");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_NE(text(folder / "err").find("standard output: writing failed"), std::string::npos);
  EXPECT_EQ(text(folder / "run.csv").find("drift"), std::string::npos);
}

TEST_F(ProgramFiles, a_dash_is_standard_input_or_output) {
  const Outcome plain = run("info " + at("m.yaml"));
  EXPECT_EQ(run("info - <" + at("m.yaml")).out, plain.out);
  const std::string eval = "eval " + at("m.yaml") + " --compute com --states ";
  const Outcome want = run(eval + at("states.json"));
  EXPECT_EQ(want.code, 0) << want.err;
  EXPECT_EQ(run(eval + "- -o - <" + at("states.json")).out, want.out);
  EXPECT_EQ(run("eval - --compute com --states " + at("states.json") + " <" + at("m.yaml")).out,
            want.out);
  expect_bad_input("eval - --states - --compute com", {"both standard input"});
  EXPECT_EQ(run("convert - -o - <" + at("m.yaml")).out, run("convert " + at("m.yaml")).out);
  EXPECT_EQ(run("convert - -o /dev/stdout <" + at("m.yaml")).out,
            run("convert " + at("m.yaml")).out);
  expect_bad_input("info - </dev/null", {"standard input:1: the file is empty"});

  // The record is all there is on standard output; paths are relative to where the program runs.
  ASSERT_EQ(run("simulate " + at("s.yaml") + " -o " + at("run.csv")).code, 0);
  const Outcome piped = run("simulate " + at("s.yaml") + " -o -");
  EXPECT_EQ(piped.code, 0);
  EXPECT_EQ(piped.out, text(folder / "run.csv"));
  EXPECT_NE(piped.err.find("energy [J]"), std::string::npos) << piped.err;
  EXPECT_EQ(run("simulate " + at("s.yaml") + " -o /dev/stdout").out, piped.out);
  write("t.yaml", "chasles: 1\nmodel: " + at("m.yaml") + "\nduration: 1\nrecord: {every: 0.5}\n");
  EXPECT_EQ(run("simulate - -o - <" + at("t.yaml")).out, piped.out);
  // A pipe with a name.
  ASSERT_EQ(mkfifo(at("pipe.csv").c_str(), 0600), 0);
  const std::string both = "cat " + at("pipe.csv") + " >" + at("got") + " & " + CHASLES_PROGRAM +
                           " simulate " + at("s.yaml") + " -o " + at("pipe.csv") +
                           " >/dev/null; code=$?; wait; exit $code";
  EXPECT_EQ(WEXITSTATUS(std::system(both.c_str())), 0);
  EXPECT_EQ(text(folder / "got"), piped.out);
}

/// Names that mean something else in YAML.
TEST_F(ProgramFiles, the_printed_state_is_yaml_for_every_joint_name) {
  const std::vector<std::string> odd_names = {"a: b",
                                              "[x]",
                                              "{y}",
                                              "yes",
                                              "~",
                                              "1e3",
                                              "null",
                                              "it's",
                                              "say \"hi\"",
                                              "a, b",
                                              "# c",
                                              "- d",
                                              "&e",
                                              "*f",
                                              "!g",
                                              "%h",
                                              "@i",
                                              "`j",
                                              "?k",
                                              "|",
                                              "back\\slash",
                                              " space ",
                                              "\xc3\xa9t\xc3\xa9"};
  Mechanism mechanism{.name = "names"};
  for (const std::string& name : odd_names) {
    Body body;
    body.name = "body of " + name;
    body.joint.type = JointType::revolute;
    body.joint.geometry = AxisGeometry{.axis = {0, 1, 0}, .point = {}};
    body.joint.name = name;
    body.inertia = BodyInertia{1, {0.1, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1)};
    mechanism.bodies.push_back(body);
  }
  write("names.yaml", write_yaml(mechanism));
  const Model model = compile(read_mechanism(folder / "names.yaml"));
  State state{0, model.neutral(), Vector(model.nv())};
  for (int i = 0; i < model.nv(); ++i) state.q[i] = 0.1 * i + 1.0 / 3, state.v[i] = -i - 1.0 / 7;
  const Scenario read =
      read_scenario(write("names_s.yaml", "chasles: 1\nmodel: names.yaml\nduration: 1\n" +
                                              write_initial(model, state)));
  EXPECT_EQ(read.start.q, state.q);
  EXPECT_EQ(read.start.v, state.v);
  const Outcome o = run("simulate " + at("names_s.yaml") + " -o " + at("names.csv"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(read_recorded_state(folder / "names.csv", model, 0).v, state.v);
}

}  // namespace
}  // namespace chasles
