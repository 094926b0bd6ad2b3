/// Pieces of text of the writer of MJCF.
#pragma once

#include "io/writers/xml_numbers.hpp"

namespace chasles::io::mjcf {

inline std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_text(value) + '"';
}
inline std::string pose_attributes(const SE3& C) {
  std::string text;
  if (C.r != Vec3{}) text += " pos=\"" + numbers_text(C.r) + '"';
  if (C.R != SO3{}) {
    const Quaternion q = quaternion(C.R);
    text += " quat=\"" + numbers_text(std::array{q.w, q.x, q.y, q.z}) + '"';
  }
  return text;
}

}  // namespace chasles::io::mjcf
