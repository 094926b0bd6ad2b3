#include "chasles/model/model.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "chasles/suggest.hpp"
#include "kernels/tree.hpp"
#include "model/groups.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// The names of all existing models, for messages about frames of other models.
struct Names {
  std::mutex mutex;
  std::map<std::uint64_t, const detail::ModelData*> models;
  std::uint64_t last = 0;
};
Names& names() {
  static Names& all = *new Names;  // models may outlive other static objects
  return all;
}

}  // namespace

detail::ModelData::ModelData() {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  id = ++all.last;
  all.models.emplace(id, this);
}
detail::ModelData::~ModelData() {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  all.models.erase(id);
}

bool ModelCoupling::is_linear() const {
  return std::ranges::all_of(terms, [](const Term& term) { return term.function.is_identity(); });
}

void Model::throw_moved() {
  throw Error(
      "there is no model: it was not compiled yet, or moved from; use the one it was moved to, or "
      "copy models");
}

namespace {

std::string foreign(std::string_view what, const Model& of, const Model& used_with) {
  if (!of) return std::string(what) + " was moved from; use what it was moved to, or copy it";
  return std::string(what) + " is of model '" + of.name() + "' but is used with model '" +
         used_with.name() + "'" + (of.name() == used_with.name() ? ", compiled another time" : "") +
         "; make one for each model";
}

std::string foreign_frame(const Frame& frame, const Model& used_with) {
  if (frame.model == 0 || frame.model == used_with.id())
    return "a frame on link " + std::to_string(frame.link) + " was not taken from model '" +
           used_with.name() + "' with which it is used; take frames from Model::frame";
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  const auto found = all.models.find(frame.model);
  return "the frame is of " +
         (found == all.models.end() ? "a model that no longer exists"
                                    : "model '" + found->second->name + "'") +
         " but is used with model '" + used_with.name() + "'" +
         (found != all.models.end() && found->second->name == used_with.name()
              ? ", compiled another time"
              : "") +
         "; take frames from the model they are used with";
}

}  // namespace

ForeignError::ForeignError(std::string_view what, const Model& of, const Model& used_with)
    : Error(foreign(what, of, used_with)) {}
ForeignError::ForeignError(const Frame& frame, const Model& used_with)
    : Error(foreign_frame(frame, used_with)) {}

Frame Model::frame(std::string_view wanted) const {
  if (wanted == ground) return {-1, {}, id()};
  const auto& index = detail::data_of(*this).frame_named;
  if (const auto found = index.find(wanted); found != index.end()) return found->second;
  std::vector<std::string_view> known{ground};
  for (const ModelBody& body : bodies()) known.push_back(body.name);
  for (const ModelFrame& frame : frames()) known.push_back(frame.name);
  throw Error("model '" + name() + "' has no body or frame '" + std::string(wanted) + "'" +
              did_you_mean(wanted, known));
}

std::vector<int> Model::support(const Frame& frame) const {
  require_frame(frame, *this);
  std::vector<int> entries;
  for (int i = frame.link; i >= 0;) {
    const Link& link = tree_links(*this)[static_cast<std::size_t>(i)];
    for (int k = link.nv - 1; k >= 0; --k) entries.push_back(link.v_index + k);
    i = link.parent;
  }
  std::ranges::reverse(entries);
  return entries;
}

bool Model::on_ground(const ModelJoint& joint) const {
  const auto found = detail::data_of(*this).joint_named.find(joint.name);
  if (found == detail::data_of(*this).joint_named.end() || found->second->v_index != joint.v_index)
    throw Error("joint '" + joint.name + "' with v[" + std::to_string(joint.v_index) +
                "] is not one of model '" + name() + "'; take joints from Model::joints");
  const int link = link_of_v(*this)[static_cast<std::size_t>(joint.v_index)];
  return tree_links(*this)[static_cast<std::size_t>(link)].parent < 0;
}

bool Model::floats() const {
  for (const Link& link : tree_links(*this))
    if (link.parent < 0 &&
        ((link.motion != LinkMotion::floating_se3 && link.motion != LinkMotion::floating_so3xr3) ||
         link.armature != 0))
      return false;
  return !tree_links(*this).empty();
}

const ModelJoint& Model::joint(std::string_view wanted) const& {
  const auto& index = detail::data_of(*this).joint_named;
  if (const auto found = index.find(wanted); found != index.end()) return *found->second;
  std::vector<std::string_view> known;
  for (const ModelJoint& joint : joints()) known.push_back(joint.name);
  throw Error("model '" + name() + "' has no joint '" + std::string(wanted) + "'" +
              did_you_mean(wanted, known));
}

bool ModelJoint::is_vector() const {
  return !coordinates.empty() &&
         std::ranges::all_of(coordinates, [](const JointCoordinate& c) { return c.is_scalar(); });
}
bool ModelJoint::has_position() const {
  return std::ranges::find(coordinates, CoordinateKind::position, &JointCoordinate::kind) !=
         coordinates.end();
}
const JointCoordinate& ModelJoint::coordinate_of_v(int k) const {
  for (const JointCoordinate& c : coordinates)
    if (k >= c.v_index && k < c.v_index + c.nv) return c;
  throw Error("entry " + std::to_string(k) + " of v does not belong to joint '" + name +
              "', whose entries are " + std::to_string(v_index) + " ... " +
              std::to_string(v_index + nv - 1));
}
const JointCoordinate& ModelJoint::coordinate_of_q(int k) const {
  for (const JointCoordinate& c : coordinates)
    if (k >= c.q_index && k < c.q_index + c.nq) return c;
  throw Error("entry " + std::to_string(k) + " of q does not belong to joint '" + name +
              "', whose entries are " + std::to_string(q_index) + " ... " +
              std::to_string(q_index + nq - 1));
}

const ModelJoint& Model::joint_of_v(int k) const& {
  for (const ModelJoint& joint : joints())
    if (joint.v_index <= k && k < joint.v_index + joint.nv) return joint;
  throw Error("v[" + std::to_string(k) + "] is not in v of model '" + name() + "', which has " +
              std::to_string(nv()) + " entries");
}

Vector Model::neutral() const {
  Vector q(nq());
  for_groups(*this, [&](const JointGroup&, const Link& link) { q[link.q_index] = 1; });
  return q;
}

}  // namespace chasles
