#include "chasles/constraints/constraints.hpp"

#include <algorithm>

#include "chasles/constraints/point_constraints.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "constraints/parts.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

SE3 pose_of(const PositionKinematics& kin, const Frame& frame) {
  return frame.link < 0 ? frame.offset
                        : kin.C()[static_cast<std::size_t>(frame.link)] * frame.offset;
}
SE3 relative(const PositionKinematics& kin, const LoopPart& loop) {
  return inverse(pose_of(kin, loop.from)) * pose_of(kin, loop.to);
}

/// The hybrid twist of a link at the point p, and its acceleration.
Twist twist_at(const VelocityKinematics& kin, int link, const Vec3& p) {
  if (link < 0) return {};
  const auto i = static_cast<std::size_t>(link);
  const Twist& V = kin.V_h()[i];
  return {V.w, V.v + cross(V.w, p - kin.C()[i].r)};
}
Twist acceleration_at(const AccelerationKinematics& kin, int link, const Vec3& p) {
  if (link < 0) return {};
  const auto i = static_cast<std::size_t>(link);
  const Twist& A = kin.A_h()[i];
  const Vec3 d = p - kin.C()[i].r, &w = kin.V_h()[i].w;
  return {A.w, A.v + cross(A.w, d) + cross(w, cross(w, d))};
}

void frame(const PositionKinematics& kin, LoopPart& loop) {
  loop.C = pose_of(kin, loop.to);
  if (!loop.joint.is_subgroup()) loop.joint.move(inverse(pose_of(kin, loop.from)) * loop.C);
}

/// (3) of cut_joint.hpp.
void loop_rate(const VelocityKinematics& kin, const LoopPart& loop, double* out) {
  const Twist V_rel = loop.in_frame(twist_at(kin, loop.to.link, loop.C.r) -
                                    twist_at(kin, loop.from.link, loop.C.r));
  for (const Wrench& W : loop.joint.W()) *out++ = dot(W, V_rel);
}

/// (4) of cut_joint.hpp. V_p, A_p: twist and acceleration of the link of `from` at the origin of `to`.
void loop_bias(const AccelerationKinematics& kin, LoopPart& loop, double* out) {
  const Vec3& p = loop.C.r;
  const Twist V = twist_at(kin, loop.to.link, p), V_p = twist_at(kin, loop.from.link, p),
              V_rel = V - V_p;
  const Twist A = acceleration_at(kin, loop.to.link, p),
              A_p = acceleration_at(kin, loop.from.link, p);
  // The point moves on `from` as `to` does: its acceleration has one more term than that of a point fixed in `from`.
  const Twist rate = loop.in_frame({A.w - A_p.w - cross(V.w, V_rel.w),
                                    A.v - A_p.v - cross(V_p.w, V_rel.v) - cross(V.w, V_rel.v)});
  const auto& W = loop.joint.W();
  if (loop.joint.is_subgroup()) {
    for (std::size_t k = 0; k < W.size(); ++k) out[k] = dot(W[k], rate);
    return;
  }
  loop.joint.turning(loop.in_frame(V_rel), out);
  for (std::size_t k = 0; k < W.size(); ++k) out[k] = dot(W[k], rate) - out[k];
}

/// c f'(q) of every term: the row of B.
void coupling_matrix(const ModelCoupling& coupling, const PositionKinematics& kin, double* b) {
  for (const ModelCoupling::Term& term : coupling.terms)
    *b++ = term.coefficient * term.function(kin.q()[term.q_index]).df;
}
/// Bd v = sum c f''(q) v^2.
double coupling_bias(const ModelCoupling& coupling, const VelocityKinematics& kin) {
  double sum = 0;
  for (const ModelCoupling::Term& term : coupling.terms) {
    const double v = kin.v()[term.v_index];
    sum += curvature(term, kin) * v * v;
  }
  return sum;
}

}  // namespace

double curvature(const ModelCoupling::Term& term, const PositionKinematics& kin) {
  return term.coefficient * term.function(kin.q()[term.q_index]).ddf;
}

Twist world_screw(const PositionKinematics& kin, std::size_t i, int k) {
  const Link& link = tree_links(kin.model())[i];
  return links::screw_in_axes(kin.model(), link, kin.q().data() + link.q_index, k, kin.C()[i].R);
}

Constraints::Constraints(const Model& model, const ConstraintOptions& options)
    : model_(model), parts_(ValuePtr<Parts>::make()) {
  Parts& parts = *parts_;
  parts.F.resize(tree_links(model).size());
  parts.t = options.time;
  if (!options.closed) return;
  const auto add = [&](std::string kind, std::string name, RowBlock block, int rows) {
    block.rows = rows;
    block.b.resize(block.entries.size() * static_cast<std::size_t>(rows));
    blocks_.push_back({std::move(kind), std::move(name), count_, rows});
    parts.blocks.push_back(std::move(block));
    count_ += rows;
  };
  for (const ModelLoop& loop : model.loops()) {
    parts.loops.push_back({CutJoint(loop), loop.from, loop.to});
    if (!parts.loops.back().joint.is_subgroup()) parts.follows = parts.turns = true;
    if (loop.from.link == loop.to.link)
      throw Error("loop '" + loop.name + "': '" + loop.bodies[0] + "' and '" + loop.bodies[1] +
                  "' are fixed to each other; a loop joins bodies that move against each other");
    RowBlock block;
    for (const int link : {loop.from.link, loop.to.link})
      if (link >= 0) block.links.push_back(link);
    add("loop", loop.name, std::move(block), parts.loops.back().joint.constraint_count());
  }
  for (const ModelCoupling& coupling : model.couplings()) {
    if (coupling.mimic && !options.mimic) continue;
    parts.couplings.push_back(&coupling);
    if (!coupling.is_linear()) parts.follows = true;
    RowBlock block;
    for (const auto& term : coupling.terms) block.entries.push_back(term.v_index);
    add(coupling.mimic ? "mimic" : "coupling", coupling.name, std::move(block), 1);
    for (std::size_t k = 0; k < coupling.terms.size(); ++k)
      parts.blocks.back().b[k] = coupling.terms[k].coefficient;
  }
  std::vector<ConstraintPtr> all = constraints_of(model);
  all.insert(all.end(), options.more.begin(), options.more.end());
  for (const bool positions : {true, false}) {
    for (const auto& constraint : all) {
      if (!constraint) throw Error("a constraint is null; leave it out");
      if (constraint->constraint_count() < 1)
        throw Error("constraint '" + constraint->name() + "' has " +
                    std::to_string(constraint->constraint_count()) + " rows; give it one at least");
      if (constraint->binds_positions() != positions) continue;
      parts.more.push_back(constraint);
      parts.timed.push_back(dynamic_cast<const RheonomicConstraint*>(constraint.get()));
      if (parts.timed.back() != nullptr) parts.depends_on_time = true;
      parts.follows = true;
      RowBlock block;
      block.entries = constraint->entries();
      for (const int k : block.entries)
        if (k < 0 || k >= model.nv())
          throw Error("constraint '" + constraint->name() + "' acts on v[" + std::to_string(k) +
                      "], which is not in v, with " + std::to_string(model.nv()) + " entries");
      if (block.entries.empty())
        for (int k = 0; k < model.nv(); ++k) block.entries.push_back(k);
      add(constraint->kind(), constraint->name(), std::move(block), constraint->constraint_count());
    }
    if (positions) position_constraint_count_ = count_;
  }
}

const ConstraintBlock& Constraints::block_of(int row) const {
  for (const ConstraintBlock& block : blocks_)
    if (row >= block.first && row < block.first + block.rows) return block;
  throw Error("there is no row " + std::to_string(row) + " of constraints; there are " +
              std::to_string(count_));
}

void Constraints::accept_gaps(ConstVectorRef gaps) {
  require_size("the gaps", gaps, count_);
  if (parts_->accepted.size() == 0)
    parts_->accepted = gaps;
  else
    parts_->accepted += gaps;
}
double Constraints::accepted_gap() const {
  return parts_->accepted.size() == 0 ? 0 : parts_->accepted.lpNorm<Eigen::Infinity>();
}
std::string Constraints::contradiction() const {
  const double largest = accepted_gap();
  if (largest == 0) return "";
  constexpr int shown = 4;
  std::string names;
  int count = 0;
  for (const ConstraintBlock& block : blocks_) {
    const auto gaps = parts_->accepted.segment(block.first, block.rows);
    if (block.rows == 0 || gaps.lpNorm<Eigen::Infinity>() < 0.01 * largest) continue;
    if (++count <= shown) names += (count == 1 ? "" : ", ") + block.text();
  }
  if (count > shown) names += " and " + std::to_string(count - shown) + " more";
  return names +
         (count == 1 ? ": its redundant equations contradict"
                     : ": redundant equations contradict") +
         " others by up to " + to_short_text(largest) +
         " rad or m, as numbers that were rounded do; they are met in the sense of least squares";
}

void Constraints::require_update(const PositionKinematics& kin) const {
  require_model("the constraints", model_, kin.model());
  if (!parts_->is_at(kin))
    throw Error("the constraints are at another configuration; call update first");
}

void Constraints::update(const PositionKinematics& kin) {
  require_model("the constraints", model_, kin.model());
  Parts& parts = *parts_;
  parts.updated = false;
  for (LoopPart& loop : parts.loops) frame(kin, loop);
  for (std::size_t i = 0; i < parts.couplings.size(); ++i)
    coupling_matrix(*parts.couplings[i], kin, parts.blocks[parts.loops.size() + i].b.data());
  const std::size_t before = parts.loops.size() + parts.couplings.size();
  for (std::size_t i = 0; i < parts.more.size(); ++i) {
    RowBlock& block = parts.blocks[before + i];
    parts.B.setZero(block.rows, model_.nv());
    if (parts.timed[i] != nullptr)
      parts.timed[i]->matrix_at(parts.t, kin, parts.B);
    else
      parts.more[i]->matrix(kin, parts.B);
    if (!parts.B.allFinite() && kin.q().allFinite()) [[unlikely]]
      throw Error("the matrix of constraint '" + parts.more[i]->name() +
                  "' is not finite at q = " + tuple_text(kin.q()));
    for (std::size_t e = 0; e < block.entries.size(); ++e)
      for (int r = 0; r < block.rows; ++r)
        block.b[e * static_cast<std::size_t>(block.rows) + static_cast<std::size_t>(r)] =
            parts.B(r, block.entries[e]);
  }
  parts.q = kin.q();
  parts.updated = true;
}

void Constraints::follow() {
  for (LoopPart& loop : parts_->loops) loop.joint.follow();
}
void Constraints::follow(std::string_view loop, ConstVectorRef theta) {
  const auto& loops = model_.loops();
  for (std::size_t i = 0; i < parts_->loops.size(); ++i) {
    if (loops[i].name != loop) continue;
    require_size("theta", theta, loops[i].joint.nq());
    parts_->loops[i].joint.follow(Vector(theta));
    parts_->updated = false;
  }
}

void Constraints::constraint_error(const PositionKinematics& kin, VectorRef Phi) {
  require_model("the constraints", model_, kin.model());
  require_size("Phi", Phi, count_);
  Parts& parts = *parts_;
  // Wrenches that depend on q are evaluated at `kin` from here on and overwrite those of the last update.
  if (parts.turns && !parts.is_at(kin)) parts.updated = false;
  double* row = Phi.data();
  std::size_t number = 0;
  for (LoopPart& loop : parts.loops) {
    loop.joint.constraint_error(relative(kin, loop), row);
    row += parts.blocks[number++].rows;
  }
  for (const ModelCoupling* coupling : parts.couplings) {
    *row = -coupling->offset;
    for (const auto& term : coupling->terms)
      *row += term.coefficient * term.function(kin.q()[term.q_index]).f;
    row += parts.blocks[number++].rows;
  }
  for (std::size_t i = 0; i < parts.more.size(); ++i) {
    const Constraint& constraint = *parts.more[i];
    Eigen::Map<Eigen::VectorXd> part(row, constraint.constraint_count());
    part.setZero();
    row += constraint.constraint_count();
    if (!constraint.binds_positions()) continue;
    if (parts.timed[i] != nullptr)
      parts.timed[i]->error_at(parts.t, kin, part);
    else
      constraint.constraint_error(kin, part);
  }
  if (parts.accepted.size() > 0) Phi -= parts.accepted;
}

void Constraints::rate(const VelocityKinematics& kin, VectorRef out) const {
  require_update(kin);
  require_size("the rates", out, count_);
  double* row = out.data();
  for (const LoopPart& loop : parts_->loops) {
    loop_rate(kin, loop, row);
    row += loop.joint.constraint_count();
  }
  for (std::size_t i = parts_->loops.size(); i < parts_->blocks.size(); ++i) {
    const RowBlock& block = parts_->blocks[i];
    for (int k = 0; k < block.rows; ++k) {
      double sum = 0;
      for (std::size_t e = 0; e < block.entries.size(); ++e)
        sum += block.coefficients(e)[k] * kin.v()[block.entries[e]];
      *row++ = sum;
    }
  }
}

void Constraints::time_rate(const PositionKinematics& kin, VectorRef out) const {
  require_update(kin);
  require_size("the rates", out, count_);
  out.setZero();
  const std::size_t before = parts_->loops.size() + parts_->couplings.size();
  for (std::size_t i = 0; i < parts_->timed.size(); ++i) {
    const ConstraintBlock& block = blocks_[before + i];
    if (parts_->timed[i] != nullptr)
      parts_->timed[i]->time_rate_at(parts_->t, kin, out.segment(block.first, block.rows));
  }
}

void Constraints::bias(const AccelerationKinematics& kin, VectorRef out) {
  require_update(kin);
  require_size("the bias", out, count_);
  double* row = out.data();
  for (LoopPart& loop : parts_->loops) {
    loop_bias(kin, loop, row);
    row += loop.joint.constraint_count();
  }
  for (const ModelCoupling* coupling : parts_->couplings) *row++ = coupling_bias(*coupling, kin);
  for (std::size_t i = 0; i < parts_->more.size(); ++i) {
    const Constraint& constraint = *parts_->more[i];
    Eigen::Map<Eigen::VectorXd> part(row, constraint.constraint_count());
    if (parts_->timed[i] != nullptr)
      parts_->timed[i]->bias_at(parts_->t, kin, part);
    else
      constraint.bias(kin, part);
    row += constraint.constraint_count();
  }
}

/// Adds the rows of one block to B, which starts at zero.
void Constraints::add_rows(const PositionKinematics& kin, std::size_t number,
                           Eigen::Ref<Eigen::MatrixXd> B) const {
  const RowBlock& block = parts_->blocks[number];
  for (const int end : block.links) {
    const LoopPart& loop = parts_->loops[number];
    dynamics::for_links_inward_from(
        model_, static_cast<std::size_t>(end), [&](const Link& link, std::size_t i) {
          for (int c = 0; c < link.nv; ++c) {
            Twist X = world_screw(kin, i, c);
            X.v += cross(X.w, loop.C.r - kin.C()[i].r);
            X = loop.sign(end) * loop.in_frame(X);
            for (int k = 0; k < block.rows; ++k)
              B(k, link.v_index + c) += dot(loop.joint.W()[static_cast<std::size_t>(k)], X);
          }
        });
  }
  for (std::size_t e = 0; e < block.entries.size(); ++e)
    for (int k = 0; k < block.rows; ++k) B(k, block.entries[e]) += block.coefficients(e)[k];
}
void Constraints::matrix(const PositionKinematics& kin, Matrix& B) const {
  require_update(kin);
  B.setZero(count_, model_.nv());
  for (std::size_t number = 0; number < blocks_.size(); ++number)
    add_rows(kin, number, B.middleRows(blocks_[number].first, blocks_[number].rows));
}
void Constraints::matrix(const PositionKinematics& kin, std::size_t block, Matrix& B) const {
  require_update(kin);
  B.setZero(blocks_.at(block).rows, model_.nv());
  add_rows(kin, block, B);
}

namespace {

/// d/dt (W^T (J_to - J_from)) in the frame `to`: with E the pose of `to` seen from `from`,
/// d/dt Ad_E^-1 = -ad_{V_rel} Ad_E^-1.
void loop_matrix_rate(const VelocityKinematics& kin, LoopPart& loop,
                      Eigen::Ref<Eigen::MatrixXd> out) {
  const Model& model = kin.model();
  const Frame opposite = loop.from.at(inverse(pose(kin, loop.from)) * pose(kin, loop.to));
  const auto b = Representation::body;
  Matrix6X J(6, model.nv()), J_p = J, rate = J, rate_p = J;
  jacobian(model, kin, loop.to, b, J);
  jacobian(model, kin, opposite, b, J_p);
  jacobian_rate(model, kin, loop.to, b, rate);
  jacobian_rate(model, kin, opposite, b, rate_p);
  const Twist V_rel = twist(kin, loop.to, b) + -1.0 * twist(kin, opposite, b);
  for (Eigen::Index c = 0; c < J.cols(); ++c) {
    const Twist X =
        from_eigen<Twist>(rate.col(c) - rate_p.col(c)) + ad(V_rel, from_eigen<Twist>(J_p.col(c)));
    for (std::size_t k = 0; k < loop.joint.W().size(); ++k)
      out(static_cast<Eigen::Index>(k), c) = dot(loop.joint.W()[k], X);
  }
  loop.joint.turn(V_rel, Matrix6X(J - J_p), out);
}

}  // namespace

void Constraints::matrix_rate(const VelocityKinematics& kin, Matrix& B_rate) {
  require_update(kin);
  B_rate.setZero(count_, model_.nv());
  std::size_t number = 0;
  const auto rows_of = [&](std::size_t i) {
    return B_rate.middleRows(blocks_[i].first, blocks_[i].rows);
  };
  for (LoopPart& loop : parts_->loops) loop_matrix_rate(kin, loop, rows_of(number++));
  for (const ModelCoupling* coupling : parts_->couplings) {
    auto rows = rows_of(number++);
    for (const auto& term : coupling->terms)
      rows(0, term.v_index) += curvature(term, kin) * kin.v()[term.v_index];
  }
  for (const auto& constraint : parts_->more) constraint->matrix_rate(kin, rows_of(number++));
}

}  // namespace chasles
