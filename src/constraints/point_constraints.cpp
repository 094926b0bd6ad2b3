#include "chasles/constraints/point_constraints.hpp"

#include <cmath>

#include "constraints/point_parts.hpp"

namespace chasles {

using namespace point_constraints;

namespace {

/// Through points, in order; with two points a rod.
class Cable final : public Constraint {
 public:
  Cable(std::string name, std::vector<Frame> points, double length)
      : name_(std::move(name)), points_(std::move(points)), length_(length) {}
  std::string name() const override { return name_; }
  int constraint_count() const override { return 1; }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    double sum = -length_;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) sum += norm(piece(kin, i));
    Phi[0] = sum;
  }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      const Vec3 r = piece(kin, i), u = (1 / norm(r)) * r;
      add_row(kin, points_[i + 1], {}, u, B, 0);
      add_row(kin, points_[i], {}, -u, B, 0);
    }
  }
  /// u . r'' + |r' - u (u . r')|^2 / d for each piece.
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < points_.size(); ++i) {
      const FrameMotion a = motion_of(kin, points_[i]), b = motion_of(kin, points_[i + 1]);
      const Vec3 r = piece(kin, i), r_dot = b.v - a.v;
      const double d = norm(r);
      const Vec3 u = (1 / d) * r, across = r_dot - dot(u, r_dot) * u;
      sum += dot(u, b.v_dot - a.v_dot) + dot(across, across) / d;
    }
    out[0] = sum;
  }

 private:
  Vec3 piece(const PositionKinematics& kin, std::size_t i) const {
    const Vec3 r = pose(kin, points_[i + 1]).r - pose(kin, points_[i]).r;
    if (dot(r, r) == 0)
      throw Error(title(name_) + ": its points " + std::to_string(i + 1) + " and " +
                  std::to_string(i + 2) + " coincide, so that it has no direction there");
    return r;
  }
  std::string name_;
  std::vector<Frame> points_;
  double length_;
};

/// phi_i = n_i . y: a plane by one normal, a line by two.
class PointOnFlat final : public Constraint {
 public:
  PointOnFlat(std::string name, const Frame& point, const Frame& flat, std::vector<Vec3> normals)
      : name_(std::move(name)), point_(point), flat_(flat), normals_(std::move(normals)) {}
  std::string name() const override { return name_; }
  int constraint_count() const override { return static_cast<int>(normals_.size()); }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    const SE3 C = pose(kin, flat_);
    const Vec3 r = pose(kin, point_).r - C.r;
    for (std::size_t i = 0; i < normals_.size(); ++i)
      Phi[static_cast<Eigen::Index>(i)] = dot(C.R * normals_[i], r);
  }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    const SO3 R = pose(kin, flat_).R;
    for (int i = 0; i < constraint_count(); ++i)
      add_relative_row(kin, point_, flat_, R * normals_[static_cast<std::size_t>(i)], B, i);
  }
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    const SO3 R = pose(kin, flat_).R;
    const RelativeMotion motion = relative_motion(kin, point_, flat_);
    for (std::size_t i = 0; i < normals_.size(); ++i)
      out[static_cast<Eigen::Index>(i)] = dot(R * normals_[i], motion.a);
  }

 private:
  std::string name_;
  Frame point_, flat_;
  std::vector<Vec3> normals_;
};

/// With h = n - (n . a) a, a the axis: m = h / |h|, and the lowest point is at c - radius m. A ball has m = n.
class Wheel final : public Constraint {
 public:
  Wheel(std::string name, const Model& model, const RollingWheel& given, bool positions)
      : name_(std::move(name)),
        center_(frame_at(name_, model, given.center)),
        given_(given),
        positions_(positions) {
    require_positive(name_, "radius", given.radius);
    given_.normal = direction_of(name_, "normal", given.normal);
    if (given.axis) given_.axis = direction_of(name_, "axis", *given.axis);
    if (!is_finite(given.plane)) throw Error(title(name_) + ": the plane is not finite");
    if (center_.link < 0) throw Error(title(name_) + ": the wheel does not move");
    const auto t = perpendicular(given_.normal);
    if (positions)
      rows_ = {given_.normal};
    else
      rows_ = {t[0], t[1]};
  }
  std::string name() const override { return name_; }
  int constraint_count() const override { return static_cast<int>(rows_.size()); }
  bool binds_positions() const override { return positions_; }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    const Vec3 lowest = pose(kin, center_).r - given_.radius * upward(kin).m;
    Phi[0] = dot(given_.normal, lowest - given_.plane);
  }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    const Vec3 rho = -given_.radius * upward(kin).m;
    for (int i = 0; i < constraint_count(); ++i) {
      const Vec3& e = rows_[static_cast<std::size_t>(i)];
      add_row(kin, center_, cross(rho, e), e, B, i);  // e . (w x rho) = (rho x e) . w
    }
  }
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    const FrameMotion c = motion_of(kin, center_);
    const Upward up = upward(kin);
    const Vec3 rho = -given_.radius * up.m;
    Vec3 rho_dot{};
    if (given_.axis) {
      const Vec3 a_dot = cross(c.w, up.axis);
      const Vec3 h_dot = -dot(given_.normal, a_dot) * up.axis - dot(given_.normal, up.axis) * a_dot;
      rho_dot = (-given_.radius / up.size) * (h_dot - dot(up.m, h_dot) * up.m);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out[static_cast<Eigen::Index>(i)] =
          dot(rows_[i], c.v_dot + cross(c.w_dot, rho) + cross(c.w, rho_dot));
  }

 private:
  struct Upward {
    Vec3 m, axis;
    double size;  // |h|
  };
  Upward upward(const PositionKinematics& kin) const {
    if (!given_.axis) return {given_.normal, {}, 1};
    const Vec3 a = pose(kin, center_).R * *given_.axis,
               h = given_.normal - dot(given_.normal, a) * a;
    const double size = norm(h);
    if (!(size > 1e-9))
      throw Error(title(name_) + ": the wheel lies flat on its plane, so that it has no contact " +
                  "point");
    return {(1 / size) * h, a, size};
  }
  std::string name_;
  Frame center_;
  RollingWheel given_;
  bool positions_;
  std::vector<Vec3> rows_;  // directions of the equations
};

}  // namespace

ConstraintPtr distance_constraint(const Model& model, std::string name, const ConstraintPoint& a,
                                  const ConstraintPoint& b, double length) {
  return cable_constraint(model, std::move(name), {a, b}, length);
}

ConstraintPtr cable_constraint(const Model& model, std::string name,
                               const std::vector<ConstraintPoint>& points, double length) {
  if (points.size() < 2) throw Error(title(name) + ": needs two points or more");
  require_positive(name, "length", length);
  std::vector<Frame> frames;
  bool moves = false;
  for (const ConstraintPoint& point : points) {
    frames.push_back(frame_at(name, model, point));
    moves = moves || frames.back().link != frames.front().link;
  }
  if (!moves) require_apart(name, frames[0], frames[1]);
  return std::make_shared<Cable>(std::move(name), std::move(frames), length);
}

ConstraintPtr point_on_plane(const Model& model, std::string name, const ConstraintPoint& at,
                             const ConstraintPoint& plane, const Vec3& normal) {
  const Frame point = frame_at(name, model, at), flat = frame_at(name, model, plane);
  require_apart(name, point, flat);
  std::vector<Vec3> normals{direction_of(name, "normal", normal)};
  return std::make_shared<PointOnFlat>(std::move(name), point, flat, std::move(normals));
}

ConstraintPtr point_on_line(const Model& model, std::string name, const ConstraintPoint& at,
                            const ConstraintPoint& line, const Vec3& direction) {
  const Frame point = frame_at(name, model, at), flat = frame_at(name, model, line);
  require_apart(name, point, flat);
  const auto t = perpendicular(direction_of(name, "direction", direction));
  return std::make_shared<PointOnFlat>(std::move(name), point, flat, std::vector<Vec3>{t[0], t[1]});
}

ConstraintPtr rolling_constraint(const Model& model, std::string name, const RollingWheel& wheel) {
  return std::make_shared<Wheel>(std::move(name), model, wheel, false);
}
ConstraintPtr wheel_on_plane(const Model& model, std::string name, const RollingWheel& wheel) {
  return std::make_shared<Wheel>(std::move(name), model, wheel, true);
}

}  // namespace chasles
