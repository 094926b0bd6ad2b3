#include "io/formats/format.hpp"

#include <algorithm>
#include <unordered_map>

#include "chasles/suggest.hpp"

namespace chasles::io {
namespace {

/// Does not allocate: called for every element and attribute of a file.
bool has_word(std::string_view list, std::string_view word) {
  for (auto at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}
std::string tag_text(std::string_view tag) { return std::string(1, '<').append(tag) + '>'; }

/// ": give it otherwise", or nothing.
std::string remedy(const Format& format, std::string_view name) {
  for (const Remedy& row : format.remedies)
    if (has_word(row.names, name)) return ": " + std::string(row.text);
  return "";
}

/// An element that can have a name as "joint 'elbow'" or "a joint"; any other as part of its parent.
Element named(const Element& e, const ElementRow& row) {
  if (!has_word(row.obeyed, "name")) return e;
  const std::string name = e.raw("name"), tag(e.tag());
  return e.of(name.empty() ? "a " + tag : tag + " " + quote(name));
}

class Check {
 public:
  explicit Check(const Format& format) : format_(format) {}

  /// Nesting is bounded by check_xml.
  void element(const Element& e, const ElementRow& row) {
    attributes(e, row);
    for (const Element& inner : e.children()) child(e, inner);
  }

 private:
  void attributes(const Element& e, const ElementRow& row) {
    for (const auto& [name, value] : e.attributes()) {
      if (has_word(row.obeyed, name) || has_word(row.harmless, name) || row.harmless == "*" ||
          name.starts_with("xmlns"))
        continue;
      if (!changes(row, name))
        e.warn("the attribute " + quote(name) + " of " + tag_text(e.tag()) +
               " is not known and not read" +
               suggestion(name, e.tag(), [&] { return known_attributes(row); }));
    }
    if (!row.inherits)
      warn_changes(format_, row, e, [&](const char* name) {
        return e.has(name) ? std::optional(e.raw(name)) : std::nullopt;
      });
  }
  void child(const Element& parent, const Element& e) {
    e.refuse_xacro();
    const std::string_view tag = e.tag();
    const ElementRow* row = find_row(format_, parent.tag(), tag);
    if (row == nullptr)
      return e.warn("the element " + tag_text(tag) + " is not known and not read" +
                    suggestion(tag, parent.tag(), [&] { return known_children(parent.tag()); }));
    if (row->fate == Fate::obeyed) return element(named(e, *row), *row);
    if (row->fate == Fate::aside) return e.set_aside();
    if (row->fate == Fate::changes && !is_neutral(e.raw_content(), row->neutral))
      e.warn(tag_text(tag) + " is not kept" + remedy(format_, tag));
  }

  static bool changes(const ElementRow& row, std::string_view name) {
    const auto all = words(row.changes);
    return std::any_of(all.begin(), all.end(),
                       [&](std::string_view w) { return split_neutral(w).name == name; });
  }
  static std::vector<std::string_view> known_attributes(const ElementRow& row) {
    auto known = words(row.obeyed);
    for (const std::string_view w : words(row.changes)) known.push_back(split_neutral(w).name);
    for (const std::string_view w : words(row.harmless)) known.push_back(w);
    return known;
  }
  std::vector<std::string_view> known_children(std::string_view parent) const {
    std::vector<std::string_view> known;
    for (const ElementRow& row : format_.rows)
      if (has_word(row.parents, parent))
        for (const std::string_view tag : words(row.tags)) known.push_back(tag);
    return known;
  }

  /// did_you_mean, computed once for each unknown word.
  template <class Known>
  const std::string& suggestion(std::string_view word, std::string_view owner, const Known& known) {
    const auto [found, is_new] =
        suggestions_.try_emplace(std::string(owner) + ' ' + std::string(word));
    if (is_new) found->second = did_you_mean(word, known());
    return found->second;
  }

  const Format& format_;
  std::unordered_map<std::string, std::string> suggestions_;
};

}  // namespace

std::vector<std::string_view> words(std::string_view list) {
  constexpr const char* spaces = " \t\r\n";
  std::vector<std::string_view> out;
  for (auto begin = list.find_first_not_of(spaces); begin != list.npos;) {
    const auto end = list.find_first_of(spaces, begin);
    out.push_back(list.substr(begin, end - begin));
    begin = list.find_first_not_of(spaces, end);
  }
  return out;
}

NameAndNeutral split_neutral(std::string_view word) {
  const auto at = word.find('=');
  return {word.substr(0, at), at == word.npos ? std::string_view{} : word.substr(at + 1)};
}

bool is_neutral(std::string_view value, std::string_view neutral) {
  const auto given = words(value);
  if (neutral.empty() || given.empty()) return false;
  for (const std::string_view one : words(neutral)) {
    const std::optional<double> number = parse_number(one);
    const bool same = std::all_of(given.begin(), given.end(), [&](std::string_view word) {
      return edit_distance(word, one) == 0 || (number && parse_number(word) == number);
    });
    if (same) return true;
  }
  return false;
}

const ElementRow* find_row(const Format& format, std::string_view parent, std::string_view tag) {
  const ElementRow* any = nullptr;
  for (const ElementRow& row : format.rows) {
    if (!has_word(row.parents, parent)) continue;
    if (has_word(row.tags, tag)) return &row;
    if (row.tags == "*") any = &row;
  }
  return any;
}

void check_format(const Format& format, const Element& top) {
  if (const ElementRow* row = find_row(format, "-", top.tag())) Check(format).element(top, *row);
}

void warn_changes(const Format& format, const ElementRow& row, const Element& element,
                  const std::function<std::optional<std::string>(const char*)>& value_of) {
  for (const std::string_view word : words(row.changes)) {
    const auto [name, neutral] = split_neutral(word);
    const auto value = value_of(std::string(name).c_str());
    if (value && !is_neutral(*value, neutral))
      element.warn(std::string(name) + " of " + tag_text(element.tag()) + " is not kept" +
                   remedy(format, name));
  }
}

}  // namespace chasles::io
