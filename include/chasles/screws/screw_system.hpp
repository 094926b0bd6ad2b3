/// Screw systems: linear spaces of screws, and the algebra with which mechanisms are analyzed without sampling.
///
///     reciprocal   {Y : X o Y = 0 for all X in S},  dimension 6 - dim S              000 B.2  (1)
///     closure      the smallest Lie subalgebra of se(3) that contains S: S, [S, S], [S, [S, S]], ...  (2)
///
/// The wrenches that do no work on a joint are the reciprocal of its screws. The closure of the screws of a chain is the
/// algebra of the motion subgroup that its last body cannot leave (003 Table 1), however far it moves: a property of
/// finite motion, found at one configuration.
///
///     ScrewSystem four_bar({screw({0, 0, 1}, {0, 0, 0}), screw({0, 0, 1}, {1, 0, 0}),
///                           screw({0, 0, 1}, {2, 1, 0}), screw({0, 0, 1}, {3, 0, 0})});
///     four_bar.dimension();                       // 3
///     motion_subgroup(closure(four_bar));         // MotionSubgroup::planar
///
/// Dimensions are decided by pivots of unit vectors (w; v / length) about a center. Center and length are those of the
/// axes of the given screws, so that the unit and the origin of the world do not matter; results inherit them.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/screws/screw.hpp"

namespace chasles CHASLES_API {

/// Screws whose remainder across the others is below this are dependent: above the rounding of numbers with ten digits.
inline constexpr double screw_tolerance = 1e-8;

/// @paper 003 Table 1, Outlook
class ScrewSystem {
 public:
  /// Only the zero screw.
  ScrewSystem() = default;
  /// The span of screws, in one frame.
  /// @throws Error if one is not finite
  explicit ScrewSystem(std::span<const Twist> screws);
  ScrewSystem(std::initializer_list<Twist> screws)
      : ScrewSystem(std::span(screws.begin(), screws.size())) {}

  int dimension() const { return static_cast<int>(basis_.size()); }
  /// `dimension` independent screws.
  const std::vector<Twist>& basis() const& { return basis_; }
  std::vector<Twist> basis() && { return std::move(basis_); }
  bool contains(const Twist& X) const;

  /// The center and length [m] of the axes of the given screws.
  struct Scale {
    Vec3 center{};
    double length = 1;
  };
  /// The span of screws in a given scale.
  ScrewSystem(std::span<const Twist> screws, const Scale& scale);
  const Scale& scale() const { return scale_; }

 private:
  std::vector<Twist> basis_;
  Scale scale_;
};

/// The span of both, and the screws that are in both.
ScrewSystem sum(const ScrewSystem& a, const ScrewSystem& b);
ScrewSystem intersection(const ScrewSystem& a, const ScrewSystem& b);
/// (1). As wrenches (as_wrench): all that do no work on S. The reciprocal of the reciprocal is S.
/// @paper 000 section B.2
ScrewSystem reciprocal(const ScrewSystem& S);
/// (2). It ends after at most five brackets.
ScrewSystem closure(const ScrewSystem& S);
/// Whether S is a subalgebra: its motions form a group.
bool is_closed(const ScrewSystem& S);
/// The system moved by C: Ad_C of every screw.
ScrewSystem transform(const SE3& C, const ScrewSystem& S);

/// The subgroups of SE(3) up to conjugation, 003 Table 1, by the names of joint types that generate them.
enum class MotionSubgroup : unsigned char {
  trivial,
  translation,
  rotation,
  helical,
  translation2,
  cylindrical,
  translation3,
  spherical,
  planar_helical,
  planar,
  schoenflies,
  full
};
/// "SE(2)", and the motion in words: "planar motions".
std::string_view subgroup_name(MotionSubgroup subgroup);
std::string_view subgroup_motion(MotionSubgroup subgroup);
/// The subgroup whose algebra is `closed`, by its dimension, that of its translations and its pitch.
/// @throws Error if the system is not a subalgebra
/// @paper 003 Table 1
MotionSubgroup motion_subgroup(const ScrewSystem& closed);

}  // namespace CHASLES_API
