#include "systems/tree_linearization.hpp"

#include <algorithm>
#include <cmath>

#include "access.hpp"
#include "constraints/parts.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"
#include "systems/force_tangent.hpp"
#include "systems/instruction_sets.hpp"

namespace chasles {
namespace {

constexpr int th = 0, xi = 6, eta = 12, width = 18;  // columns of link terms and of K

std::size_t size(int n) { return static_cast<std::size_t>(n); }

void write(const Wrench& W, double* to) { put(W.t, to), put(W.f, to + 3); }
void write(const Twist& X, double* to) { put(X.w, to), put(X.v, to + 3); }
void add(const Wrench& W, double factor, double* to) {
  for (int k = 0; k < 3; ++k) to[k] += factor * W.t[k], to[3 + k] += factor * W.f[k];
}
Twist unit_twist(int k) {
  Twist X;
  (k < 3 ? X.w : X.v)[k % 3] = 1;
  return X;
}
Wrench as_wrench(const Twist& X) { return {X.w, X.v}; }

/// Adds factor * A to the 3 x 3 block of a matrix with rows of 18.
void add_block(double* to, double factor, const Mat3& A) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) to[r * width + c] += factor * A(r, c);
}
/// Q[f] = [[t~, f~], [f~, 0]].
void add_Q(double* to, double factor, const Wrench& f) {
  add_block(to, factor, hat(f.t));
  add_block(to + 3, factor, hat(f.f));
  add_block(to + 3 * width, factor, hat(f.f));
}

void put_row(double x, double y, double z, double* to) { to[0] = x, to[1] = y, to[2] = z; }

/// [N, M], 6 x 12, in rows of 18. N has a left half only: with A = w~ I and p = M V it is
///
///     A + A^T - (c v^T + v c^T) + 2 (c.v) 1 - p_t~     above     -2 p_f~
void put_inertia(const Inertia& M, const Twist& V, const Wrench& p, double* to) {
  const Sym3& I = M.I;
  const Vec3 &c = M.mc, &v = V.v, t = p.t, f = 2 * p.f;
  const Vec3 a0 = cross(V.w, Vec3{I.xx, I.xy, I.xz}), a1 = cross(V.w, Vec3{I.xy, I.yy, I.yz}),
             a2 = cross(V.w, Vec3{I.xz, I.yz, I.zz});
  const double twice = 2 * dot(c, v);
  const double xy = a0.y + a1.x - (c.x * v.y + c.y * v.x),
               xz = a0.z + a2.x - (c.x * v.z + c.z * v.x),
               yz = a1.z + a2.y - (c.y * v.z + c.z * v.y);
  put_row(2 * (a0.x - c.x * v.x) + twice, xy + t.z, xz - t.y, to);
  put_row(xy - t.z, 2 * (a1.y - c.y * v.y) + twice, yz + t.x, to + width);
  put_row(xz + t.y, yz - t.x, 2 * (a2.z - c.z * v.z) + twice, to + 2 * width);
  put_row(0, f.z, -f.y, to + 3 * width);
  put_row(-f.z, 0, f.x, to + 4 * width);
  put_row(f.y, -f.x, 0, to + 5 * width);
  for (int r = 0; r < 6; ++r) put_row(0, 0, 0, to + r * width + th + 3);
  to += xi;
  put_row(I.xx, I.xy, I.xz, to), put_row(0, -c.z, c.y, to + 3);
  put_row(I.xy, I.yy, I.yz, to + width), put_row(c.z, 0, -c.x, to + width + 3);
  put_row(I.xz, I.yz, I.zz, to + 2 * width), put_row(-c.y, c.x, 0, to + 2 * width + 3);
  put_row(0, c.z, -c.y, to + 3 * width), put_row(M.m, 0, 0, to + 3 * width + 3);
  put_row(-c.z, 0, c.x, to + 4 * width), put_row(0, M.m, 0, to + 4 * width + 3);
  put_row(c.y, -c.x, 0, to + 5 * width), put_row(0, 0, M.m, to + 5 * width + 3);
}

/// An orthonormal basis of the `count` twists on which the wrenches W (orthonormal) do no work.
void complement(const std::vector<Wrench>& W, Twist* basis, int count) {
  const auto inner = [](const Twist& x, const Vec3& a, const Vec3& b) {
    return dot(x.w, a) + dot(x.v, b);
  };
  for (int n = 0; n < count; ++n) {
    double longest = 0;
    for (int k = 0; k < 6; ++k) {
      Twist x = unit_twist(k);
      for (int twice = 0; twice < 2; ++twice) {
        for (const Wrench& y : W) x -= inner(x, y.t, y.f) * Twist{y.t, y.f};
        for (int m = 0; m < n; ++m) x -= inner(x, basis[m].w, basis[m].v) * basis[m];
      }
      const double length = std::sqrt(inner(x, x.w, x.v));
      if (length > 1.0001 * longest) longest = length, basis[n] = (1 / length) * x;
    }
  }
}

/// A ad_V for a 6 x 6 matrix A: its rows are wrenches, (row ad_V) = ad_V^T row.
void times_ad(const double* A, const Twist& V, double* out) {
  for (int r = 0; r < 6; ++r)
    write(ad_dual(V, Wrench{vec3_at(A + 6 * r), vec3_at(A + 6 * r + 3)}), out + 6 * r);
}

}  // namespace

TreeLinearization::TreeLinearization(const Model& model, const Constraints& constraints,
                                     ConstraintLevel level, GeometricStiffness stiffness)
    : model_(model),
      level_(level),
      stiffness_(stiffness),
      offsets_(dynamics::square_offsets(model)),
      own_(108 * tree_links(model).size()),
      columns_(30 * size(model.nv())),
      K_(size(offsets_.back())),
      D_(size(offsets_.back())),
      V_(tree_links(model).size()),
      al_(tree_links(model).size()),
      f_(tree_links(model).size()),
      seen_(6, 7),
      turned_(6, 7) {
  seen_.setZero();
  seen_.rightCols<6>().setIdentity();
  for (const LoopPart& loop : detail::Access::parts(constraints).loops) {
    joints_.push_back(loop.joint);
    stiff_.push_back(loop.from.link >= 0 || !loop.joint.is_subgroup());
  }
  for (std::size_t i = 0; i < constraints.blocks().size(); ++i) {
    const RowBlock& rows = detail::Access::parts(constraints).blocks[i];
    BorderBlock block;
    block.first = constraints.blocks()[i].first, block.equations = constraints.blocks()[i].rows;
    for (const int link : rows.links) block.ends.push_back({link, {}, {}});
    for (const int v : rows.entries) block.entries.push_back({v, {}, {}});
    blocks_.push_back(std::move(block));
  }
  std::vector<KeptEquations> all;
  std::vector<std::vector<double>> identities;
  for (const BorderBlock& block : blocks_) {
    std::vector<double> one(size(block.equations * block.equations));
    for (int k = 0; k < block.equations; ++k) one[size(k * block.equations + k)] = 1;
    identities.push_back(std::move(one));
    all.push_back({block.first, block.equations, block.equations, identities.back().data()});
  }
  choose(all);
}

void TreeLinearization::choose(std::span<const KeptEquations> kept) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BorderBlock& block = blocks_[i];
    block.kept = kept[i].rank;
    block.U.assign(kept[i].U, kept[i].U + kept[i].rows * kept[i].rank);
    const bool stiff = i < stiff_.size() && stiff_[i];
    const int free = !stiff || stiffness_ == GeometricStiffness::none ? 0
                     : stiffness_ == GeometricStiffness::full         ? 6
                                                                      : 6 - block.equations;
    block.rows = block.kept + free;
    block.L.assign(size(block.rows * block.rows), 0);
    for (int k = block.kept; k < block.rows; ++k) block.L[size(k * block.rows + k)] = -1;
    for (auto& end : block.ends) {
      end.K.assign(size(block.rows) * width, 0);
      end.R.assign(size(block.rows) * 6, 0);
    }
    for (auto& entry : block.entries)
      entry.b.assign(size(block.rows), 0), entry.k.assign(size(block.rows), 0);
  }
}

void TreeLinearization::take(const LinearizationPoint& at, ConstVectorRef lambda) {
  point_ = dynamics::reference_point(at.kin);
  if (is_loaded_) std::fill(own_.begin(), own_.end(), 0.0);  // E is zero otherwise
  std::fill(K_.begin(), K_.end(), 0.0);
  std::fill(D_.begin(), D_.end(), 0.0);
  take_links(at);
  take_applied(at);
  take_elements(at.forces);
  take_loops(at, lambda);
  take_entries(at, lambda);
  for (std::size_t i = f_.size(); i-- > 0;)
    if (const int p = tree_links(model_)[i].parent; p >= 0) f_[size(p)] += f_[i];
  take_joints(at);
  take_joint_forces(at.forces);
}

CHASLES_HOT void TreeLinearization::take_links(const LinearizationPoint& at) {
  const Vec3 g = model_.gravity();
  for (std::size_t i = 0; i < V_.size(); ++i) {
    const SE3 C = dynamics::about(point_, at.kin.C()[i]);
    const Twist &V = at.kin.V_h()[i], &A = at.kin.A_h()[i];
    V_[i] = {V.w, V.v + cross(C.r, V.w)};
    al_[i] = {A.w, A.v + cross(C.r, A.w) - cross(V.w, V.v) - g};
    const Inertia M = transform(C, tree_links(model_)[i].inertia);
    const Wrench p = M * V_[i];
    put_inertia(M, V_[i], p, own_.data() + 108 * i);
    f_[i] = M * al_[i] - ad_dual(V_[i], p);
  }
}

void TreeLinearization::take_applied(const LinearizationPoint& at) {
  for (const AppliedWrench& applied : at.applied) {
    if (applied.frame.link < 0) continue;
    const SE3 C = at.kin.C()[size(applied.frame.link)] * applied.frame.offset;
    const Wrench W = lie::convert(applied.W, C, applied.representation, Representation::hybrid);
    f_[size(applied.frame.link)] -= {W.t + cross(C.r - point_, W.f), W.f};
  }
}

/// dW = K eta + D dV on a link enters (4) as -(dW + Q[W] eta), with dV = th - ad_V eta.
void TreeLinearization::take_elements(const ForceTangent& forces) {
  is_loaded_ = false;
  for (BorderBlock& block : elements_)
    for (auto& end : block.ends) std::fill(end.K.begin(), end.K.end(), 0.0);
  for (const ForceTangent::Element& e : forces.elements) {
    if (e.a == e.b) continue;
    is_loaded_ = true;
    const Vec3 d = e.p - point_;
    const Wrench W{Vec3{e.W[0], e.W[1], e.W[2]} + cross(d, Vec3{e.W[3], e.W[4], e.W[5]}),
                   {e.W[3], e.W[4], e.W[5]}};
    for (const bool second : {false, true}) {
      const int link = second ? e.b : e.a;
      if (link < 0) continue;
      double* own = own_.data() + 108 * size(link);
      const double sign = second ? 1 : -1;
      add_Q(own + eta, -sign, W);
      if (e.a >= 0 && e.b >= 0) continue;
      double K[36], D[36], D_ad[36];
      shift_matrix(second ? e.K_b : e.K_a, d, K), shift_matrix(second ? e.D_b : e.D_a, d, D);
      times_ad(D, twist_of(link), D_ad);
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) {
          own[r * width + th + c] -= sign * D[6 * r + c];
          own[r * width + eta + c] -= sign * (K[6 * r + c] - D_ad[6 * r + c]);
        }
    }
    if (e.a >= 0 && e.b >= 0) add_to_pair(e);
  }
}

/// The unknown is dW: dW - sum (K eta + D dV) = 0; it enters (4) of b with -1, of a with 1.
BorderBlock& TreeLinearization::element_of(const LinkPair& pair) {
  for (std::size_t n = 0; n < pairs_.size(); ++n)
    if (pairs_[n] == pair) return elements_[n];
  pairs_.push_back(pair);
  BorderBlock block;
  block.rows = 6;
  block.L.assign(36, 0);
  for (int k = 0; k < 6; ++k) block.L[size(7 * k)] = 1;
  for (const int link : {pair.a, pair.b}) {
    block.ends.push_back({link, std::vector<double>(6 * width), std::vector<double>(36)});
    for (int k = 0; k < 6; ++k) block.ends.back().R[size(7 * k)] = link == pair.a ? 1 : -1;
  }
  return elements_.emplace_back(std::move(block));
}
void TreeLinearization::add_to_pair(const ForceTangent::Element& e) {
  const Vec3 d = e.p - point_;
  for (auto& end : element_of({e.a, e.b}).ends) {
    const bool second = end.link == e.b;
    double K[36], D[36], D_ad[36];
    shift_matrix(second ? e.K_b : e.K_a, d, K), shift_matrix(second ? e.D_b : e.D_a, d, D);
    times_ad(D, twist_of(end.link), D_ad);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) {
        end.K[size(r * width + th + c)] -= D[6 * r + c];
        end.K[size(r * width + eta + c)] -= K[6 * r + c] - D_ad[6 * r + c];
      }
  }
}

void TreeLinearization::take_loops(const LinearizationPoint& at, ConstVectorRef lambda) {
  for (std::size_t i = 0; i < detail::Access::parts(at.constraints).loops.size(); ++i)
    take_loop(at, i, lambda.data() + blocks_[i].first);
}

void TreeLinearization::take_loop(const LinearizationPoint& at, std::size_t number,
                                  const double* lambda) {
  const LoopPart& loop = detail::Access::parts(at.constraints).loops[number];
  BorderBlock& block = blocks_[number];
  const SE3 C = dynamics::about(point_, loop.C);
  const auto& W = loop.joint.W();
  const Twist V_from = twist_of(loop.from.link);
  Wrench F, basis[6];
  for (std::size_t r = 0; r < W.size(); ++r) {
    basis[r] = Ad_inv_dual(C, W[r]);
    F += lambda[r] * basis[r];
  }
  for (auto& end : block.ends) {
    std::fill(end.K.begin(), end.K.end(), 0.0);
    std::fill(end.R.begin(), end.R.end(), 0.0);
    const double sign = loop.sign(end.link);
    f_[size(end.link)] += sign * F;
    for (int k = 0; k < block.kept; ++k) {
      Wrench K0;
      for (std::size_t r = 0; r < W.size(); ++r) K0 += block.U[size(k) * W.size() + r] * basis[r];
      double* K = end.K.data() + k * width;
      if (level_ == ConstraintLevel::position) {
        add(K0, sign, K + eta);
      } else {
        add(K0, sign, K + th);
        add(ad_dual(V_from, K0), -sign, K + eta);
      }
      write(sign * K0, end.R.data() + 6 * k);
    }
  }
  // Geometric stiffness: F is fixed in `to`, and acts on the link of `from` as well.
  Twist free[6];
  if (stiffness_ == GeometricStiffness::free) complement(W, free, block.rows - block.kept);
  int row = block.kept;
  for (int k = 0; k < 6 && row < block.rows; ++k) {
    const Twist X = stiffness_ == GeometricStiffness::full ? unit_twist(k) : free[row - block.kept];
    for (auto& end : block.ends) {
      const double sign = loop.sign(end.link);
      add(Ad_inv_dual(C, as_wrench(X)), sign, end.K.data() + row * width + eta);
      if (sign < 0) write(ad_dual(Ad(C, X), F), end.R.data() + 6 * row);
    }
    free[row - block.kept] = X;
    ++row;
  }
  if (loop.joint.is_subgroup()) return;
  joints_[number] = loop.joint;
  const Twist V_rel = Ad_inv(C, twist_of(loop.to.link) - V_from);
  for (int k = 0; k < 3; ++k) seen_(k, 0) = V_rel.w[k], seen_(3 + k, 0) = V_rel.v[k];
  take_turning(number, C, lambda, loop.sign(block.ends[0].link),
               {free, static_cast<std::size_t>(block.rows - block.kept)});
}

/// W changes by dW_r along each freedom X_f of the cut joint: constraint rates by dW_r . V_rel, wrenches on both ends
/// by sum_r lambda_r dW_r.
/// @param sign  sign of the wrench on the first end
void TreeLinearization::take_turning(std::size_t number, const SE3& C, const double* lambda,
                                     double sign, std::span<const Twist> directions) {
  BorderBlock& block = blocks_[number];
  const int n = block.equations;
  for (std::size_t f = 0; f < directions.size(); ++f) {
    auto dW = turned_.topRows(n);
    dW.setZero();
    joints_[number].turn(directions[f], seen_, dW);
    const auto part = [&](int c) {
      double sum = 0;
      for (int r = 0; r < n; ++r) sum += lambda[r] * dW(r, 1 + c);
      return sum;
    };
    const Wrench G =
        Ad_inv_dual(C, Wrench{{part(0), part(1), part(2)}, {part(3), part(4), part(5)}});
    const Wrench X = Ad_inv_dual(C, as_wrench(directions[f]));
    for (std::size_t e = 0; e < block.ends.size(); ++e) {
      BorderBlock::End& end = block.ends[e];
      const double side = e == 0 ? sign : -sign;
      add(G, side, end.R.data() + 6 * (size(block.kept) + f));
      for (int k = 0; k < block.kept && level_ == ConstraintLevel::velocity; ++k) {
        double rate = 0;
        for (int r = 0; r < n; ++r) rate += block.U[size(k * n + r)] * dW(r, 0);
        add(X, side * rate, end.K.data() + k * width + eta);
      }
    }
  }
}

/// Couplings and user-defined constraints, which act on entries of v.
void TreeLinearization::take_entries(const LinearizationPoint& at, ConstVectorRef lambda) {
  const Constraints::Parts& parts = detail::Access::parts(at.constraints);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BorderBlock& block = blocks_[i];
    const RowBlock& rows = parts.blocks[i];
    for (std::size_t e = 0; e < block.entries.size(); ++e)
      for (int k = 0; k < block.kept; ++k) {
        double sum = 0;
        for (int r = 0; r < block.equations; ++r)
          sum += block.U[size(k * block.equations + r)] * rows.coefficients(e)[r];
        block.entries[e].b[size(k)] = sum;
      }
  }
  for (std::size_t i = 0; i < parts.couplings.size(); ++i)
    take_coupling(*parts.couplings[i], at, lambda, blocks_[parts.loops.size() + i]);
}
/// With c f''(q) of each term: lambda c f'' on the diagonal of K is the derivative of B^T lambda, c f'' v that of B v.
void TreeLinearization::take_coupling(const ModelCoupling& coupling, const LinearizationPoint& at,
                                      ConstVectorRef lambda, BorderBlock& block) {
  for (std::size_t e = 0; e < coupling.terms.size(); ++e) {
    const ModelCoupling::Term& term = coupling.terms[e];
    const std::size_t i = size(link_of_v(model_)[size(term.v_index)]);
    const Link& link = tree_links(model_)[i];
    const double turn = curvature(term, at.kin);
    K_[size(offsets_[i] + (term.v_index - link.v_index) * (link.nv + 1))] +=
        lambda[block.first] * turn;
    if (block.kept > 0) block.entries[e].k[0] = block.U[0] * turn * at.kin.v()[term.v_index];
  }
}

/// Columns of (2), (3) and of (4).
CHASLES_HOT void TreeLinearization::take_joints(const LinearizationPoint& at) {
  const Twist al_0{{}, -model_.gravity()};
  const auto& links = tree_links(model_);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    const bool root = link.parent < 0;
    const Twist V_p = root ? Twist{} : V_[size(link.parent)], V = V_[i];
    const Twist al_p = root ? al_0 : al_[size(link.parent)];
    const SE3 C = dynamics::about(point_, at.kin.C()[i]);
    const double *q = at.kin.q().data() + link.q_index, *v = at.kin.v().data() + link.v_index;
    const bool turns = links::screws_turn(link);
    double zero[6]{}, unit[6]{}, both[6]{};
    const auto bias_at = [&](const double* u) {
      return links::group_acceleration(model_, link, q, u, zero);
    };
    for (int c = 0; c < link.nv; ++c) {
      Twist H = world_screw(at.kin, i, c);
      H.v += cross(C.r, H.w);
      const Twist Psi = ad(V_p, H);
      Twist by_q = Psi, by_v = Psi + ad(V, H), by_q2 = ad(al_p, H) + ad(V_p, Psi);
      if (turns) {
        unit[c] = 1;
        Twist S_v;
        for (int k = 0; k < link.nv; ++k) {
          const Twist slope = links::screw_rate(model_, link, q, unit, k);
          S_v += v[k] * slope;
          K_[size(offsets_[i] + k * link.nv + c)] += dot(f_[i], Ad(C, slope));
        }
        for (int k = 0; k < link.nv; ++k) both[k] = v[k] + unit[k];
        const Twist Y = bias_at(both) - bias_at(v) - bias_at(unit);
        const Twist S_a =
            links::d_group_acceleration(model_, link, q, v, at.a.data() + link.v_index, c);
        unit[c] = 0;
        const Twist S = Ad(C, S_v);
        by_q += S, by_v += Ad(C, Y), by_q2 += ad(V_p, S) + ad(V, S) + Ad(C, S_a);
      }
      double* to = columns_.data() + 30 * size(link.v_index + c);
      write(H, to), write(by_q, to + 6), write(by_v, to + 12), write(by_q2, to + 18);
      write(-ad_dual(H, f_[i]), to + 24);
    }
  }
}

void TreeLinearization::take_joint_forces(const ForceTangent& forces) {
  for (const ForceTangent::JointBlock& block : forces.joints)
    for (int r = 0; r < block.size; ++r) {
      const int i = link_of_v(model_)[size(block.v + r)];
      const Link& link = tree_links(model_)[size(i)];
      for (int c = 0; c < block.size; ++c) {
        if (link_of_v(model_)[size(block.v + c)] != i) continue;
        const int at = offsets_[size(i)] + (block.v + r - link.v_index) * link.nv +
                       (block.v + c - link.v_index);
        K_[size(at)] += block.K[r * block.size + c];
        D_[size(at)] += block.D[r * block.size + c];
      }
    }
}

}  // namespace chasles
