/// Counted cost of the recursions in each representation: multiplications, additions and divisions that one more
/// revolute joint of general geometry costs in a chain. The counts come from running the templates of the library over
/// a scalar that counts; they depend neither on the machine nor on the length of the chain.
///
///     poses             C_i = C_p C_ip, the relative poses given                   003 (8)         (1)
///     twists            X_i and V_i, with poses given                              003 (14), (30), (42), (52)
///     accelerations     X_i, V_i and Vd_i                                          000 (6), (17), (29)
///     inverse_dynamics  Q from (q, v, vd)                                          000 (66), (70), (75)
///     forward_dynamics  vd from (q, v, Q) by the articulated-body recursion        acceleration form
///     momentum_dynamics v and pd from (q, p, Q)                                    000 (79), momentum form
///
/// Twists in body-fixed form need relative poses only; the other forms need the poses in the world. No terms that
/// are zero or one by the choice of joint frames are left out. Table: docs/theory/kinematics.md.
///
///     textbook::OperationCount c =
///         textbook::operations_per_joint(textbook::CountedAlgorithm::twists, Representation::spatial);
#pragma once

#include "chasles/export.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles CHASLES_API {
namespace textbook {

enum class CountedAlgorithm : unsigned char {
  poses,
  twists,
  accelerations,
  inverse_dynamics,
  forward_dynamics,
  momentum_dynamics
};

struct OperationCount {
  long multiplications = 0, additions = 0, divisions = 0;
  long total() const { return multiplications + additions + divisions; }
  bool operator==(const OperationCount&) const = default;
};

/// @throws Error for momentum_dynamics in mixed form, which has no bracket
/// @paper 003 Remark 16
/// @paper 000 (79)
OperationCount operations_per_joint(CountedAlgorithm algorithm, Representation rep);

}  // namespace textbook
}  // namespace CHASLES_API
