/// The links of a model for Simbody: revolute about z, or floating.
#pragma once

#include "chasles/model/model.hpp"
#include "chasles/screws/inertia.hpp"
#include "model/model_data.hpp"
#include "simbody_tree.hpp"

inline std::vector<SimbodyLink> simbody_links(const chasles::Model& model) {
  using namespace chasles;
  std::vector<SimbodyLink> links;
  for (const Link& link : tree_links(model)) {
    const Mat3& R = link.P.R.matrix();
    const Vec3 &r = link.P.r, c = center_of_mass(link.inertia);
    const Sym3& I = link.inertia.I;
    links.push_back({link.parent,
                     link.motion == LinkMotion::floating_se3,
                     {R.c0.x, R.c0.y, R.c0.z, R.c1.x, R.c1.y, R.c1.z, R.c2.x, R.c2.y, R.c2.z},
                     {r.x, r.y, r.z},
                     link.inertia.m,
                     {c.x, c.y, c.z},
                     {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}});
  }
  return links;
}
