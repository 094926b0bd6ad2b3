/// The partial derivatives of tree_newton.hpp (1) to (5) at one state: contributions of each link, joint, constraint
/// block and force element, before stages are coupled.
#pragma once

#include "constraints/cut_joint.hpp"
#include "systems/tree_newton.hpp"

namespace chasles {

/// A block of unknowns in addition to d: multipliers of a constraint, or the wrench of a force element between two
/// links.
struct BorderBlock {
  struct End {
    int link;
    std::vector<double> K;  // rows x 18: by th, xi, eta
    std::vector<double> R;  // rows x 6: columns of R, one after the other
  };
  struct Entry {
    int v;
    std::vector<double> b;  // rows
    std::vector<double> k;  // rows: derivative of the rate with respect to q; velocity level
  };
  int rows = 0;
  std::vector<End> ends;
  std::vector<Entry> entries;
  std::vector<double> L;  // rows x rows
  std::vector<double> U;  // equations x kept: constraints; the first `kept` rows are theirs
  int first = 0, equations = 0, kept = 0;
};

/// Two links and the sum of the force elements between them, about the reference point.
struct LinkPair {
  int a, b;
  bool operator==(const LinkPair&) const = default;
};

class TreeLinearization {
 public:
  TreeLinearization(const Model& model, const Constraints& constraints, ConstraintLevel level,
                    GeometricStiffness stiffness);
  void choose(std::span<const KeptEquations> kept);
  void take(const LinearizationPoint& at, ConstVectorRef lambda);
  /// The block of the force elements between two links; made on first use.
  BorderBlock& element_of(const LinkPair& pair);

  const double* link_terms(std::size_t link) const { return own_.data() + 108 * link; }  // 6 x 18
  /// H, and the columns of dq in (2), dv in (3), dq in (3): 6 numbers each; then -Q[f] H.
  const double* columns(std::size_t v) const { return columns_.data() + 30 * v; }
  /// K and D of (5), nv x nv of the link by rows.
  const double* K(std::size_t link) const { return K_.data() + offsets_[link]; }
  const double* D(std::size_t link) const { return D_.data() + offsets_[link]; }
  const std::vector<BorderBlock>& constraints() const { return blocks_; }
  /// Pairs of links with force elements between them, and their blocks.
  const std::vector<LinkPair>& pairs() const { return pairs_; }
  const std::vector<BorderBlock>& elements() const { return elements_; }
  ConstraintLevel level() const { return level_; }
  /// Whether displacements of links enter (4) directly: force elements act on them.
  bool is_loaded() const { return is_loaded_; }

 private:
  void take_links(const LinearizationPoint& at);
  void take_applied(const LinearizationPoint& at);
  void take_elements(const ForceTangent& forces);
  void add_to_pair(const ForceTangent::Element& element);
  void take_loops(const LinearizationPoint& at, ConstVectorRef lambda);
  void take_loop(const LinearizationPoint& at, std::size_t number, const double* lambda);
  void take_turning(std::size_t number, const SE3& C, const double* lambda, double to_sign,
                    std::span<const Twist> directions);
  void take_entries(const LinearizationPoint& at, ConstVectorRef lambda);
  void take_coupling(const ModelCoupling& coupling, const LinearizationPoint& at,
                     ConstVectorRef lambda, BorderBlock& block);
  void take_joints(const LinearizationPoint& at);
  void take_joint_forces(const ForceTangent& forces);
  Twist twist_of(int link) const { return link < 0 ? Twist{} : V_[static_cast<std::size_t>(link)]; }

  Model model_;
  ConstraintLevel level_;
  GeometricStiffness stiffness_;
  std::vector<int> offsets_;     // links: index of the first entry in K_ and D_
  std::vector<double> own_;      // links x 6 x 18: N, M, -E
  std::vector<double> columns_;  // nv x 30
  std::vector<double> K_, D_;
  Vec3 point_;                 // reference point
  std::vector<Twist> V_, al_;  // links
  std::vector<Wrench> f_;      // links
  std::vector<BorderBlock> blocks_, elements_;
  std::vector<LinkPair> pairs_;
  bool is_loaded_ = false;
  std::vector<CutJoint> joints_;  // loops: copies, since calls change their workspaces
  std::vector<char> stiff_;       // loops: their wrenches are not fixed in `to`
  Matrix6X seen_;                 // V_rel and six unit twists
  Matrix turned_;                 // dW^T times seen_
};

}  // namespace chasles
