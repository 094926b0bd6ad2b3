/// Every public function of kinematics, dynamics, derivatives, textbook and motion that takes or fills
/// vectors, as a row of a table. Laws about arguments run over it: wrong sizes are refused
/// (sizes_test.cpp), results of a workspace may be its arguments (alias_test.cpp).
#pragma once

#include <functional>

#include "chasles/chasles.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/random_mechanism.hpp"

namespace chasles::test {

/// Numbers that belong to others: arguments, and memory of a workspace.
using View = Eigen::Map<Eigen::VectorXd>;
using Arguments = std::vector<View>;
using Results = std::vector<View>;

template <class Derived>
View view(const Eigen::MatrixBase<Derived>& x) {
  return {const_cast<double*>(x.derived().data()), x.size()};
}
inline View view(const Twist& V) { return {const_cast<double*>(&V.w.x), 6}; }
inline View view(const Vec3& a) { return {const_cast<double*>(&a.x), 3}; }

struct Function {
  std::string name;
  /// Of each vector: q, a configuration; v, nv numbers; m, one per constraint equation. Capital letters are
  /// filled by the call.
  std::string shape;
  /// Gives the results that its workspace holds.
  std::function<Results(Arguments&)> call;
};

/// Arguments of the shape, right in size and value.
inline std::vector<Vector> arguments(const std::string& shape, const Model& model, int rows,
                                     std::mt19937_64& generator) {
  std::vector<Vector> all;
  for (const char kind : shape) switch (kind) {
      case 'q':
      case 'Q':
        all.emplace_back(random_configuration(model, generator));
        break;
      case 'v':
      case 'V':
        all.emplace_back(random_vector(model.nv(), generator));
        break;
      default:
        all.emplace_back(random_vector(rows, generator));
    }
  return all;
}

/// Of trees: kinematics, dynamics and derivatives.
inline std::vector<Function> tree_functions(const Model& model) {
  std::vector<Function> list;
  const auto add = [&](std::string name, std::string shape,
                       std::function<Results(Arguments&)> call) {
    list.push_back({std::move(name), std::move(shape), std::move(call)});
  };
  // Workspaces live as long as the calls that hold them.
  const auto made = [&]<class T>(T*, auto&&... more) {
    return std::make_shared<T>(model, more...);
  };
#define CHASLES_MADE(type, ...) made(static_cast<type*>(nullptr) __VA_OPT__(, ) __VA_ARGS__)
  const Frame tip = model.bodies().back().frame;

  const auto p = CHASLES_MADE(PositionKinematics);
  const auto k = CHASLES_MADE(VelocityKinematics);
  const auto a = CHASLES_MADE(AccelerationKinematics);
  add("positions", "q", [=](Arguments& x) -> Results {
    forward_kinematics(model, x[0], *p);
    return {view(p->q())};
  });
  add("velocities", "qv", [=](Arguments& x) -> Results {
    forward_kinematics(model, x[0], x[1], *k);
    return {view(k->q()), view(k->v()), view(k->V_h().back().v)};
  });
  add("accelerations", "qvv", [=](Arguments& x) -> Results {
    forward_kinematics(model, x[0], x[1], x[2], *a);
    return {view(a->q()), view(a->v()), view(a->A_h().back().v)};
  });
  add("plus", "qvQ",
      [=](Arguments& x) -> Results { return plus(model, x[0], x[1], x[2]), Results{}; });
  add("minus", "qqV",
      [=](Arguments& x) -> Results { return minus(model, x[0], x[1], x[2]), Results{}; });
  add("checked_configuration", "q",
      [=](Arguments& x) -> Results { return checked_configuration(model, x[0]), Results{}; });
  const auto J = CHASLES_MADE(FrameJacobian);
  add("frame_jacobian", "q", [=](Arguments& x) -> Results {
    return {view(jacobian(model, x[0], tip, Representation::hybrid, *J))};
  });
  const auto V = CHASLES_MADE(TwistDerivatives, 2);
  add("twist_derivatives", "qvv", [=](Arguments& x) -> Results {
    Matrix rates(x[1].size(), 2);
    rates.col(0) = x[1];
    if (x[2].size() != x[1].size()) throw SizeError("a column", 0, 0);  // not a matrix
    rates.col(1) = x[2];
    twist_derivatives(model, x[0], rates, tip, Representation::hybrid, *V);
    return {view(V->V[1])};
  });

  const auto inverse = CHASLES_MADE(InverseDynamics);
  add("inverse_dynamics", "qvv", [=](Arguments& x) -> Results {
    return {view(inverse_dynamics(model, x[0], x[1], x[2], *inverse))};
  });
  add("bias", "qv",
      [=](Arguments& x) -> Results { return {view(bias(model, x[0], x[1], *inverse))}; });
  add("gravity_forces", "q",
      [=](Arguments& x) -> Results { return {view(gravity_forces(model, x[0], *inverse))}; });
  const auto forward = CHASLES_MADE(ForwardDynamics);
  add("forward_dynamics", "qvv", [=](Arguments& x) -> Results {
    return {view(forward_dynamics(model, x[0], x[1], x[2], *forward))};
  });
  const auto M = CHASLES_MADE(MassMatrix);
  add("mass_matrix", "q",
      [=](Arguments& x) -> Results { return {view(mass_matrix(model, x[0], *M))}; });
  const auto M_inv = CHASLES_MADE(MassMatrixInverse);
  add("mass_matrix_inverse", "q",
      [=](Arguments& x) -> Results { return {view(mass_matrix_inverse(model, x[0], *M_inv))}; });
  const auto C = CHASLES_MADE(CoriolisMatrix);
  add("coriolis_matrix", "qv",
      [=](Arguments& x) -> Results { return {view(coriolis_matrix(model, x[0], x[1], *C))}; });
  const auto A_G = CHASLES_MADE(CentroidalMomentum);
  add("centroidal_momentum_matrix", "qv", [=](Arguments& x) -> Results {
    return {view(centroidal_momentum_matrix(model, x[0], x[1], *A_G)), view(A_G->A_rate)};
  });
  const auto Y = CHASLES_MADE(TorqueRegressor);
  add("torque_regressor", "qvv", [=](Arguments& x) -> Results {
    return {view(torque_regressor(model, x[0], x[1], x[2], *Y))};
  });
  const auto momenta = CHASLES_MADE(MomentumDynamics);
  forward_kinematics(model, model.neutral(), Vector(model.nv()), *k);
  const auto still = std::make_shared<VelocityKinematics>(*k);
  add("mass_times", "vV", [=](Arguments& x) -> Results {
    return mass_times(model, *still, x[0], x[1], *momenta), Results{};
  });
  add("generalized_force", "vV", [=](Arguments& x) -> Results {
    return generalized_force(model, *still, x[0], x[1], *momenta), Results{};
  });
  add("free_momentum_rate", "vVV", [=](Arguments& x) -> Results {
    return free_momentum_rate(model, *still, x[0], x[1], x[2], *momenta), Results{};
  });
  add("momentum_rate", "vV", [=](Arguments& x) -> Results {
    return momentum_rate(model, *still, x[0], x[1], *momenta), Results{};
  });
  const auto factors = CHASLES_MADE(MassFactorization);
  factors->factorize(model, *still);
  add("MassFactorization::solve", "vV",
      [=](Arguments& x) -> Results { return factors->solve(x[0], x[1]), Results{}; });
  add("MassFactorization::multiply", "vV",
      [=](Arguments& x) -> Results { return factors->multiply(x[0], x[1]), Results{}; });

  const auto dID = CHASLES_MADE(InverseDynamicsDerivatives);
  add("d_inverse_dynamics", "qvv", [=](Arguments& x) -> Results {
    const auto& d = d_inverse_dynamics(model, x[0], x[1], x[2], *dID);
    return {view(d.dq()), view(d.dv()), view(d.da())};
  });
  const auto dFD = CHASLES_MADE(ForwardDynamicsDerivatives);
  add("d_forward_dynamics", "qvv", [=](Arguments& x) -> Results {
    const auto& d = d_forward_dynamics(model, x[0], x[1], x[2], *dFD);
    return {view(d.a()), view(d.dq()), view(d.dv()), view(d.dtau())};
  });
  const auto products = CHASLES_MADE(InverseDynamicsProducts);
  add("d_inverse_dynamics_times", "qvvvvv", [=](Arguments& x) -> Results {
    d_inverse_dynamics_times(model, x[0], x[1], x[2], x[3], x[4], x[5], *products);
    return {view(products->tau()), view(products->dtau())};
  });
  add("d_inverse_dynamics_transposed_times", "qvvv", [=](Arguments& x) -> Results {
    d_inverse_dynamics_transposed_times(model, x[0], x[1], x[2], x[3], *products);
    return {view(products->tau()), view(products->grad_q()), view(products->grad_v()),
            view(products->grad_a())};
  });
  const auto forward_products = CHASLES_MADE(ForwardDynamicsProducts);
  add("d_forward_dynamics_times", "qvvvvv", [=](Arguments& x) -> Results {
    d_forward_dynamics_times(model, x[0], x[1], x[2], x[3], x[4], x[5], *forward_products);
    return {view(forward_products->a()), view(forward_products->da())};
  });
  add("d_forward_dynamics_transposed_times", "qvvv", [=](Arguments& x) -> Results {
    const auto& d =
        d_forward_dynamics_transposed_times(model, x[0], x[1], x[2], x[3], *forward_products);
    return {view(d.a()), view(d.grad_q()), view(d.grad_v()), view(d.grad_tau())};
  });
  const auto along = CHASLES_MADE(DirectionalDerivatives);
  for (const bool inverse_of : {true, false})
    add(inverse_of ? "d_inverse_dynamics_along" : "d_forward_dynamics_along", "qvv",
        [=](Arguments& x) -> Results {
          const Direction direction{x[1], x[1], x[1]};
          const auto& d = (inverse_of ? d_inverse_dynamics_along : d_forward_dynamics_along)(
              model, x[0], x[1], x[2], direction, *along);
          return {view(d.dq()), view(d.dv()), view(d.du())};
        });
  const auto second = CHASLES_MADE(SecondDerivatives);
  for (const bool inverse_of : {true, false})
    add(inverse_of ? "d2_inverse_dynamics" : "d2_forward_dynamics", "qvv",
        [=](Arguments& x) -> Results {
          const auto& d = (inverse_of ? d2_inverse_dynamics : d2_forward_dynamics)(
              model, x[0], x[1], x[2], *second);
          return {view(d.qq(0)), view(d.vq(0)), view(d.uq(0)), view(d.vv(0))};
        });
  add("SecondDerivatives::contracted", "v",
      [=](Arguments& x) -> Results { return second->contracted(x[0]), Results{}; });
  const auto contracted = CHASLES_MADE(ContractedDerivatives);
  for (const bool inverse_of : {true, false})
    add(inverse_of ? "d2_inverse_dynamics_contracted" : "d2_forward_dynamics_contracted", "qvvv",
        [=](Arguments& x) -> Results {
          const auto& d =
              (inverse_of ? d2_inverse_dynamics_contracted : d2_forward_dynamics_contracted)(
                  model, x[0], x[1], x[2], x[3], *contracted);
          return {view(d.qq()), view(d.vq()), view(d.uq()), view(d.vv())};
        });
  const auto series = CHASLES_MADE(TimeDerivatives, 0);
  add("forward_dynamics_derivatives", "qvv", [=](Arguments& x) -> Results {
    return {view(forward_dynamics_derivatives(model, x[0], x[1], x[2], *series))};
  });
  const Parameter parameters[] = {parameter(model, model.joints()[0].name, "frame.vx"),
                                  parameter(model, model.bodies()[0].name, "m")};
  const auto forces = CHASLES_MADE(ForceSensitivity, std::span<const Parameter>(parameters));
  add("force_sensitivity", "qvv", [=](Arguments& x) -> Results {
    return {view(force_sensitivity(model, x[0], x[1], x[2], *forces))};
  });
  const auto rates = CHASLES_MADE(AccelerationSensitivity, std::span<const Parameter>(parameters));
  add("acceleration_sensitivity", "qvv", [=](Arguments& x) -> Results {
    return {view(acceleration_sensitivity(model, x[0], x[1], x[2], *rates)), view(rates->a())};
  });

  using namespace textbook;
  const auto recursive = CHASLES_MADE(RecursiveDynamics);
  for (const Representation rep : {Representation::body, Representation::spatial}) {
    add("textbook::inverse_dynamics", "v", [=](Arguments& x) -> Results {
      return {view(textbook::inverse_dynamics(model, *still, x[0], rep, *recursive)),
              view(recursive->a), view(recursive->eps)};
    });
    add("textbook::forward_dynamics", "v", [=](Arguments& x) -> Results {
      return {view(textbook::forward_dynamics(model, *still, x[0], rep, *recursive)),
              view(recursive->Q), view(recursive->eps)};
    });
  }
  const auto force_rates = CHASLES_MADE(InverseDynamicsRates);
  add("inverse_dynamics_rates", "vvv", [=](Arguments& x) -> Results {
    inverse_dynamics_rates(model, *still, x[0], x[1], x[2], Representation::body, *force_rates);
    return {view(force_rates->Q), view(force_rates->Q_dot), view(force_rates->Q_ddot)};
  });
  const auto hamiltonian = CHASLES_MADE(HamiltonianDynamics);
  add("hamiltonian_dynamics", "vv", [=](Arguments& x) -> Results {
    hamiltonian_dynamics(model, *still, x[0], x[1], *hamiltonian);
    return {view(hamiltonian->v), view(hamiltonian->p_dot)};
  });
  add("generalized_momenta", "V", [=](Arguments& x) -> Results {
    return generalized_momenta(model, *still, x[0], *hamiltonian), Results{};
  });
  add("hamiltonian", "v", [=](Arguments& x) -> Results {
    return textbook::hamiltonian(model, *still, x[0], *hamiltonian), Results{};
  });
  const auto operators = CHASLES_MADE(Factorization);
  factorize(model, *still, *operators);
  using Solve = void (Factorization::*)(ConstVectorRef, VectorRef);
  const std::pair<const char*, Solve> solves[] = {
      {"multiply", &Factorization::multiply},
      {"solve", &Factorization::solve},
      {"sqrt_multiply", &Factorization::sqrt_multiply},
      {"sqrt_transpose_multiply", &Factorization::sqrt_transpose_multiply},
      {"sqrt_solve", &Factorization::sqrt_solve},
      {"sqrt_transpose_solve", &Factorization::sqrt_transpose_solve}};
  for (const auto& [name, solve] : solves)
    add(std::string("Factorization::") + name, "vV", [=, solve = solve](Arguments& x) -> Results {
      return ((*operators).*solve)(x[0], x[1]), Results{};
    });
  const auto linear = CHASLES_MADE(LinearizedInverseDynamics);
  linearize(model, *still, Vector(model.nv()), *linear);
  add("linearize inverse dynamics", "v", [=](Arguments& x) -> Results {
    linearize(model, *still, x[0], *linear);
    return {view(linear->tau())};
  });
  add("LinearizedInverseDynamics::along", "vvvV",
      [=](Arguments& x) -> Results { return linear->along(x[0], x[1], x[2], x[3]), Results{}; });
  add("LinearizedInverseDynamics::transposed", "vVVV", [=](Arguments& x) -> Results {
    return linear->transposed(x[0], x[1], x[2], x[3]), Results{};
  });
  const auto linear_forward = CHASLES_MADE(LinearizedForwardDynamics);
  add("linearize forward dynamics", "v", [=](Arguments& x) -> Results {
    linearize(model, *still, x[0], *linear_forward);
    return {view(linear_forward->a())};
  });
  add("LinearizedForwardDynamics::along", "vvvV", [=](Arguments& x) -> Results {
    return linear_forward->along(x[0], x[1], x[2], x[3]), Results{};
  });
  add("LinearizedForwardDynamics::transposed", "vVVV", [=](Arguments& x) -> Results {
    return linear_forward->transposed(x[0], x[1], x[2], x[3]), Results{};
  });
  const auto conventional = CHASLES_MADE(ConventionalLinearization);
  conventional->factorize(*linear);
  add("ConventionalLinearization::along", "vvvV", [=](Arguments& x) -> Results {
    return conventional->along(*linear, x[0], x[1], x[2], x[3]), Results{};
  });
  add("inertia_forces", "v",
      [=](Arguments& x) -> Results { return inertia_forces(model, *still, x[0]), Results{}; });
  add("lagrange_terms", "v",
      [=](Arguments& x) -> Results { return lagrange_terms(model, *still, x[0]), Results{}; });
  const auto symbols = std::make_shared<ChristoffelSymbols>(christoffel_symbols(model, *still));
  add("ChristoffelSymbols::matrix", "v",
      [=](Arguments& x) -> Results { return symbols->matrix(x[0]), Results{}; });
#undef CHASLES_MADE
  return list;
}

/// Of the group of a mechanism.
inline std::vector<Function> group_functions(const Model& model) {
  std::vector<Function> list;
  const auto group = std::make_shared<ModelGroup>(model);
  const auto add = [&](std::string name, std::string shape, auto call) {
    list.push_back({"ModelGroup::" + name, std::move(shape), [group, call](Arguments& x) {
                      call(*group, x);
                      return Results{};
                    }});
  };
  using G = const ModelGroup&;
  add("plus", "qvQ", [](G g, Arguments& x) { g.plus(x[0], x[1], x[2]); });
  add("minus", "qqV", [](G g, Arguments& x) { g.minus(x[0], x[1], x[2]); });
  add("dexp_inv", "vvV", [](G g, Arguments& x) { g.dexp_inv(x[0], x[1], x[2]); });
  add("dexp", "vvV", [](G g, Arguments& x) { g.dexp(x[0], x[1], x[2]); });
  add("d_dexp_inv", "vvvV", [](G g, Arguments& x) { g.d_dexp_inv(x[0], x[1], x[2], x[3]); });
  add("dexp_inv_dual", "vvV", [](G g, Arguments& x) { g.dexp_inv_dual(x[0], x[1], x[2]); });
  add("ad_dual", "vvV", [](G g, Arguments& x) { g.ad_dual(x[0], x[1], x[2]); });
  add("rotation", "v", [](G g, Arguments& x) { g.rotation(x[0]); });
  add("coordinate_rate", "qvQ", [](G g, Arguments& x) { g.coordinate_rate(x[0], x[1], x[2]); });
  add("normalize", "Q", [](G g, Arguments& x) { g.normalize(x[0]); });
  for (const Chart chart : {Chart::exponential, Chart::cayley, Chart::second_kind}) {
    add("chart_plus", "qvQ", [=](G g, Arguments& x) { g.chart_plus(chart, x[0], x[1], x[2]); });
    add("chart_rate", "vvV", [=](G g, Arguments& x) { g.chart_rate(chart, x[0], x[1], x[2]); });
  }
  return list;
}

/// Of a system, made anew for each list.
inline std::vector<Function> system_functions(const std::shared_ptr<MechanismState>& system) {
  std::vector<Function> list;
  const auto add = [&](std::string name, std::string shape, auto call) {
    list.push_back({"MechanismState::" + name, std::move(shape), [system, call](Arguments& x) {
                      call(*system, x);
                      return Results{};
                    }});
  };
  using S = MechanismState&;
  list.push_back({"MechanismState::set", "qv", [system](Arguments& x) -> Results {
                    system->set(0.3, x[0], x[1]);
                    return {view(system->at().q), view(system->at().v)};
                  }});
  list.push_back({"MechanismState::forward_dynamics", "v", [system](Arguments& x) -> Results {
                    return {view(system->forward_dynamics(x[0]))};
                  }});
  add("rates", "qvVV", [](S s, Arguments& x) { s.rates(0.3, x[0], x[1], x[2], x[3]); });
  add("kinematics", "v", [](S s, Arguments& x) { s.kinematics(x[0]); });
  add("mass_times", "vV", [](S s, Arguments& x) { s.mass_times(x[0], x[1]); });
  add("force", "V", [](S s, Arguments& x) { s.force(x[0]); });
  add("dynamics_residual", "vV", [](S s, Arguments& x) { s.dynamics_residual(x[0], x[1]); });
  add("momentum_rate", "V", [](S s, Arguments& x) { s.momentum_rate(x[0]); });
  add("acceleration", "V", [](S s, Arguments& x) { s.acceleration(x[0]); });
  add("constraint_error", "M", [](S s, Arguments& x) { s.constraint_error(x[0]); });
  add("constraint_times", "vM", [](S s, Arguments& x) { s.constraint_times(x[0], x[1]); });
  add("constraint_rate", "M", [](S s, Arguments& x) { s.constraint_rate(x[0]); });
  add("constraint_force", "mV", [](S s, Arguments& x) { s.constraint_force(x[0], x[1]); });
  add("constraint_bias", "M", [](S s, Arguments& x) { s.constraint_bias(x[0]); });
  add("constraint_stiffness", "m", [](S s, Arguments& x) {
    Matrix stiffness;
    s.constraint_stiffness(x[0], stiffness);
  });
  add("solve", "vmVM", [](S s, Arguments& x) { s.solve(x[0], x[1], x[2], x[3]); });
  add("tangent", "v", [](S s, Arguments& x) {
    MechanicalSystem::Tangent tangent;
    s.tangent(x[0], tangent);
  });
  return list;
}

}  // namespace chasles::test
