/// The pass from ground to the leaves: poses, hybrid twists and hybrid accelerations of all links,
/// kinematics.hpp (1) to (5), vectors in SIMD registers. One source, compiled for each instruction
/// set; `motion_kernel` chooses once for the machine.
#pragma once

#include "chasles/mechanism/link.hpp"

namespace chasles::kernels {

/// What a pass reads and writes. Arrays of angles are padded to a multiple of 4.
struct MotionPass {
  const Link* links;
  int count;
  const double* q;
  const double *v, *vd;   // unused below their level
  const SE3* local;       // P_i T_i of links that are not a turn, slide or screw
  const Twist *u, *ud;    // body-fixed joint twist of the same links, and its rate
  double *sine, *cosine;  // workspace: of every entry of q
  SE3* C;
  Twist *V_h, *A_h;
};

/// Level 0: poses; 1: and twists; 2: and accelerations.
using MotionKernel = void (*)(const MotionPass&);
MotionKernel motion_kernel(int level);

namespace baseline {
MotionKernel motion_kernel(int level);
}
namespace x86_64_v3 {
MotionKernel motion_kernel(int level);
}

}  // namespace chasles::kernels
