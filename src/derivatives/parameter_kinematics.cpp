/// (8) and (9) of parameters.hpp.
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "derivatives/parameter_change.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// Converts a twist in the frame of a link to hybrid form at a frame with origin r.
Twist at_frame(const PositionKinematics& kin, int link, const Vec3& r, const Twist& X) {
  const SE3& C = kin.C()[static_cast<std::size_t>(link)];
  const Vec3 w = C.R * X.w;
  return {w, C.R * X.v + cross(w, r - C.r)};
}

/// (9) for a column J of link i, all hybrid at the frame.
/// @param eta  displacement of the link, as a twist of the frame
/// @param rho  additional displacement of the frame
/// @param dX   change of the screw in the link
Twist column_sensitivity(const Twist& J, const Twist& eta, const Twist& rho, const Twist& dX,
                         const SE3& C, Representation rep) {
  if (rep == Representation::spatial) {
    const auto spatial = [&](const Twist& X) {
      return lie::convert(X, C, Representation::hybrid, rep);
    };
    return ad(spatial(eta), spatial(J)) + spatial(dX);
  }
  const Vec3 lever = cross(J.w, rho.v);
  const Twist hybrid{cross(eta.w, J.w) + dX.w, cross(eta.w, J.v) + lever + dX.v},
      turning{cross(J.w, rho.w) + dX.w, cross(J.v, rho.w) + lever + dX.v};  // in body axes
  switch (rep) {
    case Representation::body:
      return {inverse_times(C.R, turning.w), inverse_times(C.R, turning.v)};
    case Representation::mixed:
      return {inverse_times(C.R, turning.w), hybrid.v};
    default:
      return hybrid;
  }
}

}  // namespace

void pose_sensitivity(const Model& model, const PositionKinematics& kin, const Frame& frame,
                      Representation rep, std::span<const Parameter> parameters, Matrix6XRef out) {
  require_model("the kinematics", kin.model(), model);
  require_size("out, by columns,", static_cast<std::size_t>(out.cols()),
               static_cast<int>(parameters.size()));
  lie::require_known(rep);
  const SE3 C = pose(kin, frame);
  Eigen::Index column = 0;
  for (const Parameter& parameter : parameters) {
    require_parameter(model, parameter);
    Twist eta;
    for (const LinkChange& change : change_of(model, parameter, kin.q().data(), nullptr, nullptr))
      if (dynamics::carries(model, change.link, frame.link))
        eta += at_frame(kin, change.link, C.r, change.delta);
    out.col(column++) = to_eigen(lie::convert(eta, C, Representation::hybrid, rep));
  }
}

void jacobian_sensitivity(const Model& model, const PositionKinematics& kin, const Frame& frame,
                          Representation rep, const Parameter& parameter, Matrix6XRef out) {
  require_parameter(model, parameter);
  lie::require_known(rep);
  jacobian(model, kin, frame, Representation::hybrid, out);
  const SE3 C = pose(kin, frame);
  const ParameterChange changes = change_of(model, parameter, kin.q().data(), nullptr, nullptr);
  for (int i = frame.link; i >= 0; i = tree_links(model)[static_cast<std::size_t>(i)].parent) {
    const Link& link = tree_links(model)[static_cast<std::size_t>(i)];
    Twist eta, rho;
    const LinkChange* own = nullptr;
    for (const LinkChange& change : changes) {
      if (!dynamics::carries(model, change.link, frame.link)) continue;
      (change.link <= i ? eta : rho) += at_frame(kin, change.link, C.r, change.delta);
      if (change.link == i) own = &change;
    }
    for (int k = 0; k < link.nv; ++k) {
      const Twist dX = own ? at_frame(kin, i, C.r, own->dX[static_cast<std::size_t>(k)]) : Twist{};
      auto column = out.col(link.v_index + k);
      column = to_eigen(column_sensitivity(from_eigen<Twist>(column), eta, rho, dX, C, rep));
    }
  }
}

}  // namespace chasles
