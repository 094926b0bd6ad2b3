/// Links, bodies and frames as plain constants, with every vector padded to four numbers: the model data read
/// by kernels. Member functions are always inlined, so that the units of different instruction sets emit no
/// copies that the linker could mix up.
#pragma once

#include "chasles/screws/representation.hpp"
#include "mechanism/link.hpp"

namespace chasles::kernels {

/// Constants of a link.
///
///   C, r   constant pose P_i of the joint frame in the parent link        I  rotational inertia
///   mc     first moment m c                                               E  Binet tensor tr(I)/2 1 - I
template <class Real>
struct alignas(32) LinkConstants {
  Real C[3][4];  // columns of the constant rotation of P_i
  Real r[4];     // translation of P_i
  Real mc[4];    // first moment; mass
  // I and E about the link's origin. Both are stored, since neither can be computed accurately from the other
  // for a slender body: there I_zz = E_xx + E_yy is small.
  Real I_diag[4];  // xx, yy, zz; trace of E
  Real I_off[4];   // xy, yz, zx; pitch of the motion
  Real E_diag[4];  // xx, yy, zz; 2 B^2, bound of articulated.inl
  Real E_off[4];   // xy, yz, zx; mass of the subtree
  int parent;      // -1: ground
  int q, v, nv;    // first entries in q and v; number of entries in v
  int chain;  // first link of the chain chain, chain + 1, ..., i in which each link is the parent of the
              // next
  int end_v;  // the subtree is moved by entries v ... end_v - 1
  int group;  // custom: offset into Pass::group; floating_so3xr3: index into Tree::axes
  int slot;   // index of the copy of a row of accelerations used in mass_matrix_inverse.inl
  LinkMotion motion;
  bool last;      // the last child of its parent: the first in inward passes
  bool branches;  // has a child other than link i + 1
  Real armature;  // added to the diagonal of M, and so of D, at its entries of v
  Real own_D;     // I_zz + armature: the part of D that the link itself has about z

  // Scalars stored as fourth components, so that loads are full and no memory is wasted.
  [[gnu::always_inline]] Real mass() const { return mc[3]; }
  [[gnu::always_inline]] Real trace() const { return I_diag[3]; }
  [[gnu::always_inline]] Real pitch() const { return I_off[3]; }
  [[gnu::always_inline]] Real reach() const { return E_diag[3]; }
  [[gnu::always_inline]] Real carried() const { return E_off[3]; }
};

/// A link as a body about its center of mass, and the weights for joining composite bodies: the composites of
/// the children of a link, the last child first, then the link itself. Joining a body of mass m_2 to
/// one of mass m_1, with d the vector between the centers, moves the center by part d and adds mu d d^T:
///
///     part = m_2 / (m_1 + m_2),   mu = m_1 m_2 / (m_1 + m_2)
template <class Real>
struct alignas(32) BodyConstants {
  Real com[4];            // center of mass in the link frame; mass
  Real E_diag[4];         // Binet tensor about the center of mass
  Real E_off[4];          // xy, yz, zx
  Real part, mu;          // for joining its composite to those of its later siblings
  Real own_part, own_mu;  // for joining the link to the composites of its children
};

/// The axes of the position coordinates of a floating_so3xr3 link, those of the parent body: columns of
/// rotations.
template <class Real>
struct alignas(32) PositionAxes {
  Real in_joint[3][4];   // in the joint frame, Link::Q
  Real in_parent[3][4];  // in the frame of the parent link
  bool same;             // in_parent is the identity, as for bodies on ground
};

/// A frame fixed to a link (model.hpp), the same for all states.
template <class Real>
struct alignas(32) FrameConstants {
  Real C[3][4];  // columns of its rotation in the frame of the link
  Real r[4];
  int link;                       // -1: ground
  Representation representation;  // of the wrench applied or the result requested there
};
template <class Real>
FrameConstants<Real> frame_constants(int link, const SE3& offset, Representation representation);

}  // namespace chasles::kernels
