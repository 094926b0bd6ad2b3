#include "chasles/textbook/regressor.hpp"

#include <algorithm>
#include <random>

#include "chasles/kinematics/system_jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "math/decompositions.hpp"

namespace chasles::textbook {
namespace {

Eigen::Index columns_of(const Model& model) {
  return 10 * static_cast<Eigen::Index>(model.bodies().size());
}

/// Calls each(body, column, M) for every parameter of every moving body, M being the inertia with this
/// parameter one and all others zero.
template <class Each>
void for_parameters(const Model& model, const Each& each) {
  for (const int b : moving_bodies(model))
    for (std::size_t j = 0; j < 10; ++j) {
      std::array<double, 10> unit{};
      unit[j] = 1;
      each(model.bodies()[static_cast<std::size_t>(b)], 10 * b + static_cast<int>(j),
           inertia_from_parameters(unit));
    }
}

Vector random_vector(int size, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  return Eigen::VectorXd::NullaryExpr(size, [&] { return normal(generator); });
}
Vector random_configuration(const Model& model, std::mt19937_64& generator) {
  Vector q = random_vector(model.nq(), generator);
  for (const ModelJoint& joint : model.joints())
    for (const JointCoordinate& c : joint.coordinates)
      if (c.kind == CoordinateKind::quaternion) q.segment<4>(c.q_index).normalize();
  return q;
}

/// Y at random states, stacked.
Matrix stacked_regressor(const Model& model, int states, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  AccelerationKinematics kin(model);
  const Eigen::Index nv = model.nv();
  Matrix Y(states * nv, columns_of(model));
  for (Eigen::Index s = 0; s < states; ++s) {
    const Vector q = random_configuration(model, generator),
                 v = random_vector(model.nv(), generator),
                 vd = random_vector(model.nv(), generator);
    forward_kinematics(model, q, v, vd, kin);
    Y.middleRows(s * nv, nv) = torque_regressor(model, kin);
  }
  return Y;
}

}  // namespace

Matrix torque_regressor(const Model& model, const AccelerationKinematics& kin) {
  Matrix Y = Eigen::MatrixXd::Zero(model.nv(), columns_of(model));
  Matrix6X J(6, model.nv());
  Twist V, A;
  for_parameters(model, [&](const ModelBody& body, int column, const Inertia& M) {
    if (column % 10 == 0) {
      jacobian(model, kin, body.frame, Representation::body, J);
      V = twist(kin, body.frame, Representation::body);
      A = acceleration(kin, body.frame, Representation::body);
      A.v -= inverse_times(pose(kin, body.frame).R, model.gravity());
    }
    Y.col(column) = J.transpose() * to_eigen(newton_euler(M, V, A));
  });
  return Y;
}

Vector kinetic_energy_regressor(const Model& model, const VelocityKinematics& kin) {
  Vector y = Eigen::VectorXd::Zero(columns_of(model));
  for_parameters(model, [&](const ModelBody& body, int column, const Inertia& M) {
    y[column] = kinetic_energy(M, twist(kin, body.frame, Representation::body));
  });
  return y;
}

Vector potential_energy_regressor(const Model& model, const PositionKinematics& kin) {
  Vector y = Eigen::VectorXd::Zero(columns_of(model));
  for_parameters(model, [&](const ModelBody& body, int column, const Inertia& M) {
    const SE3 C = pose(kin, body.frame);
    y[column] = -dot(model.gravity(), C.R * M.mc + M.m * C.r);
  });
  return y;
}

BaseParameters base_parameters(const Model& model, const BaseParameterOptions& options) {
  BaseParameters base;
  const auto n = static_cast<int>(columns_of(model));
  if (model.nv() == 0) {
    for (int k = 0; k < n; ++k) base.dependent.push_back(k);
    base.K.resize(0, n);
    return base;
  }
  const int states = options.states > 0 ? options.states : 10 * n / model.nv() + 10;
  const Matrix Y = stacked_regressor(model, states, options.seed);
  const PivotedQr qr = pivoted_qr(Y, options.tolerance);
  const int rank = qr.rank;

  // Y P = Q [R1 R2; 0 0]: the dependent columns are the independent ones times R1^-1 R2.
  const Eigen::MatrixXd K = qr.combinations(rank);
  std::vector<Eigen::Index> frame(
      static_cast<std::size_t>(n));  // position of each column of Y in the order
  for (Eigen::Index k = 0; k < n; ++k) frame[static_cast<std::size_t>(qr.order[k])] = k;
  for (int k = 0; k < n; ++k)
    (frame[static_cast<std::size_t>(k)] < rank ? base.independent : base.dependent).push_back(k);
  base.K.resize(rank, n - rank);
  for (Eigen::Index i = 0; i < base.K.rows(); ++i)
    for (Eigen::Index j = 0; j < base.K.cols(); ++j) {
      const int row = base.independent[static_cast<std::size_t>(i)];
      const int column = base.dependent[static_cast<std::size_t>(j)];
      base.K(i, j) =
          K(frame[static_cast<std::size_t>(row)], frame[static_cast<std::size_t>(column)] - rank);
    }
  return base;
}

Vector BaseParameters::values(ConstVectorRef pi) const {
  require_size("pi", static_cast<std::size_t>(pi.size()),
               static_cast<int>(independent.size() + dependent.size()));
  return Vector(pi(independent)) + K * Vector(pi(dependent));
}

Matrix BaseParameters::columns(const Matrix& Y) const { return Y(Eigen::all, independent); }

}  // namespace chasles::textbook
