#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Longer words (in bytes) are never considered near: they are not typing errors.
inline constexpr std::size_t longest_word = 64;

/// Damerau-Levenshtein distance (optimal string alignment): the fewest insertions, deletions,
/// substitutions and swaps of neighbors that turn `a` into `b`, ignoring the case of ASCII
/// letters. Counts bytes. Too far to count (the largest size_t) if a word is longer than
/// `longest_word`, so the cost is bounded for any input. Does not allocate.
///
///     edit_distance("inof", "info") == 1
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word of `known` nearest to `word`, the first one in case of a tie; empty if none is near. Near means that at
/// most every third letter of the longer word is wrong.
///
///     nearest("pirsmatic", {{"revolute", "prismatic"}}) == "prismatic"
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// The end of an error message about an unknown word: "; did you mean 'prismatic'?", or "" if no
/// known word is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

/// "revolute, prismatic or fixed".
std::string any_of(std::span<const std::string_view> words);

/// Like did_you_mean for a short list: if no known word is near, names all of them, "; give revolute, prismatic or
/// fixed".
std::string choices(std::string_view word, std::span<const std::string_view> known);

}  // namespace CHASLES_API
