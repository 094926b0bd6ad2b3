/// The parts of a compiled mechanism before link frames have moved to where inertias are: these and the inertias
/// of the bodies give the links. Models that differ in inertia or gravity share the geometry.
#pragma once

#include <optional>

#include "chasles/model/model.hpp"

namespace chasles {

struct Model::Assembly {
  /// Does not depend on inertias.
  struct Geometry {
    std::vector<SE3> P;       // links: Link::P
    std::vector<SE3> offset;  // bodies: Frame::offset
    std::vector<SE3> frames;  // in the frame of their body
    struct Ends {
      int body[2];  // -1: ground
      SE3 offset[2];
    };
    std::vector<Ends> loops;
  };
  std::shared_ptr<const Geometry> geometry;
  std::vector<std::optional<BodyInertia>> inertia;  // bodies
};

/// The inertias of the links and all that depends on them: where link frames are, places, names, kernels. The
/// rest of `data` is there.
/// @throws Error naming a joint that moves masses whose sum is zero
void assemble(Model::Data& data);

}  // namespace chasles
