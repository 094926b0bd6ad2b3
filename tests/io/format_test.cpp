/// The tables of URDF, MJCF and SDF, row by row: each attribute and element has the fate that they state.
#include "io/formats/format.hpp"

#include <gtest/gtest.h>

#include "chasles/io/mechanism_file.hpp"
#include "support/errors.hpp"

namespace format_test {

using namespace chasles;
using namespace chasles::io;
using Warnings = std::vector<std::string>;

/// What `check_format` says to a text.
Warnings check(const Format& format, const std::string& text) {
  Warnings warnings;
  const std::string name = "f";
  const XmlText xml(text, name, "x");
  {
    Report report(name, &warnings);
    check_format(format, Element(report, xml.root(), "top"));
  }
  return warnings;
}

/// The tags from the outermost element to one whose tag is `tag`; empty: there is no way to it.
std::vector<std::string> way_to(const Format& format, std::string_view tag, int depth = 0) {
  if (depth > 10) return {};
  for (const ElementRow& row : format.rows) {
    const auto tags = words(row.tags);
    if (row.fate != Fate::obeyed || std::find(tags.begin(), tags.end(), tag) == tags.end())
      continue;
    for (const std::string_view parent : words(row.parents)) {
      if (parent == "-") return {std::string(tag)};
      if (parent == tag) continue;
      auto way = way_to(format, parent, depth + 1);
      if (way.empty()) continue;
      way.emplace_back(tag);
      return way;
    }
  }
  return {};
}

/// An element in the elements around it.
std::string within(const std::vector<std::string>& way, const std::string& inside) {
  std::string text = inside;
  for (auto tag = way.rbegin(); tag != way.rend(); ++tag)
    text = "<" + *tag + ">" + text + "</" + *tag + ">";
  return text;
}

struct Frame {
  const ElementRow* row;
  std::vector<std::string> way;  // to its parent
  std::string tag;
  std::string text(const std::string& attributes, const std::string& content = "") const {
    return within(way, "<" + tag + " " + attributes + ">" + content + "</" + tag + ">");
  }
};
/// Every element in every parent.
std::vector<Frame> frames(const Format& format) {
  std::vector<Frame> list;
  for (const ElementRow& row : format.rows)
    for (const std::string_view tag : words(row.tags))
      for (const std::string_view parent : words(row.parents)) {
        if (tag == "*") continue;
        std::vector<std::string> way;
        if (parent != "-") {
          way = way_to(format, parent);
          EXPECT_FALSE(way.empty()) << "nothing leads to <" << tag << "> in <" << parent << ">";
        }
        list.push_back({&row, way, std::string(tag)});
      }
  return list;
}

/// An `=` of XML in quotes; names are used as written.
std::string given(std::string_view name, const std::string& value) {
  return std::string(name) + "='" + value + "'";
}
bool any_below(const Format& format, const std::string& tag) {
  return find_row(format, tag, "no-such-element") != nullptr;
}

void check_attributes(const Format& format, const Frame& at) {
  const ElementRow& row = *at.row;
  for (const std::string_view name : words(row.obeyed))
    EXPECT_EQ(check(format, at.text(given(name, "7"))), Warnings{}) << at.tag << " " << name;
  if (row.harmless == "*") return;
  for (const std::string_view name : words(row.harmless))
    EXPECT_EQ(check(format, at.text(given(name, "7"))), Warnings{}) << at.tag << " " << name;
  for (const std::string_view word : words(row.changes)) {
    const auto [name, neutral] = split_neutral(word);
    if (row.inherits) continue;  // Formats.attributes_with_defaults_are_warned_about_by_the_reader
    const Warnings said = check(format, at.text(given(name, "7")));
    ASSERT_EQ(said.size(), 1u) << at.tag << " " << name;
    EXPECT_NE(said[0].find(std::string(name) + " of <" + at.tag + "> is not kept"),
              std::string::npos);
    if (!neutral.empty()) {
      EXPECT_EQ(check(format, at.text(given(name, std::string(neutral)))), Warnings{});
    }
  }
  const Warnings unknown = check(format, at.text("qzqzqzqz='1'"));
  ASSERT_EQ(unknown.size(), 1u) << at.tag;
  EXPECT_NE(unknown[0].find("the attribute 'qzqzqzqz' of <" + at.tag + "> is not known"),
            std::string::npos);
}

class Formats : public testing::TestWithParam<const Format*> {};

TEST_P(Formats, every_element_and_attribute_has_its_fate) {
  const Format& format = *GetParam();
  for (const Frame& at : frames(format)) {
    const ElementRow& row = *at.row;
    const Warnings said = check(format, at.text("qzqzqzqz='1'", "qz<a/>"));
    switch (row.fate) {
      case Fate::obeyed: {
        check_attributes(format, at);
        if (any_below(format, at.tag)) break;
        const Warnings unknown = check(format, at.text("", "<qzqzqzqz/>"));
        ASSERT_EQ(unknown.size(), 1u) << at.tag;
        EXPECT_NE(unknown[0].find("the element <qzqzqzqz> is not known"), std::string::npos);
        break;
      }
      case Fate::changes:
        ASSERT_EQ(said.size(), 1u) << at.tag;
        EXPECT_NE(said[0].find("<" + at.tag + "> is not kept"), std::string::npos);
        for (const std::string_view neutral : words(row.neutral))
          EXPECT_EQ(check(format, at.text("", std::string(neutral))), Warnings{}) << at.tag;
        break;
      case Fate::aside:
        EXPECT_EQ(said, Warnings{"f: not read, as not part of the mechanism: <" + at.tag + ">"});
        break;
      case Fate::harmless:
        EXPECT_EQ(said, Warnings{}) << at.tag;
    }
  }
}

/// A name that stands twice would have two fates.
TEST_P(Formats, every_name_stands_once) {
  const Format& format = *GetParam();
  for (const ElementRow& row : format.rows) {
    std::vector<std::string_view> all = words(row.obeyed);
    for (const std::string_view word : words(row.changes)) all.push_back(split_neutral(word).name);
    for (const std::string_view word : words(row.harmless)) all.push_back(word);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << row.tags;
    for (const std::string_view tag : words(row.tags))
      for (const std::string_view parent : words(row.parents))
        EXPECT_EQ(find_row(format, parent, tag), &row) << parent << " " << tag;
  }
  for (const Remedy& remedy : format.remedies) {
    for (const std::string_view name : words(remedy.names)) {
      const bool used =
          std::any_of(format.rows.begin(), format.rows.end(), [&](const ElementRow& row) {
            if (row.fate == Fate::changes)
              for (const std::string_view tag : words(row.tags))
                if (tag == name) return true;
            for (const std::string_view word : words(row.changes))
              if (split_neutral(word).name == name) return true;
            return false;
          });
      EXPECT_TRUE(used) << "a remedy for " << name << ", which nothing names";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Formats, testing::Values(&urdf_format, &mjcf_format, &sdf_format),
                         [](const auto& p) {
                           return p.index == 0 ? "urdf" : p.index == 1 ? "mjcf" : "sdf";
                         });

/// Defaults of MJCF come from classes: the reader looks these attributes up, with the same table.
TEST(FormatsMjcf, attributes_with_defaults_are_warned_about_by_the_reader) {
  const auto file = [](const std::string& tag, const std::string& own,
                       const std::string& inherited) {
    const auto at = [&](const char* name) { return tag == name ? " " + own + " " : std::string(); };
    const std::string defaults =
        inherited.empty() ? "" : "<default><" + tag + " " + inherited + "/></default>";
    return "<mujoco>" + defaults + "<option" + at("option") + "/><worldbody><body name='b'" +
           at("body") + "><joint name='j'" + at("joint") + "/><geom size='0.1'" + at("geom") +
           "/></body></worldbody></mujoco>";
  };
  const auto said = [](const std::string& text) {
    Warnings warnings;
    read_mjcf(text, "m.xml", {false, &warnings});
    return warnings;
  };
  int rows = 0;
  for (const ElementRow& row : mjcf_format.rows) {
    if (!row.inherits) continue;
    ++rows;
    const std::string tag(row.tags);
    EXPECT_EQ(said(file(tag, "", "")), Warnings{});
    for (const std::string_view word : words(row.changes)) {
      const auto [name, neutral] = split_neutral(word);
      const std::string expected = std::string(name) + " of <" + tag + "> is not kept";
      const Warnings own = said(file(tag, given(name, "7"), ""));
      ASSERT_EQ(own.size(), 1u) << tag << " " << name;
      EXPECT_NE(own[0].find(expected), std::string::npos) << own[0];
      EXPECT_EQ(said(file(tag, given(name, std::string(neutral)), "")), Warnings{});
      if (tag != "joint" && tag != "geom") continue;
      const Warnings by_class = said(file(tag, "", given(name, "7")));
      ASSERT_EQ(by_class.size(), 1u) << tag << " " << name;
      EXPECT_NE(by_class[0].find(expected), std::string::npos) << by_class[0];
      EXPECT_EQ(said(file(tag, given(name, std::string(neutral)), given(name, "7"))), Warnings{})
          << "the default is overridden";
    }
  }
  EXPECT_EQ(rows, 4);
}

TEST(FormatsMjcf, pictures_and_many_of_a_kind_give_one_line) {
  std::string bodies;
  for (int k = 0; k < 40; ++k)
    bodies += "<body name='b" + std::to_string(k) + "' gravcomp='1'><joint name='j" +
              std::to_string(k) +
              "' springyield='0.1'/><geom size='0.1' rgba='1 0 0 1' material='m'/></body>";
  Warnings warnings;
  read_mjcf(
      "<mujoco><asset><material "
      "name='m'/></asset><visual/><statistic/><sensor><gyro/></sensor><worldbody>"
      "<light/><camera/>" +
          bodies + "</worldbody><keyframe/><contact/></mujoco>",
      "m.xml", {false, &warnings});
  EXPECT_EQ(
      warnings,
      (Warnings{"m.xml:1: body 'b0', body 'b1', body 'b2' and 37 more: gravcomp of <body> is "
                "not kept: it is "
                "a force of a controller",
                "m.xml:1: joint 'j0', joint 'j1', joint 'j2' and 37 more: springyield of "
                "<joint> is not kept: "
                "give the spring in a scenario (joint_spring_damper)",
                "m.xml: not read, as not part of the mechanism: <visual>, <statistic>, <sensor>, "
                "<light>, <camera>"}));
}

TEST(FormatsOther, neutral_values) {
  EXPECT_TRUE(is_neutral("0", "0"));
  EXPECT_TRUE(is_neutral(" 0.0  -0 0e3", "0"));
  EXPECT_TRUE(is_neutral("True", "true 1"));
  EXPECT_TRUE(is_neutral("1.0", "true 1"));
  EXPECT_FALSE(is_neutral("0 1", "0"));
  EXPECT_FALSE(is_neutral("", "0"));
  EXPECT_FALSE(is_neutral("0", ""));
  EXPECT_FALSE(is_neutral("1 true", "true 1"));
  EXPECT_FALSE(is_neutral("nan", "0"));
}

}  // namespace format_test
