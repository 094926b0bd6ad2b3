/// MJCF of MuJoCo 4.0.
#include "io/formats/format.hpp"

namespace chasles::io {
namespace mjcf_table {

using enum Fate;

constexpr ElementRow rows[] = {
    {"-", "mujoco", obeyed, "model"},
    {"mujoco", "compiler", obeyed,
     "angle eulerseq autolimits coordinate inertiafromgeom inertiagrouprange settotalmass "
     "boundmass "
     "boundinertia balanceinertia",
     "",
     // alignfree moves frames, not bodies
     "alignfree assetdir conflict discardvisual fitaabb fusestatic meshdir passthrough "
     "savecanonical "
     "savecompiled saveinertial strippath texturedir usethread convexhull exactmeshinertia"},
    {"compiler", "lengthrange", harmless},
    {"mujoco", "option", obeyed, "gravity", "density=0 viscosity=0 wind=0",
     "actuatorgroupdisable ccd_iterations ccd_tolerance cone impratio integrator iterations "
     "jacobian "
     "ls_iterations ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin "
     "o_solimp "
     "o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance apirate "
     "mpr_iterations mpr_tolerance collision",
     "", true},
    {"option", "flag", obeyed,
     "gravity damper spring passive frictionloss limit equality constraint", "",
     "actuation autoreset clampctrl contact diagexact energy eulerdamp filterparent fwdinv "
     "invdiscrete ipc "
     "island midphase multiccd nativeccd override refsafe sensor sleep speculative warmstart"},
    {"mujoco", "size statistic visual asset sensor custom", harmless},
    {"mujoco", "contact keyframe", aside},
    {"mujoco", "actuator tendon deformable", changes},
    {"mujoco", "extension include", obeyed, "", "", "*"},  // rejected by the reader
    {"extension", "*", harmless},

    {"mujoco default", "default", obeyed, "class"},
    {"default",
     "mesh texture material camera light pair tendon general motor position velocity intvelocity "
     "orientation pid damper cylinder muscle adhesion dcmotor",
     harmless},

    {"default", "equality", obeyed, "active", "", "solimp solref"},

    {"mujoco", "worldbody", obeyed},
    {"worldbody body", "body", obeyed, "name childclass pos quat axisangle euler xyaxes zaxis",
     "gravcomp=0", "fuse mocap simple sleep user", "", true},
    {"worldbody body", "frame composite replicate flexcomp attach include", obeyed, "", "",
     "*"},  // rejected
    {"frame composite replicate flexcomp attach", "*", harmless},
    {"body", "inertial", obeyed,
     "mass diaginertia fullinertia pos quat axisangle euler xyaxes zaxis"},
    {"body default", "joint", obeyed,
     "name class type axis pos ref range limited damping frictionloss springdamper",
     "armature=0 stiffness=0 springyield=0",
     "actuatorfrclimited actuatorfrcrange actuatorgravcomp align group margin solimpfriction "
     "solimplimit "
     "solreffriction solreflimit springref user",
     "", true},
    {"body", "freejoint", obeyed, "name", "", "align group"},
    {"worldbody body default", "geom", obeyed,
     "name class type size fromto mass density group mesh pos quat axisangle euler xyaxes zaxis",
     "shellinertia=false fitscale=1",
     "adhesion castshadow conaffinity condim contype fluidcoef fluidshape friction gap hfield "
     "margin material "
     "priority rgba solimp solmix solref surfacevel user",
     "", true},
    {"geom", "plugin", harmless},
    {"worldbody body default", "site", obeyed,
     "name class fromto pos quat axisangle euler xyaxes zaxis", "",
     "group material mesh rgba size type user"},
    {"worldbody body", "camera light", harmless},
    {"worldbody body", "plugin", changes},

    {"mujoco", "equality", obeyed},
    {"equality", "connect", obeyed, "name class active body1 body2 site1 site2 anchor", "",
     "solimp solref"},
    {"equality", "weld", obeyed, "name class active body1 body2 site1 site2 relpose anchor", "",
     "solimp solref torquescale"},
    {"equality", "joint", obeyed, "name class active joint1 joint2 polycoef", "", "solimp solref"},
    {"equality", "tendon flex flexstrain flexvert distance", changes},
};

constexpr Remedy remedies[] = {
    {"stiffness springyield", "give the spring in a scenario (joint_spring_damper)"},
    {"armature", "give it as a rotor of the joint in YAML (docs/model-files.md)"},
    {"gravcomp", "it is a force of a controller"},
    {"density viscosity wind", "nothing here moves in a fluid"},
    {"shellinertia", "it is taken as solid"},
    {"fitscale", "the mass of a shape that is fitted to a mesh is not known here"},
    {"actuator", "give forces and controllers in a scenario (docs/scenario-files.md)"},
    {"tendon", "give its springs as forces in a scenario, its relations as couplings in YAML"},
    {"deformable flex flexstrain flexvert", "bodies are rigid here"},
    {"plugin", "give its forces in a scenario"},
};

}  // namespace mjcf_table

constinit const Format mjcf_format{mjcf_table::rows, mjcf_table::remedies};

}  // namespace chasles::io
