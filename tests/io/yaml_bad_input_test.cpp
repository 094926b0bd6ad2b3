/// Wrong YAML files: each ends in an Error that names the place, the thing and the remedy, in
/// bounded time and memory.

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/model/model.hpp"
#include "support/errors.hpp"
#include "support/small_stack.hpp"

namespace yaml_bad_input_test {

using namespace chasles;

/// As the program takes it: what is wrong is found by reading or by compiling.
Mechanism read(const std::string& text) {
  Mechanism mechanism = read_yaml(text, "a.yaml");
  compile(mechanism);
  return mechanism;
}
/// A mechanism of one body; the text is the rest of that body, from line 4 on.
Mechanism read_body(const std::string& text) {
  return read("chasles: 1\nbodies:\n  - name: arm\n    " + text);
}
/// The text is the inside of the joint 'j', from column 13 on.
Mechanism read_joint(const std::string& text) {
  return read_body("joint: {name: j, " + text + "}");
}

TEST(YamlBadInput, syntax_is_refused_with_line_and_column) {
  EXPECT_SAYS(read("chasles: 1\nbodies: [{name: a]\n"), "a.yaml:2:9: this bracket is not closed");
  EXPECT_SAYS(read("chasles: 1\nbodies:\n  - name: 'a\n"), "a.yaml:3:11: this quote is not closed");
  EXPECT_SAYS(read("chasles: 1\nname: a: b\n"),
              "a.yaml:2:8: not YAML: a second ': ' in one line; put the text in quotes");
  EXPECT_SAYS(read("chasles: 1\nbodies: [{name: a}\n"), "a.yaml:2:9: this bracket is not closed");
  EXPECT_SAYS(read("chasles: 1\nname: @a\n"), "a.yaml:2:7: not YAML: nothing can begin with this");
  EXPECT_SAYS(read("chasles: 1\nbodies:\n\t- name: a\n"), "a.yaml:3:", "the indentation has a tab");
  EXPECT_SAYS(read("chasles: 1\nbodies:\n  - name: a\n\tparent: b\n"), "has a tab; indent with");
  EXPECT_SAYS(read("chasles: 1\nname: a - - b\nbodies: - x\n"),
              "a.yaml:3:9: not YAML: a list item");
  EXPECT_SAYS(read("chasles: 1\nname: ]\n"), "a.yaml:2:7: not YAML: this bracket closes none");
  EXPECT_SAYS(read("chasles: 1\nname: \"\\q\"\n"), "a.yaml:2:10: not YAML: this backslash");
  EXPECT_SAYS(read("%YAML 7.0\n---\nchasles: 1\n"), "a.yaml:1:", "begins with %");
}

TEST(YamlBadInput, what_is_not_text_is_refused) {
  EXPECT_SAYS(read(""), "a.yaml:1: the file is empty");
  EXPECT_SAYS(read(" \n\t\r\n"), "a.yaml:1: the file is empty");
  EXPECT_SAYS(read("# nothing\n"), "only comments");
  EXPECT_SAYS(read(std::string("chasles: 1\nna\0me: b", 18)), "a.yaml:2:3: byte 0x00 is not text");
  EXPECT_SAYS(read("\x7f"
                   "ELF\x02\x01"),
              "a.yaml:1:5: byte 0x02 is not text");
  EXPECT_SAYS(read("name: \xff\xfe"), "a.yaml:1:7: byte 0xff is not text", "UTF-8");
  EXPECT_SAYS(read("name: \xc3"), "byte 0xc3");
  for (const char* bytes : {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                            "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    EXPECT_SAYS(read(std::string("name: ") + bytes), "a.yaml:1:7: byte 0x");
  // Names go into messages and tables: control characters are refused.
  for (const char* escape : {"\\x1b[2J", "\\n", "\\0", "\\x7f", "\\u009b"})
    EXPECT_SAYS(read("chasles: 1\nbodies: [{name: \"" + std::string(escape) + "\"}]\n"),
                "a.yaml:2: ", "cannot be printed");
  std::mt19937 generator(5);
  for (int n = 0; n < 200; ++n) {
    std::string junk;
    for (int i = 0; i < 200; ++i) junk += static_cast<char>(generator());
    EXPECT_SAYS(read(junk), "a.yaml:", "is not text");
  }
}

/// Words of the language in random order: none may do worse than throw.
TEST(YamlBadInput, random_markup_ends_in_an_error) {
  std::mt19937 generator(7);
  const std::vector<std::string> words = {
      "[",   "]",   "{",    "}",     ",",     ": ",          "- ",  "? ", "\n",
      "  ",  "a",   "1",    "\"",    "'",     "|\n",         ">\n", "#",  "&a ",
      "*a ", "!t ", "<<: ", "---\n", "...\n", "%YAML 1.2\n", "\t",  "@"};
  for (int n = 0; n < 3000; ++n) {
    std::string markup = n % 2 == 0 ? "chasles: 1\n" : "";
    for (auto i = generator() % 40; i > 0; --i) markup += words[generator() % words.size()];
    EXPECT_SAYS(read(markup), "a.yaml:");
  }
}

TEST(YamlBadInput, aliases_tags_and_documents_are_refused) {
  EXPECT_SAYS(read("chasles: &x 1\n"), "a.yaml:1:10: anchors (&), aliases (*) and merge keys");
  EXPECT_SAYS(read("chasles: 1\nbodies:\n  - &b {name: a}\n  - <<: *b\n"), "a.yaml:3:5: anchors");
  EXPECT_SAYS(read("chasles: *x\n"), "a.yaml:1:10:", "anchor");
  EXPECT_SAYS(read("chasles: !!int 1\n"), "a.yaml:1:10: the tag");
  EXPECT_SAYS(read("chasles: 1\n---\nchasles: 1\n"), "a second document begins");
  EXPECT_SAYS(read("chasles: 1\n<<: {name: a}\n"), "a.yaml:2:1: mechanism: unknown key '<<'");
  std::string laughs = "a: &a lol\n";  // each doubles the one before
  for (char c = 'a'; c < 'z'; ++c)
    laughs.append({static_cast<char>(c + 1), ':', ' ', '&', static_cast<char>(c + 1), ' ', '[', '*',
                   c, ',', ' ', '*', c, ']', '\n'});
  EXPECT_SAYS(read(laughs), "a.yaml:1:4: anchors");
}

TEST(YamlBadInput, keys_are_known_and_given_once) {
  EXPECT_SAYS(read_body("prent: x"),
              "a.yaml:4:5: body 'arm': unknown key 'prent'; did you mean 'parent'?");
  EXPECT_SAYS(read("chasles: 1\nbodys: []"), "a.yaml:2:1: mechanism", "did you mean 'bodies'?");
  EXPECT_SAYS(read_joint("type: fixed, lower: 3"),
              "joint 'j': unknown key 'lower'; give name, type, ");
  EXPECT_SAYS(read_body("joint: {tipe: fixed}"),
              "a.yaml:4:13: joint of body 'arm': unknown key 'tipe'");
  EXPECT_SAYS(read_body("name: b"), "a.yaml:4:5: the key 'name' is given twice");
  EXPECT_SAYS(read("[1]: 2"), "a key is not text");
  EXPECT_SAYS(read_joint("type: fixed, limits: {loewr: 1}"),
              "joint 'j', limits: unknown key 'loewr'; did you mean 'lower'?");
}

TEST(YamlBadInput, the_version_is_checked) {
  EXPECT_SAYS(read("bodies: [{name: a}]"),
              "a.yaml:1:1: mechanism: the version of the format is missing", "'chasles: 1'");
  EXPECT_SAYS(read("chasles: 2\nbodies: [{name: a}]"), "version 2 of the format",
              "reads version 1");
  EXPECT_SAYS(read("chasles: one"), "'one' is not a finite number");
  EXPECT_SAYS(read("- 1"), "a.yaml:1:1: mechanism: found a list; give a map");
  EXPECT_SAYS(read("hello"), "found the text 'hello'; give a map");
}

TEST(YamlBadInput, types_are_checked) {
  EXPECT_SAYS(read("chasles: 1\nbodies: 3"),
              "a.yaml:2:9: mechanism: bodies is the number '3'; give a list");
  for (const char* size : {"9.81", "-9.81"})
    EXPECT_SAYS(read(std::string("chasles: 1\ngravity: ") + size + "\nbodies: [{name: a}]"),
                "a.yaml:2:10: mechanism: gravity is the number",
                "give the vector along which things fall, three numbers: [0, 0, -9.81] if z is up");
  EXPECT_SAYS(read("chasles: 1\ngravity: down\nbodies: [{name: a}]"),
              "gravity is the text 'down'; give 3 numbers in a list");
  EXPECT_SAYS(read("chasles: 1\nbodies: []"), "has no bodies");
  EXPECT_SAYS(read("chasles: 1\nbodies: [3]"), "body: found the number '3'; give a map");
  EXPECT_SAYS(read("chasles: 1\nname: [a]\nbodies: [{name: a}]"), "name is a list; give text");
  EXPECT_SAYS(read("chasles: 1\nbodies: [{name: }]"), "body: name is nothing; give text");
  EXPECT_SAYS(read("chasles: 1\nbodies: [{parent: ground}]"), "body: needs 'name'");
  EXPECT_SAYS(read_joint("type: revolute, axis: z"),
              "a.yaml:4:44: joint 'j': axis is the text 'z'; give 3 numbers in a list");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 1]"), "joint 'j': axis has 2 numbers; give 3");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, [1], 0]"), "axis is a list; give a number");
  EXPECT_SAYS(read_body("inertia: {mass: '1'}"),
              "body 'arm', inertia: mass is quoted text; give a number");
  EXPECT_SAYS(read_body("inertia: {mass: {}}"), "mass is a map; give a number");
  EXPECT_SAYS(read_body("inertia: {mass: 1, tensor: [1, 1, 1]}"), "tensor has 3 numbers; give 6");
  EXPECT_SAYS(read_body("inertia: {mass: 1, physical: maybe}"),
              "physical 'maybe' is not known; give false or true");
  EXPECT_SAYS(read_body("inertia: {com: [0, 0, 0]}"), "needs 'mass'");
  EXPECT_SAYS(read_body("pose: [0, 0, 1]"), "body 'arm', pose: found a list; give a map");
}

TEST(YamlBadInput, numbers_are_finite) {
  for (const char* bad : {"nan", ".nan", "inf", ".inf", "-.inf", "1e999", "1/0", "0/0", "abc",
                          "1 2", "0x10", "1_000", "--1", "+-1", "pi pi", "/2", "2*", "1,5"})
    EXPECT_SAYS(read_body("inertia: {mass: \n      " + std::string(bad) + "}"), "a.yaml:");
  EXPECT_SAYS(read_body("inertia: {mass: .nan}"),
              "a.yaml:4:21: body 'arm', inertia: mass '.nan' is not a finite number");
  EXPECT_SAYS(read("chasles: 1\ngravity: [0, 0, 1e999]\n"),
              "gravity '1e999' is not a finite number");
  EXPECT_SAYS(read_joint("type: helical, axis: [0, 0, 1], pitch: .inf"),
              "pitch '.inf' is not a finite number");
}

TEST(YamlBadInput, joints_are_checked) {
  EXPECT_SAYS(read_body("joint: {name: j}"), "joint 'j': needs 'type'");
  EXPECT_SAYS(read_joint("type: pirsmatic"),
              "type 'pirsmatic' is not known; did you mean 'prismatic'?");
  EXPECT_SAYS(read_joint("type: wheel"), "give revolute, prismatic", " or custom");
  EXPECT_SAYS(read_joint("type: revolute"), "joint 'j': needs 'axis'");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 0]"),
              "a.yaml:3: joint 'j': axis (0, 0, 0) has no direction");
  EXPECT_SAYS(read_joint("type: universal, axis: [0, 0, 1], x_axis: [0, 0, 2]"), "x_axis",
              "not across");
  EXPECT_SAYS(read_joint("type: helical, axis: [0, 0, 1]"), "needs 'pitch'");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], pitch: 1"),
              "a revolute joint has none; use helical");
  EXPECT_SAYS(read_joint("type: fixed, axis: [0, 0, 1]"), "axis: a fixed joint has none");
  EXPECT_SAYS(read_joint("type: floating, point: [0, 0, 1]"), "point: a floating joint has none");
  EXPECT_SAYS(read_joint("type: spherical, axis: [0, 0, 1]"), "axis: a spherical joint has none");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], in: wolrd"),
              "in 'wolrd' is not known; did you mean 'world'?");
  EXPECT_SAYS(read_joint("type: custom"), "needs 'screws'");
  EXPECT_SAYS(read_joint("type: custom, screws: []"), "at least one screw");
  EXPECT_SAYS(read_joint("type: custom, screws: [{axis: [0, 0, 0]}]"),
              "joint 'j', screw: axis (0, 0, 0) has no direction");
  EXPECT_SAYS(read_joint("type: custom, screws: [{point: [0, 0, 0]}]"), "screw: needs 'axis'");
  EXPECT_SAYS(read_joint("type: custom, parameterization: both, screws: [{axis: [0, 0, 1]}]"),
              "give product or sum");
  EXPECT_SAYS(read_joint("type: fixed, screws: []"), "only custom joints have it");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], frames: {parent: {}}"),
              "joint 'j', frames: needs 'child'");
  EXPECT_SAYS(
      read_joint(
          "type: revolute, axis: [0, 0, 1], point: [0, 0, 0], frames: {parent: {}, child: {}}"),
      "point: the joint is given by frames already");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], limits: {lower: 1, upper: 0}"),
              "the lower limit 1 is above the upper limit 0");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], rotor: {inertia: 0, ratio: 2}"),
              "joint 'j'", "inertia 0 kg m^2", "not positive");
  EXPECT_SAYS(read_joint("type: prismatic, axis: [0, 0, 1], rotor: {inertia: 1, ratio: 0}"),
              "joint 'j'", "ratio 0", "how far the rotor turns");
  EXPECT_SAYS(read_joint("type: spherical, rotor: {inertia: 1, ratio: 2}"), "joint 'j'", "one axis",
              "spherical joint");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], rotor: {inertia: 1}"), "ratio");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], armature: -0.5"), "joint 'j'",
              "armature -0.5", "positive");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], armature: .nan"), "armature");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], armature: {inertia: 1}"), "armature");
  EXPECT_SAYS(read_joint("type: fixed, armature: 0.5"), "joint 'j'", "armature 0.5", "fixed");
  EXPECT_SAYS(read_joint("type: floating, armature: 0.5"), "joint 'j'", "group: so3xr3");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], armatur: 1"), "armature");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], mimic: {joint: k}"),
              "mimics the joint 'k', which does not exist");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], mimic: {joint: j}"),
              "a.yaml:3: joint 'j': mimics itself");
  EXPECT_SAYS(read_joint("type: planar, axis: [0, 0, 1], limits: {lower: 0}"),
              "a.yaml:3: joint 'j': limits are for joints of one coordinate");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], limits: {effort: -1}"),
              "the effort limit -1 is negative");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], dynamics: {damping: -1}"),
              "joint 'j': damping -1 would drive the joint");
  EXPECT_SAYS(read_joint("type: revolute, axis: [0, 0, 1], dynamics: {frction: 1}"),
              "did you mean 'friction'?");
}

TEST(YamlBadInput, poses_are_checked) {
  EXPECT_SAYS(read_body("pose: {rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}"), "several rotations");
  EXPECT_SAYS(read_body("pose: {quaternion: [1, 1, 0, 0]}"),
              "a.yaml:4:24: body 'arm', pose: quaternion (1, 1, 0, 0) is not unit");
  EXPECT_SAYS(read_body("pose: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}"), "not a rotation");
  EXPECT_SAYS(read_body("pose: {matrix: [[1, 0, 0], [0, 1, 0], [0, 1]]}"),
              "a row of matrix has 2 numbers; give 3");
  EXPECT_SAYS(read_body("pose: {matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1]}"), "give 3 rows of 3 numbers");
  EXPECT_SAYS(read_body("pose: {in: body}"), "a pose is given in world or parent");
  EXPECT_SAYS(read_body("pose: {}\n    joint: {type: fixed, frames: {parent: {}, child: {}}}"),
              "follows from the frames of the joint");
}

TEST(YamlBadInput, trees_loops_and_frames_are_checked) {
  const std::string two = "chasles: 1\nbodies:\n  - {name: a, parent: b}\n  - {name: b, parent: ";
  EXPECT_SAYS(read(two + "a}"), "a.yaml:3: body 'a': its parents form a cycle");
  EXPECT_SAYS(read(two + "c}"), "a.yaml:4: body 'b', parent: there is no body 'c'");
  EXPECT_SAYS(read("chasles: 1\nbodies: [{name: a}, {name: a}]"),
              "body 'a': the name is used twice");
  EXPECT_SAYS(read("chasles: 1\nbodies: [{name: ground}]"),
              "'ground' is the name of the fixed world");
  EXPECT_SAYS(read_body("inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 3]}"),
              "a.yaml:3: body 'arm': no body can have this inertia", "triangle inequality",
              "physical: false");
  EXPECT_NO_THROW(read_body("inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 3], physical: false}"));
  const std::string one = "chasles: 1\nbodies: [{name: a}]\n";
  EXPECT_SAYS(read(one + "frames: [{name: f, body: b}]"),
              "a.yaml:3: frame 'f': there is no body 'b'");
  EXPECT_SAYS(read(one + "frames: [{body: a}]"), "frame: needs 'name'");
  EXPECT_SAYS(read(one + "frames: [{name: ground, body: a}]"), "a.yaml:3: frame 'ground'");
  EXPECT_SAYS(
      read(one + "loops: [{name: l, type: revolute, bodies: [a, ground], axis: [0, 0, 0]}]"),
      "a.yaml:3: loop 'l': axis (0, 0, 0) has no direction");
  EXPECT_SAYS(read(one + "loops: [{name: l, type: fixed, bodies: [a]}]"),
              "loop 'l': bodies is not two names");
  EXPECT_SAYS(read(one + "loops: [{name: l, type: fixed, bodies: [a, a]}]"),
              "both ends are on 'a'");
  EXPECT_SAYS(read(one + "loops: [{name: l, type: floating, bodies: [a, ground]}]"),
              "a.yaml:3: loop 'l': a floating joint binds nothing");
}

TEST(YamlBadInput, loops_of_custom_joints_are_checked) {
  const std::string loop =
      "chasles: 1\nbodies: [{name: a}]\nloops: [{name: l, bodies: [a, ground], ";
  EXPECT_SAYS(read(loop + "type: custom}]"), "a.yaml:3:9: loop 'l': needs 'screws'");
  EXPECT_SAYS(read(loop + "type: custom, screws: []}]"),
              "loop 'l': a custom joint needs at least one screw");
  EXPECT_SAYS(read(loop + "type: custom, screws: [{axis: [0, 0, 0]}]}]"),
              "loop 'l', screw: axis (0, 0, 0) has no direction");
  EXPECT_SAYS(read(loop + "type: custom, screws: [{axis: [0, 0, 1]}], parameterization: some}]"),
              "parameterization 'some' is not known; give product or sum");
  EXPECT_SAYS(read(loop + "type: revolute, axis: [0, 0, 1], screws: [{axis: [0, 0, 1]}]}]"),
              "loop 'l': screws: only custom joints have it");
  EXPECT_SAYS(read(loop + "type: revolute, axis: [0, 0, 1], parameterization: sum}]"),
              "loop 'l': parameterization: only custom joints have it");
}

TEST(YamlBadInput, couplings_are_checked) {
  const auto coupling = [](const std::string& text) {
    return read(
        "chasles: 1\nbodies:\n"
        "  - {name: motor, joint: {type: revolute, axis: [0, 0, 1]}}\n"
        "  - {name: wheel, joint: {type: revolute, axis: [0, 0, 1]}}\n"
        "  - {name: ball, joint: {type: spherical}}\n"
        "  - {name: nut, joint: {type: cylindrical, axis: [0, 0, 1]}}\n"
        "couplings:\n  - {name: gear, " +
        text + "}");
  };
  EXPECT_NO_THROW(coupling("joints: {motor: 1, wheel: -2}"));
  EXPECT_SAYS(coupling("joints: {motor: 1, whel: -2}"),
              "a.yaml:8: coupling 'gear': couples the joint 'whel', which does not exist",
              "did you mean 'wheel'?");
  EXPECT_SAYS(coupling("joints: {motor: 1, wheel: 0}"),
              "a.yaml:8: coupling 'gear': the coefficient of 'wheel' is 0");
  EXPECT_SAYS(coupling("joints: {motor: 1, wheel: x}"),
              "a.yaml:8:44: coupling 'gear': coefficient of 'wheel' 'x' is not a finite number");
  EXPECT_SAYS(coupling("joints: {motor: 1, wheel: .inf}"), "is not a finite number");
  EXPECT_SAYS(coupling("joints: {motor: 1, ball: 1}"),
              "couples coordinate 0 of 'ball', but a spherical joint has no coordinates");
  const auto with = [&](const std::string& function) {
    return coupling("joints: {motor: 1, wheel: {coefficient: -1, " + function + "}}");
  };
  EXPECT_SAYS(with("polynomial: 3"), "polynomial is not a list of numbers");
  EXPECT_SAYS(with("polynomial: []"), "polynomial is not a list of numbers");
  EXPECT_SAYS(with("polynomial: [2, 0]"), "coupling 'gear': the function of 'wheel'", "constant 2");
  EXPECT_SAYS(with("polynomial: [0, 1], table: [[0, 0], [1, 1]]"), "both a polynomial and a table");
  EXPECT_SAYS(with("table: [0, 1]"), "a point of the table is");
  EXPECT_SAYS(with("table: [[0, 0], [1]]"), "a point of the table has 1 numbers; give 2");
  EXPECT_SAYS(with("table: [[1, 0], [0, 1]]"), "a.yaml:8: coupling 'gear'", "0 after 1");
  EXPECT_SAYS(with("ends: periodic"), "ends are those of a table");
  EXPECT_SAYS(with("table: [[0, 0], [1, 1]], ends: round"), "ends 'round' is not known");
  EXPECT_SAYS(with("tabel: [[0, 0], [1, 1]]"), "did you mean 'table'?");
  EXPECT_SAYS(coupling("joints: {nut: {coefficient: 1, coordinate: 2}}"),
              "couples coordinate 2 of 'nut', but a cylindrical joint has 2");
  EXPECT_SAYS(coupling("joints: {nut: {coefficient: 1, coordinate: 0.5}}"),
              "coupling 'gear', 'nut': coordinate 0.5 is not one of a joint; give 0, 1");
  EXPECT_SAYS(coupling("joints: {nut: {coefficient: 1, coordinate: -1}}"), "coordinate -1 is not");
  EXPECT_SAYS(coupling("joints: {nut: {coefficient: 1, coordinate: 1e99}}"), "coordinate 1e+99");
  EXPECT_SAYS(coupling("joints: {nut: {coordinate: 1}}"), "needs 'coefficient'");
  EXPECT_SAYS(coupling("joints: {nut: {coefficient: 1, coordinat: 1}}"),
              "did you mean 'coordinate'?");
  EXPECT_SAYS(coupling("joints: {nut: [1, {coefficient: 2, coordinate: 0}]}"),
              "coupling 'gear': couples 'nut' twice; add the coefficients");
  EXPECT_SAYS(coupling("joints: {motor: 1, motor: 2}"),
              "a.yaml:8:37: the key 'motor' is given twice");
  EXPECT_SAYS(coupling("joints: {}"), "coupling 'gear': couples no joints");
  EXPECT_SAYS(coupling("joints: [motor, wheel]"), "joints is not a map; give {joint: coefficient");
  EXPECT_SAYS(coupling("offset: 1"), "coupling 'gear': needs 'joints'");
  EXPECT_SAYS(coupling("joints: {motor: 1}, offset: .nan"), "offset '.nan' is not a finite number");
  EXPECT_SAYS(coupling("joints: {motor: 1}, ratio: 2"), "coupling 'gear': unknown key 'ratio'");
  EXPECT_SAYS(coupling("joints: {motor: 1}}\n  - {name: gear, joints: {wheel: 1}"),
              "a.yaml:9: coupling 'gear': the name is used twice");
  EXPECT_SAYS(read("chasles: 1\nbodies: [{name: a}]\ncouplings: [{joints: {a: 1}}]"),
              "coupling: needs 'name'");
}

TEST(YamlBadInput, tables_are_checked) {
  EXPECT_SAYS(read("chasles: 1\ndh: [{name: a, alhpa: 1}]"),
              "body 'a': unknown key 'alhpa'; did you mean 'alpha'?");
  EXPECT_SAYS(read("chasles: 1\ndh: [{d: 1}]"), "row of the DH table: needs 'name'");
  EXPECT_SAYS(read("chasles: 1\ndh: [{name: a, type: helical}]"),
              "type 'helical' is not known; give revolute, prismatic or fixed");
  EXPECT_SAYS(read("chasles: 1\ndh: [{name: a}]\nmdh: [{name: b}]"),
              "a.yaml:3:6: mechanism: mdh: the file has a dh table already");
  EXPECT_SAYS(read("chasles: 1\ndh: [{name: a, type: fixed, offset: 1}]"),
              "a fixed row has no variable");
  EXPECT_SAYS(read("chasles: 1\ndh: [{name: a, theta: x}]"), "theta 'x' is not a finite number");
}

/// Depth is refused before a parser follows it, also where the stack is small.
TEST(YamlBadInput, deep_nesting_is_refused) {
  const auto repeat = [](std::string_view token, int n) {
    std::string tokens;
    for (int i = 0; i < n; ++i) tokens.append(token);
    return tokens;
  };
  test::with_small_stack([&] {
    for (const char* token : {"[", "{a: ", "- ", "{\"a\":["})
      EXPECT_SAYS(read(repeat(token, 100'000)), "a.yaml:1:", "nested deeper than 64 levels");
    // Brackets that a comment seems to close, and keys that are keys.
    for (const char* token : {"[ #]\n", "? ", "{? ", "'[ ", "[? [:"})
      EXPECT_SAYS(read(repeat(token, 100'000)), "a.yaml:");
    EXPECT_SAYS(read(repeat("[", 100'000) + repeat("]", 100'000)), "nested deeper than 64 levels");
  });
  EXPECT_SAYS(read("chasles: 1\nname: " + repeat("[", 63) + repeat("]", 63)), "name is a list");
}

TEST(YamlBadInput, no_bodies_are_neither_read_nor_written) {
  test::expect_parts(test::message([] { read_yaml("chasles: 1\nbodies: []\n", "empty.yaml"); }),
                     {"empty.yaml", "has no bodies"});
  Mechanism empty;
  empty.name = "void";
  test::expect_parts(test::message([&] { write_yaml(empty); }),
                     {"'void'", "has no bodies", "give it one"});
}

TEST(YamlBadInput, messages_are_short_whatever_they_quote) {
  const std::string name(1 << 20, 'n');
  for (const std::string& text :
       {"chasles: 1\nbodies: [{name: a, parent: " + name + "}]", "chasles: 1\n" + name + ": 1",
        "chasles: 1\nbodies: [{name: " + name + "}, {name: " + name + "}]",
        "chasles: 1\nbodies: [{name: a, joint: {type: " + name + "}}]"}) {
    const std::string said = test::message([&] { read(text); });
    EXPECT_LT(said.size(), 1100u);
    EXPECT_EQ(said.rfind("a.yaml:", 0), 0u) << said;
  }
}

TEST(YamlBadInput, large_texts_are_refused_quickly) {
  const std::clock_t start = std::clock();  // of this process, whatever else runs
  EXPECT_SAYS(read(std::string(100 << 20, 'a')), "a.yaml: larger than 16 MB, the limit");
  EXPECT_SAYS(read(std::string(1, '[').append(10 << 20, ',')), "of the characters []{},:?",
              "2000000 is the limit");
  EXPECT_SAYS(read(std::string(4 << 20, '-')), "a.yaml:1:1: mechanism: found the text");
  EXPECT_SAYS(read("chasles: " + std::string(4 << 20, '1')), "is not a finite number");
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
}

class Files : public testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("chasles_io_" + std::to_string(::getpid()));
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
};

TEST_F(Files, are_chosen_by_extension_or_content) {
  const std::string yaml = "chasles: 1\nbodies: [{name: a}]",
                    urdf = "<robot name='r'><link name='b'/></robot>";
  for (const char* name : {"a.yaml", "a.yml", "a.json", "a", "a.txt"})
    EXPECT_EQ(read_mechanism(write(name, yaml)).bodies.at(0).name, "a");
  for (const char* name : {"b.urdf", "b.xml", "b", "b.txt"})
    EXPECT_EQ(read_mechanism(write(name, "  " + urdf)).bodies.at(0).name, "b");
  EXPECT_SAYS(read_mechanism(write("c.yaml", urdf)), "c.yaml:1:1: mechanism: found the text");
  EXPECT_SAYS(read_mechanism(write("c.urdf", yaml)), "c.urdf:1: ");
}

TEST_F(Files, that_cannot_be_read_are_named) {
  EXPECT_SAYS(read_mechanism(folder_ / "none.yaml"), "none.yaml: there is no such file");
  EXPECT_SAYS(read_mechanism(folder_), "is a directory; give a file");
  EXPECT_SAYS(read_mechanism(write("e.yaml", "")), "e.yaml:1: the file is empty");
  EXPECT_SAYS(read_mechanism(write("e.urdf", "")), "e.urdf:1: the file is empty");
  EXPECT_SAYS(read_mechanism("/dev/zero"), "/dev/zero: larger than 16 MB");
  EXPECT_SAYS(
      read_mechanism(write("a.yaml", "chasles: 1\nbodies: [{name: a}]"), {.floating_base = true}),
      "a.yaml: a floating base can be added to URDF only");
}

TEST_F(Files, of_100_megabytes_are_refused_at_once) {
  for (const char* name : {"big.yaml", "big.urdf"}) {
    std::filesystem::resize_file(write(name, "x"), 100 << 20);
    const std::clock_t start = std::clock();  // of this process, whatever else runs
    EXPECT_SAYS(read_mechanism(folder_ / name), "larger than 16 MB");
    EXPECT_LT(std::clock() - start, 1 * CLOCKS_PER_SEC);
  }
}

}  // namespace yaml_bad_input_test
