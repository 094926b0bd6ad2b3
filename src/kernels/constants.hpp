/// Links, bodies and places as plain constants, every vector padded to four numbers: what the kernels read
/// of a model. Functions of theirs are inlined everywhere: a unit of an instruction set leaves no copy of
/// them behind that the linker could take for others.
#pragma once

#include "chasles/mechanism/link.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles::kernels {

/// A link, every vector padded to four numbers.
template <class Real>
struct alignas(32) LinkConstants {
  Real C[3][4];  // columns of the constant rotation of P_i
  Real r[4];     // translation of P_i
  Real mc[4];    // first moment; mass
  // Rotational inertia I and Binet tensor E = tr(I)/2 1 - I about the link's origin. Both, as one of
  // them does not follow from the other where a body is slender: there I_zz = E_xx + E_yy is small.
  Real I_diag[4];  // xx, yy, zz; trace of E
  Real I_off[4];   // xy, yz, zx; pitch of the motion
  Real E_diag[4];  // xx, yy, zz; 2 B^2: articulated.inl
  Real E_off[4];   // xy, yz, zx; mass of its descendants and itself
  int parent;      // -1: ground
  int q, v, nv;    // its entries of q and v
  int chain;       // the first of the links chain, chain + 1, ... i that are each other's parents
  int end_v;       // the entries of v that move its descendants and itself: v ... end_v - 1
  int group;       // motion given as data: where it begins in Pass::group; direct: in Tree::axes
  int slot;        // which copy of a row of accelerations it works in: mass_matrix_inverse.inl
  LinkMotion motion;
  bool last;      // the last child of its parent: the first to hand something inward
  bool branches;  // has a child besides the next link

  // What stands in the fourth places, so that loads are whole and nothing is wasted.
  [[gnu::always_inline]] Real mass() const { return mc[3]; }
  [[gnu::always_inline]] Real trace() const { return I_diag[3]; }
  [[gnu::always_inline]] Real pitch() const { return I_off[3]; }
  [[gnu::always_inline]] Real reach() const { return E_diag[3]; }
  [[gnu::always_inline]] Real carried() const { return E_off[3]; }
};

/// A link as a body about its center of mass, and how composite bodies are joined: the composites of
/// the children of a link, the last child first, then the link itself. Joining a body of mass m_2 to
/// one of mass m_1, with the centers a way d apart, moves the center by part d and adds mu d d^T:
///
///     part = m_2 / (m_1 + m_2),   mu = m_1 m_2 / (m_1 + m_2)
template <class Real>
struct alignas(32) BodyConstants {
  Real com[4];            // in the frame of the link; mass
  Real E_diag[4];         // Binet tensor about the center of mass
  Real E_off[4];          // xy, yz, zx
  Real part, mu;          // of its composite, joined to those of its parent's children after it
  Real own_part, own_mu;  // of the link, joined to the composites of its children
};

/// The axes in which a `direct` motion has its position, those of the parent body: columns of rotations.
template <class Real>
struct alignas(32) PositionAxes {
  Real in_joint[3][4];   // in the joint frame, Link::Q
  Real in_parent[3][4];  // in the frame of the parent link
  bool same;             // as those of the parent link: bodies on ground
};

/// A place on a link (model.hpp), the same for all states.
template <class Real>
struct alignas(32) FrameConstants {
  Real C[3][4];  // columns of its rotation in the frame of the link
  Real r[4];
  int link;                       // -1: ground
  Representation representation;  // of what acts on it or is asked about it
};
template <class Real>
FrameConstants<Real> frame_constants(int link, const SE3& offset, Representation representation);

}  // namespace chasles::kernels
