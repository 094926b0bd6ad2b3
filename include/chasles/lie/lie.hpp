/// All of lie/: rotations, rigid motions, screws, twists, wrenches and inertias.
#pragma once

#include "chasles/lie/cayley.hpp"
#include "chasles/lie/eigen.hpp"
#include "chasles/lie/geodesic.hpp"
#include "chasles/lie/inertia.hpp"
#include "chasles/lie/physical.hpp"
#include "chasles/lie/projection.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/representation.hpp"
#include "chasles/lie/screw.hpp"
#include "chasles/lie/so3xr3.hpp"
