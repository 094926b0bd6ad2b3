/// Sensitivities against a complex step through body-fixed recursions of the test's own. Of joints that
/// are chains of turns, slides and screws.
#include <gtest/gtest.h>

#include <complex>

#include "chasles/derivatives/parameters.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

using Complex = std::complex<double>;
constexpr double step = 1e-100;

lie::Vec3<Complex> complex(const Vec3& a, const Vec3& b = {}) {
  return {Complex(a.x, step * b.x), Complex(a.y, step * b.y), Complex(a.z, step * b.z)};
}
lie::Twist<Complex> complex(const Twist& a, const Twist& b = {}) {
  return {complex(a.w, b.w), complex(a.v, b.v)};
}
lie::SE3<Complex> complex(const SE3& T) {
  const Mat3& R = T.R.matrix();
  return {lie::SO3<Complex>::unchecked({complex(R.c0), complex(R.c1), complex(R.c2)}),
          complex(T.r)};
}
lie::Inertia<Complex> complex(const Inertia& M, const Inertia& dM = {}) {
  const auto p = lie::parameters(M), d = lie::parameters(dM);
  std::array<Complex, 10> c;
  for (std::size_t k = 0; k < 10; ++k) c[k] = Complex(p[k], step * d[k]);
  return lie::inertia_from_parameters(c);
}

/// A tree of links, each with one screw: what a parameter may change.
struct ComplexTree {
  const Model& model;
  std::vector<lie::SE3<Complex>> P, after;  // of links: before and after exp(X q)
  std::vector<lie::Twist<Complex>> X;
  std::vector<lie::Inertia<Complex>> M;

  explicit ComplexTree(const Model& m) : model(m) {
    for (const Link& link : tree_links(m)) {
      P.push_back(complex(link.P));
      after.push_back(lie::SE3<Complex>{});
      X.push_back(complex(links::screw_of(m, link, nullptr, 0)));
      M.push_back(complex(link.inertia));
    }
  }

  /// Moves what the parameter names by i step. Frames at q = 0 say where its screw is.
  void change(const Parameter& p) {
    if (p.kind == Parameter::Kind::inertia) {
      const ModelBody& body = model.bodies()[static_cast<std::size_t>(p.owner)];
      if (body.frame.link < 0) return;
      std::array<double, 10> unit{};
      unit[static_cast<std::size_t>(p.entry)] = 1;
      const auto i = static_cast<std::size_t>(body.frame.link);
      M[i] = complex(tree_links(model)[i].inertia,
                     transform(body.frame.offset, inertia_from_parameters(unit)));
      return;
    }
    const ModelJoint& joint = model.joints()[static_cast<std::size_t>(p.owner)];
    PositionKinematics zero(model);
    forward_kinematics(model, model.neutral(), zero);
    const SE3 child = pose(zero, model.bodies()[static_cast<std::size_t>(joint.child)].frame);
    for (int k = 0; k < joint.nv; ++k) {
      const auto i = static_cast<std::size_t>(joint.v_index + k);  // a link each
      const Twist U = Ad(inverse(zero.C()[i]) * child, p.U);
      const lie::SE3<Complex> moved = exp(complex({}, U)), back = exp(complex({}, -U));
      if (p.kind == Parameter::Kind::frame && k == 0) P[i] = P[i] * moved;
      if (p.kind == Parameter::Kind::axis) P[i] = P[i] * moved, after[i] = back;
      if (p.kind == Parameter::Kind::screw && k == p.entry) X[i] += complex({}, U);
    }
  }

  Eigen::VectorXd force_partial(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                const Eigen::VectorXd& a) const {
    const std::size_t n = tree_links(model).size();
    std::vector<lie::SE3<Complex>> rel(n);
    std::vector<lie::Twist<Complex>> V(n), A(n), Y(n);
    std::vector<lie::Wrench<Complex>> W(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int p = tree_links(model)[i].parent;
      const auto k = static_cast<Eigen::Index>(i);
      rel[i] = P[i] * exp(Complex(q[k]) * X[i]) * after[i];
      Y[i] = Ad_inv(after[i], X[i]);
      const lie::Twist<Complex> u = Complex(v[k]) * Y[i], ground{{}, complex(-model.gravity())};
      V[i] = u;
      if (p >= 0) V[i] += Ad_inv(rel[i], V[static_cast<std::size_t>(p)]);
      A[i] = Ad_inv(rel[i], p < 0 ? ground : A[static_cast<std::size_t>(p)]) +
             Complex(a[k]) * Y[i] + ad(V[i], u);
      W[i] = newton_euler(M[i], V[i], A[i]);
    }
    Eigen::VectorXd slope(model.nv());
    for (std::size_t i = n; i-- > 0;) {
      const int p = tree_links(model)[i].parent;
      slope[static_cast<Eigen::Index>(i)] = dot(W[i], Y[i]).imag() / step;
      if (p >= 0) W[static_cast<std::size_t>(p)] += Ad_inv_dual(rel[i], W[i]);
    }
    return slope;
  }
};

TEST(Sensitivity, of_forces_equals_a_complex_step) {
  using enum JointType;
  std::mt19937_64 generator(36);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Model model = compile(test::random_mechanism(generator, {.bodies = 12,
                                                                   .tree = trial % 2 == 1,
                                                                   .kinds = {{revolute},
                                                                             {prismatic},
                                                                             {helical},
                                                                             {cylindrical},
                                                                             {universal},
                                                                             {planar},
                                                                             {translation2},
                                                                             {translation3},
                                                                             {planar_helical},
                                                                             {schoenflies},
                                                                             {fixed},
                                                                             {custom}}}));
    std::vector<Parameter> list;
    for (const ModelJoint& joint : model.joints())
      for (const std::string& name : parameter_names(model, joint.name))
        list.push_back(parameter(model, joint.name, name));
    for (const ModelBody& body : model.bodies())
      for (const std::string& name : parameter_names(model, body.name))
        list.push_back(parameter(model, body.name, name));
    const Eigen::VectorXd q = test::random_configuration(model, generator),
                          v = test::random_vector(model.nv(), generator),
                          a = test::random_vector(model.nv(), generator);
    ForceSensitivity work(model, list);
    const Matrix& got = force_sensitivity(model, q, v, a, work);
    double error = 0;
    for (std::size_t l = 0; l < list.size(); ++l) {
      ComplexTree tree(model);
      tree.change(list[l]);
      const Eigen::VectorXd want = tree.force_partial(q, v, a);
      error = std::max(error, (got.col(static_cast<Eigen::Index>(l)) - want).cwiseAbs().maxCoeff());
    }
    worst = std::max(worst, error / got.cwiseAbs().maxCoeff());
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-13);
}

}  // namespace
}  // namespace chasles
