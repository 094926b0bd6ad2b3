/// A made-up robot with every joint type of URDF, for tests.
#pragma once

#include <string>

namespace chasles::test {

inline std::string every_joint_urdf() {
  return R"(<?xml version="1.0"?>
<!-- every joint type, once -->
<robot name="made_up" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <material name="gray"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <collision><geometry><sphere radius="1"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/>
      <mass value="2.5"/>
      <inertia ixx="0.05" ixy="0.001" ixz="-0.002" iyy="0.06" iyz="0.003" izz="0.04"/>
    </inertial>
  </link>
  <link name="wheel"/>
  <link name="slider"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="tip"/>
  <link name="drone"/>
  <link name="puck"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 0.6 0.8"/>
    <limit lower="-1.5" upper="1.25" effort="30" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/>
    <safety_controller k_velocity="1"/>
  </joint>
  <joint name="axle" type="continuous">
    <origin xyz="0 0 0.5"/>
    <parent link="arm"/>
    <child link="wheel"/>
    <axis xyz="0 0 1"/>
    <limit effort="3" velocity="4"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.25"/>
  </joint>
  <joint name="rail" type="prismatic">
    <origin rpy="0 1.5 0"/>
    <parent link="arm"/>
    <child link="slider"/>
    <limit upper="0.5" effort="10" velocity="1"/>
  </joint>
  <joint name="glue" type="fixed">
    <origin xyz="-1 0 0" rpy="0 0 3"/>
    <parent link="slider"/>
    <child link="tip"/>
  </joint>
  <joint name="air" type="floating">
    <parent link="base"/>
    <child link="drone"/>
  </joint>
  <joint name="ice" type="planar">
    <origin xyz="0 1 0"/>
    <parent link="base"/>
    <child link="puck"/>
    <axis xyz="0 1 0"/>
  </joint>
</robot>
)";
}

}  // namespace chasles::test
