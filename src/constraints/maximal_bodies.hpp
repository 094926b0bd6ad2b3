/// Models in maximal coordinates: all joints are floating, on ground.
#pragma once

#include "chasles/model/model.hpp"

namespace chasles {

inline void require_floating_on_ground(const Model& maximal, const ModelJoint& joint) {
  if (joint.type != JointType::floating || joint.parent >= 0)
    throw Error("joint '" + joint.name + "' of '" + maximal.name() +
                "' is not a floating joint on ground; in maximal coordinates all are: see "
                "to_maximal_coordinates()");
}

}  // namespace chasles
