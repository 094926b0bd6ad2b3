#include "chasles/systems/group.hpp"

#include "chasles/kinematics/kinematics.hpp"
#include "math/overlap.hpp"
#include "model/groups.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

[[noreturn]] void no_chart() {
  throw Error("this group has no other local coordinates than exponential");
}
[[noreturn]] void no_duals() {
  throw Error(
      "this group does not say how momenta are carried along; take a method that needs "
      "velocities only, such as gauss2");
}
[[noreturn]] void no_coordinates() {
  throw Error(
      "this group does not give the rate of its coordinates; take a method on the group, such as "
      "mk4 instead of rk4");
}

}  // namespace

void Group::chart_plus(Chart chart, ConstVectorRef q, ConstVectorRef x, VectorRef out) const {
  if (chart != Chart::exponential) no_chart();
  plus(q, x, out);
}
void Group::chart_rate(Chart chart, ConstVectorRef x, ConstVectorRef v, VectorRef out) const {
  if (chart != Chart::exponential) no_chart();
  dexp_inv(x, v, out);
}
void Group::d_dexp_inv(ConstVectorRef, ConstVectorRef, ConstVectorRef, VectorRef) const {
  throw Error("this group does not say how dexp_inv varies, which sensitivities need");
}
void Group::dexp_inv_dual(ConstVectorRef, ConstVectorRef, VectorRef) const { no_duals(); }
void Group::ad_dual(ConstVectorRef, ConstVectorRef, VectorRef) const { no_duals(); }
void Group::coordinate_rate(ConstVectorRef, ConstVectorRef, VectorRef) const { no_coordinates(); }
void Group::normalize(VectorRef) const { no_coordinates(); }

std::vector<Group::Factor> ModelGroup::factors() const {
  std::vector<Factor> list;
  for_groups(model_, [&](const JointGroup&, const Link& link) {
    list.push_back({link.v_index, link.nv});
  });
  return list;
}
void ModelGroup::plus(ConstVectorRef q, ConstVectorRef x, VectorRef out) const {
  chasles::plus(model_, q, x, out);
}
void ModelGroup::minus(ConstVectorRef q1, ConstVectorRef q0, VectorRef out) const {
  chasles::minus(model_, q1, q0, out);
}

namespace {

/// Checks the sizes of vectors of the Lie algebra; messages name them.
void require_tangents(const Model& model,
                      std::initializer_list<std::pair<const char*, Eigen::Index>> sizes) {
  for (const auto& [name, size] : sizes)
    require_size(name, static_cast<std::size_t>(size), model.nv());
}
void require_known(Chart chart) { require_known(chart, Chart::second_kind, "local coordinates"); }

using Operation = void (*JointGroup::*)(const double*, const double*, double*);

/// An operation of the Lie algebra on the factors other than R^n; on R^n `out` is y, or zero.
void on_groups(const Model& model, Operation operation, ConstVectorRef x, ConstVectorRef y,
               VectorRef out, bool zero = false) {
  if (begins_in(x, out) || begins_in(y, out)) [[unlikely]]  // `out` is written before they are read
    return on_groups(model, operation, Vector(x), Vector(y), out, zero);
  if (zero)
    out.setZero();
  else
    out = y;
  for_groups(model, [&](const JointGroup& group, const Link& link) {
    (group.*operation)(x.data() + link.v_index, y.data() + link.v_index, out.data() + link.v_index);
  });
}

}  // namespace

void ModelGroup::dexp_inv(ConstVectorRef x, ConstVectorRef v, VectorRef out) const {
  require_tangents(model_, {{"x", x.size()}, {"v", v.size()}, {"out", out.size()}});
  on_groups(model_, &JointGroup::dexp_inv, x, v, out);
}
void ModelGroup::dexp(ConstVectorRef x, ConstVectorRef u, VectorRef out) const {
  require_tangents(model_, {{"x", x.size()}, {"u", u.size()}, {"out", out.size()}});
  on_groups(model_, &JointGroup::dexp, x, u, out);
}
void ModelGroup::d_dexp_inv(ConstVectorRef x, ConstVectorRef y, ConstVectorRef v,
                            VectorRef out) const {
  require_tangents(model_,
                   {{"x", x.size()}, {"y", y.size()}, {"v", v.size()}, {"out", out.size()}});
  if (begins_in(x, out) || begins_in(y, out) || begins_in(v, out)) [[unlikely]]
    return d_dexp_inv(Vector(x), Vector(y), Vector(v), out);
  out.setZero();
  for_groups(model_, [&](const JointGroup& group, const Link& link) {
    const int k = link.v_index;
    group.d_dexp_inv(x.data() + k, y.data() + k, v.data() + k, out.data() + k);
  });
}
void ModelGroup::dexp_inv_dual(ConstVectorRef x, ConstVectorRef p, VectorRef out) const {
  require_tangents(model_, {{"x", x.size()}, {"p", p.size()}, {"out", out.size()}});
  on_groups(model_, &JointGroup::dexp_inv_dual, x, p, out);
}
void ModelGroup::ad_dual(ConstVectorRef v, ConstVectorRef p, VectorRef out) const {
  require_tangents(model_, {{"v", v.size()}, {"p", p.size()}, {"out", out.size()}});
  on_groups(model_, &JointGroup::ad_dual, v, p, out, true);
}
double ModelGroup::rotation(ConstVectorRef x) const {
  require_tangents(model_, {{"x", x.size()}});
  double most = 0;
  for_groups(model_, [&](const JointGroup&, const Link& link) {
    most = std::max(most, norm(vec3_at(x.data() + link.v_index)));
  });
  return most;
}
void ModelGroup::chart_plus(Chart chart, ConstVectorRef q, ConstVectorRef x, VectorRef out) const {
  require_known(chart);
  require_size("q", q, nq());
  require_size("x", x, nv());
  require_size("out", out, nq());
  for (const Link& link : tree_links(model_))
    if (const JointGroup& group = group_of(link.motion); group.flat)
      for (int k = 0; k < link.nv; ++k)
        out[link.q_index + k] = q[link.q_index + k] + x[link.v_index + k];
    else
      group.chart_plus(chart, q.data() + link.q_index, x.data() + link.v_index,
                       out.data() + link.q_index);
}
void ModelGroup::chart_rate(Chart chart, ConstVectorRef x, ConstVectorRef v, VectorRef out) const {
  require_known(chart);
  require_tangents(model_, {{"x", x.size()}, {"v", v.size()}, {"out", out.size()}});
  if (begins_in(x, out) || begins_in(v, out)) [[unlikely]]
    return chart_rate(chart, Vector(x), Vector(v), out);
  out = v;
  for_groups(model_, [&](const JointGroup& group, const Link& link) {
    group.chart_rate(chart, x.data() + link.v_index, v.data() + link.v_index,
                     out.data() + link.v_index);
  });
}
void ModelGroup::coordinate_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) const {
  require_size("q", q, nq());
  require_size("v", v, nv());
  require_size("out", out, nq());
  if (begins_in(q, out) || begins_in(v, out)) [[unlikely]]
    return coordinate_rate(Vector(q), Vector(v), out);
  for (const Link& link : tree_links(model_))
    if (const JointGroup& group = group_of(link.motion); group.flat)
      out.segment(link.q_index, link.nq) = v.segment(link.v_index, link.nv);
    else
      group.coordinate_rate(q.data() + link.q_index, v.data() + link.v_index,
                            out.data() + link.q_index);
}
void ModelGroup::normalize(VectorRef q) const {
  require_size("q", q, nq());
  for_groups(model_, [&](const JointGroup&, const Link& link) {
    auto p = q.segment<4>(link.q_index);
    if (const double length = p.norm(); length > 1e-150 && length < 1e150)
      p /= length;
    else
      p.stableNormalize();  // a zero quaternion stays zero
  });
}

}  // namespace chasles
