#pragma once

#include <Eigen/Core>
#include <chasles/lie/se3.hpp>
#include <nlohmann/json.hpp>

/// Numbers as JSON: vectors as arrays, matrices as arrays of rows. Every double is written so that
/// it reads back as the same number.
namespace to_json {

using Json = nlohmann::ordered_json;

inline Json vector(const chasles::Vec3& v) { return Json::array({v.x, v.y, v.z}); }
inline Json twist(const chasles::Twist& X) { return Json(coordinates(X)); }
inline Json matrix(const Eigen::Ref<const Eigen::MatrixXd>& m) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(m(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace to_json
