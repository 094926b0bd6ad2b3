#include "chasles/kinematics/kinematics.hpp"

#include <limits>

#include "math/not_computed.hpp"
#include "math/overlap.hpp"
#include "model/kernel_scratch.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

template <class Each>
inline void for_links(const Model& model, const Each& each) {
  const std::vector<Link>& links = tree_links(model);
  for (std::size_t i = 0; i < links.size(); ++i) each(i, links[i], links[i].parent);
}

}  // namespace

/// Scratch of the passes over the links.
struct PositionKinematics::Scratch {
  const kernels::Tree<double>& tree;
  KernelScratch<double> work;
  std::vector<double> group;

  explicit Scratch(const Model& model)
      : tree(kernel_trees(model).of<double>()), group(static_cast<std::size_t>(tree.group_size)) {
    work.reserve(kernels::single_kernels(), kernels::accelerations, kernel_trees(model));
  }
};

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Vec3 nowhere{nan, nan, nan};

}  // namespace

PositionKinematics::PositionKinematics(const Model& model)
    : model_(model),
      q_(not_computed<Vector>(model.nq())),
      C_(tree_links(model).size(), SE3{SO3::unchecked({nowhere, nowhere, nowhere}), nowhere}),
      scratch_(ValuePtr<Scratch>::make(model)) {}
VelocityKinematics::VelocityKinematics(const Model& model)
    : position_(model),
      v_(not_computed<Vector>(model.nv())),
      V_h_(C().size(), {nowhere, nowhere}) {}
AccelerationKinematics::AccelerationKinematics(const Model& model)
    : velocity_(model),
      a_(not_computed<Vector>(model.nv())),
      A_h_(C().size(), {nowhere, nowhere}) {}

/// The passes of the three stages.
class MotionPasses {
 public:
  static void forward_kinematics(const Model& model, ConstVectorRef q, PositionKinematics& out) {
    run(kernels::positions, begin(model, q, nullptr, out));
  }
  static void forward_kinematics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                 VelocityKinematics& out) {
    run(kernels::velocities, begin(model, q, v, out));
  }
  static void forward_kinematics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                 ConstVectorRef vd, AccelerationKinematics& out) {
    require_size("vd", vd, model.nv());
    // vd is read last.
    if (begins_in(vd, out.v()) || begins_in(vd, out.q())) [[unlikely]]
      return forward_kinematics(model, q, v, Vector(vd), out);
    kernels::Pass<double> pass = begin(model, q, v, out.velocity_);
    out.a_ = vd;
    pass.force = out.a_.data();
    pass.acceleration = numbers(out.A_h_);
    run(kernels::accelerations, pass);
  }

 private:
  static void run(kernels::Algorithm level, const kernels::Pass<double>& pass) {
    static const kernels::KernelTable<double>& table = kernels::single_kernels();
    table.run(level, pass);
  }
  /// Vectors of twists and poses as arrays of numbers.
  static double* numbers(std::vector<Twist>& x) { return reinterpret_cast<double*>(x.data()); }
  static double* numbers(std::vector<SE3>& x) { return reinterpret_cast<double*>(x.data()); }
  static_assert(sizeof(Twist) == 6 * sizeof(double) && sizeof(SE3) == 12 * sizeof(double));

  static kernels::Pass<double> begin(const Model& model, ConstVectorRef q, const double* v,
                                     PositionKinematics& out) {
    require_model("the kinematics", out.model_, model);
    require_size("q", q, model.nq());
    PositionKinematics::Scratch& s = *out.scratch_;
    s.work.check_quaternions(model, q.data());
    out.q_ = q;
    s.work.begin(kernels::single_kernels(), kernels::accelerations, s.tree);
    if (!s.group.empty()) fill_group(model, s.tree, q.data(), v, 1, 0, s.group.data());
    kernels::Pass<double> pass{.tree = &s.tree,
                               .q = out.q_.data(),
                               .v = v,
                               .force = nullptr,
                               .wrench = nullptr,
                               .group = s.group.data(),
                               .work = s.work.data(),
                               .out = nullptr};
    pass.pose = numbers(out.C_);
    return pass;
  }
  static kernels::Pass<double> begin(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                     VelocityKinematics& out) {
    require_size("v", v, model.nv());
    if (begins_in(q, out.v_)) [[unlikely]]  // v_ is written before q is read
      return begin(model, Vector(q), v, out);
    out.v_ = v;
    kernels::Pass<double> pass = begin(model, q, out.v_.data(), out.position_);
    pass.twist = numbers(out.V_h_);
    return pass;
  }
};

void forward_kinematics(const Model& model, ConstVectorRef q, PositionKinematics& out) {
  MotionPasses::forward_kinematics(model, q, out);
}
void forward_kinematics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                        VelocityKinematics& out) {
  MotionPasses::forward_kinematics(model, q, v, out);
}
void forward_kinematics(const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef vd,
                        AccelerationKinematics& out) {
  MotionPasses::forward_kinematics(model, q, v, vd, out);
}

SE3 pose(const PositionKinematics& kin, const Frame& frame) {
  require_frame(frame, kin.model());
  return frame.link < 0 ? frame.offset
                        : kin.C()[static_cast<std::size_t>(frame.link)] * frame.offset;
}

namespace {

/// The hybrid twist at a point p of a body with the hybrid twist V at r, and its acceleration.
Twist moved(const Twist& V, const Vec3& d) { return {V.w, V.v + cross(V.w, d)}; }
Twist moved(const Twist& A, const Twist& V, const Vec3& d) {
  return {A.w, A.v + cross(A.w, d) + cross(V.w, cross(V.w, d))};
}

Twist hybrid_twist(const VelocityKinematics& kin, const Frame& frame, const SE3& C) {
  if (frame.link < 0) return {};
  const auto i = static_cast<std::size_t>(frame.link);
  return moved(kin.V_h()[i], C.r - kin.C()[i].r);
}

}  // namespace

Twist twist(const VelocityKinematics& kin, const Frame& frame, Representation rep) {
  const SE3 C = pose(kin, frame);
  return lie::convert(hybrid_twist(kin, frame, C), C, Representation::hybrid, rep);
}

Twist acceleration(const AccelerationKinematics& kin, const Frame& frame, Representation rep) {
  const SE3 C = pose(kin, frame);
  lie::require_known(rep);
  if (frame.link < 0) return {};
  const auto i = static_cast<std::size_t>(frame.link);
  const Vec3 d = C.r - kin.C()[i].r;
  return lie::convert_acceleration(moved(kin.A_h()[i], kin.V_h()[i], d), moved(kin.V_h()[i], d), C,
                                   Representation::hybrid, rep);
}

SE3 relative_pose(const PositionKinematics& kin, const Frame& from, const Frame& to) {
  return inverse(pose(kin, from)) * pose(kin, to);
}

Twist relative_twist(const VelocityKinematics& kin, const Frame& from, const Frame& to) {
  // Both about the origin of `from`: Ad_C^-1 (V^s_to - V^s_from) without cancellation about the world origin.
  const SE3 C = pose(kin, from), D = pose(kin, to);
  const Twist V = moved(hybrid_twist(kin, to, D), C.r - D.r) - hybrid_twist(kin, from, C);
  return lie::to_body(V, C, Representation::hybrid);
}

Vec3 center_of_mass(const Model& model, const PositionKinematics& kin) {
  require_model("the kinematics", kin.model(), model);
  if (!(model.mass() > 0))
    throw Error("nothing that moves in model '" + model.name() + "' has mass");
  Vec3 sum;
  for_links(model, [&](std::size_t i, const Link& link, int) {
    sum += kin.C()[i].R * link.inertia.mc + link.inertia.m * kin.C()[i].r;
  });
  return sum / model.mass();
}

}  // namespace chasles
