/// The parts of a compiled mechanism before link frames are moved close to the inertias: together with the
/// inertias of the bodies they define the links. Models that differ only in inertia or gravity share the
/// geometry.
#pragma once

#include <optional>

#include "model/model_data.hpp"

namespace chasles {

struct detail::ModelAssembly {
  /// Does not depend on inertias.
  struct Geometry {
    std::vector<SE3> P;       // links: Link::P
    std::vector<SE3> offset;  // bodies: offset of the body frame in its link
    std::vector<SE3> frames;  // in the frame of their body
    // Bodies: rotational inertia that stands for rotors, mechanism/rotor.hpp (2); and its part for the rotor of the
    // body's own joint, which is on the parent in truth.
    std::vector<Sym3> rotors, own_rotors;
    struct Ends {
      int body[2];  // -1: ground
      SE3 offset[2];
    };
    std::vector<Ends> loops;
  };
  std::shared_ptr<const Geometry> geometry;
  std::vector<std::optional<BodyInertia>> inertia;  // bodies
};

/// Computes the inertias of the links and everything that depends on them: link frame origins, frames, names,
/// kernel constants. The rest of `data` must be set.
/// @throws Error naming a joint whose subtree has zero total mass
void assemble(detail::ModelData& data);

}  // namespace chasles
