#include <cmath>

#include "constraints/point_parts.hpp"
#include "math/series_functions.hpp"

namespace chasles {

using namespace point_constraints;

namespace {

/// The curve, or its projection along z.
SpaceCurve flattened(const SpaceCurve& curve) {
  const auto flat = [curve](double s) {
    SpaceCurveValue value = curve(s);
    value.c.z = value.d1.z = value.d2.z = value.d3.z = 0;
    return value;
  };
  return SpaceCurve::of(flat, curve.from(), curve.to(), curve.closed());
}

/// z x c' / |c'| and its derivatives.
SpaceCurveValue profile_normal(const SpaceCurveValue& at) {
  using S = Series<3>;
  S x, y;
  x.c = {at.d1.x, at.d2.x, at.d3.x / 2}, y.c = {at.d1.y, at.d2.y, at.d3.y / 2};
  const S size = sqrt(x * x + y * y), e_x = -y / size, e_y = x / size;
  const auto vector = [&](std::size_t k, double factor) {
    return Vec3{factor * e_x.c[k], factor * e_y.c[k], 0};
  };
  return {vector(0, 1), vector(1, 1), vector(2, 2), {}};
}

/// (3).
class PointOnCurve final : public Constraint {
 public:
  PointOnCurve(std::string name, const Frame& point, const Frame& frame, SpaceCurve curve,
               bool profile)
      : name_(std::move(name)),
        point_(point),
        frame_(frame),
        curve_(std::move(curve)),
        profile_(profile) {}
  std::string name() const override { return name_; }
  int constraint_count() const override { return profile_ ? 1 : 2; }

  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    const Foot foot = foot_of(position(kin));
    for (int i = 0; i < constraint_count(); ++i) Phi[i] = dot(foot.e[i].c, foot.d);
  }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    const Foot foot = foot_of(position(kin));
    const SO3 R = pose(kin, frame_).R;
    for (int i = 0; i < constraint_count(); ++i)
      add_relative_row(kin, point_, frame_, R * gradient(foot, i), B, i);
  }
  /// g . y'' + 2 s' e' . y' + s'^2 (e'' . d - e' . c') + (e' . d) (s'' without y'').
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    const SO3 R = pose(kin, frame_).R;
    const RelativeMotion motion = relative_motion(kin, point_, frame_);
    const Foot foot = foot_of(flat(inverse_times(R, motion.r)));
    const Vec3 u = flat(inverse_times(R, motion.u)), a = flat(inverse_times(R, motion.a));
    const auto& [c, d1, d2, d3] = foot.at;
    const double rate = dot(d1, u) / foot.slope, square = rate * rate;
    const double rate_dot =
        (2 * rate * dot(d2, u) + square * (dot(d3, foot.d) - 3 * dot(d1, d2))) / foot.slope;
    for (int i = 0; i < constraint_count(); ++i) {
      const SpaceCurveValue& e = foot.e[i];
      out[i] = dot(gradient(foot, i), a) + 2 * rate * dot(e.d1, u) +
               square * (dot(e.d2, foot.d) - dot(e.d1, d1)) + rate_dot * dot(e.d1, foot.d);
    }
  }

 private:
  /// The nearest point, and the normals there; `slope` is c' . c' - c'' . d.
  struct Foot {
    SpaceCurveValue at;
    Vec3 d;
    double slope;
    SpaceCurveValue e[2];
  };
  Vec3 flat(const Vec3& y) const { return profile_ ? Vec3{y.x, y.y, 0} : y; }
  Vec3 position(const PositionKinematics& kin) const {
    const SE3 C = pose(kin, frame_);
    return flat(inverse_times(C.R, pose(kin, point_).r - C.r));
  }
  Foot foot_of(const Vec3& y) const {
    const double s = curve_.nearest(y);
    Foot foot{.at = curve_(s), .d = {}, .slope = 0, .e = {}};
    foot.d = y - foot.at.c;
    foot.slope = dot(foot.at.d1, foot.at.d1) - dot(foot.at.d2, foot.d);
    if (!(foot.slope > 1e-9 * dot(foot.at.d1, foot.at.d1)))
      throw Error(title(name_) +
                  ": the point is at a center of curvature of the curve, so that no " +
                  "point of the curve is nearest; start nearer to the curve");
    if (profile_) {
      foot.e[0] = profile_normal(foot.at);
      return foot;
    }
    foot.e[0] = curve_.normal(s);
    foot.e[1] = across(foot.at, foot.e[0]);
    return foot;
  }
  /// t x e, and its derivatives.
  static SpaceCurveValue across(const SpaceCurveValue& at, const SpaceCurveValue& e) {
    using S = Series<3>;
    lie::Vec3<S> tangent, normal;
    for (int k = 0; k < 3; ++k) {
      tangent[k].c = {at.d1[k], at.d2[k], at.d3[k] / 2};
      normal[k].c = {e.c[k], e.d1[k], e.d2[k] / 2};
    }
    const lie::Vec3<S> both = (S(1) / sqrt(dot(tangent, tangent))) * cross(tangent, normal);
    SpaceCurveValue out;
    for (int k = 0; k < 3; ++k)
      out.c[k] = both[k].c[0], out.d1[k] = both[k].c[1], out.d2[k] = 2 * both[k].c[2];
    return out;
  }
  Vec3 gradient(const Foot& foot, int i) const {
    return foot.e[i].c + (dot(foot.e[i].d1, foot.d) / foot.slope) * foot.at.d1;
  }

  std::string name_;
  Frame point_, frame_;
  SpaceCurve curve_;
  bool profile_;
};

ConstraintPtr on_curve(const Model& model, std::string name, const ConstraintPoint& at,
                       const ConstraintPoint& origin, const SpaceCurve& curve, bool profile) {
  const Frame point = frame_at(name, model, at), frame = frame_at(name, model, origin);
  require_apart(name, point, frame);
  return std::make_shared<PointOnCurve>(std::move(name), point, frame, curve, profile);
}

}  // namespace

ConstraintPtr point_on_curve(const Model& model, std::string name, const ConstraintPoint& at,
                             const ConstraintPoint& origin, const SpaceCurve& curve) {
  return on_curve(model, std::move(name), at, origin, curve, false);
}
ConstraintPtr point_on_profile(const Model& model, std::string name, const ConstraintPoint& at,
                               const ConstraintPoint& origin, const SpaceCurve& curve) {
  try {
    return on_curve(model, name, at, origin, flattened(curve), true);
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.starts_with(title(name)) ? text : title(name) + ": " + text);
  }
}

}  // namespace chasles
