#include "chasles/textbook/closed_form.hpp"

#include "chasles/textbook/newton_euler.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"
#include "textbook/momentum_matrix.hpp"

namespace chasles::textbook {
namespace {

using namespace dynamics;
using LinkMatrix = lie::Unaligned<double, 6, 6>;

/// The nonzero columns of Jacobians: those of the joints between a frame and ground.
class PathJacobian {
 public:
  PathJacobian(const Model& model, const PositionKinematics& kin)
      : model_(model),
        kin_(kin),
        reference_point_(reference_point(kin)),
        J_(static_cast<std::size_t>(model.nv())) {
    require_model("the kinematics", kin.model(), model);
    for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k)
        J_[k] = Ad(about(reference_point_, kin.C()[i]), screw_of_v(model, link, kin.q(), k));
    });
  }

  /// Calls each(k, J_k) for a frame, in a representation; from the frame inward.
  template <class Each>
  void columns(const Frame& frame, Representation rep, const Each& each) const {
    if (frame.link < 0) return;
    const SE3 C = pose(kin_, frame);
    const auto column = [&](const Link& link, std::size_t) {
      for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
        const Twist& X = J_[static_cast<std::size_t>(k)];
        const Twist hybrid{X.w, X.v + cross(X.w, C.r - reference_point_)};
        each(k, lie::convert(hybrid, C, Representation::hybrid, rep));
      }
    };
    for_links_inward_from(model_, static_cast<std::size_t>(frame.link), column);
  }
  /// Q += J^T W.
  void project(const Frame& frame, Representation rep, const Wrench& W, Vector& Q) const {
    columns(frame, rep, [&](int k, const Twist& J) { Q[k] += dot(W, J); });
  }

 private:
  const Model& model_;
  const PositionKinematics& kin_;
  Vec3 reference_point_;
  std::vector<Twist> J_;  // nv: about the reference point, world axes
};

/// Calls each(body) for all moving bodies.
template <class Each>
void for_bodies(const Model& model, const Each& each) {
  for (const ModelBody& body : model.bodies())
    if (body.frame.link >= 0) each(body);
}

/// Terms of (5a) for one link: spatial, about the reference point.
struct LinkTerms {
  LinkMatrix M, b, Q;
};
LinkTerms link_terms(const Inertia& M, const Twist& V) {
  return {to_eigen(lie::matrix(M)), to_eigen(lie::ad_matrix(V)), momentum_matrix(M * V)};
}

/// J_j^T (M^c Jd_k - B^c J_k) of (5a) for all j, k on one path.
/// @param B_of  from LinkTerms to B of the link
template <class B_of>
Matrix composite_sum(const Model& model, const VelocityKinematics& kin, const B_of& B) {
  CompositeBodies bodies(model);
  composite_bodies(model, kin, bodies);
  std::vector<Twist> J_dot(bodies.J.size());
  std::vector<LinkMatrix> Bc(tree_links(model).size());
  for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const SE3 C = about(bodies.reference_point, kin.C()[i]);
    const Twist& V_h = kin.V_h()[i];
    const Twist V{V_h.w, V_h.v + cross(C.r, V_h.w)};
    for (std::size_t k = first; k < last; ++k)
      J_dot[k] =
          ad(V, bodies.J[k]) +
          Ad(C, links::screw_rate(model, link, kin.q().data() + link.q_index,
                                  kin.v().data() + link.v_index, static_cast<int>(k - first)));
    Bc[i] = B(link_terms(transform(C, link.inertia), V));
  });
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    if (link.parent >= 0) Bc[parent_of(link)] += Bc[i];
  });

  Matrix C(model.nv(), model.nv());
  for_links(model, [&](const Link&, std::size_t i, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      const Wrench down =
          bodies.Mc[i] * J_dot[k] - from_eigen<Wrench>(Bc[i] * to_eigen(bodies.J[k]));
      const Wrench M_J = bodies.Mc[i] * bodies.J[k],
                   B_J = from_eigen<Wrench>(Bc[i].transpose() * to_eigen(bodies.J[k]));
      for_links_inward_from(model, i, [&](const Link& carrier, std::size_t c) {
        for (int j = carrier.v_index; j < carrier.v_index + carrier.nv; ++j) {
          const auto row = static_cast<std::size_t>(j);
          C(j, column) = dot(down, bodies.J[row]);
          if (c != i) C(column, j) = dot(M_J, J_dot[row]) - dot(B_J, bodies.J[row]);
        }
      });
    }
  });
  return C;
}

}  // namespace

Vector projection_equations(const Model& model, const AccelerationKinematics& kin,
                            Representation rep, AppliedWrenches applied) {
  lie::require_known(rep);
  Vector Q = -applied_forces(model, kin, applied);
  const PathJacobian J(model, kin);
  for_bodies(model, [&](const ModelBody& body) {
    const SE3 C = pose(kin, body.frame);
    Twist A = acceleration(kin, body.frame, rep);
    A.v -= rep == Representation::body ? inverse_times(C.R, model.gravity()) : model.gravity();
    J.project(body.frame, rep, newton_euler(body.inertia, C, twist(kin, body.frame, rep), A, rep),
              Q);
  });
  add_armature_forces(model, kin.a().data(), Q.data());
  return Q;
}

Matrix projected_mass_matrix(const Model& model, const PositionKinematics& kin,
                             Representation rep) {
  lie::require_known(rep);
  Matrix M(model.nv(), model.nv());
  const PathJacobian J(model, kin);
  struct Column {
    int k;
    Twist J;
  };
  std::vector<Column> path;
  for_bodies(model, [&](const ModelBody& body) {
    const SE3 C = pose(kin, body.frame);
    path.clear();
    J.columns(body.frame, rep, [&](int k, const Twist& J_k) { path.push_back({k, J_k}); });
    for (std::size_t a = 0; a < path.size(); ++a) {
      const Wrench Pi =
          lie::from_body(body.inertia * lie::to_body(path[a].J, C, rep), C, rep);  // M J_a
      for (std::size_t b = 0; b <= a; ++b) {
        M(path[a].k, path[b].k) += dot(Pi, path[b].J);
        M(path[b].k, path[a].k) = M(path[a].k, path[b].k);
      }
    }
  });
  add_armatures(model, M);
  return M;
}

Matrix mass_matrix_rate(const Model& model, const VelocityKinematics& kin) {
  const Matrix half =
      composite_sum(model, kin, [](const LinkTerms& i) -> LinkMatrix { return i.M * i.b; });
  return half + half.transpose();
}

Matrix coriolis_matrix(const Model& model, const VelocityKinematics& kin) {
  return composite_sum(model, kin,
                       [](const LinkTerms& i) -> LinkMatrix { return i.M * i.b + i.Q; });
}

Matrix christoffel_matrix(const Model& model, const VelocityKinematics& kin) {
  Matrix C = composite_sum(model, kin, [](const LinkTerms& i) -> LinkMatrix {
    return 0.5 * (i.M * i.b + i.b.transpose() * i.M + i.Q);
  });
  add_armature_connection(model, kin.v().data(), C);
  return C;
}

Vector inertia_forces(const Model& model, const PositionKinematics& kin, ConstVectorRef vd) {
  require_size("vd", vd, model.nv());
  CompositeBodies bodies(model);
  return mass_matrix(model, kin, bodies) * vd;
}

Vector coriolis_forces(const Model& model, const VelocityKinematics& kin) {
  return coriolis_matrix(model, kin) * kin.v();
}

Vector gravity_forces(const Model& model, const PositionKinematics& kin) {
  Vector g(model.nv());
  const PathJacobian J(model, kin);
  for_bodies(model, [&](const ModelBody& body) {
    const Vec3 weight = body.inertia.m * model.gravity();
    const Vec3 moment = cross(pose(kin, body.frame).R * body.inertia.mc, model.gravity());
    J.project(body.frame, Representation::hybrid, {-moment, -weight}, g);
  });
  return g;
}

Vector applied_forces(const Model& model, const PositionKinematics& kin, AppliedWrenches applied) {
  Vector Q(model.nv());
  const PathJacobian J(model, kin);
  for (const AppliedWrench& a : applied) {
    require_frame(a.frame, model);
    J.project(a.frame, a.representation, a.W, Q);
  }
  return Q;
}

LagrangeTerms lagrange_terms(const Model& model, const VelocityKinematics& kin, ConstVectorRef vd,
                             AppliedWrenches applied) {
  return {inertia_forces(model, kin, vd), coriolis_forces(model, kin), gravity_forces(model, kin),
          applied_forces(model, kin, applied)};
}

Vector bias(const Model& model, const VelocityKinematics& kin) {
  return coriolis_forces(model, kin) + gravity_forces(model, kin);
}

}  // namespace chasles::textbook
