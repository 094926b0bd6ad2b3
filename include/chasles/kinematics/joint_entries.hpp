/// The entries of q and v that belong to a joint, by name.
///
///     q_of(model, q, "elbow") = 0.3;                          // one coordinate
///     q_of(model, q, "wrist") = {1, 0, 0, 0};                 // a quaternion
///     double rate = v_of(model, v, "elbow");
///     Vector w = v_of(model, v, "wrist").vector();
///
/// A name is looked up in a table at every call. In loops look up the joint once:
///
///     const ModelJoint& elbow = model.joint("elbow");
///     q_of(model, q, elbow) += 0.01;
///
/// ModelState (systems/model_state.hpp) and MechanismState give access to joints by name, too.
#pragma once

#include <cstring>
#include <initializer_list>
#include <span>

#include "chasles/export.hpp"
#include "chasles/model/model.hpp"

namespace chasles CHASLES_API {

/// View of the entries of one joint in a vector, for reading and writing. The vector and the joint must outlive it.
/// `Number` is double or const double.
template <class Number>
class JointEntries {
 public:
  /// Write callback, for owners with dependent results (MechanismState); null: writes into the vector.
  using Write = void (*)(void* owner, const Number* first, std::span<const double> entries);

  JointEntries(const ModelJoint& joint, std::span<Number> entries, void* owner = nullptr,
               Write write = nullptr)
      : joint_(&joint), entries_(entries), owner_(owner), write_(write) {}
  JointEntries(const JointEntries&) = default;

  int size() const { return static_cast<int>(entries_.size()); }
  /// @throws Error naming the joint and how many entries it has
  double operator[](int k) const {
    if (k < 0 || k >= size()) [[unlikely]]
      throw Error("entry " + std::to_string(k) + " of " + described());
    return entries_[static_cast<std::size_t>(k)];
  }
  /// The value of a joint with one entry. @throws Error naming the joint, if it has another number of entries
  operator double() const {
    if (size() != 1) [[unlikely]]
      throw Error("one number of " + described() + "; take its vector()");
    return entries_[0];
  }
  Eigen::Map<const Eigen::VectorXd> vector() const { return {entries_.data(), size()}; }

  // Writing. All functions throw a SizeError that names the joint and both sizes. The source may overlap the
  // destination.
  const JointEntries& operator=(std::span<const double> x) const
      requires(!std::is_const_v<Number>) {
    if (x.size() != entries_.size()) [[unlikely]]
      throw SizeError("what is given to joint '" + joint_->name + "'", x.size(), entries_.size());
    if (write_)
      write_(owner_, entries_.data(), x);
    else
      std::memmove(entries_.data(), x.data(), x.size_bytes());
    return *this;
  }
  const JointEntries& operator=(std::initializer_list<double> x) const {
    return *this = std::span(x.begin(), x.size());
  }
  const JointEntries& operator=(const Eigen::Ref<const Eigen::VectorXd>& x) const {
    return *this = std::span(x.data(), static_cast<std::size_t>(x.size()));
  }
  const JointEntries& operator=(double x) const { return *this = std::span(&x, 1); }
  const JointEntries& operator=(const JointEntries& x) const { return *this = x.vector(); }
  JointEntries& operator=(const JointEntries& x) {
    static_cast<const JointEntries&>(*this) = x.vector();
    return *this;
  }
  const JointEntries& operator+=(double x) const { return *this = double(*this) + x; }
  const JointEntries& operator-=(double x) const { return *this = double(*this) - x; }

 private:
  std::string described() const {
    return "joint '" + joint_->name + "' is asked for, which has " + std::to_string(size());
  }
  const ModelJoint* joint_;
  std::span<Number> entries_;
  void* owner_;
  Write write_;
};

/// The joint as an entry of `model.joints()`, or a copy of one.
/// @throws Error if the joint is not one of the model
void require_joint(const Model& model, const ModelJoint& joint);

namespace detail {
/// Entries first ... first + count - 1 of a contiguous vector with `size` entries.
template <class X>
auto joint_part(const char* name, X&& x, int size, const ModelJoint& joint, int first, int count) {
  require_size(name, static_cast<std::size_t>(x.size()), size);
  if constexpr (requires { x.innerStride(); })
    if (x.innerStride() != 1 && size > 1)
      throw Error(
          std::string(name) +
          " is not contiguous, such as the row of a matrix by columns; copy it to a vector");
  using Number = std::remove_pointer_t<decltype(x.data())>;
  return JointEntries<Number>(joint, {x.data() + first, static_cast<std::size_t>(count)});
}
}  // namespace detail

/// The entries of a joint in q (nq) and in v (nv): Eigen vectors, Vector, std::vector.
/// @throws Error with the nearest known name; SizeError for a vector of another size
template <class Q>
auto q_of(const Model& model, Q&& q, const ModelJoint& joint) {
  require_joint(model, joint);
  return detail::joint_part("q", q, model.nq(), joint, joint.q_index, joint.nq);
}
template <class V>
auto v_of(const Model& model, V&& v, const ModelJoint& joint) {
  require_joint(model, joint);
  return detail::joint_part("v", v, model.nv(), joint, joint.v_index, joint.nv);
}
template <class Q>
auto q_of(const Model& model, Q&& q, std::string_view joint) {
  return q_of(model, q, model.joint(joint));
}
template <class V>
auto v_of(const Model& model, V&& v, std::string_view joint) {
  return v_of(model, v, model.joint(joint));
}

}  // namespace CHASLES_API
