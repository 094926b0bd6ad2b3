/// The rows of the table of verbs with derivatives of dynamics. dq is an increment along plus(model, q, dq).
#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/derivatives/inverse_dynamics.hpp"
#include "chasles/derivatives/products.hpp"
#include "chasles/derivatives/second_order.hpp"
#include "verb_row.hpp"

namespace chasles::python {

namespace {

/// Matrices one after the other.
template <class... Rows>
void give_all(const Call& c, const Rows&... rows) {
  Eigen::Index at = 0;
  ((c.give(rows, at), at += rows.size()), ...);
}
void give_tensors(const Call& c, const SecondDerivatives& d) {
  const Eigen::Index n = Eigen::Index{c.nv} * c.nv, tensor = n * c.nv;
  for (int k = 0; k < c.nv; ++k) {
    c.give(d.qq(k), k * n), c.give(d.vq(k), tensor + k * n);
    c.give(d.uq(k), 2 * tensor + k * n), c.give(d.vv(k), 3 * tensor + k * n);
  }
}
Direction direction(const Call& c) { return {Vector(c.v(3)), Vector(c.v(4)), Vector(c.v(5))}; }

const Verb table[] = {
    row("d_inverse_dynamics", {"q", "v", "a"}, "qvv", "3vv", applied,
        one<InverseDynamicsDerivatives>([](const Call& c, InverseDynamicsDerivatives& w) {
          const auto& d = d_inverse_dynamics(c.model, c.q(), c.v(1), c.v(2), w, c.applied);
          const Eigen::Index n = Eigen::Index{c.nv} * c.nv;
          c.give(d.dq()), c.give(d.dv(), n), c.give(d.da(), 2 * n);
        }),
        many([](auto& b, const auto& c) {
          b.d_inverse_dynamics(c.states, c.in[0], c.in[1], c.in[2], c.out);
        }),
        R"(Partial derivatives of inverse dynamics.

    d tau = dtau/dq dq + dtau/dv dv + M da

dq is an increment along plus(model, q, dq). Returns (3, nv, nv): dtau/dq, dtau/dv, M.

>>> dq, dv, M = chasles.d_inverse_dynamics(model, q, v, a)   # doctest: +SKIP)"),
    row("d_forward_dynamics", {"q", "v", "tau"}, "qvv", "3vv", applied,
        one<ForwardDynamicsDerivatives>([](const Call& c, ForwardDynamicsDerivatives& w) {
          const auto& d = d_forward_dynamics(c.model, c.q(), c.v(1), c.v(2), w, c.applied);
          const Eigen::Index n = Eigen::Index{c.nv} * c.nv;
          c.give(d.dq()), c.give(d.dv(), n), c.give(d.dtau(), 2 * n);
        }),
        many([](auto& b, const auto& c) {
          b.d_forward_dynamics(c.states, c.in[0], c.in[1], c.in[2], c.out);
        }),
        R"(Partial derivatives of forward dynamics.

    da = da/dq dq + da/dv dv + M^-1 dtau

dq is an increment along plus(model, q, dq). Returns (3, nv, nv): da/dq, da/dv, M^-1.)"),
    row("d_inverse_dynamics_times", {"q", "v", "a", "dq", "dv", "da"}, "qvvvvv", "v", applied,
        one<InverseDynamicsProducts>([](const Call& c, InverseDynamicsProducts& w) {
          c.give(d_inverse_dynamics_times(c.model, c.q(), c.v(1), c.v(2), c.v(3), c.v(4), c.v(5), w,
                                          c.applied));
        }),
        one_by_one(),
        R"(Directional derivative of inverse dynamics (jvp), O(n): dtau/dq dq + dtau/dv dv + M da (nv,).)"),
    row("d_inverse_dynamics_transposed_times", {"q", "v", "a", "weights"}, "qvvv", "3v", applied,
        one<InverseDynamicsProducts>([](const Call& c, InverseDynamicsProducts& w) {
          const auto& d = d_inverse_dynamics_transposed_times(c.model, c.q(), c.v(1), c.v(2),
                                                              c.v(3), w, c.applied);
          c.give(d.grad_q()), c.give(Eigen::VectorXd::Map(d.grad_v().data(), c.nv), c.nv);
          c.give(Eigen::VectorXd::Map(d.grad_a().data(), c.nv), 2 * c.nv);
        }),
        one_by_one(),
        R"(Gradients of weights . tau (vjp), O(n).

Returns (3, nv): (dtau/dq)^T weights, (dtau/dv)^T weights, M weights.)"),
    row("d_forward_dynamics_times", {"q", "v", "tau", "dq", "dv", "dtau"}, "qvvvvv", "v", applied,
        one<ForwardDynamicsProducts>([](const Call& c, ForwardDynamicsProducts& w) {
          c.give(d_forward_dynamics_times(c.model, c.q(), c.v(1), c.v(2), c.v(3), c.v(4), c.v(5), w,
                                          c.applied));
        }),
        one_by_one(),
        R"(Directional derivative of forward dynamics (jvp), O(n): da/dq dq + da/dv dv + M^-1 dtau (nv,).)"),
    row("d_forward_dynamics_transposed_times", {"q", "v", "tau", "weights"}, "qvvv", "3v", applied,
        one<ForwardDynamicsProducts>([](const Call& c, ForwardDynamicsProducts& w) {
          const auto& d = d_forward_dynamics_transposed_times(c.model, c.q(), c.v(1), c.v(2),
                                                              c.v(3), w, c.applied);
          c.give(d.grad_q()), c.give(Eigen::VectorXd::Map(d.grad_v().data(), c.nv), c.nv);
          c.give(Eigen::VectorXd::Map(d.grad_tau().data(), c.nv), 2 * c.nv);
        }),
        one_by_one(),
        R"(Gradients of weights . a (vjp), O(n).

Returns (3, nv): (da/dq)^T weights, (da/dv)^T weights, M^-1 weights.)"),
    row("d_inverse_dynamics_along", {"q", "v", "a", "dq", "dv", "da"}, "qvvvvv", "3vv", 0,
        one<DirectionalDerivatives>([](const Call& c, DirectionalDerivatives& w) {
          const auto& d = d_inverse_dynamics_along(c.model, c.q(), c.v(1), c.v(2), direction(c), w);
          give_all(c, d.dq(), d.dv(), d.du());
        }),
        one_by_one(),
        R"(Second derivatives of inverse dynamics along a direction (dq, dv, da), exact.

Returns (3, nv, nv): the changes of dtau/dq, dtau/dv and M per unit of the direction.)"),
    row("d_forward_dynamics_along", {"q", "v", "tau", "dq", "dv", "dtau"}, "qvvvvv", "3vv", 0,
        one<DirectionalDerivatives>([](const Call& c, DirectionalDerivatives& w) {
          const auto& d = d_forward_dynamics_along(c.model, c.q(), c.v(1), c.v(2), direction(c), w);
          give_all(c, d.dq(), d.dv(), d.du());
        }),
        one_by_one(),
        R"(Second derivatives of forward dynamics along a direction (dq, dv, dtau), exact.

Returns (3, nv, nv): the changes of da/dq, da/dv and M^-1 per unit of the direction.)"),
    row("d2_inverse_dynamics", {"q", "v", "a"}, "qvv", "4vvv", 0,
        one<SecondDerivatives>([](const Call& c, SecondDerivatives& w) {
          give_tensors(c, d2_inverse_dynamics(c.model, c.q(), c.v(1), c.v(2), w));
        }),
        one_by_one(),
        R"(Second derivatives of inverse dynamics, complete.

Returns (4, nv, nv, nv): with the index k before those of the matrices, d/dq_k of dtau/dq, d/dq_k of dtau/dv, d/dq_k of
M, and d/dv_k of dtau/dv. The others are zero. Increments by q are successive, the second on the right.)"),
    row("d2_forward_dynamics", {"q", "v", "tau"}, "qvv", "4vvv", 0,
        one<SecondDerivatives>([](const Call& c, SecondDerivatives& w) {
          give_tensors(c, d2_forward_dynamics(c.model, c.q(), c.v(1), c.v(2), w));
        }),
        one_by_one(),
        R"(Second derivatives of forward dynamics, complete.

Returns (4, nv, nv, nv): with the index k before those of the matrices, d/dq_k of da/dq, d/dq_k of da/dv, d/dq_k of
M^-1, and d/dv_k of da/dv.)"),
    row("d2_inverse_dynamics_contracted", {"q", "v", "a", "weights"}, "qvvv", "4vv", 0,
        one<ContractedDerivatives>([](const Call& c, ContractedDerivatives& w) {
          const auto& d = d2_inverse_dynamics_contracted(c.model, c.q(), c.v(1), c.v(2), c.v(3), w);
          give_all(c, d.qq(), d.vq(), d.uq(), d.vv());
        }),
        one_by_one(),
        R"(The Hessian of weights . tau of inverse dynamics, without tensors.

Returns (4, nv, nv): d/dq_k of the gradients by q_j, v_j and a_j, and d/dv_k of that by v_j, as entries [j, k].)"),
    row("d2_forward_dynamics_contracted", {"q", "v", "tau", "weights"}, "qvvv", "4vv", 0,
        one<ContractedDerivatives>([](const Call& c, ContractedDerivatives& w) {
          const auto& d = d2_forward_dynamics_contracted(c.model, c.q(), c.v(1), c.v(2), c.v(3), w);
          give_all(c, d.qq(), d.vq(), d.uq(), d.vv());
        }),
        one_by_one(),
        R"(The Hessian of weights . a of forward dynamics.

Returns (4, nv, nv): d/dq_k of the gradients by q_j, v_j and tau_j, and d/dv_k of that by v_j, as entries [j, k].)"),
};

}  // namespace

std::span<const Verb> derivative_verbs() { return table; }

}  // namespace chasles::python
