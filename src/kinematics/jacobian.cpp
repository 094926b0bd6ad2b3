#include "chasles/kinematics/jacobian.hpp"

#include "math/not_computed.hpp"
#include "math/overlap.hpp"
#include "model/kernel_scratch.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

using namespace links;

void store(const Twist& X, Matrix6XRef J, int column) {
  double* c = J.data() + J.outerStride() * column;
  c[0] = X.w.x, c[1] = X.w.y, c[2] = X.w.z, c[3] = X.v.x, c[4] = X.v.y, c[5] = X.v.z;
}

/// R_j X_k: column k of a link's screws in world axes, at the link's origin.
Twist world_screw(const Model& model, const PositionKinematics& kin, int j, int k) {
  const Link& link = tree_links(model)[static_cast<std::size_t>(j)];
  const SE3& C = kin.C()[static_cast<std::size_t>(j)];
  return screw_in_axes(model, link, kin.q().data() + link.q_index, k, C.R);
}

/// Calls each(link, column in J, column in the link) for the joints between ground and a link.
template <class Each>
void for_columns_to(const Model& model, int link, const Each& each) {
  for (int j = link; j >= 0; j = tree_links(model)[static_cast<std::size_t>(j)].parent) {
    const Link& l = tree_links(model)[static_cast<std::size_t>(j)];
    for (int k = 0; k < l.nv; ++k) each(j, l.v_index + k, k);
  }
}

void require_shape(std::string_view name, Eigen::Index columns, const Model& model) {
  if (columns != model.nv())
    throw SizeError(std::string(name) + ", by columns,", static_cast<std::size_t>(columns),
                    static_cast<std::size_t>(model.nv()));
}

}  // namespace

void jacobian(const Model& model, const PositionKinematics& kin, const Frame& frame,
              Representation rep, Matrix6XRef J) {
  require_model("the kinematics", kin.model(), model);
  require_shape("J", J.cols(), model);
  lie::require_known(rep);
  const SE3 C = pose(kin, frame);
  J.setZero();
  const Vec3 origin = rep == Representation::spatial ? Vec3{} : C.r;
  const bool body_w = rep == Representation::body || rep == Representation::mixed;
  const bool body_v = rep == Representation::body;
  for_columns_to(model, frame.link, [&](int j, int column, int k) {
    const Twist X = world_screw(model, kin, j, k);
    const Vec3 v = X.v + cross(X.w, origin - kin.C()[static_cast<std::size_t>(j)].r);
    store({body_w ? inverse_times(C.R, X.w) : X.w, body_v ? inverse_times(C.R, v) : v}, J, column);
  });
}

struct FrameJacobian::Scratch {
  const kernels::Tree<double>& tree;
  KernelScratch<double> work;
  std::vector<double> group;
  explicit Scratch(const Model& model)
      : tree(kernel_trees(model).of<double>()), group(static_cast<std::size_t>(tree.group_size)) {
    work.reserve(kernels::single_kernels(), kernels::jacobian, kernel_trees(model));
  }
};
FrameJacobian::FrameJacobian(const Model& model)
    : J(not_computed<Matrix6X>(6, model.nv())),
      model_(model),
      scratch_(ValuePtr<Scratch>::make(model)) {}

const Matrix6X& jacobian(const Model& model, ConstVectorRef q, const Frame& frame,
                         Representation rep, FrameJacobian& out) {
  static const kernels::Kernel<double> kernel = kernels::single_kernels().of[kernels::jacobian].run;
  require_model("the workspace", out.model_, model);
  require_frame(frame, model);
  require_size("q", q, model.nq());
  out.J.resize(6, model.nv());
  if (begins_in(q, out.J)) [[unlikely]]  // J is written while q is still being read
    return jacobian(model, Vector(q), frame, rep, out);
  FrameJacobian::Scratch& s = *out.scratch_;
  s.work.check_quaternions(model, q.data());
  s.work.begin(kernels::single_kernels(), kernels::jacobian, s.tree);
  if (!s.group.empty())
    fill_group(model, s.tree, q.data(), static_cast<const double*>(nullptr), 1, 0, s.group.data());
  const auto at = kernels::frame_constants<double>(frame.link, frame.offset, rep);
  kernels::Pass<double> pass{.tree = &s.tree,
                             .q = q.data(),
                             .v = nullptr,
                             .force = nullptr,
                             .wrench = nullptr,
                             .group = s.group.data(),
                             .work = s.work.data(),
                             .out = out.J.data()};
  pass.pose = reinterpret_cast<double*>(&out.C);
  pass.frames = &at;
  pass.frame_count = 1;
  kernel(pass);
  return out.J;
}

void jacobian_rate(const Model& model, const VelocityKinematics& kin, const Frame& frame,
                   Representation rep, Matrix6XRef J_rate) {
  require_model("the kinematics", kin.model(), model);
  require_shape("J_rate", J_rate.cols(), model);
  lie::require_known(rep);
  const SE3 C = pose(kin, frame);
  J_rate.setZero();
  const Twist V = twist(kin, frame, Representation::hybrid);
  const bool world_origin = rep == Representation::spatial;
  for_columns_to(model, frame.link, [&](int j, int column, int k) {
    const auto i = static_cast<std::size_t>(j);
    const Link& link = tree_links(model)[i];
    const Twist X = world_screw(model, kin, j, k);
    // (e; l) rotates with its link; screws that depend on q also change within it.
    Twist dX{cross(kin.V_h()[i].w, X.w), cross(kin.V_h()[i].w, X.v)};
    if (screws_turn(link)) {
      const Twist rate =
          screw_rate(model, link, kin.q().data() + link.q_index, kin.v().data() + link.v_index, k);
      dX += Twist{kin.C()[i].R * rate.w, kin.C()[i].R * rate.v};
    }
    const Vec3 d = (world_origin ? Vec3{} : C.r) - kin.C()[i].r;
    const Vec3 d_rate = (world_origin ? Vec3{} : V.v) - kin.V_h()[i].v;
    Twist column_rate{dX.w, dX.v + cross(dX.w, d) + cross(X.w, d_rate)};
    if (!world_origin) {
      // The axes of body and mixed form rotate with the frame.
      const Vec3 linear = X.v + cross(X.w, d);
      if (rep != Representation::hybrid) column_rate.w -= cross(V.w, X.w);
      if (rep == Representation::body) column_rate.v -= cross(V.w, linear);
      column_rate = lie::convert(column_rate, C, Representation::hybrid, rep);
    }
    store(column_rate, J_rate, column);
  });
}

void relative_jacobian(const Model& model, const PositionKinematics& kin, const Frame& from,
                       const Frame& to, Matrix6XRef J) {
  require_model("the kinematics", kin.model(), model);
  require_shape("J", J.cols(), model);
  require_frame(to, model);
  const SE3 C = pose(kin, from);
  J.setZero();
  // Joints that move both frames cancel; they are omitted, so that the zero is exact.
  int a = from.link, b = to.link;
  while (a != b) {
    int& later = a > b ? a : b;
    const Link& link = tree_links(model)[static_cast<std::size_t>(later)];
    const double sign = &later == &a ? -1 : 1;
    for (int k = 0; k < link.nv; ++k) {
      const Twist X = world_screw(model, kin, later, k);
      const Vec3 d = C.r - kin.C()[static_cast<std::size_t>(later)].r;
      store(lie::to_body(sign * Twist{X.w, X.v + cross(X.w, d)}, C, Representation::hybrid), J,
            link.v_index + k);
    }
    later = link.parent;
  }
}

CenterOfMassJacobian::CenterOfMassJacobian(const Model& model)
    : J(not_computed<Matrix3X>(3, model.nv())),
      model_(model),
      m_(tree_links(model).size()),
      mc_(tree_links(model).size()) {}

void center_of_mass_jacobian(const Model& model, const PositionKinematics& kin,
                             CenterOfMassJacobian& out) {
  require_model("the workspace", out.model_, model);
  require_model("the kinematics", kin.model(), model);
  out.J.resize(3, model.nv());
  if (!(model.mass() > 0))
    throw Error("nothing that moves in model '" + model.name() + "' has mass");
  const std::vector<Link>& links = tree_links(model);
  for (std::size_t i = 0; i < links.size(); ++i) {
    out.m_[i] = links[i].inertia.m;
    out.mc_[i] = kin.C()[i].R * links[i].inertia.mc + links[i].inertia.m * kin.C()[i].r;
  }
  for (std::size_t j = links.size(); j-- > 0;) {
    for (int k = 0; k < links[j].nv; ++k) {
      const Twist X = world_screw(model, kin, static_cast<int>(j), k);
      const Vec3 v =
          (out.m_[j] * X.v + cross(X.w, out.mc_[j] - out.m_[j] * kin.C()[j].r)) / model.mass();
      out.J.col(links[j].v_index + k) << v.x, v.y, v.z;
    }
    if (links[j].parent < 0) continue;
    const auto p = static_cast<std::size_t>(links[j].parent);
    out.m_[p] += out.m_[j];
    out.mc_[p] += out.mc_[j];
  }
}

}  // namespace chasles
