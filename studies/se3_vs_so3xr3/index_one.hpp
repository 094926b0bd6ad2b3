/// The systems of the study: bodies in maximal coordinates in the index-1 form of 004 (2), joints as the spherical
/// constraints of the paper.
#pragma once

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/spherical.hpp"

namespace chasles::studies::se3_vs_so3xr3 {

/// The index-1 form (4) of docs/theory/maximal-coordinates.md at any state, without projection of steps or
/// stages.
class IndexOne : public DynamicalSystem {
 public:
  explicit IndexOne(ConstrainedSystem& system) : system_(system) {}
  const Group& group() const override { return system_.group(); }
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override {
    system_.MechanicalSystem::rates(t, q, v, velocity, v_dot);
  }

 private:
  ConstrainedSystem& system_;
};

/// A spherical joint as in 004 (42): its two points coincide, in world axes,
///
///     Phi = p_to - p_from,     B v and Bd v its rates.
class Ball : public Constraint {
 public:
  Ball(const Model& model, const ModelLoop& loop)
      : model_(model), name_(loop.name), from_(loop.from), to_(loop.to) {}
  std::string name() const override { return name_; }
  int constraint_count() const override { return 3; }
  void constraint_error(const PositionKinematics& kin, VectorRef Phi) const override {
    Phi = to_eigen(pose(kin, to_).r - pose(kin, from_).r);
  }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    Matrix6X J(6, model_.nv());
    jacobian(model_, kin, to_, Representation::hybrid, J);
    B = J.bottomRows(3);
    jacobian(model_, kin, from_, Representation::hybrid, J);
    B -= J.bottomRows(3);
  }
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    Matrix6X J(6, model_.nv());
    jacobian_rate(model_, kin, to_, Representation::hybrid, J);
    out = J.bottomRows(3) * kin.v();
    jacobian_rate(model_, kin, from_, Representation::hybrid, J);
    out -= J.bottomRows(3) * kin.v();
  }

 private:
  Model model_;
  std::string name_;
  Frame from_, to_;
};

/// The mechanism in maximal coordinates without its loops, and these as spherical joints.
struct Balls {
  Model model;
  std::vector<ModelLoop> loops;  // frames are those of the model
  ConstraintOptions options;

  explicit Balls(Mechanism mechanism) {
    const Model closed = compile(mechanism);
    loops = closed.loops();
    mechanism.loops.clear();
    model = compile(mechanism);
    for (ModelLoop& loop : loops) {
      for (Frame* frame : {&loop.from, &loop.to}) frame->model = model.id();
      options.more.push_back(std::make_shared<Ball>(model, loop));
    }
  }
};

inline State absolute_start(const Example& example, const Model& absolute) {
  const Model tree = compile(example.mechanism);
  VelocityKinematics kin(tree);
  forward_kinematics(tree, example.start.q, example.start.v, kin);
  State start{0, Vector(absolute.nq()), Vector(absolute.nv())};
  maximal_state(kin, absolute, start.q, start.v);
  return start;
}

}  // namespace chasles::studies::se3_vs_so3xr3
