/// SDF 1.2 to 1.12, with the additions of Drake.
#include "io/formats/format.hpp"

namespace chasles::io {
namespace sdf_table {

using enum Fate;

constexpr ElementRow rows[] = {
    {"-", "sdf gazebo", obeyed, "version"},
    {"sdf gazebo", "world", obeyed, "name"},
    {"sdf gazebo world", "light", harmless},
    {"sdf gazebo world", "actor", aside},
    {"world", "gravity", obeyed},
    {"world", "physics", obeyed, "", "", "*"},
    {"physics", "gravity", obeyed},  // before 1.6
    {"physics", "*", harmless},
    // Wind acts only where enable_wind is set.
    {"world", "audio wind magnetic_field atmosphere gui scene road spherical_coordinates",
     harmless},
    {"world", "plugin", aside},
    {"world", "state population", changes},
    {"world model", "joint", obeyed, "name type", "", "*"},
    {"world model", "include", obeyed, "merge"},
    {"include", "uri name static placement_frame", obeyed},
    {"include", "plugin", aside},

    {"sdf gazebo world model", "model", obeyed, "name placement_frame canonical_link", "",
     "namespace"},
    {"model", "static", obeyed},
    {"model", "self_collide allow_auto_disable", harmless},
    {"model link", "enable_wind", changes, "", "", "", "false 0"},
    {"model", "plugin gripper drake:collision_filter_group", aside},
    {"model", "model_state", changes},
    {"model",
     "drake:joint drake:linear_bushing_rpy drake:ball_constraint drake:distance_constraint "
     "drake:coupler_constraint drake:tendon_constraint",
     changes},
    {"world model", "frame", obeyed, "name attached_to"},

    {"model link joint frame inertial include", "pose", obeyed,
     "relative_to frame degrees rotation_format"},

    {"model", "link", obeyed, "name"},
    {"link", "gravity", changes, "", "", "", "true 1"},
    {"link", "kinematic", changes, "", "", "", "false 0"},
    {"link", "velocity_decay", obeyed},
    {"velocity_decay", "linear angular", changes, "", "", "", "0"},
    {"link",
     "visual collision sensor light projector audio_source audio_sink battery particle_emitter "
     "self_collide must_be_base_link",
     harmless},
    {"link", "plugin", aside},
    {"link joint inertial", "frame", aside},  // 1.5 and 1.6; a pose that needs one is rejected
    {"link", "inertial", obeyed, "auto"},
    {"inertial", "mass", obeyed},
    {"inertial", "density", obeyed},
    {"inertial", "auto_inertia_params", harmless},  // of meshes
    {"inertial", "fluid_added_mass", changes},
    {"inertial", "inertia", obeyed},
    {"inertia", "ixx ixy ixz iyy iyz izz", obeyed},

    {"joint", "parent child screw_thread_pitch thread_pitch", obeyed},
    {"joint", "drake:rotor_inertia drake:gear_ratio", obeyed},
    {"joint", "gearbox_ratio gearbox_reference_body", obeyed},
    {"joint", "sensor", harmless},
    {"joint", "drake:controller_gains", aside},
    {"joint", "drake:mimic", changes},
    {"joint", "axis axis2", obeyed},
    {"axis axis2", "xyz", obeyed, "expressed_in"},
    {"axis axis2", "use_parent_model_frame", obeyed},  // 1.5 and 1.6
    {"axis axis2", "initial_position", changes, "", "", "", "0"},
    {"axis axis2", "dynamics", obeyed},
    {"dynamics", "damping friction spring_stiffness spring_reference", obeyed},
    {"axis axis2", "limit", obeyed},
    {"limit", "lower upper effort velocity", obeyed},
    {"limit", "stiffness dissipation drake:acceleration drake:effort",
     harmless},  // used by limit stops
    {"axis axis2", "mimic", obeyed, "joint", "axis=axis"},
    {"mimic", "multiplier offset reference", obeyed},
    {"joint", "physics", obeyed},
    {"physics", "ode", obeyed},
    {"ode", "*", harmless},  // in a world
    {"ode", "max_force velocity", changes, "", "", "", "0"},
    {"ode",
     "cfm_damping implicit_spring_damper fudge_factor cfm erp bounce limit suspension "
     "provide_feedback",
     harmless},
};

constexpr Remedy remedies[] = {
    {"initial_position state model_state", "give the state in a scenario"},
    {"linear angular", "give damping in a scenario"},
    {"enable_wind fluid_added_mass", "nothing here moves in a fluid"},
    {"gravity", "the link falls like the others"},
    {"kinematic", "the link moves as forces make it move"},
    {"max_force velocity", "give the motor in a scenario"},
    {"axis", "a joint follows the first axis of another"},
    {"population", "give one model"},
    {"drake:joint", "give the joint in YAML (docs/model-files.md)"},
    {"drake:mimic", "use <mimic> of the axis"},
    {"drake:ball_constraint drake:coupler_constraint",
     "give a loop or a coupling in YAML (docs/model-files.md)"},
    {"drake:linear_bushing_rpy", "give springs in a scenario"},
};

}  // namespace sdf_table

constinit const Format sdf_format{sdf_table::rows, sdf_table::remedies};

}  // namespace chasles::io
