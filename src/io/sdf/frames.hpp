/// Named frames of an SDF model: links, joints, frames and nested models, each given relative to another.
#pragma once

#include <map>
#include <utility>

#include "io/urdf/xml.hpp"

namespace chasles::io::sdf {

inline constexpr const char* model_frame = "__model__";
inline constexpr const char* scope_mark = "::";

/// <pose>: x y z roll pitch yaw, or a quaternion; missing or empty: none.
struct GivenPose {
  SE3 C{};
  std::string relative_to{};  // empty: the default for its owner
};
/// @param version  before 1.7 `relative_to` was called `frame`
GivenPose read_pose(const Element& owner, int version);

/// The frames of one model. A frame in a nested model is `NESTED::FRAME`, to any depth; `NESTED` is the frame of the
/// nested model itself.
class Frames {
 public:
  /// @param usual     default of relative_to
  /// @param attached  the link or frame that carries it; empty: it is a link
  /// @throws Error if the name is taken
  void add(const std::string& name, const Element& element, const GivenPose& pose,
           const std::string& usual, const std::string& attached);
  /// A nested model, whose frames are complete.
  /// @param placement  the frame in it that has the pose; empty: its own
  void add_model(const std::string& name, const Element& element, const GivenPose& pose,
                 const std::string& usual, Frames& inner, const std::string& placement);
  /// These are the frames of the world, whose frame is `world`: no link carries it.
  void set_world() { is_world_ = true; }
  /// The link that the model itself is attached to; empty: the model has none.
  void set_canonical(const std::string& link) { canonical_ = link; }
  const std::string& canonical() const { return canonical_; }
  /// The pose in the model. A name must be one of those added, `__model__`, or empty for that.
  /// @param asker  the element that names it, for messages
  /// @throws Error naming a missing frame, with the nearest name, or a cycle of frames
  SE3 resolve(const std::string& name, const Element& asker);
  /// The link that carries it, NESTED::LINK of a nested model; `world`: none.
  std::string link_of(const std::string& name, const Element& asker) const;

 private:
  struct Item {
    Element element;
    GivenPose pose;
    std::string attached;
    Frames* inner = nullptr;  // of a nested model
    enum State { fresh, busy, known } state = fresh;
    SE3 in_model{};
  };
  /// A frame of a nested model: its item, and the name in it.
  struct Inner {
    std::string model, name;
  };
  Inner split(const std::string& name) const;
  void insert(const std::string& name, Item item);
  const Item& find(const std::string& name, const Element& asker) const;
  Item& find(const std::string& name, const Element& asker) {
    return const_cast<Item&>(std::as_const(*this).find(name, asker));
  }
  std::map<std::string, Item, std::less<>> items_;
  std::string canonical_;
  bool is_world_ = false;
};

}  // namespace chasles::io::sdf
