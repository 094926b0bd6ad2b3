#include "chasles/textbook/closed_form.hpp"

#include "chasles/kinematics/system.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/textbook/newton_euler.hpp"
#include "dynamics/links.hpp"

namespace chasles::textbook {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Calls each(body, J) for the bodies that move, with their Jacobians.
template <class Each>
void for_bodies(const Model& model, const PositionKinematics& kin, Representation rep,
                const Each& each) {
  Matrix6X J(6, model.nv());
  for (const int b : moving_bodies(model)) {
    const ModelBody& body = model.bodies()[static_cast<std::size_t>(b)];
    jacobian(model, kin, body.place, rep, J);
    each(body, J);
  }
}

/// What (3), (5) and (6) are made of, body-fixed.
struct BodyTerms {
  const Matrix6X& J;
  Matrix6X J_rate;
  Matrix6 M, Q, b;
};
template <class Each>
void for_body_terms(const Model& model, const VelocityKinematics& kin, const Each& each) {
  for_bodies(model, kin, Representation::body, [&](const ModelBody& body, const Matrix6X& J) {
    const Twist V = twist(kin, body.place, Representation::body);
    const Wrench Pi = body.inertia * V;
    BodyTerms terms{J, Matrix6X(6, model.nv()), to_eigen(lie::matrix(body.inertia)),
                    Matrix6::Zero(), to_eigen(lie::ad_matrix(V))};
    terms.Q.topLeftCorner<3, 3>() = to_eigen(hat(Pi.t));
    terms.Q.topRightCorner<3, 3>() = terms.Q.bottomLeftCorner<3, 3>() = to_eigen(hat(Pi.f));
    jacobian_rate(model, kin, body.place, Representation::body, terms.J_rate);
    each(terms);
  });
}
Matrix square_zero(const Model& model) {
  return Eigen::MatrixXd::Zero(model.nv(), model.nv());
}

}  // namespace

Vector projection_equations(const Model& model, const AccelerationKinematics& kin,
                                     Representation rep, AppliedWrenches applied) {
  Vector Q = -applied_forces(model, kin, applied);
  for_bodies(model, kin, rep, [&](const ModelBody& body, const Matrix6X& J) {
    const SE3 C = pose(kin, body.place);
    Twist A = acceleration(kin, body.place, rep);
    A.v -= rep == Representation::body ? inverse_times(C.R, model.gravity()) : model.gravity();
    Q += J.transpose() *
         to_eigen(newton_euler(body.inertia, C, twist(kin, body.place, rep), A, rep));
  });
  return Q;
}

Matrix projected_mass_matrix(const Model& model, const PositionKinematics& kin,
                                      Representation rep) {
  Matrix M = square_zero(model);
  for_bodies(model, kin, rep, [&](const ModelBody& body, const Matrix6X& J) {
    M +=
        J.transpose() * to_eigen(lie::inertia_matrix(body.inertia, pose(kin, body.place), rep)) * J;
  });
  return M;
}

Matrix mass_matrix_rate(const Model& model, const VelocityKinematics& kin) {
  Matrix half = square_zero(model);
  for_body_terms(model, kin, [&](const BodyTerms& i) { half += i.J.transpose() * i.M * i.J_rate; });
  return half + half.transpose();
}

Matrix coriolis_matrix(const Model& model, const VelocityKinematics& kin) {
  Matrix C = square_zero(model);
  for_body_terms(model, kin,
                 [&](const BodyTerms& i) { C += i.J.transpose() * (i.M * i.J_rate - i.Q * i.J); });
  return C;
}

Matrix christoffel_matrix(const Model& model, const VelocityKinematics& kin) {
  Matrix C = square_zero(model);
  for_body_terms(model, kin, [&](const BodyTerms& i) {
    C += i.J.transpose() * (i.M * i.J_rate + 0.5 * (i.M * i.b - i.b.transpose() * i.M - i.Q) * i.J);
  });
  return C;
}

Vector coriolis_forces(const Model& model, const VelocityKinematics& kin) {
  return coriolis_matrix(model, kin) * kin.v();
}

Vector gravity_forces(const Model& model, const PositionKinematics& kin) {
  Vector g = Eigen::VectorXd::Zero(model.nv());
  for_bodies(model, kin, Representation::hybrid, [&](const ModelBody& body, const Matrix6X& J) {
    const SE3 C = pose(kin, body.place);
    const Vec3& fall = model.gravity();
    g -=
        J.transpose() * to_eigen(Wrench{cross(C.R * body.inertia.mc, fall), body.inertia.m * fall});
  });
  return g;
}

Vector applied_forces(const Model& model, const PositionKinematics& kin,
                               AppliedWrenches applied) {
  Vector Q = Eigen::VectorXd::Zero(model.nv());
  Matrix6X J(6, model.nv());
  for (const AppliedWrench& a : applied) {
    jacobian(model, kin, a.place, a.representation, J);
    Q += J.transpose() * to_eigen(a.W);
  }
  return Q;
}

Vector bias(const Model& model, const VelocityKinematics& kin) {
  return coriolis_forces(model, kin) + gravity_forces(model, kin);
}

}  // namespace chasles::textbook
