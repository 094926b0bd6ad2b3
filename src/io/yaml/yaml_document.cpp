#include "io/yaml/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <unordered_set>

namespace chasles::io {
namespace {

/// yaml-cpp keeps every token of a flow collection until it closes, so their number bounds memory.
constexpr std::size_t most_indicators = 2'000'000;

LineColumn location_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// Builds the tree from the events of the parser, so that limits act while it parses.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& name) : name_(name) {}
  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0)
      fail(name_, location_of(mark), "a second document begins; give one mechanism per file");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, "?", anchor, Value::Kind::null);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchors(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value& value = add(mark, tag, anchor, Value::Kind::scalar);
    value.text = text;
    value.quoted = tag == "!";
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Value::Kind::list);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Value::Kind::map);
  }
  void OnMapEnd() override {
    std::unordered_set<std::string_view> seen;
    for (const Value& key : open_.back()->keys)
      if (!seen.insert(key.text).second)
        fail(name_, key.location, "the key " + quote(key.text) + " is given twice");
    open_.pop_back();
  }

 private:
  [[noreturn]] void refuse_anchors(const YAML::Mark& mark) const {
    fail(name_, location_of(mark),
         "anchors (&), aliases (*) and merge keys are not read; "
         "write the value out");
  }

  Value& add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             Value::Kind kind) {
    if (anchor != 0) refuse_anchors(mark);
    if (tag != "?" && tag != "!" && !tag.empty())
      fail(name_, location_of(mark), "the tag " + quote(tag) + " is not read; leave it out");
    Value* value = &root_;
    if (!open_.empty()) {
      Value& parent = *open_.back();
      const bool is_key =
          parent.kind == Value::Kind::map && parent.keys.size() == parent.items.size();
      if (is_key && kind != Value::Kind::scalar)
        fail(name_, location_of(mark),
             "a key is not text; write 'key: value', and close every bracket");
      value = &(is_key ? parent.keys : parent.items).emplace_back();
    }
    value->kind = kind;
    value->location = location_of(mark);
    return *value;
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Value::Kind kind) {
    if (open_.size() >= deepest_nesting)
      fail(name_, location_of(mark),
           "nested deeper than " + std::to_string(deepest_nesting) + " levels");
    open_.push_back(&add(mark, tag, anchor, kind));
  }

  const std::string& name_;
  Value root_;
  std::vector<Value*> open_;  // the collections around the next event, outermost first
  int documents_ = 0;
};

void limit_indicators(std::string_view text, const std::string& name) {
  std::size_t count = 0;
  for (const char c : text)
    count += c == '[' || c == ']' || c == '{' || c == '}' || c == ',' || c == ':' || c == '?';
  if (count > most_indicators)
    throw Error(name + ": has " + std::to_string(count) + " of the characters []{},:? but " +
                std::to_string(most_indicators) + " is the limit for a mechanism file");
}

/// The locations of unclosed brackets, innermost last. yaml-cpp does not report them, and reads to the end
/// before it reports excessive nesting. Only approximate where brackets are part of unquoted text, so used
/// for messages only. An open quote is an error here: yaml-cpp accepts unclosed single quotes.
std::vector<LineColumn> unclosed_brackets(std::string_view text, const std::string& name) {
  std::vector<LineColumn> open;
  LineColumn location{1, 0}, quote_location;
  char quote_mark = 0, before = '\n';  // `before`: the last character that is not a space
  bool comment = false, after_space = true;
  for (const char c : text) {
    ++location.column;
    if (c == '\n') {
      location = {location.line + 1, 0};
      comment = false;
    }
    if (comment) continue;
    if (quote_mark != 0) {
      if (c == quote_mark && (c == '\'' || before != '\\')) quote_mark = 0;
      before = before == '\\' && c == '\\' ? '\0' : c;
      continue;
    }
    if (c == '#' && after_space) comment = true;
    const bool begins = std::string_view("\n[{,:-?").find(before) != std::string_view::npos;
    if ((c == '"' || c == '\'') && begins) {
      quote_mark = c;
      quote_location = location;
    }
    if (c == '[' || c == '{') open.push_back(location);
    if ((c == ']' || c == '}') && !open.empty()) open.pop_back();
    if (open.size() > deepest_nesting)
      fail(name, location, "nested deeper than " + std::to_string(deepest_nesting) + " levels");
    after_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!after_space || c == '\n') before = c;
  }
  if (quote_mark != 0) fail(name, quote_location, "this quote is not closed");
  return open;
}

constexpr std::string_view no_anchors =
    "anchors (&), aliases (*) and tags (!) are not read; write the value out, or put it in quotes";
struct Meaning {
  std::string_view of_parser, ours;
};
/// Explanations of yaml-cpp messages, matched by their beginning.
constexpr Meaning meanings[] = {
    {"end of ", "what is here does not go on as it began; check indentation, commas and brackets"},
    {"illegal EOF", "a text is not closed; check the quotes"},
    {"illegal document", "a text is not closed; check the quotes"},
    {"bad character found while scanning hex", "\\x, \\u and \\U take hexadecimal digits"},
    {"invalid unicode", "\\u and \\U take the number of a character"},
    {"unknown escape", "this backslash means nothing in double quotes; use single quotes"},
    {"unknown token", "nothing can begin with this character; put the text in quotes"},
    {"illegal character in scalar", "this character is not text; put the text in quotes"},
    {"illegal tab", "the indentation has a tab; indent with spaces"},
    {"illegal flow end", "this bracket closes none"},
    {"illegal block entry",
     "a list item '- ' cannot be here; begin a line with it, indented like the others"},
    {"illegal map", "a second ': ' in one line; put the text in quotes, or begin a new line"},
    {"YAML directives", "a line that begins with % is not read; leave it out"},
    {"bad YAML version", "a line that begins with % is not read; leave it out"},
    {"YAML major", "a line that begins with % is not read; leave it out"},
    {"repeated ", "a line that begins with % is not read; leave it out"},
    {"TAG directives", "a line that begins with % is not read; leave it out"},
    {"illegal character found while scanning tag", "tags (!) are not read; leave it out"},
    {"tag handle", "tags (!) are not read; leave it out"},
    {"cannot assign", no_anchors},
    {"alias", no_anchors},
    {"anchor", no_anchors},
    {"illegal character found while scanning a", no_anchors},
    {"the referenced anchor", no_anchors},
    {"cannot set zero", "a text after | or > is indented by at least one space"},
    {"unexpected character in block", "after | or > a new line begins"},
};

/// Whether the indentation of a line, or of the one before it, contains a tab, which explains the error.
bool has_tab(std::string_view text, int line) {
  for (int k = 1; !text.empty() && k <= line; ++k) {
    const auto indent = text.substr(0, text.find_first_not_of(" \t"));
    if (k >= line - 1 && indent.find('\t') != indent.npos) return true;
    const auto end = text.find('\n');
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return false;
}

std::string in_our_words(std::string_view message, std::string_view text, int line) {
  if (has_tab(text, line)) return "not YAML: the indentation has a tab; indent with spaces";
  for (const Meaning& meaning : meanings)
    if (message.starts_with(meaning.of_parser)) return "not YAML: " + std::string(meaning.ours);
  return "not YAML; check indentation, quotes, commas and brackets";
}

}  // namespace

Value parse_yaml(std::string_view text, const std::string& name) {
  check_text(text, name);
  limit_indicators(text, name);
  const std::vector<LineColumn> unclosed = unclosed_brackets(text, name);
  std::istringstream stream{std::string(text)};
  TreeBuilder tree(name);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(tree))
      fail(name, {1, 0}, "holds only comments; give a mechanism");
    parser.HandleNextDocument(tree);
  } catch (const YAML::Exception& error) {
    if (!unclosed.empty()) fail(name, unclosed.back(), "this bracket is not closed");
    const LineColumn location = error.mark.is_null() ? LineColumn{} : location_of(error.mark);
    fail(name, location, in_our_words(error.msg, text, location.line));
  }
  return tree.take();
}

}  // namespace chasles::io
