#include "io/yaml/yaml_fields.hpp"

#include "chasles/lie/quaternion.hpp"
#include "math/expression.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

std::string kind_text(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      if (value.quoted) return "quoted text";
      return (parse_expression(value.text) ? "the number " : "the text ") + quote(value.text);
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
  }
  return "";
}

std::string title(const Value& map, std::string_view kind, std::string owner) {
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (map.keys[i].text == "name" && map.items[i].kind == Kind::scalar)
      return std::string(kind) + " " + quote(map.items[i].text);
  if (owner.empty()) return std::string(kind);
  return owner;
}

}  // namespace

Fields::Fields(const std::string& name, const Value& value, std::string_view kind, Keys known,
               std::string owner)
    : name_(name), value_(value), what_(title(value, kind, std::move(owner))) {
  const std::vector<std::string_view> keys(known);
  if (value.kind != Kind::map)
    refuse(value, "found " + kind_text(value) + "; give a map with " +
                      (keys.size() > 4 ? "keys such as " : "") +
                      any_of(std::span(keys).first(std::min<std::size_t>(keys.size(), 4))));
  for (const Value& key : value.keys)
    if (std::find(keys.begin(), keys.end(), key.text) == keys.end())
      refuse(key, "unknown key " + quote(key.text) + choices(key.text, keys));
}

void Fields::refuse(const Value& at, const std::string& message) const {
  fail(name_, at.location, what_ + ": " + message);
}

const Value* Fields::find(std::string_view key) const {
  for (std::size_t i = 0; i < value_.keys.size(); ++i)
    if (value_.keys[i].text == key) return &value_.items[i];
  return nullptr;
}

const Value& Fields::require(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) refuse(value_, "needs '" + std::string(key) + "'");
  return *value;
}

std::string Fields::text(std::string_view key) const {
  const Value& value = require(key);
  if (value.kind != Kind::scalar)
    refuse(value, std::string(key) + " is " + kind_text(value) + "; give text");
  if (value.text.empty()) refuse(value, std::string(key) + " is empty; give text");
  return value.text;
}
std::string Fields::text(std::string_view key, std::string_view otherwise) const {
  return has(key) ? text(key) : std::string(otherwise);
}

double Fields::to_number(const Value& value, std::string_view key, const Dimension& wanted) const {
  const std::string what(key);
  const bool scalar = value.kind == Kind::scalar;
  const std::optional<double> plain = scalar ? parse_number(value.text) : std::nullopt;
  // Quotes make a number a text, but an expression may need them: "min(1, 2)" in a list.
  if (!scalar || (value.quoted && (plain || value.text.empty())))
    refuse(value, what + " is " + kind_text(value) + "; give a number");
  const std::string given = what + " " + quote(value.text);
  Measure number{plain.value_or(0), {}};
  try {
    if (!plain) number = evaluate_constant(value.text);
  } catch (const ExpressionError& error) {
    refuse(value, given + " is not a finite number: " + error.what());
  }
  if (!std::isfinite(number.value)) refuse(value, given + " is not a finite number");
  if (!number.dimension.is_none() && !fits(number.dimension, wanted))
    refuse(value, given + " is in " + dimension_text(number.dimension) + "; give " +
                      (wanted.is_none() ? "" : dimension_text(wanted) + ", or ") +
                      "a number without unit" + (wanted.is_none() ? "" : ", which is SI"));
  return number.value;
}
double Fields::number(std::string_view key, const Dimension& wanted) const {
  return to_number(require(key), key, wanted);
}
double Fields::number(std::string_view key, double otherwise, const Dimension& wanted) const {
  return has(key) ? number(key, wanted) : otherwise;
}

std::vector<double> Fields::to_numbers(const Value& value, std::string_view key,
                                       std::span<const Dimension> wanted) const {
  const std::string what(key), give = "; give " + std::to_string(wanted.size());
  if (value.kind != Kind::list)
    refuse(value, what + " is " + kind_text(value) + give + " numbers in a list");
  if (value.items.size() != wanted.size())
    refuse(value, what + " has " + std::to_string(value.items.size()) + " numbers" + give);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    numbers.push_back(to_number(value.items[i], key, wanted[i]));
  return numbers;
}
std::vector<double> Fields::to_numbers(const Value& value, std::string_view key, std::size_t count,
                                       const Dimension& wanted) const {
  return to_numbers(value, key, std::vector<Dimension>(count, wanted));
}
std::vector<double> Fields::numbers(std::string_view key, std::size_t count,
                                    const Dimension& wanted) const {
  return to_numbers(require(key), key, count, wanted);
}
Vec3 Fields::vec3(std::string_view key) const { return (require(key), vec3(key, {})); }
Vec3 Fields::vec3(std::string_view key, const Vec3& otherwise, const Dimension& wanted) const {
  if (!has(key)) return otherwise;
  const std::vector<double> x = numbers(key, 3, wanted);
  return {x[0], x[1], x[2]};
}

bool Fields::boolean(std::string_view key, bool otherwise) const {
  static constexpr std::string_view known[] = {"false", "true"};
  return choice(key, known, otherwise ? 1 : 0) == 1;
}

std::size_t Fields::choice(std::string_view key, std::span<const std::string_view> known,
                           std::size_t otherwise) const {
  if (!has(key)) return otherwise;
  const std::string word = text(key);
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end())
    refuse(require(key),
           std::string(key) + " " + quote(word) + " is not known" + choices(word, known));
  return static_cast<std::size_t>(found - known.begin());
}

const std::vector<Value>& Fields::list(std::string_view key) const {
  static const std::vector<Value> none;
  const Value* value = find(key);
  if (value == nullptr) return none;
  if (value->kind != Kind::list)
    refuse(*value, std::string(key) + " is " + kind_text(*value) + "; give a list");
  return value->items;
}

namespace {

/// The three rows of `matrix`, as they are.
Mat3 read_matrix(const Fields& fields) {
  const Value& matrix = fields.require("matrix");
  if (matrix.kind != Kind::list || matrix.items.size() != 3)
    fields.refuse(matrix, "matrix is not a list of rows; give 3 rows of 3 numbers");
  Mat3 R;
  for (int i = 0; i < 3; ++i) {
    const auto row =
        fields.to_numbers(matrix.items[static_cast<std::size_t>(i)], "a row of matrix", 3);
    for (int j = 0; j < 3; ++j) R(i, j) = row[static_cast<std::size_t>(j)];
  }
  return R;
}

}  // namespace

SE3 read_pose(const Fields& fields) {
  const Vec3 r = fields.vec3("xyz", {}, dimensions::length);
  if (fields.has("rpy") + fields.has("quaternion") + fields.has("matrix") > 1)
    fields.refuse(fields.value(), "has several rotations; give one of rpy, quaternion, matrix");
  const auto with_location = [&](const char* key, const auto& make) {
    try {
      return SE3{make(), r};
    } catch (const Error& error) {
      fields.refuse(fields.require(key), error.what());
    }
  };
  if (fields.has("rpy")) {
    const Vec3 a = fields.vec3("rpy", {}, dimensions::angle);
    return {rotation_from_rpy(a.x, a.y, a.z), r};
  }
  if (fields.has("quaternion")) {
    const auto q = fields.numbers("quaternion", 4);
    return with_location("quaternion", [&] {
      return rotation(Quaternion{q[0], q[1], q[2], q[3]});
    });
  }
  if (fields.has("matrix")) {
    const Mat3 R = read_matrix(fields);
    return with_location("matrix", [&] { return SO3(R); });
  }
  return {SO3{}, r};
}

std::size_t type_of(const std::string& file, const Value& value, const std::string& what,
                    const std::string& kind, std::span<const std::string_view> known) {
  if (value.kind != Kind::map) fail(file, value.location, what + ": give a map with type");
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    if (value.keys[i].text != "type") continue;
    const Value& given = value.items[i];
    for (std::size_t k = 0; k < known.size(); ++k)
      if (given.kind == Kind::scalar && given.text == known[k]) return k;
    fail(file, given.location,
         what + ": there is no " + kind + " of type " + quote(given.text) +
             choices(given.text, known));
  }
  fail(file, value.location, what + ": needs 'type'; give " + any_of(known));
}

}  // namespace chasles::io
