/// All of lie/: rotations, rigid motions, screws, twists, wrenches and inertias.
#pragma once

#include "chasles/lie/cayley.hpp"
#include "chasles/lie/geodesic.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/so3xr3.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/inertia.hpp"
#include "chasles/screws/physical.hpp"
#include "chasles/screws/pluecker.hpp"
#include "chasles/screws/projection.hpp"
#include "chasles/screws/representation.hpp"
#include "chasles/screws/screw.hpp"
#include "chasles/screws/screw_system.hpp"
