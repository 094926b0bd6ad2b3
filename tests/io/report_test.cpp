/// Reports: what viewer/ reads is what was said. tests/viewer looks at the pages themselves.
#include "chasles/io/report.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "chasles/io/run_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/io/summary_text.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/quaternion.hpp"
#include "io/meshes/mesh_file.hpp"
#include "io/report/report_json.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view page = "<script>CHASLES_DATA</script>";
json data_of(const std::string& html) {
  const std::string_view head = "<script>", tail = "</script>";
  return json::parse(html.substr(head.size(), html.size() - head.size() - tail.size()));
}

std::vector<unsigned char> bytes_of(const std::string& base64) {
  std::vector<unsigned char> bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64) {
    const std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (c == '=') break;
    bits = bits << 6U | static_cast<unsigned>(digits.find(c));
    if ((count += 6) >= 8) bytes.push_back(static_cast<unsigned char>(bits >> (count -= 8) & 255U));
  }
  return bytes;
}
std::vector<double> doubles_of(const json& text) {
  const std::vector<unsigned char> bytes = bytes_of(text);
  std::vector<double> numbers(bytes.size() / 8);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}
/// Row by row.
std::vector<double> numbers_of(const json& table) {
  const std::vector<unsigned char> raw = bytes_of(table["data"]);
  const std::size_t bytes = table["bytes"], columns = table["columns"];
  std::vector<double> numbers;
  for (std::size_t i = 0; i < raw.size() / bytes; ++i) {
    double code = 0;
    for (std::size_t b = bytes; b-- > 0;) code = 256 * code + raw[i * bytes + b];
    const bool nan = code == std::ldexp(1, static_cast<int>(8 * bytes)) - 1;
    numbers.push_back(nan ? NAN
                          : table["least"][i % columns].get<double>() +
                                code * table["step"][i % columns].get<double>());
  }
  return numbers;
}

SE3 pose_of(const json& a) {
  Mat3 R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = a[static_cast<std::size_t>(3 * i + j)];
  return {SO3(R), {a[9], a[10], a[11]}};
}
Twist twist_of(const json& a) { return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}}; }

/// What the page does, with the library's own exponential.
std::vector<SE3> product_of_exponentials(const json& links, const Eigen::VectorXd& q) {
  std::vector<SE3> D;
  for (const json& link : links) {
    const int at = link["q"], parent = link["parent"];
    SE3 E;
    if (!link["Y"].empty()) {
      Twist X;
      for (std::size_t k = 0; k < link["Y"].size(); ++k)
        X += q[at + static_cast<int>(k)] * twist_of(link["Y"][k]);
      E = exp(X);
    } else {
      SE3 T{rotation(lie::Quaternion<double>{q[at], q[at + 1], q[at + 2], q[at + 3]}), {}};
      if (link["motion"] != "ball") T.r = {q[at + 4], q[at + 5], q[at + 6]};
      if (link.contains("Q")) T.r = pose_of(link["Q"]) * T.r;
      const SE3 J = pose_of(link["J"]);
      E = J * T * inverse(J);
    }
    D.push_back(parent < 0 ? E : D[static_cast<std::size_t>(parent)] * E);
  }
  return D;
}

double distance(const SE3& a, const SE3& b) {
  const Twist X = log(inverse(a) * b);
  return norm(X.w) + norm(X.v);
}

TEST(ReportModel, screws_and_coordinates_give_the_poses_of_every_joint) {
  std::mt19937_64 generator(1);
  for (int trial = 0; trial < 10; ++trial) {
    const Model model = compile(test::random_mechanism(generator, {.bodies = 30, .tree = true}));
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    PositionKinematics kin(model);
    forward_kinematics(model, q, kin);
    const json shown = data_of(write_view(page, model, {}, model.neutral()))["model"];
    const std::vector<SE3> D = product_of_exponentials(shown["links"], q);
    for (const json& body : shown["bodies"]) {
      const int link = body["link"];
      const SE3 A = pose_of(body["A"]);
      const SE3 C = link < 0 ? A : D[static_cast<std::size_t>(link)] * A;
      const SE3 truth = pose(kin, model.frame(body["name"].get<std::string>()));
      EXPECT_LT(distance(C, truth), 1e-11) << body["name"];  // of some ten factors, meters apart
    }
  }
}

TEST(ReportModel, a_box_has_the_inertia_of_its_body) {
  std::mt19937_64 generator(2);
  const Mechanism mechanism = test::random_mechanism(generator, {.bodies = 20, .tree = true});
  int boxes = 0;
  for (const ModelBody& body : compile(mechanism).bodies()) {
    if (!(body.inertia.m > 0)) continue;
    const VisualShape box = io::equivalent_box(body.inertia, 1e-9);
    const double m = body.inertia.m, x = box.size.x * box.size.x, y = box.size.y * box.size.y,
                 z = box.size.z * box.size.z;
    if (std::min({x, y, z}) < 1e-3 * std::max({x, y, z})) continue;  // made thicker, to be seen
    const Sym3 I = rotate(box.pose.R.matrix(),
                          Sym3::diagonal(m / 12 * (y + z), m / 12 * (x + z), m / 12 * (x + y)));
    const Inertia again = lie::compose_inertia(m, box.pose.r, I);
    const double scale = body.inertia.I.xx + body.inertia.I.yy + body.inertia.I.zz;
    EXPECT_NEAR(again.I.xx, body.inertia.I.xx, 1e-12 * scale);
    EXPECT_NEAR(again.I.xy, body.inertia.I.xy, 1e-12 * scale);
    EXPECT_NEAR(again.I.yz, body.inertia.I.yz, 1e-12 * scale);
    EXPECT_NEAR(again.I.zz, body.inertia.I.zz, 1e-12 * scale);
    ++boxes;
  }
  EXPECT_GT(boxes, 5);
}

TEST(ReportNumbers, are_kept_to_half_a_step) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (const std::size_t bytes : {2U, 3U, 4U}) {
    std::vector<double> table;
    for (int i = 0; i < 101; ++i)
      for (const double scale : {1.0, 1e-9, 1e12}) table.push_back(3 + scale * normal(generator));
    table[4] = NAN, table[5] = HUGE_VAL;
    const json j = json::parse(io::quantised(table, 3, bytes));
    EXPECT_EQ(j["rows"], 101);
    const std::vector<double> back = numbers_of(j);
    ASSERT_EQ(back.size(), table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double step = j["step"][i % 3];
      if (std::isfinite(table[i]))
        EXPECT_LE(std::abs(back[i] - table[i]), 0.5001 * step + 1e-15 * std::abs(table[i]));
      else
        EXPECT_TRUE(std::isnan(back[i]));
    }
    EXPECT_LT(j["step"][1].get<double>(), 1e-8 / std::ldexp(1, static_cast<int>(8 * bytes)));
  }
  EXPECT_EQ(numbers_of(json::parse(io::quantised(std::vector{0.1, 0.1}, 1, 4))),
            (std::vector{0.1, 0.1}));
  EXPECT_EQ(io::quantised({}, 0, 4).find("null"), std::string::npos);
  // One over the step is infinite.
  for (const std::vector<double>& extreme :
       {std::vector{0.0, 1e-298, 2e-298}, std::vector{0.0, 1e-305, 2e-305},
        std::vector{-8e307, 0.0, 8e307}})
    for (const std::size_t bytes : {2U, 3U, 4U}) {
      const std::vector<double> read = numbers_of(json::parse(io::quantised(extreme, 1, bytes)));
      const double range = extreme[2] / 2 - extreme[0] / 2;
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_LE(std::abs(read[k] / 2 - extreme[k] / 2), 1e-4 * range) << extreme[2] << bytes;
    }
}

TEST(ReportNumbers, large_reports_stay_small) {
  ReportRun run{.name = "large"};
  run.columns.assign(2000, {"energy", "energy [J]"});
  run.t.assign(3000, 0);
  run.table.assign(6'000'000, 1.5);
  const std::string html = write_report(page, {&run, 1});
  EXPECT_EQ(data_of(html)["runs"][0]["table"]["bytes"], 3);
  EXPECT_LT(html.size(), 27'000'000);
  run.t.assign(24000, 0);
  run.table.assign(48'000'000, 1.5);
  const json thinned = data_of(write_report(page, {&run, 1}))["runs"][0];
  EXPECT_EQ(thinned["table"]["bytes"], 2);
  EXPECT_LE(thinned["table"]["rows"], 6001);
  EXPECT_NE(thinned["warnings"].dump().find("one of"), std::string::npos);
}

class ReportFiles : public ::testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("chasles_report_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }
  fs::path scenario() const {
    write("m.yaml",
          "chasles: 1\nname: m\nbodies:\n  - name: rod\n    joint: {name: hinge, type: revolute, "
          "axis: [0, 1, 0]}\n    inertia: {mass: 2, com: [0.5, 0, 0], tensor: [0.05, 0, 0, 0.1, 0, "
          "0.08]}\n");
    return write("s.yaml",
                 "chasles: 1\nmodel: m.yaml\nduration: 1\nrecord: {every: 0.1, "
                 "quantities: [energy, momentum, pose:rod]}\n");
  }
};

TEST_F(ReportFiles, a_run_is_the_same_from_memory_and_from_its_file) {
  std::vector<fs::path> inputs;
  const Scenario s = read_scenario(scenario(), nullptr, &inputs);
  ReportRun run;
  {
    ReportRecorder recorder(run);
    Simulation simulation(s);
    simulation.run(recorder, [&](double t) { return recorder.step(t), true; });
    EXPECT_EQ(run.steps.size(), static_cast<std::size_t>(simulation.summary().statistics.steps));
    EXPECT_DOUBLE_EQ(run.steps.back()[0], 1);
  }
  const auto file = make_run_file(folder / "r.json", inputs);
  Simulation(s).run(*file);
  ReportRun read = read_report_run(folder / "r.json");
  set_model(read, s.model);
  EXPECT_EQ(read.file, folder / "s.yaml");
  EXPECT_EQ(read.t, run.t);
  EXPECT_EQ(read.table, run.table);
  ASSERT_EQ(read.columns.size(), run.columns.size());
  EXPECT_EQ(read.columns[1].label, "v:hinge [rad/s]");
  EXPECT_EQ(run.columns[1].label, "v:hinge [rad/s]");
  EXPECT_EQ(read.name, "s");

  // The same numbers as CSV: each column has a name with one unit, in both files.
  Simulation(s).run(*make_run_file(folder / "r.csv", inputs));
  const ReportRun csv = read_report_run(folder / "r.csv");
  EXPECT_EQ(csv.t, run.t);
  EXPECT_EQ(csv.table, run.table);
  ASSERT_EQ(csv.columns.size(), run.columns.size());
  for (std::size_t i = 0; i < csv.columns.size(); ++i) {
    EXPECT_EQ(csv.columns[i].label, run.columns[i].label);
    EXPECT_EQ(csv.columns[i].group, run.columns[i].group);
    EXPECT_EQ(read.columns[i].label, run.columns[i].label);
    EXPECT_EQ(read.columns[i].group, run.columns[i].group);
  }

  const json shown = data_of(write_report(page, {&run, 1}))["runs"][0];
  EXPECT_EQ(doubles_of(shown["t"]), run.t);
  const std::vector<double> table = numbers_of(shown["table"]);
  ASSERT_EQ(table.size(), run.table.size());
  for (std::size_t i = 0; i < table.size(); ++i) EXPECT_NEAR(table[i], run.table[i], 1e-8);
}

TEST_F(ReportFiles, runs_that_cannot_be_shown_are_refused) {
  const Scenario s = read_scenario(scenario());
  EXPECT_SAYS(read_report_run(folder / "none.json"), "none.json", "no such");
  EXPECT_SAYS(read_report_run(write("r.txt", "t")), "r.txt", ".json");
  EXPECT_SAYS(read_report_run(write("r.csv", "t")), "r.csv", "no header");
  EXPECT_SAYS(read_report_run(write("e.json", "{\"samples\": []}")), "no samples");
  const fs::path other =
      write("o.json", R"({"joints": [{"name": "knee", "q_units": ["rad"], "v_units": ["rad/s"]}],
      "samples": [{"t": 0, "q": [1], "v": [0]}]})");
  ReportRun run = read_report_run(other);
  EXPECT_SAYS(set_model(run, s.model), "not a run of this model", "q:hinge");
  EXPECT_EQ(run.columns[0].label, "q:knee [rad]");
  const fs::path uneven =
      write("u.json", R"({"joints": [], "samples": [{"t": 0, "a": 1}, {"t": 1, "a": [1, 2]}]})");
  EXPECT_SAYS(read_report_run(uneven), "other numbers than the first");
  // As many numbers as in the first sample, but not the same ones: nothing moves into the column of another.
  for (const char* second :
       {R"("q": [1], "v": [0, 2], "a": 3, "b": 4)", R"("q": [1, 2], "v": [0], "b": 4, "a": 3)",
        R"("q": [1, 2], "v": [0], "a": [3, 4])", R"("q": [1, 2], "c": 0, "a": 3, "b": 4)"})
    EXPECT_SAYS(read_report_run(write("u.json", std::string(R"({"joints": [], "samples": [
      {"t": 0, "q": [1, 5], "v": [0], "a": 1, "b": 2}, {"t": 1, )") +
                                                    second + "}]}")),
                "other numbers than the first");
  const fs::path cut = write("c.json", R"({"joints": [], "samples": [{"t": 0, "a": 1}, {"t": 1)");
  EXPECT_EQ(read_report_run(cut).t.size(), 1);
}

TEST_F(ReportFiles, meshes) {
  const std::string ascii =
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
      "endloop\nendfacet\nendsolid\n";
  const std::vector<float> corners{0, 0, 0, 1, 0, 0, 0, 1, 0};
  const auto corners_of = [&](const fs::path& path) {
    const io::TriangleMesh mesh = io::read_mesh(path);
    std::vector<float> xyz;
    for (const Vec3& p : mesh.corners(mesh.faces.at(0)))
      for (int k = 0; k < 3; ++k) xyz.push_back(static_cast<float>(p[k]));
    return xyz;
  };
  EXPECT_EQ(corners_of(write("text.stl", ascii)), corners);
  std::string binary(84 + 50, '\0');
  binary[80] = 1;
  std::memcpy(binary.data() + 96, corners.data(), 36);
  EXPECT_EQ(corners_of(write("binary.STL", binary)), corners);
  const std::string vertices = "# square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
  EXPECT_EQ(io::read_mesh(write("a.obj", vertices + "f 1/1 2/2/3 3//1 -1\n")).faces.size(), 2);
  const auto refused = [&](const std::string& name, const std::string& bytes, const char* why) {
    EXPECT_SAYS(io::read_mesh(write(name, bytes)), why);
  };
  EXPECT_SAYS(io::read_mesh(folder / "none.stl"), "no such file");
  EXPECT_SAYS(io::read_mesh(folder), "meshes are read from");
  refused("a.3ds", "", "'.3ds'");
  refused("cut.stl", binary.substr(0, 100), "no triangles");
  refused("empty.obj", "", "no triangles");
  refused("word.stl", "solid\nvertex 1 2 x", "no three numbers");
  refused("two.stl", "solid\nvertex 1 2 3\nvertex 1 2 3", "no three corners");
  refused("face.obj", vertices + "f 1 2 9\n", "corner '9'");
  std::memset(binary.data() + 96, 0xff, 4);
  refused("nan.stl", binary, "not finite");
}

TEST_F(ReportFiles, appearance_of_a_urdf) {
  const fs::path urdf = write("r.urdf", R"(<robot name="r"><material name="red">
    <color rgba="1 0 0 0.5"/></material><link name="a">
    <visual><origin xyz="1 2 3"/><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <visual><geometry><cylinder radius="0.1" length="2"/></geometry></visual>
    <visual><geometry><mesh filename="package://r/m.stl" scale="2 2 2"/></geometry></visual>
    <visual><geometry><sphere radius="x"/></geometry></visual><visual/></link></robot>)");
  const Appearance appearance = read_mechanism(urdf, {.appearance = true}).appearance;
  const std::vector<std::string>& notes = appearance.notes;
  const std::vector<VisualShape>& shapes = appearance.shapes.at("a");
  ASSERT_EQ(shapes.size(), 3);
  EXPECT_EQ(shapes[0].size, (Vec3{1, 2, 3}));
  EXPECT_EQ(shapes[0].pose.r, (Vec3{1, 2, 3}));
  EXPECT_EQ(shapes[0].color, (std::array{1.0, 0.0, 0.0, 0.5}));
  EXPECT_EQ(shapes[1].size, (Vec3{0.1, 2, 0}));
  EXPECT_EQ(shapes[2].size, (Vec3{2, 2, 2}));
  EXPECT_EQ(shapes[2].mesh.filename(), "m.stl");
  ASSERT_EQ(notes.size(), 2);
  EXPECT_NE(notes[0].find("radius"), std::string::npos);
  EXPECT_TRUE(read_mechanism(urdf).appearance.shapes.empty());
}

/// Visuals of YAML: what was given is what is shown, and is written back; mistakes are named at their place.
TEST_F(ReportFiles, appearance_of_a_yaml) {
  const std::string head =
      "chasles: 1\nbodies:\n  - name: a\n    joint: {type: revolute, axis: [0, 0, 1]}\n"
      "    inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}\n    visuals:\n";
  fs::create_directories(folder / "parts");
  write("parts/tip.stl", "");
  const fs::path file = write(
      "v.yaml",
      head + R"(      - {shape: box, size: [1, 2 cm, 3], pose: {xyz: [1, 2, 3], rpy: [0, 0, pi/2]}}
      - {shape: sphere, radius: 0.5, color: [1, 0, 0.5]}
      - {shape: cylinder, radius: 0.1, length: 0.4, color: [0, 0.5, 1, 0.25]}
      - {shape: capsule, radius: 10 mm, length: 2}
      - {shape: ellipsoid, semiaxes: [1, 2, 3]}
      - {shape: mesh, file: parts/tip.stl, scale: [1, 2, -3]}
)");
  const Mechanism given = read_mechanism(file, {.appearance = true});
  const fs::path again = write("again.yaml", write_yaml(given));
  for (const Mechanism& mechanism : {given, read_mechanism(again, {.appearance = true})}) {
    const std::vector<VisualShape>& shapes = mechanism.appearance.shapes.at("a");
    ASSERT_EQ(shapes.size(), 6U);
    using Kind = VisualShape::Kind;
    const Kind kinds[] = {Kind::box,     Kind::sphere,    Kind::cylinder,
                          Kind::capsule, Kind::ellipsoid, Kind::mesh};
    const Vec3 sizes[] = {{1, 0.02, 3}, {0.5, 0, 0}, {0.1, 0.4, 0},
                          {0.01, 2, 0}, {1, 2, 3},   {1, 2, -3}};
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(shapes[i].kind, kinds[i]);
      EXPECT_LT(norm(shapes[i].size - sizes[i]), 1e-15);
      EXPECT_EQ(shapes[i].color.has_value(), i == 1 || i == 2);
    }
    EXPECT_LT(norm(shapes[0].pose * Vec3{1, 0, 0} - Vec3{1, 3, 3}), 1e-15);
    EXPECT_EQ(shapes[1].color, (std::array{1.0, 0.0, 0.5, 1.0}));
    EXPECT_EQ(shapes[2].color, (std::array{0.0, 0.5, 1.0, 0.25}));
    EXPECT_TRUE(fs::equivalent(shapes[5].mesh, folder / "parts/tip.stl"));
  }
  const auto refused = [&](const std::string& visual, const std::string& said) {
    EXPECT_SAYS(read_mechanism(write("w.yaml", head + "      - {" + visual + "}\n")), "w.yaml:7",
                "'a'", said);
  };
  refused("radius: 1", "shape");
  refused("shape: cone", "cone");
  refused("shape: plane", "plane");
  refused("shape: sphere", "radius");
  refused("shape: sphere, radius: -1", "not positive");
  refused("shape: box, size: [1, 0, 1]", "not positive");
  refused("shape: box, size: [1, 1, 1], radius: 1", "has none");
  refused("shape: box, size: [1, 1, 1], file: x.stl", "only meshes");
  refused("shape: mesh", "file");
  refused("shape: mesh, file: x.stl, size: [1, 1, 1]", "has none");
  refused("shape: sphere, radius: 1, color: [1, 2, 0]", "not within 0 and 1");
  refused("shape: sphere, radius: 1, color: [1, 0]", "three or four");
  refused("shape: sphere, radius: 1 kg", "kg");
}

TEST_F(ReportFiles, appearance_of_an_mjcf) {
  write("cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const fs::path mjcf = write("r.xml", R"(<mujoco>
    <default><default class="seen"><geom rgba="0 1 0 1"/></default></default>
    <asset><material name="red" rgba="1 0 0 0.5"/>
      <mesh name="m" file="cube.obj" scale="2 2 2" refpos="1 0 0" refquat="1 0 0 1"/></asset>
    <worldbody><geom type="plane" size="1 1 1"/><body name="a"><freejoint/>
      <geom type="box" size="1 2 3" pos="1 2 3" material="red"/>
      <geom class="seen" type="capsule" fromto="0 0 0 0 0 4" size="0.1" group="2"/>
      <geom type="sphere" size="9" group="3"/>
      <geom type="ellipsoid" size="9 9 9" rgba="0 0 0 0"/>
      <geom type="mesh" mesh="m" pos="0 0 5"/>
    </body></worldbody></mujoco>)");
  const Appearance appearance = read_mechanism(mjcf, {.appearance = true}).appearance;
  ASSERT_EQ(appearance.shapes.size(), 1U);
  const std::vector<VisualShape>& shapes = appearance.shapes.at("a");
  ASSERT_EQ(shapes.size(), 3U);
  EXPECT_EQ(shapes[0].kind, VisualShape::Kind::box);
  EXPECT_EQ(shapes[0].size, (Vec3{2, 4, 6}));
  EXPECT_EQ(shapes[0].pose.r, (Vec3{1, 2, 3}));
  EXPECT_EQ(shapes[0].color, (std::array{1.0, 0.0, 0.0, 0.5}));
  EXPECT_EQ(shapes[1].kind, VisualShape::Kind::capsule);
  EXPECT_EQ(shapes[1].size, (Vec3{0.1, 4, 0}));
  EXPECT_EQ(shapes[1].pose.r, (Vec3{0, 0, 2}));
  EXPECT_EQ(shapes[1].color, (std::array{0.0, 1.0, 0.0, 1.0}));
  // The corner (1, 1, 0) of the mesh: minus refpos (0, 1, 0), in axes turned by 90 degrees (1, 0, 0), twice as large, and up.
  EXPECT_EQ(shapes[2].mesh, folder / "cube.obj");
  const Vec3 s = shapes[2].size;
  EXPECT_LT(norm(shapes[2].pose * Vec3{s.x, s.y, 0} - Vec3{2, 0, 5}), 1e-14);
  EXPECT_FALSE(shapes[2].color);
  EXPECT_TRUE(appearance.notes.empty());
  EXPECT_TRUE(read_mechanism(mjcf).appearance.shapes.empty());
}

/// What the page needs to keep constraints: places, lengths at q = 0, unit directions, curves by their nodes.
TEST_F(ReportFiles, constraints_of_a_model) {
  const fs::path file = write("m.yaml", R"(
chasles: 1
bodies:
  - {name: a, joint: {type: revolute, axis: [0, 1, 0], point: [0, 0, 1]}, pose: {xyz: [0, 0, 1]}, inertia: {mass: 1, com: [0, 0, -0.5], tensor: [1, 0, 0, 1, 0, 1]}}
  - {name: b, joint: {type: floating}, inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}
constraints:
  - {type: distance, name: rod, a: {body: a, point: [0, 0, 2]}, b: {body: b, point: [4, 0, 0]}}
  - {type: cable, name: rope, points: [{body: a}, {body: ground, point: [1, 0, 0]}, {body: b}], length: 7}
  - {type: point_on_plane, name: table, body: b, plane: {body: a, point: [0, 1, 0], normal: [0, 3, 4]}}
  - {type: point_on_line, name: guide, body: b, line: {direction: [0, 0, 2]}}
  - {type: point_on_curve, name: wire, body: b, curve: {points: [[0, 0, 0], [3, 4, 0], [3, 4, 2]]}}
  - {type: point_on_curve, name: ring, body: b, curve: {x: 2*cos(s), y: 2*sin(s), from: 0, to: 2*pi, closed: true}}
  - {type: rolling, name: tire, body: b, axis: [0, 2, 0], radius: 0.5, plane: {point: [0, 0, -1], normal: [0, 0, 3]}, contact: false}
)");
  const Mechanism mechanism = read_mechanism(file, {.appearance = true});
  const Model model = compile(mechanism);
  const json shown =
      data_of(write_view(page, model, mechanism.appearance, model.neutral()))["model"];
  const json& list = shown["constraints"];
  ASSERT_EQ(list.size(), 7U);
  EXPECT_EQ(list[0]["length"], 5);  // from (0, 0, 3) to (4, 0, 0)
  EXPECT_EQ(pose_of(list[0]["points"][0]["A"]).r, (Vec3{0, 0, 3}));
  EXPECT_EQ(list[1]["length"], 7);
  EXPECT_EQ(list[1]["points"][1]["link"], -1);
  EXPECT_EQ(pose_of(list[2]["frame"]["A"]).r, (Vec3{0, 1, 1}));
  ASSERT_EQ(list[2]["normals"].size(), 1U);
  EXPECT_NEAR(list[2]["normals"][0][1], 0.6, 1e-15);
  ASSERT_EQ(list[3]["normals"].size(), 2U);
  for (const json& n : list[3]["normals"]) EXPECT_NEAR(n[2], 0, 1e-15);
  const json& wire = list[4]["nodes"];
  ASSERT_EQ(wire.size(), 3U);
  EXPECT_EQ(wire[1][0], 5);  // the parameter is the length of the chords
  EXPECT_EQ(wire[2][0], 7);
  EXPECT_NEAR(wire[1][2], 4, 1e-14);
  EXPECT_EQ(list[4]["straight"], true);
  for (const json& node : list[5]["nodes"]) {
    const double s = node[0];
    EXPECT_NEAR(node[1], 2 * std::cos(s), 1e-14);
    EXPECT_NEAR(node[4], -2 * std::sin(s), 1e-14);
    EXPECT_NEAR(node[8], -2 * std::sin(s), 1e-14);
  }
  EXPECT_EQ(list[6]["axis"], json::array({0, 1, 0}));
  EXPECT_EQ(list[6]["normal"], json::array({0, 0, 1}));
  EXPECT_EQ(list[6]["contact"], false);
  const json& lines = shown["lines"];
  ASSERT_EQ(lines.size(), 4U);  // the rod, the rope and the curves are drawn
  EXPECT_EQ(lines[1]["points"].size(), 3U);
  const auto end_of = [](const json& line) { return pose_of(line["points"].back()["A"]).r; };
  EXPECT_LT(norm(end_of(lines[2]) - Vec3{3, 4, 2}), 1e-14);
  for (const json& point : lines[3]["points"]) {
    EXPECT_EQ(point["link"], -1);
    EXPECT_NEAR(norm(pose_of(point["A"]).r), 2, 1e-14);
  }
}

TEST_F(ReportFiles, shapes_that_touch_and_lines_of_a_scenario_are_placed) {
  write("m.yaml", R"(
chasles: 1
bodies:
  - {name: a, joint: {type: revolute, axis: [0, 1, 0], point: [0, 0, 1]}, pose: {xyz: [0, 0, 1]}, inertia: {mass: 1, com: [0, 0, -0.5], tensor: [1, 0, 0, 1, 0, 1]}}
frames: [{name: tip, body: a, pose: {xyz: [0, 0, -1]}}]
collisions: {shapes: [{body: a, shape: capsule, radius: 0.1, length: 0.4}]}
)");
  const fs::path file = write("s.yaml", R"(
chasles: 1
model: m.yaml
contacts:
  - {sphere: {body: tip, radius: 0.2}, against: {plane: {point: [0, 0, -3], normal: [0, 3, 4]}}}
forces:
  - {type: point_spring_damper, a: {body: tip, point: [0.1, 0, 0]}, b: {body: ground, point: [1, 2, 3]}, stiffness: 1}
duration: 1
)");
  const Scenario scenario = read_scenario(file);
  const json model =
      data_of(write_view(page, scenario.model, scenario.appearance, scenario.start.q))["model"];
  ASSERT_EQ(model["collisions"].size(), 1);
  EXPECT_EQ(model["collisions"][0]["shape"]["kind"], "capsule");
  EXPECT_EQ(model["collisions"][0]["body"], 0);
  ASSERT_EQ(model["contacts"].size(), 2);
  const json& ball = model["contacts"][0];
  EXPECT_EQ(ball["shape"]["kind"], "sphere");
  EXPECT_EQ(ball["body"], 0);
  const SE3 tip = pose_of(ball["A"]);
  PositionKinematics kin(scenario.model);
  forward_kinematics(scenario.model, scenario.model.neutral(), kin);
  EXPECT_LT(distance(tip, pose(kin, scenario.model.frame("tip"))), 1e-14);
  const json& plane = model["contacts"][1];
  EXPECT_EQ(plane["link"], -1);
  const SE3 surface = pose_of(plane["shape"]["pose"]);
  EXPECT_LT(norm(surface.R * Vec3{0, 0, 1} - Vec3{0, 0.6, 0.8}), 1e-15);
  EXPECT_EQ(surface.r, (Vec3{0, 0, -3}));
  ASSERT_EQ(model["lines"].size(), 1);
  EXPECT_EQ(model["lines"][0]["kind"], "spring");
  const SE3 end = pose_of(model["lines"][0]["points"][0]["A"]);
  EXPECT_LT(norm(end.r - tip * Vec3{0.1, 0, 0}), 1e-15);
  EXPECT_EQ(pose_of(model["lines"][0]["points"][1]["A"]).r, (Vec3{1, 2, 3}));
}

TEST(Report, no_name_ends_the_script) {
  ReportRun run{.name = "</script><script>alert(1)</script>", .scenario = "<!-- <script>"};
  const std::string html = write_report(page, {&run, 1});
  EXPECT_EQ(html.find("</script>"), html.size() - 9);
  EXPECT_EQ(html.find('<', 1), html.size() - 9);
  EXPECT_EQ(data_of(html)["runs"][0]["name"], run.name);
  EXPECT_SAYS(write_report("no place", {&run, 1}), "no place for data");
}

TEST(Report, many_steps_are_thinned_evenly) {
  ReportRun run;
  ReportRecorder recorder(run);
  for (int i = 1; i <= 100000; ++i) recorder.step(i);
  EXPECT_LT(run.steps.size(), 20000);
  EXPECT_GT(run.steps.size(), 5000);
  for (std::size_t i = 2; i < run.steps.size(); ++i)
    EXPECT_EQ(run.steps[i][0] - run.steps[i - 1][0], run.steps[1][0] - run.steps[0][0]);
  for (const auto& step : run.steps) EXPECT_EQ(step[1], 1);
}

/// The square of the distance may be less than zero by rounding.
TEST(Report, a_singular_configuration_has_a_distance) {
  Summary s;
  s.closed = true, s.mobility = 1, s.reciprocal_condition = -1e-19;
  const std::vector<std::string> notes = summary_notes(s);
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes.back().find("within 0.0e+00 of a singular configuration"), std::string::npos)
      << notes.back();
}

}  // namespace
}  // namespace chasles
