/// URDF, with vendor extensions. `visual` is read for reports by io/urdf/visuals.cpp.
#include "io/formats/format.hpp"

namespace chasles::io {
namespace urdf_table {

using enum Fate;

constexpr ElementRow rows[] = {
    {"-", "robot", obeyed, "name", "", "version"},

    {"robot", "link", obeyed, "name", "", "type"},
    {"link", "inertial", obeyed},
    {"inertial", "mass", obeyed, "value"},
    {"inertial", "inertia", obeyed, "ixx ixy ixz iyy iyz izz"},
    {"inertial joint", "origin", obeyed, "xyz rpy quat_xyzw"},
    {"link",
     "visual collision material sensor verbose self_collision_checking collision_checking "
     "self_filter",
     harmless},
    {"link", "gravity", changes, "", "", "", "true 1"},
    {"link", "kinematic", changes, "", "", "", "false 0"},
    {"link", "contact surface gazebo", aside},

    {"robot", "joint", obeyed, "name type", "", "dont_collapse"},
    {"joint", "parent child", obeyed, "link"},
    {"joint", "axis", obeyed, "xyz"},
    {"joint", "limit", obeyed, "lower upper velocity effort", "",
     "acceleration deceleration jerk command_effort current gear_velocity drake:acceleration"},
    {"joint", "dynamics", obeyed, "damping friction",
     "K=0 D=0 mu_coulomb=0 mu_viscous=0 spring_stiffness=0 spring_reference=0"},
    {"joint", "mimic", obeyed, "joint multiplier offset"},
    {"joint", "calibration", harmless},
    {"joint", "safety_controller hardwareInterface gazebo", aside},

    // Of transmissions only Drake's rotors affect the mechanics; the name of the joint is read.
    {"robot", "transmission", obeyed, "name", "", "*"},
    {"transmission", "actuator", obeyed, "name", "", "*"},
    {"actuator", "drake:rotor_inertia drake:gear_ratio", obeyed, "value"},
    {"transmission", "*", harmless},
    {"actuator", "*", harmless},

    // The extension for loops (io/urdf/loops.hpp).
    {"robot", "constraint", obeyed, "name type"},
    {"constraint", "parent child", obeyed, "link"},
    {"constraint", "parent_origin child_origin", obeyed, "xyz rpy quat_xyzw"},
    {"constraint", "parent_axis child_axis", obeyed, "xyz"},

    {"robot", "material sensor", harmless},
    {"robot",
     "drake:joint drake:linear_bushing_rpy drake:ball_constraint drake:distance_constraint "
     "drake:coupler_constraint drake:tendon_constraint loop_joint",
     changes},
    {"robot",
     "gazebo ros2_control plugin mujoco drake frame group group_state virtual_joint passive_joint "
     "disable_collisions disable_default_collisions enable_collisions end_effector "
     "drake:collision_filter_group",
     aside},
};

constexpr Remedy remedies[] = {
    {"K D mu_coulomb mu_viscous spring_stiffness spring_reference",
     "give springs, damping and friction in a scenario (joint_spring_damper)"},
    {"gravity", "the link falls like the others"},
    {"kinematic", "the link moves as forces make it move"},
    {"loop_joint", "give it as a loop in YAML (docs/model-files.md)"},
    {"drake:joint", "give the joint in YAML (docs/model-files.md)"},
    {"drake:ball_constraint drake:coupler_constraint",
     "give a loop or a coupling in YAML (docs/model-files.md)"},
    {"drake:linear_bushing_rpy", "give springs in a scenario"},
};

}  // namespace urdf_table

constinit const Format urdf_format{urdf_table::rows, urdf_table::remedies};

}  // namespace chasles::io
