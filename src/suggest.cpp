#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chasles/suggest.hpp>
#include <limits>
#include <numeric>

namespace chasles {
namespace {

constexpr std::size_t too_far = std::numeric_limits<std::size_t>::max();

constexpr char lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool same(char x, char y) { return lower(x) == lower(y); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (std::max(a.size(), b.size()) > longest_word) return too_far;

  // Rows i-2, i-1 and i of the table d(i, j) = distance of the first i of a to the first j of b.
  using Row = std::array<std::size_t, longest_word + 1>;
  Row before{}, last{}, row{};
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = same(a[i - 1], b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + substitution});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t least = too_far;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least && distance <= std::max(word.size(), candidate.size()) / 3) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view near = nearest(word, known);
  return near.empty() ? std::string{} : fmt::format("; did you mean '{}'?", near);
}

std::string any_of(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ").append(words[i]);
  return text;
}

std::string choices(std::string_view word, std::span<const std::string_view> known) {
  const std::string near = did_you_mean(word, known);
  return near.empty() ? "; give " + any_of(known) : near;
}

}  // namespace chasles
