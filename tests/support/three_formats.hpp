/// One made-up arm, written in three formats: a hinge, a slide and a hinge, with a tool.
#pragma once

#include <string>

namespace chasles::test {

inline std::string arm_as_urdf() {
  return R"(<robot name="arm"><link name="upper"><inertial><origin xyz="0.1 0 0.2" rpy="0.3 -0.2 0.5"/>
    <mass value="2"/><inertia ixx="0.05" ixy="0" ixz="0" iyy="0.06" iyz="0" izz="0.03"/></inertial></link>
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 -0.05 0.1"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0.001" ixz="-0.002" iyy="0.025" iyz="0.003" izz="0.015"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0.02 0 0"/><mass value="0.5"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.0015"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.4" rpy="0 0.25 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="1e30" velocity="1e30"/><dynamics damping="0.5" friction="0.1"/></joint>
  <joint name="feed" type="prismatic"><parent link="upper"/><child link="rod"/>
    <origin xyz="0.3 0 0" rpy="0.1 0.2 0.3"/><axis xyz="1 0 2"/>
    <limit lower="-0.1" upper="0.2" effort="1e30" velocity="1e30"/></joint>
  <joint name="wrist" type="continuous"><parent link="rod"/><child link="hand"/>
    <origin xyz="0 0 0.5"/><axis xyz="1 1 0"/></joint>
  <joint name="flange" type="fixed"><parent link="hand"/><child link="tool"/><origin xyz="0.1 0.2 0.3"/></joint>
</robot>)";
}

inline std::string arm_as_mjcf() {
  return R"(<mujoco model="arm"><compiler angle="radian" eulerseq="XYZ"/>
  <default><joint damping="0.5" frictionloss="0.1"/>
    <default class="plain"><joint damping="0" frictionloss="0"/></default></default>
  <worldbody><body name="upper" pos="0 0 0.4" euler="0 0.25 0">
    <inertial pos="0.1 0 0.2" euler="0.3 -0.2 0.5" mass="2" diaginertia="0.05 0.06 0.03"/>
    <joint name="shoulder" axis="0 1 0" range="-1 2"/>
    <body name="rod" pos="0.3 0 0" euler="0.1 0.2 0.3" childclass="plain">
      <inertial pos="0 -0.05 0.1" mass="1.5" fullinertia="0.02 0.025 0.015 0.001 -0.002 0.003"/>
      <joint name="feed" type="slide" axis="1 0 2" range="-0.1 0.2"/>
      <body name="hand" pos="0 0 0.5">
        <inertial pos="0.02 0 0" mass="0.5" diaginertia="0.001 0.002 0.0015"/>
        <joint name="wrist" axis="1 1 0"/>
        <site name="tool" pos="0.1 0.2 0.3"/>
      </body></body></body></worldbody></mujoco>)";
}

inline std::string arm_as_sdf() {
  return R"(<sdf version="1.9"><model name="arm">
  <link name="upper"><pose>0 0 0.4 0 0.25 0</pose><inertial><pose>0.1 0 0.2 0.3 -0.2 0.5</pose><mass>2</mass>
    <inertia><ixx>0.05</ixx><iyy>0.06</iyy><izz>0.03</izz></inertia></inertial></link>
  <link name="rod"><pose relative_to="upper">0.3 0 0 0.1 0.2 0.3</pose><inertial><pose>0 -0.05 0.1 0 0 0</pose>
    <mass>1.5</mass><inertia><ixx>0.02</ixx><ixy>0.001</ixy><ixz>-0.002</ixz><iyy>0.025</iyy><iyz>0.003</iyz><izz>0.015</izz></inertia>
    </inertial></link>
  <link name="hand"><pose relative_to="wrist"/><inertial><pose>0.02 0 0 0 0 0</pose><mass>0.5</mass>
    <inertia><ixx>0.001</ixx><iyy>0.002</iyy><izz>0.0015</izz></inertia></inertial></link>
  <frame name="tool" attached_to="hand"><pose>0.1 0.2 0.3 0 0 0</pose></frame>
  <frame name="inside" attached_to="rod"/>
  <joint name="shoulder" type="revolute"><parent>world</parent><child>upper</child>
    <axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower><upper>2</upper></limit>
      <dynamics><damping>0.5</damping><friction>0.1</friction></dynamics></axis></joint>
  <joint name="feed" type="prismatic"><parent>upper</parent><child>rod</child>
    <axis><xyz expressed_in="inside">1 0 2</xyz><limit><lower>-0.1</lower><upper>0.2</upper></limit></axis></joint>
  <joint name="wrist" type="continuous"><pose relative_to="rod">0 0 0.5 0 0 0</pose><parent>rod</parent><child>hand</child>
    <axis><xyz>1 1 0</xyz></axis></joint>
</model></sdf>)";
}

}  // namespace chasles::test
