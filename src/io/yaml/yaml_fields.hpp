/// Typed access to the values of a YAML map. Every failure names the location, the object and the key:
/// `arm.yaml:7:20: joint 'j1': axis has 2 numbers; give 3`.
#pragma once

#include <initializer_list>
#include <vector>

#include "chasles/lie/se3.hpp"
#include "chasles/suggest.hpp"
#include "io/yaml/yaml_document.hpp"
#include "math/units.hpp"

namespace chasles::io {

class Fields {
 public:
  using Keys = std::initializer_list<std::string_view>;
  /// @param kind   of the thing, for messages; its `name`, if it has one, is added: "body 'arm'"
  /// @param owner  what to call it if it has no name: "the joint of body 'arm'"
  /// @param known  the keys it may have
  /// @throws Error if the value is not a map or has another key
  Fields(const std::string& name, const Value& value, std::string_view kind, Keys known,
         std::string owner = {});

  const Value* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Value& require(std::string_view key) const;

  std::string text(std::string_view key) const;
  std::string text(std::string_view key, std::string_view otherwise) const;
  // Numbers in SI units. Written with a unit, they must have the given dimension.
  double number(std::string_view key, const Dimension& wanted = dimensions::none) const;
  double number(std::string_view key, double otherwise,
                const Dimension& wanted = dimensions::none) const;
  std::vector<double> numbers(std::string_view key, std::size_t count,
                              const Dimension& wanted = dimensions::none) const;
  /// The number that is the value of `key`, or part of it.
  double to_number(const Value& value, std::string_view key,
                   const Dimension& wanted = dimensions::none) const;
  /// The numbers of a list that is the value of `key`, or part of it.
  std::vector<double> to_numbers(const Value& value, std::string_view key, std::size_t count,
                                 const Dimension& wanted = dimensions::none) const;
  /// Likewise, with a dimension for each.
  std::vector<double> to_numbers(const Value& value, std::string_view key,
                                 std::span<const Dimension> wanted) const;
  Vec3 vec3(std::string_view key) const;
  Vec3 vec3(std::string_view key, const Vec3& otherwise,
            const Dimension& wanted = dimensions::none) const;
  bool boolean(std::string_view key, bool otherwise) const;
  /// The index of the text in `known`; `otherwise` if the key is missing.
  std::size_t choice(std::string_view key, std::span<const std::string_view> known,
                     std::size_t otherwise) const;
  /// The elements of a list; none if the key is missing.
  const std::vector<Value>& list(std::string_view key) const;

  const std::string& file() const { return name_; }
  const std::string& what() const { return what_; }
  const Value& value() const { return value_; }
  /// "file:12", as Body::where wants it.
  std::string where() const { return location_text(name_, {value_.location.line, 0}); }
  [[noreturn]] void refuse(const Value& at, const std::string& message) const;

 private:
  const std::string& name_;  // of the file
  const Value& value_;
  std::string what_;
};

/// The type of a force, controller or constraint, read before its other keys are known: its index in `known`.
std::size_t type_of(const std::string& file, const Value& value, const std::string& what,
                    const std::string& kind, std::span<const std::string_view> known);

/// xyz, and one of rpy, quaternion, matrix.
SE3 read_pose(const Fields& fields);

}  // namespace chasles::io
