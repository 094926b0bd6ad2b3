/// Named frames of an SDF model: links, joints and frames, each given relative to another.
#pragma once

#include <map>
#include <utility>

#include "io/urdf/xml.hpp"

namespace chasles::io::sdf {

inline constexpr const char* model_frame = "__model__";

/// The minor version, 1.MINOR, of a file; default: the newest.
/// @throws Error if it is unknown, or older than 1.2, where values were attributes
int read_version(const Element& top);

/// <pose>: x y z roll pitch yaw, or a quaternion; missing or empty: none.
struct GivenPose {
  SE3 C{};
  std::string relative_to{};  // empty: the default for its owner
};
/// @param version  before 1.7 `relative_to` was called `frame`
GivenPose read_pose(const Element& owner, int version);

class Frames {
 public:
  /// @param usual     default of relative_to
  /// @param attached  the link or frame that carries it; empty: it is a link
  /// @throws Error if the name is taken
  void add(const std::string& name, const Element& element, const GivenPose& pose,
           const std::string& usual, const std::string& attached);
  /// The link that the model itself is attached to.
  void set_canonical(const std::string& link) { canonical_ = link; }
  /// The pose in the model. A name must be one of those added, `__model__`, or empty for that.
  /// @param asker  the element that names it, for messages
  /// @throws Error naming a missing frame, with the nearest name, or a cycle of frames
  SE3 resolve(const std::string& name, const Element& asker);
  /// The link that carries it.
  std::string link_of(const std::string& name, const Element& asker) const;

 private:
  struct Item {
    Element element;
    GivenPose pose;
    std::string attached;
    enum State { fresh, busy, known } state = fresh;
    SE3 in_model{};
  };
  const Item& find(const std::string& name, const Element& asker) const;
  Item& find(const std::string& name, const Element& asker) {
    return const_cast<Item&>(std::as_const(*this).find(name, asker));
  }
  std::map<std::string, Item, std::less<>> items_;
  std::string canonical_;
};

}  // namespace chasles::io::sdf
