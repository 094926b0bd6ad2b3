/// Partial derivatives of Jacobians: (7) to (13) of higher_order.hpp.
#include <algorithm>

#include "chasles/kinematics/higher_order.hpp"
#include "chasles/screws/eigen.hpp"
#include "kinematics/screw_derivative.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

using namespace links;

/// A motion along which J is differentiated: its link and its twist at the frame.
struct Index {
  int link;
  Twist J;
};
using Indices = std::vector<Index>;

/// (8).
Twist body_derivative(Twist J, int link, const Indices& a) {
  for (const Index& k : a) {
    if (k.link <= link) return {};
    J = ad(J, k.J);
  }
  return J;
}
/// (9).
Twist spatial_derivative(Twist J, int link, const Indices& a) {
  for (auto k = a.rbegin(); k != a.rend(); ++k) {
    if (k->link > link) return {};
    J = ad(k->J, J);
  }
  return J;
}
/// (10).
Twist hybrid_derivative(const Twist& J, int link, const Indices& a) {
  auto k = a.rbegin();
  Twist B = J;
  if (k != a.rend() && k->link > link) {
    Vec3 r = k->J.v;  // the derivative of the frame's origin with respect to the indices outboard
    for (++k; k != a.rend() && k->link > link; ++k) r = cross(k->J.w, r);
    B = {{}, cross(J.w, r)};
  }
  for (; k != a.rend(); ++k) B = {cross(k->J.w, B.w), cross(k->J.w, B.v)};
  return B;
}

/// The derivative of the column J of a joint at `link` with a constant screw. J and the indices are in `rep`,
/// but hybrid if that is mixed.
Twist column_derivative(const Twist& J, int link, const Indices& a, const SO3& R,
                        Representation rep) {
  switch (rep) {
    case Representation::body:
      return body_derivative(J, link, a);
    case Representation::spatial:
      return spatial_derivative(J, link, a);
    case Representation::hybrid:
    case Representation::mixed:
      break;
  }
  const Twist J_h = hybrid_derivative(J, link, a);
  if (rep == Representation::hybrid) return J_h;
  return {inverse_times(R, body_derivative(J, link, a).w),
          J_h.v};  // brackets rotate with their axes
}

/// One of the given indices: its link and its column there.
struct Coordinate {
  int link, column;
};

/// The indices, sorted from base to tip; empty if one of them does not move the frame.
std::vector<Coordinate> sorted_indices(const Model& model, const Frame& frame,
                                       std::span<const int> indices) {
  std::vector<Coordinate> a;
  bool all_move_the_frame = true;
  for (const int k : indices) {
    if (k < 0 || k >= model.nv())
      throw Error("indices: " + std::to_string(k) + " is not in 0 ... " +
                  std::to_string(model.nv() - 1));
    const int number = link_of_v(model)[static_cast<std::size_t>(k)];
    const Link& link = tree_links(model)[static_cast<std::size_t>(number)];
    all_move_the_frame = all_move_the_frame && number <= frame.link && frame.link < link.end;
    a.push_back({number, k - link.v_index});
  }
  if (!all_move_the_frame) return {};
  std::stable_sort(a.begin(), a.end(),
                   [](const Coordinate& x, const Coordinate& y) { return x.link < y.link; });
  return a;
}

/// The derivatives of columns as the sum (13), which has one term if all screws are constant.
class ColumnDerivative {
 public:
  ColumnDerivative(const Model& model, const PositionKinematics& kin, const Frame& frame,
                   Representation rep, const std::vector<Coordinate>& indices)
      : model_(model), kin_(kin), C_(pose(kin, frame)), rep_(rep), indices_(indices) {}

  /// For column n of a link.
  Twist operator()(int link, int n) {
    column_ = {link, {}, n};
    blocks_.clear();
    sum_ = {};
    place_indices(0);
    return sum_;
  }

 private:
  /// Indices of one link that act together, as one motion along the derivative of screw n, the last of them,
  /// with respect to the others; or the indices acting on the column itself, whose screw is n.
  struct Block {
    int link;
    std::vector<int> along;
    int n;
  };

  /// Enumerates all partitions of the indices from k on into blocks.
  void place_indices(std::size_t k) {
    if (k == indices_.size()) return add_term();
    const auto [link, n] = indices_[k];
    blocks_.push_back({link, {}, n});
    place_indices(k + 1);
    blocks_.pop_back();
    if (!screws_turn(tree_links(model_)[static_cast<std::size_t>(link)])) return;
    if (column_.link == link) {
      column_.along.push_back(n);
      place_indices(k + 1);
      column_.along.pop_back();
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].link != link) continue;
      const std::vector<Block> kept = blocks_;
      Block joined = blocks_[b];  // moved to the end, like the index that joins it
      joined.along.push_back(std::exchange(joined.n, n));
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
      blocks_.push_back(std::move(joined));
      place_indices(k + 1);
      blocks_ = kept;
    }
  }

  void add_term() {
    const Twist J = at_frame(column_);
    if (J == Twist{}) return;
    Indices a;
    for (const Block& block : blocks_) a.push_back({block.link, at_frame(block)});
    sum_ += column_derivative(J, column_.link, a, C_.R, rep_);
  }

  /// The screw of a block, or its derivative, as a twist of the frame: in rep, or hybrid for mixed.
  Twist at_frame(const Block& block) const {
    const auto i = static_cast<std::size_t>(block.link);
    const Link& link = tree_links(model_)[i];
    const Twist X =
        screw_derivative(model_, link, kin_.q().data() + link.q_index, block.n, block.along);
    const SE3& C_l = kin_.C()[i];
    const Vec3 w = C_l.R * X.w;
    const Twist X_h{w, C_l.R * X.v + cross(w, C_.r - C_l.r)};
    const bool as_is = rep_ == Representation::hybrid || rep_ == Representation::mixed;
    return as_is ? X_h : lie::convert(X_h, C_, Representation::hybrid, rep_);
  }

  const Model& model_;
  const PositionKinematics& kin_;
  const SE3 C_;
  const Representation rep_;
  const std::vector<Coordinate>& indices_;
  Block column_;
  std::vector<Block> blocks_;  // links in ascending order
  Twist sum_;
};

}  // namespace

void jacobian_derivative(const Model& model, const PositionKinematics& kin, const Frame& frame,
                         Representation rep, std::span<const int> indices, Matrix6XRef out) {
  jacobian(model, kin, frame, rep, out);
  if (indices.empty()) return;
  const std::vector<Coordinate> a = sorted_indices(model, frame, indices);
  out.setZero();
  if (a.empty()) return;
  ColumnDerivative derivative(model, kin, frame, rep, a);
  for (int i = frame.link; i >= 0; i = tree_links(model)[static_cast<std::size_t>(i)].parent) {
    const Link& link = tree_links(model)[static_cast<std::size_t>(i)];
    for (int k = 0; k < link.nv; ++k) out.col(link.v_index + k) = to_eigen(derivative(i, k));
  }
}

std::vector<Matrix6X> kinematic_hessian(const Model& model, const PositionKinematics& kin,
                                        const Frame& frame, Representation rep) {
  std::vector<Matrix6X> H(static_cast<std::size_t>(model.nv()), Matrix6X(6, model.nv()));
  for (int k = 0; k < model.nv(); ++k)
    jacobian_derivative(model, kin, frame, rep, std::span(&k, 1), H[static_cast<std::size_t>(k)]);
  return H;
}

}  // namespace chasles
