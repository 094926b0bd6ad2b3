/// Second derivatives by dual numbers: directional, and complete ones for joints whose screws depend on q.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "access.hpp"
#include "chasles/derivatives/second_order.hpp"
#include "dynamics/kernel_memory.hpp"
#include "model/model_data.hpp"

namespace chasles {

/// Runs the kernels of derivatives with dual numbers: `directions` at a time.
class SecondOrder {
 public:
  using Algorithm = kernels::Algorithm;
  static constexpr int width = kernels::directions, pair = 2 * width;

  SecondOrder(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef u,
              Algorithm algorithm)
      : model_(model),
        trees_(kernel_trees(model)),
        tree_(trees_.of<double>()),
        kernel_(kernels::directional_kernels()),
        algorithm_(algorithm),
        q_(q),
        v_(v),
        a_(u) {
    require_size("q", q, tree_.nq);
    require_size("v", v, tree_.nv);
    require_size(algorithm == kernels::d_inverse_dynamics ? "a" : "tau", u, tree_.nv);
    trees_.prepare<double>(algorithm);
    const auto n = static_cast<std::size_t>(tree_.nv);
    work_.resize(kernel_.of(algorithm).work(tree_) / sizeof(CacheLine) + 1);
    out_.resize(3 * n * n * pair * sizeof(double) / sizeof(CacheLine) + 1);
    group_.resize(static_cast<std::size_t>(tree_.group_size * pair));
    if (algorithm == kernels::d_forward_dynamics) {
      first_.emplace(model);
      d_forward_dynamics(model, q, v, u, *first_);
      a_ = first_->a();
    } else {
      // Also reports errors in q.
      InverseDynamics inverse(model);
      inverse_dynamics(model, q, v, u, inverse);
    }
  }

  /// Up to `width` directions; take(d, m, matrix): matrix m of direction d, entry k at [k * pair].
  template <class Take>
  void along(std::span<const Direction> directions, const Take& take) {
    const int count = static_cast<int>(directions.size());
    std::vector<double> q = values(q_), v = values(v_), a = values(a_);
    for (int d = 0; d < count; ++d) {
      const Direction& to = directions[static_cast<std::size_t>(d)];
      const auto put = [&](const Vector& x, std::vector<double>& slopes) {
        for (Eigen::Index k = 0; k < x.size(); ++k)
          slopes[static_cast<std::size_t>(k * pair + width + d)] = x[k];
      };
      put(coordinate_rates(to.dq), q), put(to.dv, v), put(acceleration(to), a);
    }
    if (tree_.group_size > 0) fill(directions);
    const kernels::Pass<double> pass{.tree = &tree_,
                                     .q = aligned(q, q_room_),
                                     .v = aligned(v, v_room_),
                                     .force = aligned(a, a_room_),
                                     .wrench = nullptr,
                                     .group = aligned(group_, group_room_),
                                     .work = reinterpret_cast<double*>(work_.data()),
                                     .out = reinterpret_cast<double*>(out_.data())};
    if (const int link = kernel_.of(algorithm_).run(pass); link >= 0)
      Workspace::Memory::throw_failed(model_, link, q_.data(), {});
    for (int d = 0; d < count; ++d)
      for (int m = 0; m < 3; ++m) take(d, m, pass.out + m * matrix_size() + width + d);
  }

  static const DirectionalDerivatives& one(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                           ConstVectorRef u, Algorithm algorithm,
                                           const Direction& direction,
                                           DirectionalDerivatives& out) {
    detail::Access::memory(out.work_, model);  // checks that it belongs to this model
    for (const auto& [name, x] :
         {std::pair{"dq", &direction.dq}, {"dv", &direction.dv}, {"du", &direction.du}})
      if (x->size() > 0) require_size(name, *x, model.nv());
    const auto nn = static_cast<std::ptrdiff_t>(model.nv()) * model.nv();
    SecondOrder(model, q, v, u, algorithm)
        .along({&direction, 1}, [&](int, int m, const double* matrix) {
          for (std::ptrdiff_t k = 0; k < nn; ++k) out.all_.data()[m * nn + k] = matrix[k * pair];
        });
    return out;
  }
  static const SecondDerivatives& all(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                      ConstVectorRef u, Algorithm algorithm,
                                      SecondDerivatives& out) {
    detail::Access::memory(out.work_, model);
    out.sparse_ = false;
    SecondOrder run(model, q, v, u, algorithm);
    const int n = model.nv();
    const auto nn = static_cast<std::ptrdiff_t>(n) * n;
    std::vector<Direction> directions;
    for (const bool by_v : {false, true})
      for (int first = 0; first < n; first += width) {
        directions.assign(static_cast<std::size_t>(std::min(width, n - first)), {});
        for (std::size_t d = 0; d < directions.size(); ++d)
          (by_v ? directions[d].dv : directions[d].dq) =
              Eigen::VectorXd::Unit(n, first + static_cast<int>(d));
        run.along(directions, [&](int d, int m, const double* matrix) {
          if (by_v && m != 1) return;  // already set by symmetry, or zero
          double* to =
              out.all_.data() + static_cast<std::ptrdiff_t>((by_v ? 3 : m) * n + first + d) * nn;
          for (std::ptrdiff_t k = 0; k < nn; ++k) to[k] = matrix[k * pair];
        });
      }
    return out;
  }

 private:
  using Lines = std::vector<CacheLine>;
  /// Size of a matrix of dual numbers.
  std::ptrdiff_t matrix_size() const {
    return static_cast<std::ptrdiff_t>(tree_.nv) * tree_.nv * pair;
  }
  static std::vector<double> values(const Vector& x) {
    std::vector<double> all(static_cast<std::size_t>(x.size() * pair));
    for (Eigen::Index k = 0; k < x.size(); ++k) std::fill_n(all.begin() + k * pair, width, x[k]);
    return all;
  }
  static double* aligned(const std::vector<double>& from, Lines& room) {
    room.resize(from.size() * sizeof(double) / sizeof(CacheLine) + 1);
    std::copy(from.begin(), from.end(), reinterpret_cast<double*>(room.data()));
    return reinterpret_cast<double*>(room.data());
  }
  /// The rate of q along a tangent dq.
  Vector coordinate_rates(const Vector& dq) const {
    Vector rates(model_.nq());
    if (dq.size() == 0) return rates;
    for (const Link& link : tree_links(model_)) {
      const JointGroup& group = group_of(link.motion);
      if (group.flat)
        rates.segment(link.q_index, link.nv) = dq.segment(link.v_index, link.nv);
      else
        group.coordinate_rate(q_.data() + link.q_index, dq.data() + link.v_index,
                              rates.data() + link.q_index);
    }
    return rates;
  }
  /// The derivative of the acceleration: given, or that of forward dynamics.
  Vector acceleration(const Direction& to) const {
    if (algorithm_ == kernels::d_inverse_dynamics) return to.du;
    Vector da(model_.nv());
    if (to.dq.size() > 0) da += first_->dq() * to.dq;
    if (to.dv.size() > 0) da += first_->dv() * to.dv;
    if (to.du.size() > 0) da += first_->dtau() * to.du;
    return da;
  }
  /// External joint data: values, and their derivatives by central differences of order 8.
  void fill(std::span<const Direction> directions) {
    const auto size = static_cast<std::size_t>(tree_.group_size);
    const auto at = [&](const Vector& q, const Vector& v, const Vector& a) {
      std::vector<double> numbers(size);
      fill_group(model_, tree_, q.data(), v.data(), 1, 0, numbers.data());
      fill_group_partials(model_, tree_, q.data(), v.data(), a.data(), 1, 0, numbers.data());
      return numbers;
    };
    const std::vector<double> here = at(q_, v_, a_);
    for (std::size_t k = 0; k < size; ++k)
      std::fill_n(group_.begin() + static_cast<std::ptrdiff_t>(k * pair), width, here[k]);
    constexpr double h = 0.01, weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const Direction& to = directions[d];
      const Vector da = acceleration(to);
      std::vector<double> slope(size);
      for (int step = -4; step <= 4; ++step) {
        if (step == 0) continue;
        const double s = step * h, w = (step > 0 ? 1 : -1) * weights[std::abs(step) - 1] / h;
        Vector q = q_, v = v_, a = a_;
        if (to.dq.size() > 0) plus(model_, q_, s * to.dq, q);
        if (to.dv.size() > 0) v += s * to.dv;
        if (da.size() > 0) a += s * da;
        const std::vector<double> there = at(q, v, a);
        for (std::size_t k = 0; k < size; ++k) slope[k] += w * there[k];
      }
      for (std::size_t k = 0; k < size; ++k)
        group_[k * pair + static_cast<std::size_t>(width) + d] = slope[k];
    }
  }

  const Model& model_;
  const kernels::Trees& trees_;
  const kernels::Tree<double>& tree_;
  const kernels::DirectionalKernels& kernel_;
  const Algorithm algorithm_;
  Vector q_, v_, a_;
  std::optional<ForwardDynamicsDerivatives> first_;
  Lines work_, out_, q_room_, v_room_, a_room_, group_room_;
  std::vector<double> group_;
};

}  // namespace chasles
