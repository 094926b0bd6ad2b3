/// Loops of URDF files, by two extensions: <constraint> elements, proposed for urdfdom, and a file loop_closures.yaml
/// beside the model, as an exporter of CAD assemblies writes it.
///
///     <constraint name="closure" type="revolute">         revolute, prismatic, universal, spherical, link (fixed)
///       <parent link="coupler"/>  <parent_origin xyz="1 0 0" rpy="0 0 0"/>  <parent_axis xyz="0 0 1"/>
///       <child link="rocker"/>    <child_origin xyz="0 1 0" rpy="0 0 0"/>   <child_axis xyz="0 0 1"/>
///     </constraint>
///
///     closures: [{link_a: coupler, link_b: rocker, point: [2, 1, 0], axis: [0, 0, 1]}]   revolute, in the root link
///     dependent: [elbow]       joints whose mimic only approximates the loop
///     independent: [crank]
#pragma once

#include "chasles/io/mechanism_file.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io {

/// The pose of an element like <origin>: xyz and rpy, or quat_xyzw; missing: none.
SE3 read_origin(const Element& owner, std::string_view tag = "origin");

/// A <constraint>, whose links are checked by the caller.
Loop read_constraint(const Element& constraint);

/// The loops of loop_closures.yaml in the model's folder or in `config` beside it; none if there is no such file.
/// Mimic relations of dependent joints are dropped, with a warning.
void read_loop_closures(const ReadOptions& options, Mechanism& mechanism);

/// As <constraint> elements.
/// @param first, second  the joint frames of the loop on its bodies, z along its axis
std::string constraint_element(const Loop& loop, const std::string& first_link, const SE3& first,
                               const std::string& second_link, const SE3& second);

}  // namespace chasles::io
