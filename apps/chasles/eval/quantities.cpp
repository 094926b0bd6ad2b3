#include "quantities.hpp"

#include <chasles/dynamics/energy.hpp>
#include <chasles/dynamics/inverse_dynamics.hpp>
#include <chasles/dynamics/mass_matrix.hpp>
#include <chasles/kinematics/higher_order.hpp>
#include <chasles/screws/eigen.hpp>
#include <chasles/suggest.hpp>
#include <chasles/textbook/closed_form.hpp>
#include <memory>
#include <sstream>

namespace {

using namespace chasles;
using namespace chasles::textbook;

Value number(double x) { return {Value::Shape::number, Eigen::MatrixXd::Constant(1, 1, x)}; }
Value list(const Eigen::VectorXd& x) { return {Value::Shape::list, x}; }
Value matrix(const Eigen::MatrixXd& m) { return {Value::Shape::matrix, m}; }

// Quantities of the whole mechanism.

using Plain = Quantity (*)(const Model&);

/// A quantity that needs no memory.
template <Value (*f)(const Evaluation&)>
Quantity plain(const Model&) {
  return f;
}
/// A quantity with a workspace, made once.
template <class Workspace, Value (*f)(const Evaluation&, Workspace&)>
Quantity with(const Model& model) {
  return [work = std::make_shared<Workspace>(model)](const Evaluation& e) { return f(e, *work); };
}

Value inverse_dynamics_of(const Evaluation& e, InverseDynamics& work) {
  const State& s = e.state;
  return list(inverse_dynamics(e.model, s.q, s.v, s.a, work, s.wrenches));
}
Value bias_of(const Evaluation& e, InverseDynamics& work) {
  return list(bias(e.model, e.state.q, e.state.v, work));
}
Value gravity_of(const Evaluation& e, InverseDynamics& work) {
  return list(gravity_forces(e.model, e.state.q, work));
}
Value forward_dynamics_of(const Evaluation& e, ForwardDynamics& work) {
  const State& s = e.state;
  return list(forward_dynamics(e.model, s.q, s.v, s.tau, work, s.wrenches));
}
Value mass_matrix_of(const Evaluation& e, MassMatrix& work) {
  return matrix(mass_matrix(e.model, e.state.q, work));
}
Value mass_matrix_inverse_of(const Evaluation& e, MassMatrixInverse& work) {
  return matrix(mass_matrix_inverse(e.model, e.state.q, work));
}
Value coriolis_of(const Evaluation& e) { return matrix(coriolis_matrix(e.model, e.kin)); }
Value christoffel_of(const Evaluation& e) { return matrix(christoffel_matrix(e.model, e.kin)); }
Value kinetic_energy_of(const Evaluation& e) { return number(kinetic_energy(e.model, e.kin)); }
Value potential_energy_of(const Evaluation& e) { return number(potential_energy(e.model, e.kin)); }
Value momentum_of(const Evaluation& e) { return list(to_eigen(spatial_momentum(e.model, e.kin))); }
Value centroidal_momentum_of(const Evaluation& e) {
  return list(to_eigen(centroidal_momentum(e.model, e.kin)));
}
Value com_of(const Evaluation& e) { return list(to_eigen(center_of_mass(e.model, e.kin))); }

struct NamedPlain {
  std::string_view name;
  Plain make;
};
constexpr NamedPlain plain_quantities[] = {
    {"inverse_dynamics", with<InverseDynamics, inverse_dynamics_of>},
    {"bias", with<InverseDynamics, bias_of>},
    {"gravity", with<InverseDynamics, gravity_of>},
    {"forward_dynamics", with<ForwardDynamics, forward_dynamics_of>},
    {"mass_matrix", with<MassMatrix, mass_matrix_of>},
    {"mass_matrix_inverse", with<MassMatrixInverse, mass_matrix_inverse_of>},
    {"coriolis", plain<coriolis_of>},
    {"christoffel", plain<christoffel_of>},
    {"kinetic_energy", plain<kinetic_energy_of>},
    {"potential_energy", plain<potential_energy_of>},
    {"momentum", plain<momentum_of>},
    {"centroidal_momentum", plain<centroidal_momentum_of>},
    {"com", plain<com_of>}};

// Quantities of a frame in a representation, NAME:FRAME:REP.

using OfFrame = Value (*)(const Evaluation&, const Place&, Representation);

Value twist_of(const Evaluation& e, const Place& place, Representation rep) {
  return list(to_eigen(twist(e.kin, place, rep)));
}
Value acceleration_of(const Evaluation& e, const Place& place, Representation rep) {
  return list(to_eigen(acceleration(e.kin, place, rep)));
}
Value jerk_of(const Evaluation& e, const Place& place, Representation rep) {
  TwistDerivatives out(e.model, 3);
  Eigen::MatrixXd rates(e.model.nv(), 3);
  rates << e.state.v, e.state.a, e.state.jerk;
  twist_derivatives(e.model, e.state.q, rates, place, rep, out);
  return list(to_eigen(out.V[2]));
}
Value jacobian_of(const Evaluation& e, const Place& place, Representation rep) {
  Matrix6X J(6, e.model.nv());
  jacobian(e.model, e.kin, place, rep, J);
  return matrix(J);
}
Value jacobian_rate_of(const Evaluation& e, const Place& place, Representation rep) {
  Matrix6X J(6, e.model.nv());
  jacobian_rate(e.model, e.kin, place, rep, J);
  return matrix(J);
}

struct NamedOfFrame {
  std::string_view name;
  OfFrame function;
};
constexpr NamedOfFrame frame_quantities[] = {{"twist", twist_of},
                                             {"acceleration", acceleration_of},
                                             {"jerk", jerk_of},
                                             {"jacobian", jacobian_of},
                                             {"jacobian_rate", jacobian_rate_of}};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts.empty() ? std::vector<std::string>{""} : parts;
}

}  // namespace

Quantity parse_quantity(const std::string& text, const Model& model) {
  const std::vector<std::string> parts = split(text);
  const auto needs = [&](std::size_t count, const char* form) {
    if (parts.size() != count)
      throw Error("quantity '" + text + "': write " + parts[0] + std::string(form));
  };
  for (const NamedPlain& q : plain_quantities)
    if (parts[0] == q.name) {
      needs(1, " alone");
      return q.make(model);
    }
  if (parts[0] == "pose") {
    needs(2, ":FRAME");
    return [place = model.place(parts[1])](const Evaluation& e) {
      return matrix(to_eigen(pose(e.kin, place)));
    };
  }
  for (const NamedOfFrame& q : frame_quantities)
    if (parts[0] == q.name) {
      needs(3, ":FRAME:REP");
      return
          [place = model.place(parts[1]), rep = representation(parts[2], "quantity '" + text + "'"),
           f = q.function](const Evaluation& e) { return f(e, place, rep); };
    }
  std::vector<std::string_view> known{"pose"};
  for (const NamedPlain& q : plain_quantities) known.push_back(q.name);
  for (const NamedOfFrame& q : frame_quantities) known.push_back(q.name);
  throw Error("there is no quantity '" + text + "'" + did_you_mean(parts[0], known));
}

std::string quantity_names() {
  std::string names;
  for (const NamedPlain& q : plain_quantities) names += std::string(q.name) + ", ";
  names += "pose:FRAME";
  for (const NamedOfFrame& q : frame_quantities) names += ", " + std::string(q.name) + ":FRAME:REP";
  return names + "; REP = body, spatial, hybrid, mixed";
}
