#include "systems/force_tangent.hpp"

#include "constraints/parts.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

Wrench row_of(const double* A, int r) { return {vec3_at(A + 6 * r), vec3_at(A + 6 * r + 3)}; }
/// A x.
Wrench times(const double* A, const Twist& x) {
  const auto row = [&](int r) { return dot(row_of(A, r), x); };
  return {{row(0), row(1), row(2)}, {row(3), row(4), row(5)}};
}

}  // namespace

void shift_matrix(const std::array<double, 36>& A, const Vec3& d, double* out) {
  double AX[36];
  const auto cross_row = [&](const double* row, double* to) {  // to = row X
    const Vec3 f = vec3_at(row + 3), t = vec3_at(row) + cross(d, f);
    put(t, to), put(f, to + 3);
  };
  for (int r = 0; r < 6; ++r) cross_row(A.data() + 6 * r, AX + 6 * r);
  for (int c = 0; c < 6; ++c) {
    const Vec3 f{AX[18 + c], AX[24 + c], AX[30 + c]};
    const Vec3 t = Vec3{AX[c], AX[6 + c], AX[12 + c]} + cross(d, f);
    for (int r = 0; r < 3; ++r) out[6 * r + c] = t[r], out[6 * (r + 3) + c] = f[r];
  }
}

ForceTangentAssembly::ForceTangentAssembly(const Model& model)
    : model_(model),
      H_(static_cast<std::size_t>(model.nv())),
      by_q_(H_.size()),
      V_(tree_links(model).size()),
      offsets_(dynamics::square_offsets(model)),
      slopes_(static_cast<std::size_t>(offsets_.back())) {}

bool ForceTangentAssembly::carries(int c, int link) const {
  return link >= 0 &&
         dynamics::carries(model_, link_of_v(model_)[static_cast<std::size_t>(c)], link);
}

void ForceTangentAssembly::take_columns(const VelocityKinematics& kin) {
  point_ = dynamics::reference_point(kin);
  for (std::size_t i = 0; i < V_.size(); ++i) {
    const Link& link = tree_links(model_)[i];
    const SE3 C = dynamics::about(point_, kin.C()[i]);
    const Twist& V = kin.V_h()[i];
    V_[i] = {V.w, V.v + cross(C.r, V.w)};
    const Twist V_p = link.parent < 0 ? Twist{} : V_[static_cast<std::size_t>(link.parent)];
    const double *q = kin.q().data() + link.q_index, *v = kin.v().data() + link.v_index;
    const bool turns = links::screws_turn(link);
    double unit[6]{};
    for (int c = 0; c < link.nv; ++c) {
      const auto column = static_cast<std::size_t>(link.v_index + c);
      Twist H = world_screw(kin, i, c);
      H.v += cross(C.r, H.w);
      H_[column] = H;
      by_q_[column] = ad(V_p, H);
      unit[c] = 1;
      for (int r = 0; turns && r < link.nv; ++r) {
        const Twist slope = Ad(C, links::screw_rate(model_, link, q, unit, r));
        slopes_[static_cast<std::size_t>(offsets_[i] + r * link.nv + c)] = slope;
        by_q_[column] += v[r] * slope;
      }
      unit[c] = 0;
    }
  }
}

Twist ForceTangentAssembly::turned(int c, int r) const {
  const int of_c = link_of_v(model_)[static_cast<std::size_t>(c)],
            of_r = link_of_v(model_)[static_cast<std::size_t>(r)];
  if (!dynamics::carries(model_, of_c, of_r)) return {};
  Twist dH = ad(H_[static_cast<std::size_t>(c)], H_[static_cast<std::size_t>(r)]);
  const auto i = static_cast<std::size_t>(of_r);
  const Link& link = tree_links(model_)[i];
  if (of_c == of_r && links::screws_turn(link))
    dH += slopes_[static_cast<std::size_t>(offsets_[i] + (r - link.v_index) * link.nv + c -
                                           link.v_index)];
  return dH;
}

void ForceTangentAssembly::subtract(const ForceTangent::Element& e,
                                    MechanicalSystem::Tangent& out) {
  const Vec3 d = e.p - point_, force{e.W[3], e.W[4], e.W[5]};
  const Wrench W{Vec3{e.W[0], e.W[1], e.W[2]} + cross(d, force), force};
  double K[2][36], D[2][36];
  shift_matrix(e.K_a, d, K[0]), shift_matrix(e.K_b, d, K[1]);
  shift_matrix(e.D_a, d, D[0]), shift_matrix(e.D_b, d, D[1]);
  const int ends[2] = {e.a, e.b}, n = model_.nv();
  for (int c = 0; c < n; ++c) {
    const Twist &H = H_[static_cast<std::size_t>(c)], &by_q = by_q_[static_cast<std::size_t>(c)];
    Wrench dq, dv;  // dW by dq_c and dv_c
    for (int s = 0; s < 2; ++s) {
      if (!carries(c, ends[s])) continue;
      dq += times(K[s], H);
      dq += times(D[s], by_q + ad(H, V_[static_cast<std::size_t>(ends[s])]));
      dv += times(D[s], H);
    }
    for (int r = 0; r < n; ++r) {
      const double sign = (carries(r, e.b) ? 1 : 0) - (carries(r, e.a) ? 1 : 0);
      if (sign == 0) continue;
      const Twist& H_r = H_[static_cast<std::size_t>(r)];
      out.K(r, c) -= sign * (dot(dq, H_r) + dot(W, turned(c, r)));  // (3)
      out.D(r, c) -= sign * dot(dv, H_r);
    }
  }
}

void ForceTangentAssembly::subtract(const VelocityKinematics& kin, const ForceTangent& forces,
                                    MechanicalSystem::Tangent& out) {
  for (const ForceTangent::JointBlock& block : forces.joints)
    for (int r = 0; r < block.size; ++r)
      for (int c = 0; c < block.size; ++c) {
        out.K(block.v + r, block.v + c) += block.K[block.size * r + c];
        out.D(block.v + r, block.v + c) += block.D[block.size * r + c];
      }
  for (const ForceTangent::Cross& cross : forces.crosses) {
    out.K(cross.row, cross.column) += cross.K;
    out.D(cross.row, cross.column) += cross.D;
  }
  if (forces.elements.empty()) return;
  take_columns(kin);
  for (const ForceTangent::Element& element : forces.elements)
    if (element.a != element.b) subtract(element, out);
}

}  // namespace chasles
