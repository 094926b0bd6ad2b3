/// All workspaces of the library, each with a call that uses it, for tests of what their headers promise: no allocation,
/// one per thread, how work grows. A row for each class that says "workspace".
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/derivatives/parameters.hpp"
#include "chasles/derivatives/products.hpp"
#include "chasles/derivatives/second_order.hpp"
#include "chasles/derivatives/time_derivatives.hpp"
#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/centroidal.hpp"
#include "chasles/dynamics/coriolis.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/factorization.hpp"
#include "chasles/dynamics/joint_reactions.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/dynamics/momentum.hpp"
#include "chasles/dynamics/operational_space.hpp"
#include "chasles/dynamics/regressor.hpp"
#include "chasles/kinematics/higher_order.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/systems/mechanism_state.hpp"
#include "chasles/textbook/closed_form.hpp"
#include "chasles/textbook/composite.hpp"
#include "chasles/textbook/hamiltonian.hpp"
#include "chasles/textbook/linearized.hpp"
#include "chasles/textbook/recursive.hpp"
#include "chasles/textbook/time_derivatives.hpp"
#include "model/model_data.hpp"

namespace house {

using namespace chasles;

/// A mechanism at a state: arguments of all calls. x is given; y, z and u are written.
struct At {
  Model model;
  Vector q, v, a, x, y, z, u;
  Frame last;
  AccelerationKinematics kin;
  explicit At(const Model& of)
      : model(of),
        q(of.neutral()),
        v(of.nv()),
        a(of.nv()),
        x(of.nv()),
        y(of.nv()),
        z(of.nv()),
        u(of.nv()),
        last(of.bodies().back().frame),
        kin(of) {
    for (Eigen::Index k = 0; k < of.nv(); ++k) {
      const double phase = static_cast<double>(k);
      v[k] = std::cos(phase), a[k] = std::sin(2 * phase), x[k] = 0.3 * std::sin(phase);
    }
    plus(model, of.neutral(), x, q);
    forward_kinematics(model, q, v, a, kin);
  }
};

/// How work grows: with the length of a chain; with the number of arms that are equally long; with the square of
/// the length of a chain; none: it is not promised.
enum class Growth { linear, arms, square, none };

/// Makes a workspace and gives the call; the call gives a number that depends on its results.
using Call = std::function<double()>;
struct Row {
  const char* name;
  Growth growth;
  std::function<Call(std::shared_ptr<At>)> make;
  bool allocates = false;  // as its header says, or does not deny
};

template <class Work>
std::function<Call(std::shared_ptr<At>)> with(double (*call)(At&, Work&)) {
  return [call](std::shared_ptr<At> at) -> Call {
    auto work = std::make_shared<Work>(at->model);
    return [=] { return call(*at, *work); };
  };
}

inline std::vector<Row> fast_rows() {
  using enum Growth;
  return {
      {"positions", linear, with<PositionKinematics>([](At& s, auto& w) {
         return forward_kinematics(s.model, s.q, w), pose(w, s.last).r.x;
       })},
      {"accelerations", linear, with<AccelerationKinematics>([](At& s, auto& w) {
         return forward_kinematics(s.model, s.q, s.v, s.a, w),
                acceleration(w, s.last, Representation::body).v.x;
       })},
      {"frame_jacobian", linear, with<FrameJacobian>([](At& s, auto& w) {
         return jacobian(s.model, s.q, s.last, Representation::hybrid, w).sum();
       })},
      {"center_of_mass_jacobian", linear, with<CenterOfMassJacobian>([](At& s, auto& w) {
         return center_of_mass_jacobian(s.model, s.kin, w), w.J.sum();
       })},
      {"twist_derivatives", linear,
       [](std::shared_ptr<At> s) -> Call {
         auto work = std::make_shared<TwistDerivatives>(s->model, 3);
         auto rates = std::make_shared<Matrix>(s->model.nv(), 3);
         rates->setConstant(0.1);
         return [=] {
           twist_derivatives(s->model, s->q, *rates, s->last, Representation::body, *work);
           return work->V[2].v.x;
         };
       }},
      {"inverse_dynamics", linear, with<InverseDynamics>([](At& s, auto& w) {
         return inverse_dynamics(s.model, s.q, s.v, s.a, w).sum();
       })},
      {"forward_dynamics", linear, with<ForwardDynamics>([](At& s, auto& w) {
         return forward_dynamics(s.model, s.q, s.v, s.a, w).sum();
       })},
      {"mass_times", linear, with<MomentumDynamics>([](At& s, auto& w) {
         return mass_times(s.model, s.kin, s.x, s.y, w), s.y.sum();
       })},
      {"momentum_rate", linear, with<MomentumDynamics>([](At& s, auto& w) {
         return momentum_rate(s.model, s.kin, s.x, s.y, w), s.y.sum();
       })},
      {"MassFactorization", linear, with<MassFactorization>([](At& s, auto& w) {
         return w.factorize(s.model, s.kin), w.solve(s.x, s.y), s.y.sum();
       })},
      {"joint_reactions", linear, with<JointReactions>([](At& s, auto& w) {
         return joint_reactions(s.model, s.kin, Representation::body, w).back().f.x;
       })},
      {"inverse_operational_space_inertia", linear,
       [](std::shared_ptr<At> s) -> Call {
         auto M = std::make_shared<MassFactorization>(s->model);
         auto Lambda_inv = std::make_shared<Matrix>(6, 6);
         return [=] {
           M->factorize(s->model, s->kin);
           inverse_operational_space_inertia(*M, s->last, Representation::hybrid, *Lambda_inv);
           return Lambda_inv->sum();
         };
       }},
      {"centroidal_momentum_matrix", linear, with<CentroidalMomentum>([](At& s, auto& w) {
         return centroidal_momentum_matrix(s.model, s.q, s.v, w).sum();
       })},
      {"centroidal_momentum_matrix", linear, with<CentroidalMomentumMatrix>([](At& s, auto& w) {
         return centroidal_momentum_matrix(s.model, s.kin, w).sum();
       })},
      {"mass_matrix", arms,
       with<MassMatrix>([](At& s, auto& w) { return mass_matrix(s.model, s.q, w)(0, 0); })},
      {"coriolis_matrix", arms, with<CoriolisMatrix>([](At& s, auto& w) {
         return coriolis_matrix(s.model, s.q, s.v, w)(0, 0);
       })},
      {"mass_matrix_inverse", square, with<MassMatrixInverse>([](At& s, auto& w) {
         return mass_matrix_inverse(s.model, s.q, w)(0, 0);
       })},
      {"torque_regressor", none, with<TorqueRegressor>([](At& s, auto& w) {
         return torque_regressor(s.model, s.q, s.v, s.a, w).sum();
       })},
      {"Batch", none,
       [](std::shared_ptr<At> s) -> Call {
         auto work = std::make_shared<Batch<double>>(s->model);
         const auto nv = static_cast<std::size_t>(s->model.nv()),
                    nq = static_cast<std::size_t>(s->model.nq());
         return [=] {
           work->inverse_dynamics(1, {s->q.data(), nq}, {s->v.data(), nv}, {s->a.data(), nv},
                                  {s->y.data(), nv});
           return s->y.sum();
         };
       }},
      {"MechanismState", none, with<MechanismState>([](At& s, auto& w) {
         w.set(0, s.q, s.v);
         return w.acceleration(s.y), s.y.sum();
       })},
      {"Evaluation", none,
       [](std::shared_ptr<At> s) -> Call {
         const std::string names[] = {"com", "energy"};
         auto work = std::make_shared<Evaluation>(s->model, names, QuantitySource::state);
         auto moment = std::make_shared<EvaluationState>(s->model);
         return [=] {
           moment->q = s->q, moment->v = s->v;
           work->at(*moment);
           return work->values()[0].sum() + work->values()[1].sum();
         };
       }},
  };
}

inline std::vector<Row> derivative_rows() {
  using enum Growth;
  return {
      {"d_inverse_dynamics", arms, with<InverseDynamicsDerivatives>([](At& s, auto& w) {
         return d_inverse_dynamics(s.model, s.q, s.v, s.a, w).dq()(0, 0);
       })},
      {"d_forward_dynamics", square, with<ForwardDynamicsDerivatives>([](At& s, auto& w) {
         return d_forward_dynamics(s.model, s.q, s.v, s.a, w).dq()(0, 0);
       })},
      {"d_inverse_dynamics_times", linear, with<InverseDynamicsProducts>([](At& s, auto& w) {
         const double sum =
             d_inverse_dynamics_times(s.model, s.q, s.v, s.a, s.x, s.x, s.x, w).sum();
         return d_inverse_dynamics_transposed_times(s.model, s.q, s.v, s.a, s.x, w), sum;
       })},
      {"d_forward_dynamics_times", linear, with<ForwardDynamicsProducts>([](At& s, auto& w) {
         const double sum =
             d_forward_dynamics_times(s.model, s.q, s.v, s.a, s.x, s.x, s.x, w).sum();
         return d_forward_dynamics_transposed_times(s.model, s.q, s.v, s.a, s.x, w), sum;
       })},
      {"forward_dynamics_derivatives", linear,
       [](std::shared_ptr<At> s) -> Call {
         auto work = std::make_shared<TimeDerivatives>(s->model, 2);
         return
             [=] { return forward_dynamics_derivatives(s->model, s->q, s->v, s->a, *work).sum(); };
       }},
      {"force_sensitivity", linear,
       [](std::shared_ptr<At> s) -> Call {
         const Parameter mass = parameter(s->model, s->model.bodies().front().name, "m");
         auto work = std::make_shared<ForceSensitivity>(s->model, std::span(&mass, 1));
         return [=] { return force_sensitivity(s->model, s->q, s->v, s->a, *work).sum(); };
       }},
      {"d_inverse_dynamics_along", none,
       [](std::shared_ptr<At> s) -> Call {
         auto work = std::make_shared<DirectionalDerivatives>(s->model);
         auto direction = std::make_shared<Direction>(Direction{s->x, s->x, s->x});
         return [=] {
           return d_inverse_dynamics_along(s->model, s->q, s->v, s->a, *direction, *work)
               .dq()(0, 0);
         };
       },
       true},
      {"d2_inverse_dynamics_contracted", square, with<ContractedDerivatives>([](At& s, auto& w) {
         return d2_inverse_dynamics_contracted(s.model, s.q, s.v, s.a, s.x, w).qq()(0, 0);
       })},
  };
}

inline std::vector<Row> textbook_rows() {
  using enum Growth;
  using namespace textbook;
  return {
      {"textbook::inverse_dynamics", linear, with<RecursiveDynamics>([](At& s, auto& w) {
         return textbook::inverse_dynamics(s.model, s.kin, s.a, Representation::body, w).sum();
       })},
      {"textbook::forward_dynamics", linear, with<RecursiveDynamics>([](At& s, auto& w) {
         return textbook::forward_dynamics(s.model, s.kin, s.a, Representation::body, w).sum();
       })},
      {"textbook::inverse_dynamics_rates", linear, with<InverseDynamicsRates>([](At& s, auto& w) {
         return inverse_dynamics_rates(s.model, s.kin, s.a, s.x, s.x, Representation::body, w),
                w.Q_ddot.sum();
       })},
      {"textbook::hamiltonian_dynamics", linear, with<HamiltonianDynamics>([](At& s, auto& w) {
         hamiltonian_dynamics(s.model, s.kin, s.x, s.a, w);
         return generalized_momenta(s.model, s.kin, s.y, w), w.p_dot.sum() + s.y.sum();
       })},
      {"textbook::Factorization", linear, with<Factorization>([](At& s, auto& w) {
         return factorize(s.model, s.kin, w), w.solve(s.x, s.y), s.y.sum();
       })},
      {"textbook::inverse_operational_space_inertias", linear,
       [](std::shared_ptr<At> s) -> Call {
         auto factors = std::make_shared<Factorization>(s->model);
         auto Ups = std::make_shared<std::vector<Matrix6>>(tree_links(s->model).size());
         factorize(s->model, s->kin, *factors);
         return [=] { return inverse_operational_space_inertias(*factors, *Ups), (*Ups)[0].sum(); };
       }},
      {"textbook::mass_matrix_inverse", square,
       [](std::shared_ptr<At> s) -> Call {
         auto factors = std::make_shared<Factorization>(s->model);
         auto work = std::make_shared<OperatorInverse>(s->model);
         factorize(s->model, s->kin, *factors);
         return [=] { return mass_matrix_inverse(*factors, *work)(0, 0); };
       }},
      {"textbook::mass_matrix", arms, with<CompositeBodies>([](At& s, auto& w) {
         return textbook::mass_matrix(s.model, s.kin, w)(0, 0);
       })},
      {"LinearizedInverseDynamics::along", linear,
       with<LinearizedInverseDynamics>([](At& s, auto& w) {
         linearize(s.model, s.kin, s.a, w), w.along(s.x, s.x, s.x, s.y);
         const double sum = s.y.sum();
         return w.transposed(s.x, s.y, s.z, s.u), sum;
       })},
      {"LinearizedForwardDynamics::along", linear,
       with<LinearizedForwardDynamics>([](At& s, auto& w) {
         linearize(s.model, s.kin, s.a, w), w.along(s.x, s.x, s.x, s.y);
         const double sum = s.y.sum();
         return w.transposed(s.x, s.y, s.z, s.u), sum;
       })},
      {"LinearizedInverseDynamics::matrices", arms,
       [](std::shared_ptr<At> s) -> Call {
         auto linear_ = std::make_shared<LinearizedInverseDynamics>(s->model);
         auto work = std::make_shared<InverseDynamicsMatrices>(s->model);
         linearize(s->model, s->kin, s->a, *linear_);
         return [=] { return linear_->matrices(*work), work->dtau_dq(0, 0); };
       }},
      {"LinearizedForwardDynamics::matrices", square,
       [](std::shared_ptr<At> s) -> Call {
         auto linear_ = std::make_shared<LinearizedForwardDynamics>(s->model);
         auto work = std::make_shared<ForwardDynamicsMatrices>(s->model);
         linearize(s->model, s->kin, s->a, *linear_);
         return [=] { return linear_->matrices(*work), work->da_dq(0, 0); };
       }},
  };
}

inline std::vector<Row> all_rows() {
  std::vector<Row> rows = fast_rows();
  for (const auto& more : {derivative_rows(), textbook_rows()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace house
