/// Poses, twists, accelerations and Jacobians of every table against recursions of another form, with
/// exponentials and body-fixed twists.
#include <gtest/gtest.h>

#include "dynamics/links.hpp"
#include "kernels/kernel_runner.hpp"
#include "model/model_data.hpp"

namespace chasles::kernels::kinematics_test {
namespace {

struct Reference {
  std::vector<SE3> C;
  std::vector<Twist> V, A;  // body-fixed, and its rate

  Reference(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
            const Eigen::VectorXd& vd) {
    for (const Link& link : tree_links(model)) {
      const SE3 local = links::pose_in_parent(model, link, q.data() + link.q_index);
      const auto p = static_cast<std::size_t>(link.parent);
      const bool root = link.parent < 0;
      Twist u, ud;
      for (int k = 0; k < link.nv; ++k) {
        const Twist X = links::screw_of(model, link, q.data() + link.q_index, k);
        const Twist X_rate =
            links::screw_rate(model, link, q.data() + link.q_index, v.data() + link.v_index, k);
        u += v[link.v_index + k] * X;
        ud += vd[link.v_index + k] * X + v[link.v_index + k] * X_rate;
      }
      C.push_back(root ? local : C[p] * local);
      V.push_back((root ? Twist{} : Ad(inverse(local), V[p])) + u);
      A.push_back((root ? Twist{} : Ad(inverse(local), A[p])) + ud + ad(V.back(), u));
    }
  }
  static void add(const Vec3& a, std::vector<double>& to) { to.insert(to.end(), {a.x, a.y, a.z}); }
  void poses(std::vector<double>& to) const {
    for (const SE3& T : C) {
      for (int k = 0; k < 3; ++k) add(T.R.matrix().column(k), to);
      add(T.r, to);
    }
  }
  void twists(std::vector<double>& to) const {
    for (std::size_t i = 0; i < C.size(); ++i) {
      const Twist V_h = lie::from_body(V[i], C[i], Representation::hybrid);
      add(V_h.w, to), add(V_h.v, to);
    }
  }
  void rates(std::vector<double>& to) const {
    for (std::size_t i = 0; i < C.size(); ++i) {
      const Twist A_h =
          lie::convert_acceleration(A[i], V[i], C[i], Representation::body, Representation::hybrid);
      add(A_h.w, to), add(A_h.v, to);
    }
  }
};

/// Every table of every instruction set that runs here: check(name, table).
template <class Check>
void for_tables(const Check& check) {
  for (const InstructionSet& set : instruction_sets()) {
    if (!set.available) continue;
    check(std::string(set.name) + ", one", *set.single);
    check(std::string(set.name) + ", lanes", *set.lanes);
    check(std::string(set.name) + ", float", *set.float_lanes);
  }
}

struct Sample {
  Model model;
  Eigen::VectorXd q, v, vd;
  Sample(std::mt19937_64& generator, const test::RandomMechanismOptions& options)
      : model(compile(test::random_mechanism(generator, options))),
        q(test::random_configuration(model, generator)),
        v(test::random_vector(model.nv(), generator)),
        vd(test::random_vector(model.nv(), generator)) {}
};

TEST(KinematicsKernels, poses_twists_accelerations) {
  std::mt19937_64 generator(1);
  for (const bool tree : {false, true}) {
    const Sample s(generator, {.bodies = 15, .tree = tree});
    const Reference reference(s.model, s.q, s.v, s.vd);
    std::vector<double> expected;
    for (const Algorithm level : {positions, velocities, accelerations}) {
      expected.clear();
      reference.poses(expected);
      if (level >= velocities) reference.twists(expected);
      if (level >= accelerations) reference.rates(expected);
      for_tables([&]<class Real>(const std::string& name, const KernelTable<Real>& table) {
        Runner<Real> run(s.model);
        EXPECT_LE(difference(run(table, level, s.model, s.q, s.v, s.vd), expected),
                  sizeof(Real) == 8 ? 1e-14 : 5e-6)
            << name << level;
      });
    }
  }
}

TEST(KinematicsKernels, jacobian_of_a_place_on_every_link) {
  std::mt19937_64 generator(2);
  const Sample s(generator, {.bodies = 15, .tree = true});
  const Reference reference(s.model, s.q, s.v, s.vd);
  const SE3 offset = s.model.frames().back().frame.offset;
  using enum Representation;
  for (int link = -1; link < static_cast<int>(tree_links(s.model).size()); ++link)
    for (const Representation rep : {body, spatial, hybrid, mixed}) {
      const SE3 C = (link < 0 ? SE3{} : reference.C[static_cast<std::size_t>(link)]) * offset;
      std::vector<double> expected(static_cast<std::size_t>(6 * s.model.nv()));
      for (int j = link; j >= 0; j = tree_links(s.model)[static_cast<std::size_t>(j)].parent) {
        const Link& moved = tree_links(s.model)[static_cast<std::size_t>(j)];
        for (int k = 0; k < moved.nv; ++k) {
          const Twist X = links::screw_of(s.model, moved, s.q.data() + moved.q_index, k);
          const SE3 to_place = inverse(C) * reference.C[static_cast<std::size_t>(j)];
          const Twist column = lie::from_body(Ad(to_place, X), C, rep);
          double* to = expected.data() + 6L * (moved.v_index + k);
          for (int e = 0; e < 3; ++e) to[e] = column.w[e], to[3 + e] = column.v[e];
        }
      }
      for (int k = 0; k < 3; ++k) Reference::add(C.R.matrix().column(k), expected);
      Reference::add(C.r, expected);
      for_tables([&]<class Real>(const std::string& name, const KernelTable<Real>& table) {
        Runner<Real> run(s.model);
        run.frames = {frame_constants<Real>(link, offset, rep)};
        EXPECT_LE(difference(run(table, jacobian, s.model, s.q, s.v, s.vd), expected),
                  sizeof(Real) == 8 ? 1e-14 : 5e-6)
            << name << ", link " << link;
      });
    }
}

TEST(KinematicsKernels, angles_beyond_the_range_of_the_reduction) {
  std::mt19937_64 generator(3);
  for (const int bodies : {1, 2, 3, 5, 8}) {
    Sample s(generator, {.bodies = bodies, .kinds = {{JointType::revolute}}});
    s.q[0] = 3e5, s.q[bodies - 1] = -2.5e6;
    std::vector<double> expected;
    Reference(s.model, s.q, s.v, s.vd).poses(expected);
    for_tables([&]<class Real>(const std::string& name, const KernelTable<Real>& table) {
      if (sizeof(Real) == 4) return;  // its angles are not those of the reference
      Runner<Real> run(s.model);
      EXPECT_LE(difference(run(table, positions, s.model, s.q, s.v, s.vd), expected), 1e-14)
          << name;
    });
  }
}

TEST(KinematicsKernels, a_model_without_joints) {
  const Model model = compile(Mechanism{"nothing", {}, {}, {}, {}});
  const Eigen::VectorXd none(0);
  for_tables([&]<class Real>(const std::string&, const KernelTable<Real>& table) {
    Runner<Real> run(model);
    EXPECT_TRUE(run(table, accelerations, model, none, none, none).empty());
  });
}

}  // namespace
}  // namespace chasles::kernels::kinematics_test
