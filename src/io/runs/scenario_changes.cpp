/// Command-line changes to the document of a scenario: --set PATH=VALUE.
#include <algorithm>

#include "io/runs/scenario_parts.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

/// The child with this key or index; created in a map if missing.
Value& child(Value& parent, const std::string& key, const std::string& change) {
  const auto refuse = [&](const std::string& why) -> Value& {
    throw Error("change " + quote(change) + ": " + why);
  };
  if (key.empty()) return refuse("a name between its dots is missing");
  if (parent.kind == Kind::list) {
    const std::optional<double> i = parse_number(key);
    if (!i || !(*i >= 0 && *i < static_cast<double>(parent.items.size())))
      return refuse(quote(key) + " is not an element of the list, which has " +
                    std::to_string(parent.items.size()) + ", from 0");
    return parent.items[static_cast<std::size_t>(*i)];
  }
  if (parent.kind == Kind::scalar)
    return refuse(quote(key) + " is looked for in " + quote(parent.text) + ", which is not a map");
  parent.kind = Kind::map;
  const auto found = std::ranges::find(parent.keys, key, &Value::text);
  if (found != parent.keys.end())
    return parent.items[static_cast<std::size_t>(found - parent.keys.begin())];
  Value name;
  name.kind = Kind::scalar, name.location = parent.location, name.text = key;
  parent.keys.push_back(std::move(name));
  Value& made = parent.items.emplace_back();
  made.location = parent.location;
  return made;
}

/// Gives the new value the source location of the one it replaces.
void put_at(Value& value, LineColumn location) {
  value.location = location;
  for (Value& key : value.keys) key.location = location;
  for (Value& item : value.items) put_at(item, location);
}

}  // namespace

void change_document(Value& document, std::span<const std::string> changes) {
  for (const std::string& change : changes) {
    const auto equals = change.find('=');
    if (equals == change.npos || equals == 0)
      throw Error("change " + quote(change) + ": write PATH=VALUE, integrator.tolerance=1e-8");
    if (change.find_first_not_of(" \t", equals + 1) == change.npos)
      throw Error("change " + quote(change) + ": there is no value after '='; write " +
                  change.substr(0, equals) + "=VALUE");
    const std::string path = change.substr(0, equals);
    Value* at = &document;
    for (std::size_t from = 0; from <= path.size();) {
      const std::size_t dot = std::min(path.find('.', from), path.size());
      at = &child(*at, path.substr(from, dot - from), change);
      from = dot + 1;
    }
    Value value = parse_yaml(change.substr(equals + 1), "the value of change " + quote(change));
    put_at(value, at->location);
    *at = std::move(value);
  }
}

}  // namespace chasles::io
