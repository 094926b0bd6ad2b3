/// The data of a model that public headers do not show: links, and the tree in kernel format.
#pragma once

#include "access.hpp"
#include "chasles/model/model.hpp"
#include "mechanism/link.hpp"

namespace chasles {

namespace kernels {
struct Trees;
}

namespace detail {

struct ModelAssembly;  // model/assembly.hpp

struct ModelData : Model::Contents {
  std::vector<Link> links;
  std::vector<Twist> screws;
  std::vector<int> link_of_v;
  std::vector<SE3> joint_frames;  // of the joints, in the frames of their child bodies
  std::unordered_map<std::string_view, Frame> frame_named;  // bodies and frames
  std::unordered_map<std::string_view, const ModelJoint*> joint_named;
  std::shared_ptr<const kernels::Trees> trees;    // the same in kernel format
  std::shared_ptr<const ModelAssembly> assembly;  // the parts that links are made from
  ModelData();
  ~ModelData();
  ModelData(const ModelData&) = delete;
  ModelData& operator=(const ModelData&) = delete;
};

inline const ModelData& data_of(const Model& model) {
  return static_cast<const ModelData&>(Access::contents(model));
}

}  // namespace detail

/// All functions below throw Error for an empty handle.
inline const std::vector<Link>& tree_links(const Model& model) {
  return detail::data_of(model).links;
}
/// Screws of custom links, in the frame of the link.
inline const std::vector<Twist>& custom_screws(const Model& model) {
  return detail::data_of(model).screws;
}
/// The frame of each joint in the frame of its child body: origin at the joint's point, z along its axis, x along x_axis
/// (ReferenceGeometry::J).
inline const std::vector<SE3>& joint_frames(const Model& model) {
  return detail::data_of(model).joint_frames;
}
/// The link moved by each entry of v.
inline const std::vector<int>& link_of_v(const Model& model) {
  return detail::data_of(model).link_of_v;
}
inline const kernels::Trees& kernel_trees(const Model& model) {
  return *detail::data_of(model).trees;
}

}  // namespace chasles
