#include <gtest/gtest.h>

#include <array>
#include <chasles/error.hpp>
#include <chasles/suggest.hpp>
#include <span>
#include <string>
#include <string_view>

namespace chasles {
namespace {

constexpr std::array<std::string_view, 4> commands{"info", "eval", "simulate", "linearize"};

TEST(EditDistance, counts_the_four_slips) {
  EXPECT_EQ(edit_distance("info", "info"), 0);
  EXPECT_EQ(edit_distance("nfo", "info"), 1);    // insertion
  EXPECT_EQ(edit_distance("infoo", "info"), 1);  // deletion
  EXPECT_EQ(edit_distance("ingo", "info"), 1);   // substitution
  EXPECT_EQ(edit_distance("inof", "info"), 1);   // swap
  EXPECT_EQ(edit_distance("INFO", "info"), 0);   // case does not count
}

TEST(EditDistance, gives_the_textbook_values) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("saturday", "sunday"), 3);
  EXPECT_EQ(edit_distance("", "sunday"), 6);
  EXPECT_EQ(edit_distance("sunday", ""), 6);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // optimal string alignment: no edit inside a swap
}

TEST(EditDistance, is_symmetric) {
  for (const std::string_view a : commands)
    for (const std::string_view b : commands) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
}

TEST(Nearest, finds_the_word_that_was_meant) {
  EXPECT_EQ(nearest("inof", commands), "info");
  EXPECT_EQ(nearest("Simluate", commands), "simulate");
  EXPECT_EQ(nearest("linearize", commands), "linearize");
}

TEST(Nearest, finds_nothing_when_nothing_is_near) {
  EXPECT_EQ(nearest("gyroscope", commands), "");
  EXPECT_EQ(nearest("", commands), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest("dq", {{"dv"}}), "");
}

TEST(Nearest, prefers_the_first_of_equals) {
  EXPECT_EQ(nearest("mk7", {{"mk4", "mk5", "mk8"}}), "mk4");
}

TEST(Nearest, stands_any_bytes_and_any_length) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'i'), commands), "");
  EXPECT_EQ(nearest(std::string_view("\0\xff\x80info", 7), commands), "");
  const std::string longest(longest_word, 'i'), longer(longest_word + 1, 'i');
  EXPECT_EQ(nearest(longest, {{longest}}), longest);
  EXPECT_EQ(nearest(longer, {{longer}}), "");
}

TEST(DidYouMean, ends_an_error_message) {
  EXPECT_EQ(did_you_mean("inof", commands), "; did you mean 'info'?");
  EXPECT_EQ(did_you_mean("gyroscope", commands), "");
}

TEST(Suggest, choices_are_the_nearest_word_or_all) {
  constexpr std::string_view known[] = {"revolute", "prismatic", "fixed"};
  EXPECT_EQ(choices("fixd", known), "; did you mean 'fixed'?");
  EXPECT_EQ(choices("hinge", known), "; give revolute, prismatic or fixed");
  EXPECT_EQ(any_of(std::span(known).first(1)), "revolute");
}

TEST(Message, is_short_keeps_both_ends_and_does_not_speak_to_the_terminal) {
  EXPECT_EQ(message_text("a\x1b[2Jb\nc\x7f"), "a [2Jb\nc ");
  for (std::size_t n = 995; n < 1010; ++n) {  // letters of two bytes are not cut, wherever
    const std::string text = std::string(n % 2, '.') + "begin" + [&] {
      std::string letters;
      for (std::size_t i = 0; i < n; ++i) letters += "\xc3\xa9";
      return letters;
    }() + "end";
    const std::string message = Error(text).what();
    EXPECT_LE(message.size(), 1010u);
    EXPECT_NE(message.find("begin"), std::string::npos);
    EXPECT_TRUE(message.ends_with("end"));
    for (std::size_t i = 0; i < message.size(); ++i)
      EXPECT_TRUE(message[i] != '\xc3' || message[i + 1] == '\xa9');
  }
}

}  // namespace
}  // namespace chasles
