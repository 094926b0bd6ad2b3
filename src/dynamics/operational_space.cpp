#include "chasles/dynamics/operational_space.hpp"

#include <limits>

#include "chasles/screws/representation.hpp"
#include "dynamics/articulated_factors.hpp"
#include "model/model_data.hpp"

namespace chasles {

using namespace dynamics;

void inverse_operational_space_inertia(const MassFactorization& M, const Frame& frame,
                                       Representation rep, Matrix6Ref Lambda_inv) {
  const Model& model = M.model();
  require_frame(frame, model);
  lie::require_known(rep);
  M.require_ready();
  const std::vector<Wrench>& G = M.G();
  Lambda_inv.setZero();
  if (frame.link < 0) return;
  const auto last = static_cast<std::size_t>(frame.link);
  const SE3 C = M.C_[last] * frame.offset;
  const Vec3 way = C.r - M.C_[last].r;
  Wrench F[6];  // of (2), in world axes at the origin of the link
  for (std::size_t j = 0; j < 6; ++j) {
    std::array<double, 6> unit{};
    unit[j] = 1;
    const Wrench W =
        lie::convert(lie::from_coordinates<Wrench>(unit), C, rep, Representation::hybrid);
    F[j] = {W.t + cross(way, W.f), W.f};
  }
  for_links_inward_from(model, last, [&](const Link& link, std::size_t i) {
    double Y[6][6], X[6][6];  // by columns: Y_i, and D_i^-1 Y_i
    const Vec3 d = link.parent < 0 ? Vec3{} : M.C_[i].r - M.C_[parent_of(link)].r;
    for (int j = 0; j < 6; ++j) {
      Wrench left = F[j];
      for (int a = 0; a < link.nv; ++a) {
        const auto k = static_cast<std::size_t>(link.v_index + a);
        X[j][a] = Y[j][a] = dot(F[j], M.H_[k]);
        left -= Y[j][a] * G[k];
      }
      M.solve_joint(link, i, X[j]);
      F[j] = {left.t + cross(d, left.f), left.f};
      for (int b = 0; b <= j; ++b)
        for (int a = 0; a < link.nv; ++a) Lambda_inv(j, b) += X[j][a] * Y[b][a];
    }
  });
  for (int j = 0; j < 6; ++j)
    for (int b = 0; b < j; ++b) Lambda_inv(b, j) = Lambda_inv(j, b);
}

void invert_operational_space(Matrix6Ref A) {
  double factors[36], least[6];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) factors[6 * i + j] = A(i, j);
    least[i] = 64 * std::numeric_limits<double>::epsilon() * A(i, i);  // the rounding of (1)
  }
  if (const int pivot = ldl_factor(factors, 6, least); pivot >= 0)
    throw SingularError(
        "the operational-space inertia does not exist: the joints do not move the frame in all six "
        "directions here (direction " +
        std::to_string(pivot) +
        " depends on those before it); take rows and columns of inverse_operational_space_inertia "
        "for the directions in which it moves, and invert these");
  A.setZero();
  for (int j = 0; j < 6; ++j) {
    double column[6] = {};
    column[j] = 1;
    ldl_solve(factors, 6, column);
    for (int i = 0; i < 6; ++i) A(i, j) = column[i];
  }
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < j; ++i) A(i, j) = A(j, i) = (A(i, j) + A(j, i)) / 2;
}

void operational_space_inertia(const MassFactorization& M, const Frame& frame, Representation rep,
                               Matrix6Ref Lambda) {
  inverse_operational_space_inertia(M, frame, rep, Lambda);
  invert_operational_space(Lambda);
}

}  // namespace chasles
