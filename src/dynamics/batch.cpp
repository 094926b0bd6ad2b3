#include "dynamics/batch_run.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

int thread_count(int threads) {
  if (threads < 0) throw Error("a batch cannot have " + std::to_string(threads) + " threads");
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// @throws Error unless the columns of x are the states, stored contiguously
template <class X, class Q>
void require_columns(const char* name, const X& x, const Q& q) {
  if (x.cols() != q.cols())
    throw Error(std::string(name) + " has " + std::to_string(x.cols()) + " columns, and q has " +
                std::to_string(q.cols()) + "; give both a column per state");
  if (x.cols() > 1 && x.outerStride() != x.rows())
    throw Error(std::string(name) + " is a part of a matrix with " +
                std::to_string(x.outerStride()) + " rows, of which it has " +
                std::to_string(x.rows()) + "; give a matrix of its own, or whole columns");
}

}  // namespace

template <class Real>
int Batch<Real>::count(Columns q) {
  if (q.cols() > std::numeric_limits<int>::max())
    throw Error("q has " + std::to_string(q.cols()) + " columns, more states than an int counts");
  return static_cast<int>(q.cols());
}
template <class Real>
typename Batch<Real>::In Batch<Real>::in(const char* name, Columns x, Columns q) {
  if (x.size() == 0) return {};
  require_columns(name, x, q);
  return {x.data(), static_cast<std::size_t>(x.size())};
}
template <class Real>
typename Batch<Real>::Out Batch<Real>::out(const char* name, Results& x, Columns q) {
  require_columns(name, x, q);
  return {x.data(), static_cast<std::size_t>(x.size())};
}

template <class Real>
Batch<Real>::Batch(const Model& model, int threads)
    : implementation_(std::make_unique<Implementation>(model, thread_count(threads))) {}
template <class Real>
Batch<Real>::~Batch() = default;
template <class Real>
Batch<Real>::Batch(Batch&&) noexcept = default;
template <class Real>
Batch<Real>& Batch<Real>::operator=(Batch&&) noexcept = default;

template <class Real>
typename Batch<Real>::Implementation& Batch<Real>::here() const {
  if (!implementation_) throw Error("this batch was moved to another: make a new one");
  return *implementation_;
}
template <class Real>
int Batch<Real>::lanes() const {
  return here().lanes;
}
template <class Real>
int Batch<Real>::padded(int states) const {
  return here().padded(states);
}
template <class Real>
double Batch<Real>::forward_error() const {
  return here().error;
}

template <class Real>
void Batch<Real>::inverse_dynamics(int states, In q, In v, In a, Out tau, BatchLayout layout,
                                   const Wrenches& applied) {
  Implementation& it = here();
  const int nq = it.tree.nq, nv = it.tree.nv;
  BatchCall<Real> call{.algorithm = kernels::inverse_dynamics, .states = states, .layout = layout};
  call.q = {"q", q, nq}, call.v = {"v", v, nv}, call.out = {"tau", tau, nv};
  if (!a.empty()) call.force = {"a", a, nv};
  it.set_wrenches(applied, call);
  call.kernel_entries = nv;
  it.run(call);
}
template <class Real>
void Batch<Real>::forward_dynamics(int states, In q, In v, In tau, Out a, BatchLayout layout,
                                   const Wrenches& applied) {
  Implementation& it = here();
  it.require_digits("forward dynamics");
  const int nq = it.tree.nq, nv = it.tree.nv;
  BatchCall<Real> call{.algorithm = kernels::forward_dynamics, .states = states, .layout = layout};
  call.q = {"q", q, nq}, call.v = {"v", v, nv}, call.out = {"a", a, nv};
  call.force = {"tau", tau, nv};
  it.set_wrenches(applied, call);
  call.kernel_entries = nv;
  it.run(call);
}
template <class Real>
void Batch<Real>::mass_matrix(int states, In q, Out M, BatchLayout layout) {
  Implementation& it = here();
  const int nn = it.entries("M", it.tree.nv, it.tree.nv);
  BatchCall<Real> call{.algorithm = kernels::mass_matrix, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.out = {"M", M, nn};
  call.kernel_entries = nn;
  it.run(call);
}
template <class Real>
void Batch<Real>::mass_matrix_inverse(int states, In q, Out M_inv, BatchLayout layout) {
  Implementation& it = here();
  it.require_digits("the inverse of the mass matrix");
  const int nn = it.entries("M_inv", it.tree.nv, it.tree.nv);
  BatchCall<Real> call{
      .algorithm = kernels::mass_matrix_inverse, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.out = {"M_inv", M_inv, nn};
  call.kernel_entries = nn;
  it.run(call);
}
template <class Real>
void Batch<Real>::coriolis_matrix(int states, In q, In v, Out C, BatchLayout layout) {
  Implementation& it = here();
  BatchCall<Real> call{.algorithm = kernels::coriolis_matrix, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"C", C, call.kernel_entries = it.entries("C", it.tree.nv, it.tree.nv)};
  it.run(call);
}
template <class Real>
void Batch<Real>::d_inverse_dynamics(int states, In q, In v, In a, Out D, BatchLayout layout,
                                     const Wrenches& applied) {
  Implementation& it = here();
  BatchCall<Real> call{
      .algorithm = kernels::d_inverse_dynamics, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  if (!a.empty()) call.force = {"a", a, it.tree.nv};
  it.set_wrenches(applied, call);
  call.out = {"D", D, call.kernel_entries = it.entries("D", 3LL * it.tree.nv, it.tree.nv)};
  it.run(call);
}
template <class Real>
void Batch<Real>::d_forward_dynamics(int states, In q, In v, In tau, Out D, BatchLayout layout,
                                     const Wrenches& applied) {
  Implementation& it = here();
  it.require_digits("derivatives of forward dynamics");
  BatchCall<Real> call{
      .algorithm = kernels::d_forward_dynamics, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.force = {"tau", tau, it.tree.nv};
  it.set_wrenches(applied, call);
  call.out = {"D", D, call.kernel_entries = it.entries("D", 3LL * it.tree.nv, it.tree.nv)};
  it.run(call);
}
template <class Real>
void Batch<Real>::link_regressor(int states, In q, In v, In a, Out Y, BatchLayout layout) {
  Implementation& it = here();
  BatchCall<Real> call{.algorithm = kernels::regressor, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  if (!a.empty()) call.force = {"a", a, it.tree.nv};
  call.out = {"Y", Y, call.kernel_entries = it.entries("Y", it.tree.nv, 10LL * it.link_count())};
  it.run(call);
}
template <class Real>
void Batch<Real>::centroidal_matrices(int states, In q, In v, Out A, BatchLayout layout) {
  Implementation& it = here();
  if (!(it.model.mass() > 0))
    throw Error("nothing that moves in model '" + it.model.name() + "' has mass");
  BatchCall<Real> call{.algorithm = kernels::centroidal, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"A", A, 12 * it.tree.nv};
  call.kernel_entries = kernels::output_size(kernels::centroidal, it.tree);
  call.first = kernels::centroidal_A;
  it.run(call);
}
template <class Real>
void Batch<Real>::energies(int states, In q, In v, Out energy, BatchLayout layout) {
  Implementation& it = here();
  BatchCall<Real> call{.algorithm = kernels::totals, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv}, call.out = {"energy", energy, 2};
  call.kernel_entries = kernels::totals_size;
  it.run(call);
}
template <class Real>
void Batch<Real>::momenta(int states, In q, In v, Out momentum, BatchLayout layout) {
  Implementation& it = here();
  BatchCall<Real> call{.algorithm = kernels::totals, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"momentum", momentum, 6};
  call.kernel_entries = kernels::totals_size, call.first = 2;
  it.run(call);
}

template <class Real>
void Batch<Real>::poses(int states, In q, Frames frames, Out C, BatchLayout layout) {
  Implementation& it = here();
  it.set_frames(frames, Representation::body);
  BatchCall<Real> call{.algorithm = kernels::positions, .states = states, .layout = layout};
  call.of_places = true, call.frame_algorithm = kernels::frame_poses;
  call.q = {"q", q, it.tree.nq};
  call.out = {"C", C, call.kernel_entries = 12 * static_cast<int>(frames.size())};
  it.run(call);
}
template <class Real>
void Batch<Real>::twists(int states, In q, In v, Frames frames, Representation representation,
                         Out V, BatchLayout layout) {
  Implementation& it = here();
  it.set_frames(frames, representation);
  BatchCall<Real> call{.algorithm = kernels::velocities, .states = states, .layout = layout};
  call.of_places = true, call.frame_algorithm = kernels::frame_twists;
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv};
  call.out = {"V", V, call.kernel_entries = 6 * static_cast<int>(frames.size())};
  it.run(call);
}
template <class Real>
void Batch<Real>::accelerations(int states, In q, In v, In a, Frames frames,
                                Representation representation, Out A, BatchLayout layout) {
  Implementation& it = here();
  it.set_frames(frames, representation);
  BatchCall<Real> call{.algorithm = kernels::accelerations, .states = states, .layout = layout};
  call.of_places = true, call.frame_algorithm = kernels::frame_accelerations;
  call.q = {"q", q, it.tree.nq}, call.v = {"v", v, it.tree.nv}, call.force = {"a", a, it.tree.nv};
  call.out = {"A", A, call.kernel_entries = 6 * static_cast<int>(frames.size())};
  it.run(call);
}
template <class Real>
void Batch<Real>::jacobians(int states, In q, const Frame& frame, Representation representation,
                            Out J, BatchLayout layout) {
  Implementation& it = here();
  it.set_frames({&frame, 1}, representation);
  BatchCall<Real> call{.algorithm = kernels::jacobian, .states = states, .layout = layout};
  call.q = {"q", q, it.tree.nq};
  call.out = {"J", J, call.kernel_entries = 6 * it.tree.nv};
  it.run(call);
}

template class Batch<double>;
template class Batch<float>;

Vector link_parameters(const Model& model) {
  Vector pi(10 * static_cast<Eigen::Index>(tree_links(model).size()));
  Eigen::Index k = 0;
  for (const Link& link : tree_links(model))
    for (const double x : lie::parameters(link.inertia)) pi[k++] = x;
  return pi;
}

}  // namespace chasles
