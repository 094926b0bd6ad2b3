#include "kinematics/link_series.hpp"

#include <cmath>

#include "chasles/state_error.hpp"
#include "model/model_data.hpp"

namespace chasles::links {
namespace {

/// Beyond this angle x is halved: the terms of (6) are then at most sinh(2).
constexpr double most_angle = 2;
constexpr double lost_angle = 1e8;
constexpr std::size_t most_halvings = 26;

/// sum_j (-1)^m (1 -+ m) / (2 m + n)!, the factors of f_n of (6).
double factor(std::size_t m, int n) {
  const double d = static_cast<double>(m);
  return (n <= 2 ? 1 - d : 1 + d) * (m % 2 == 0 ? 1 : -1) / std::tgamma(2 * d + n + 2);
}

const Twist* screws_of(const Model& model, const Link& link) {
  return &custom_screws(model)[static_cast<std::size_t>(link.screws)];
}

}  // namespace

void PoseSeries::extend_rotation(std::size_t k) {
  Mat3 sum{};
  for (std::size_t j = 0; j <= k; ++j) {
    const Mat3& m = R_t[j];
    const Vec3& w = u[k - j].w;
    sum = sum + Mat3{cross(m.c0, w), cross(m.c1, w), cross(m.c2, w)};
  }
  R_t[k + 1] = (1 / static_cast<double>(k + 1)) * sum;
}
void PoseSeries::extend_position(std::size_t k) {
  Vec3 sum;
  for (std::size_t j = 0; j <= k; ++j) sum += transpose_times(R_t[j], u[k - j].v);
  r[k + 1] = sum / static_cast<double>(k + 1);
}

ScrewSeries::ScrewSeries(int screws, std::size_t length)
    : n_(static_cast<std::size_t>(screws)),
      length_(length),
      terms_(14 + length / 2),
      y_(terms_ * length),
      f_(4 * length),
      a_(length),
      b_(4 * n_ * length),
      levels_(most_halvings + 1, Level{std::vector<Twist>(n_ * length),
                                       std::vector<Vec3>(n_ * length), PoseSeries(length)}) {
  for (int n = 1; n <= 4; ++n)
    for (std::size_t m = 0; m < terms_; ++m) f_factor_.push_back(factor(m, n));
}

/// (5) and (6) at a = x / 2^s.
void ScrewSeries::reduced(std::size_t k, const Twist* Z) {
  double square = 0;
  for (std::size_t j = 0; j <= k; ++j) square += dot(a_[j].w, a_[k - j].w);
  y_[k] = k == 0 ? 1 : 0;
  double* z = &y_[length_];
  z[k] = square;
  for (std::size_t m = 2; m < terms_; ++m) {
    const double* before = &y_[(m - 1) * length_];
    double sum = 0;
    for (std::size_t j = 0; j <= k; ++j) sum += z[j] * before[k - j];
    y_[m * length_ + k] = sum;
  }
  for (std::size_t n = 0; n < 4; ++n) {
    double sum = 0;
    for (std::size_t m = terms_; m-- > 0;) sum += f_factor_[n * terms_ + m] * y_[m * length_ + k];
    f_[n * length_ + k] = n % 2 == 0 ? -sum : sum;
  }
  for (std::size_t c = 0; c < n_; ++c) {
    Twist* b = &b_[4 * length_ * c];
    b[k] = ad(a_[k], Z[c]);
    for (std::size_t m = 1; m < 4; ++m) {
      Twist sum;
      for (std::size_t j = 0; j <= k; ++j) sum += ad(a_[j], b[(m - 1) * length_ + k - j]);
      b[m * length_ + k] = sum;
    }
    Twist X = k == 0 ? Z[c] : Twist{};
    for (std::size_t m = 0; m < 4; ++m)
      for (std::size_t j = 0; j <= k; ++j) X += f_[m * length_ + j] * b[m * length_ + k - j];
    levels_[0].X[k * n_ + c] = X;
  }
}

/// (7), E of `from` known up to k.
void ScrewSeries::doubled(std::size_t k, Level& from, Level& to) const {
  const PoseSeries& E = from.E;
  for (std::size_t c = 0; c < n_; ++c) {
    const std::size_t at = k * n_ + c;
    from.moved[at] = from.X[at].v;
    for (std::size_t j = 0; j <= k; ++j)
      from.moved[at] -= cross(E.r[j], from.X[(k - j) * n_ + c].w);
    Twist sum = from.X[at];
    for (std::size_t j = 0; j <= k; ++j) {
      sum.w += E.R_t[j] * from.X[(k - j) * n_ + c].w;
      sum.v += E.R_t[j] * from.moved[(k - j) * n_ + c];
    }
    to.X[at] = 0.5 * sum;
  }
}

void ScrewSeries::start(const Twist& x, const Twist* Z) {
  double angle = norm(x.w);
  if (!(angle < lost_angle))
    throw StateError("q turns it by " + to_short_text(angle) +
                     " rad, in which derivatives are lost; bring it below 1e8 rad");
  level_ = 0;
  while (angle > most_angle) angle /= 2, ++level_;
  double part = std::ldexp(1.0, -static_cast<int>(level_));
  a_[0] = part * x;
  reduced(0, Z);
  for (std::size_t l = 0; l < level_; ++l, part *= 2) {
    const SE3 E = exp(part * x);
    levels_[l].E.R_t[0] = transpose(E.R.matrix());
    levels_[l].E.r[0] = E.r;
    doubled(0, levels_[l], levels_[l + 1]);
  }
}

void ScrewSeries::extend(std::size_t k, const Twist& x, const Twist* Z, const double* v,
                         std::size_t stride) {
  double part = std::ldexp(1.0, -static_cast<int>(level_));
  a_[k] = part * x;
  reduced(k, Z);
  for (std::size_t l = 0; l < level_; ++l, part *= 2) {
    Level& level = levels_[l];
    Twist u;
    for (std::size_t j = 0; j < k; ++j)
      for (std::size_t c = 0; c < n_; ++c) u += v[(k - 1 - j) * stride + c] * level.X[j * n_ + c];
    level.E.u[k - 1] = part * u;
    level.E.extend_rotation(k - 1);
    level.E.extend_position(k - 1);
    doubled(k, level, levels_[l + 1]);
  }
}

LinkSeries::LinkSeries(const Model& model, const Link& link, std::size_t length)
    : along_z_(one_screw(link.motion)),
      turns_(one_angle(link.motion)),
      slides_(links::slides_along_z(link)),
      shifts_(moves_origin(link)),
      turning_(links::screws_turn(link)),
      n_(static_cast<std::size_t>(link.nv)),
      X_((turning_ ? length : 1) * n_) {
  if (turns_about_z()) c_.resize(length), s_.resize(length);
  if (slides_along_z()) d_.resize(length);
  if (!along_z()) T_ = PoseSeries(length);
  if (is_exponential(link)) exponential_.emplace_back(link.nv, length);
  if (!turning_)
    for (std::size_t c = 0; c < n_; ++c)
      X_[c] = screw_of(model, link, nullptr, static_cast<int>(c));
}

void LinkSeries::start(const Model& model, const Link& link, const double* q) {
  T_0_ = along_z() ? exp(q[0] * X_[0]) : group_motion(model, link, q);
  if (turns_about_z()) c_[0] = std::cos(q[0]), s_[0] = std::sin(q[0]);
  if (slides_along_z()) d_[0] = T_0_.r.z;
  if (along_z()) return;
  T_.R_t[0] = transpose(T_0_.R.matrix());
  T_.r[0] = T_0_.r;
  if (is_exponential(link)) try {
      exponential_[0].start(combine(model, link, q), screws_of(model, link));
    } catch (const StateError& error) {
      throw StateError("joint '" + model.joint_of_v(link.v_index).name + "': " + error.what());
    }
  if (turning_) extend_screws(model, link, nullptr, 0, 0);
}

/// Coefficient k of X; v up to k - 1.
void LinkSeries::extend_screws(const Model& model, const Link& link, const double* v,
                               std::size_t stride, std::size_t k) {
  if (has_position_axes(link)) {
    for (int c = 0; c < 6; ++c) {
      Vec3 e;
      e[c % 3] = 1;
      X_[k * 6 + static_cast<std::size_t>(c)] =
          c < 3 ? Twist{k == 0 ? e : Vec3{}, {}} : Twist{{}, T_.R_t[k] * (link.Q * e)};
    }
    return;
  }
  if (k > 0) {
    const Twist x = (1 / static_cast<double>(k)) * combine(model, link, v + (k - 1) * stride);
    exponential_[0].extend(k, x, screws_of(model, link), v, stride);
  }
  for (std::size_t c = 0; c < n_; ++c) X_[k * n_ + c] = exponential_[0].X(k, c);
}

void LinkSeries::extend(const Model& model, const Link& link, const double* v, std::size_t stride,
                        std::size_t k) {
  const double next = static_cast<double>(k + 1);
  if (turns_about_z()) {
    double cosine = 0, sine = 0;
    for (std::size_t j = 0; j <= k; ++j) {
      const double rate = v[(k - j) * stride];
      cosine -= s_[j] * rate;
      sine += c_[j] * rate;
    }
    c_[k + 1] = cosine / next, s_[k + 1] = sine / next;
  }
  if (slides_along_z()) d_[k + 1] = X_[0].v.z * v[k * stride] / next;
  if (along_z()) return;
  Twist u;
  for (std::size_t j = turning_ ? 0 : k; j <= k; ++j)
    for (std::size_t c = 0; c < n_; ++c) u += v[j * stride + c] * X_[(k - j) * n_ + c];
  T_.u[k] = u;
  T_.extend_rotation(k);
  if (has_position_axes(link))
    T_.r[k + 1] = link.Q * vec3_at(v + k * stride + 3) / next;
  else if (shifts())
    T_.extend_position(k);
  if (turning_) extend_screws(model, link, v, stride, k + 1);
}

}  // namespace chasles::links
