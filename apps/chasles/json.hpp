#pragma once

#include <concepts>
#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

/// A JSON value that is written, never read. Every double reads back as the same number; inf and nan, which
/// JSON lacks, are null. Bytes of texts that are not UTF-8 become U+FFFD.
///
///     Json out{{"name", model.name()}, {"q", q}, {"bodies", Json::array()}};
///     out["bodies"].push_back({{"mass", 2.5}});
///     fmt::print("{}\n", out.dump(2));
///
/// A list in braces whose elements are all pairs of a text and a value is an object, any other an array.
class Json {
 public:
  Json() = default;  // null
  Json(bool x) : text_(x ? "true" : "false") {}
  Json(double x);
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer x) : text_(std::to_string(x)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::string_view text);
  Json(std::initializer_list<Json> elements);
  template <std::ranges::input_range Range>
  requires(!std::convertible_to<const Range&, std::string_view>) Json(const Range& range)
      : Json(array()) {
    for (const auto& x : range) push_back(x);
  }
  static Json array(std::initializer_list<Json> elements = {});
  static Json object();

  /// Appends to an array; null becomes one.
  void push_back(Json element);
  /// The value at a key of an object, a new null if there is none; null becomes an object.
  Json& operator[](std::string_view key);

  /// @param indent  spaces per level; arrays of numbers and texts stay on one line
  std::string dump(int indent) const;

 private:
  enum class Kind { scalar, array, object };
  bool is_null() const { return kind_ == Kind::scalar && text_ == "null"; }
  bool is_pair() const;
  void append(std::string& out, int indent, int depth) const;

  Kind kind_ = Kind::scalar;
  /// Of a scalar: itself, as it is written. Of an array: scalars that come first, "1.5, 2.0", which take less
  /// memory so than as elements.
  std::string text_ = "null";
  std::vector<std::string> keys_;  // of an object, as they are written
  std::vector<Json> elements_;
};

namespace to_json {

template <class Vec3>
Json vector(const Vec3& v) {
  return Json::array({v.x, v.y, v.z});
}
/// An array of rows.
template <class Matrix>
Json matrix(const Matrix& m) {
  Json rows = Json::array();
  for (decltype(m.rows()) i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    for (decltype(m.rows()) j = 0; j < m.cols(); ++j) row.push_back(m(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace to_json
