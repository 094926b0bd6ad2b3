/// Joints that move no mass: their rows and columns of M are zero, so that M is singular and their accelerations are not
/// determined. Files often have them: frames of tools, wheels, whole robots without inertias. An armature I_a of such a
/// joint changes nothing else:
///
///     M = [M_1 0; 0 0]  ->  [M_1 0; 0 I_a],    I_a v' = Q                                     (1)
///
/// as M is positive semidefinite, and M_kk = 0 makes all of row k zero; and what does not move has no weight along q_k.
/// Joints that loops and couplings bind to joints with mass follow these: they stay without. Where several joints move
/// one point mass in the same way, M is singular without zero rows:
///
///     M = U^T D U with D_kk << M_kk  ->  M_kk + s M_kk,    s = 1/1000                         (2)
///
/// which changes the motion by about that much.
#include <numeric>
#include <set>

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles {
namespace io {
namespace {

constexpr double share = 1e-3;         // of the inertia of a joint, (2)
constexpr double no_pivot = 1e-10;     // over M_kk: the square of six digits of angles
constexpr int most_coordinates = 500;  // of which M is factored here

/// Groups of entries of v that constraints bind together.
class BoundEntries {
 public:
  explicit BoundEntries(int nv) : parent_(static_cast<std::size_t>(nv)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int group(int k) const {
    while (parent_[static_cast<std::size_t>(k)] != k) k = parent_[static_cast<std::size_t>(k)];
    return k;
  }
  void join(const std::vector<int>& entries) {
    for (const int k : entries)
      parent_[static_cast<std::size_t>(group(k))] = group(entries.front());
  }

 private:
  std::vector<int> parent_;
};

BoundEntries bound_entries(const Model& model) {
  BoundEntries bound(model.nv());
  for (const ModelLoop& loop : model.loops()) {
    const std::vector<int> a = model.support(loop.from), b = model.support(loop.to);
    std::vector<int> path;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(path));
    if (!path.empty()) bound.join(path);
  }
  for (const ModelCoupling& coupling : model.couplings()) {
    std::vector<int> entries;
    for (const ModelCoupling::Term& term : coupling.terms) entries.push_back(term.v_index);
    bound.join(entries);
  }
  for (const ConstraintElement& element : model.constraints()) {
    std::vector<int> entries;
    for (const ConstraintPoint& point : points_of(element))
      for (const int k : model.support(model.frame(point.body))) entries.push_back(k);
    if (!entries.empty()) bound.join(entries);
  }
  return bound;
}

/// M at several configurations.
std::vector<Matrix> mass_matrices(const Model& model) {
  MassMatrix work(model);
  std::vector<Matrix> list;
  Vector step(model.nv()), q = model.neutral(), next = q;
  for (int sample = 0; sample < 3; ++sample) {
    list.push_back(mass_matrix(model, q, work));
    for (int k = 0; k < model.nv(); ++k) step[k] = std::sin(1.7 * (k + 1) + 2.3 * sample);
    plus(model, q, step, next);
    q = next;
  }
  return list;
}

/// The entries of v whose pivots are zero when M = U^T D U is factored from the last entry on. Each is replaced by `share`
/// of the diagonal entry, as an armature of that size does, before the next one.
std::set<int> zero_pivots(Matrix M) {
  std::set<int> zero;
  const Eigen::VectorXd diagonal = M.diagonal();
  for (Eigen::Index k = M.rows() - 1; k >= 0; --k) {
    if (std::abs(M(k, k)) <= no_pivot * std::abs(diagonal[k])) {
      zero.insert(static_cast<int>(k));
      M(k, k) += share * diagonal[k];
    }
    for (Eigen::Index i = 0; M(k, k) != 0 && i < k; ++i)
      for (Eigen::Index j = 0; j < k; ++j) M(i, j) -= M(i, k) * M(j, k) / M(k, k);
  }
  return zero;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i)
    text += (i == 0 ? "" : ", ") + quote(names[i]);
  return names.size() > 3 ? text + " and " + std::to_string(names.size() - 3) + " more" : text;
}

/// Adds an armature to the joints that `inertia_of` names, of the size that it returns; 0: none. Floating joints have one
/// on SO(3) x R^3 only.
template <class InertiaOf>
std::vector<std::string> add_armatures(const Model& model, const InertiaOf& inertia_of,
                                       Mechanism& mechanism) {
  std::vector<std::string> names;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.nv == 0) continue;
    const double armature = inertia_of(joint);
    if (!(armature > 0)) continue;
    const std::string& body = model.bodies()[static_cast<std::size_t>(joint.child)].name;
    Joint& held = mechanism.bodies[static_cast<std::size_t>(find_body(mechanism, body))].joint;
    held.armature = armature;
    if (held.type == JointType::floating) held.group = FloatingGroup::so3xr3;
    names.push_back(joint.name);
  }
  return names;
}

/// Joints all of whose rows of M are zero, (1).
std::vector<std::string> hold_massless(const Model& model, const std::vector<Matrix>& M,
                                       bool closed, Mechanism& mechanism) {
  Eigen::VectorXd inertias = Eigen::VectorXd::Zero(model.nv());
  for (const Matrix& at : M) inertias = inertias.cwiseMax(at.diagonal().cwiseAbs());
  const double none = 1e-18 * inertias.maxCoeff();
  const BoundEntries bound = closed ? bound_entries(model) : BoundEntries(model.nv());
  std::vector<bool> moves(static_cast<std::size_t>(model.nv()));  // by group
  for (int k = 0; k < model.nv(); ++k)
    if (!(inertias[k] <= none)) moves[static_cast<std::size_t>(bound.group(k))] = true;
  return add_armatures(
      model,
      [&](const ModelJoint& joint) {
        bool massless = true;
        for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k)
          massless = massless && !moves[static_cast<std::size_t>(bound.group(k))];
        return massless ? 1.0 : 0.0;
      },
      mechanism);
}

/// If M is singular at q = 0, where runs start, (2): joints of one coordinate whose pivots are zero in some configuration.
std::vector<std::string> hold_dependent(const Model& model, const std::vector<Matrix>& M,
                                        Mechanism& mechanism) {
  std::set<int> zero;
  for (const Matrix& at : M) {
    const std::set<int> here = zero_pivots(at);
    if (here.empty() && &at == &M.front()) return {};
    zero.insert(here.begin(), here.end());
  }
  return add_armatures(
      model,
      [&](const ModelJoint& joint) {
        double inertia = 0;
        for (const Matrix& at : M) inertia = std::max(inertia, at(joint.v_index, joint.v_index));
        return joint.nv == 1 && zero.contains(joint.v_index) ? share * inertia : 0.0;
      },
      mechanism);
}

}  // namespace
}  // namespace io

void hold_massless_joints(Mechanism& mechanism, const std::string& file, bool closed,
                          std::vector<std::string>* warnings) {
  using namespace io;
  Model model = compile(mechanism);
  if (model.nv() == 0 || model.nv() > most_coordinates) return;
  std::vector<Matrix> M = mass_matrices(model);
  const auto say = [&](const std::vector<std::string>& names, const std::string& why) {
    if (names.empty() || warnings == nullptr) return;
    const bool one = names.size() == 1;
    warnings->push_back(message_text(file + ": " + (one ? "joint " : "joints ") + listed(names) +
                                     (one ? " moves " : " move ") + why));
  };
  const std::vector<std::string> massless = hold_massless(model, M, closed, mechanism);
  say(massless,
      "no mass, so that forces do not determine how; here with an armature of 1 kg m^2 or "
      "kg: at rest unless forces act; give the bodies inertias, or armatures of your own");
  if (closed && model.is_bound()) return;
  if (!massless.empty()) model = compile(mechanism), M = mass_matrices(model);
  say(hold_dependent(model, M, mechanism),
      "mass that other joints move in the same way, such as a point mass on three axes, so that "
      "the mass matrix is singular at q = 0; here with an armature of a thousandth of the inertia; "
      "give the bodies inertias, or armatures of your own");
}

}  // namespace chasles
