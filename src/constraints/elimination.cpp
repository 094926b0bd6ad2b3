#include "constraints/elimination.hpp"

#include <algorithm>

#include "dynamics/links.hpp"

namespace chasles {
namespace {

const double* numbers(const std::vector<SE3>& x) {
  return reinterpret_cast<const double*>(x.data());
}
const double* numbers(const std::vector<Twist>& x) {
  return reinterpret_cast<const double*>(x.data());
}
void write(const Vec3& a, double* to, std::size_t stride) {
  to[0] = a.x, to[stride] = a.y, to[2 * stride] = a.z;
}

}  // namespace

/// The wrenches of a loop, row beside row.
void Elimination::take_wrenches(const Constraints& constraints, std::size_t block) {
  const Block& of = blocks_[block];
  const std::size_t width = size(plan_[block].width);
  const auto& W = constraints.parts().loops[of.number].joint.W();
  double* to = W_.data() + of.W;
  for (std::size_t r = 0; r < of.picked.size(); ++r) {
    write(W[size(of.picked[r])].t, to + r, width);
    write(W[size(of.picked[r])].f, to + 3 * width + r, width);
  }
}
/// Entries of v that rows have: where k begins.
void Elimination::take_entries(const Constraints& constraints) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    const RowBlock& rows = constraints.parts().blocks[block.number];
    for (std::size_t e = 0; e < rows.entries.size(); ++e)
      for (std::size_t r = 0; r < block.picked.size(); ++r)
        k_[size(block.entries[e]) + r] += rows.coefficients(e)[block.picked[r]];
  }
}

/// Made anew where this is a copy; what was moved took its memory along, but for one number.
kernels::EliminationPass& Elimination::pass() {
  kernels::EliminationPass& e = pass_;
  e.least = &least_pivot_;
  if (e.work == reinterpret_cast<char*>(work_.data())) return e;
  e.tree = &model_.data().trees->of<double>();
  e.given = screws_.data();
  e.blocks = plan_.data(), e.others = others_.data(), e.coupled_pairs = coupled_pairs_.data();
  e.passages = passages_.data(), e.pairs = pairs_.data(), e.at = at_.data();
  e.ends = ends_.data(), e.ends_count = static_cast<int>(ends_.size());
  e.blocks_count = static_cast<int>(plan_.size());
  e.work = reinterpret_cast<char*>(work_.data());
  e.L = L_.data(), e.K = K_.data(), e.k = k_.data(), e.kD = kD_.data();
  e.alone = alone_.data(), e.inverse = inverse_.data();
  e.g = g_.data(), e.lambda = lambda_.data();
  e.sizes = sizes_.data(), e.pivots = pivots_.data(), e.best = best_.data();
  return e;
}

std::vector<double> Elimination::by_row(const std::vector<double>& in_lanes) const {
  std::vector<double> out(rows_.size());
  for (const kernels::ConstraintRows& rows : plan_)
    std::copy_n(in_lanes.begin() + rows.lane, rows.rows, out.begin() + rows.first);
  return out;
}

/// What there is before the first link: wrenches, screws and entries of rows, and zero.
void Elimination::begin(const PositionKinematics& kin, const Constraints& constraints) {
  const auto& parts = constraints.parts();
  for (kernels::RowsOnLink& end : ends_) {
    const LoopPart& loop = parts.loops[blocks_[size(end.block)].number];
    if (!loop.joint.is_subgroup()) take_wrenches(constraints, size(end.block));
    end.W = W_.data() + blocks_[size(end.block)].W;
    end.pose = reinterpret_cast<const double*>(&loop.C);
  }
  for (const int i : given_) {
    const Link& link = model_.links()[size(i)];
    for (int k = 0; k < link.nv; ++k) {
      const Twist X = world_screw(kin, size(i), k);
      double* to = screws_.data() + 6 * size(link.v_index + k);
      write(X.w, to, 1), write(X.v, to + 3, 1);
    }
  }
  for (auto* all : {&L_, &K_, &k_, &alone_}) std::fill(all->begin(), all->end(), 0.0);
  take_entries(constraints);
  pass().pose = numbers(kin.C());
}
void Elimination::set_motion(const AccelerationKinematics& kin, AppliedWrenches applied) {
  applied_.clear();
  for (const AppliedWrench& a : applied) {
    require_place(a.place, model_);
    if (a.place.link < 0) continue;
    const SE3& at = kin.C()[size(a.place.link)];
    const SE3 C = at * a.place.offset;
    const Wrench W = lie::convert(a.W, C, a.representation, Representation::hybrid);
    kernels::WrenchOnLink on{a.place.link, {}};
    write(W.t + cross(C.r - at.r, W.f), on.W, 1), write(W.f, on.W + 3, 1);
    applied_.push_back(on);
  }
  kernels::EliminationPass& e = pass();
  e.twist = numbers(kin.V_h()), e.acceleration = numbers(kin.A_h());
  e.applied = applied_.data(), e.applied_count = static_cast<int>(applied_.size());
}
void Elimination::set_sides(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  kernels::EliminationPass& e = pass();
  e.b = b.data(), e.c = c.data(), e.x = x.data(), e.out = lambda.data();
}

void Elimination::factorize(const PositionKinematics& kin, const Constraints& constraints,
                            double mu, bool leave_out) {
  begin(kin, constraints);
  pass_.mu = mu, pass_.leave_out = leave_out;
  if (const int entry = kernels_->factorize(pass_); entry >= 0)
    dynamics::throw_singular(model_, entry);
}
void Elimination::solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  set_sides(b, c, x, lambda);
  kernels_->solve(pass_);
}
void Elimination::accelerate(const AccelerationKinematics& kin, AppliedWrenches applied,
                             ConstVectorRef tau, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  set_motion(kin, applied);
  set_sides(tau, c, x, lambda);
  kernels_->accelerate(pass_);
}
void Elimination::accelerate_anew(const AccelerationKinematics& kin, const Constraints& constraints,
                                  AppliedWrenches applied, ConstVectorRef tau, ConstVectorRef c,
                                  VectorRef x, VectorRef lambda) {
  begin(kin, constraints);
  set_motion(kin, applied);
  set_sides(tau, c, x, lambda);
  pass_.mu = 0, pass_.leave_out = false;
  if (const int entry = kernels_->accelerate_anew(pass_); entry >= 0)
    dynamics::throw_singular(model_, entry);
}

}  // namespace chasles
