#include "io/yaml/renamed_keys.hpp"

#include <algorithm>

namespace chasles::io {
namespace {

/// `within`: the key that a map, or a list of maps, is the value of; empty: the document itself. Values may be
/// entries of a list.
struct RenamedKey {
  std::string_view within, old, present;
};
constexpr RenamedKey renamed_keys[] = {
    {"", "stabilisation", "stabilization"},
    {"integrator", "coordinates", "chart"},
    {"joint", "coordinates", "parameterization"},
    {"loops", "coordinates", "parameterization"},
};

struct RenamedValue {
  std::string_view within, key, old, present;
};
constexpr RenamedValue renamed_values[] = {
    {"", "coordinates", "relative", "minimal"},
    {"", "coordinates", "absolute", "maximal"},
    {"joint", "type", "free", "floating"},
    {"record", "quantities", "constraint_independence", "constraint_reciprocal_condition"},
};

class Renaming {
 public:
  Renaming(const std::string& name, std::vector<std::string>* warnings)
      : name_(name), warnings_(warnings) {}

  void apply(Value& value, std::string_view within) {
    if (value.kind == Value::Kind::list)
      for (Value& item : value.items) apply(item, within);
    if (value.kind != Value::Kind::map) return;
    for (std::size_t i = 0; i < value.keys.size(); ++i) {
      for (const RenamedKey& k : renamed_keys)
        if (k.within == within && value.keys[i].text == k.old && !has(value, k.present))
          rename(value.keys[i], "the key", k.present);
      const std::string key = value.keys[i].text;
      Value& item = value.items[i];
      rename_value(item, within, key);
      for (Value& entry : item.items) rename_value(entry, within, key);
      apply(item, key);
    }
  }

 private:
  static bool has(const Value& map, std::string_view key) {
    return std::ranges::any_of(map.keys, [&](const Value& k) { return k.text == key; });
  }
  void rename_value(Value& value, std::string_view within, std::string_view key) {
    for (const RenamedValue& v : renamed_values)
      if (v.within == within && v.key == key && value.kind == Value::Kind::scalar &&
          value.text == v.old)
        rename(value, v.key, v.present);
  }
  void rename(Value& text, std::string_view what, std::string_view present) {
    if (warnings_ != nullptr)
      warnings_->push_back(location_text(name_, text.location) + ": " + std::string(what) + " " +
                           quote(text.text) + " is now called " + quote(std::string(present)) +
                           "; the next version will not read the old name");
    text.text = present;
  }
  const std::string& name_;
  std::vector<std::string>* warnings_;
};

}  // namespace

void use_present_names(Value& document, const std::string& name,
                       std::vector<std::string>* warnings) {
  Renaming(name, warnings).apply(document, "");
}

}  // namespace chasles::io
