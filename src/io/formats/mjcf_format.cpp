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
     "boundinertia balanceinertia assetdir meshdir strippath fitaabb exactmeshinertia",
     "",
     // alignfree moves frames, not bodies
     "alignfree conflict discardvisual fusestatic passthrough savecanonical savecompiled "
     "saveinertial texturedir usethread convexhull"},
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
     "gravity damper spring passive frictionloss limit equality constraint contact filterparent",
     "",
     "actuation autoreset clampctrl diagexact energy eulerdamp fwdinv "
     "invdiscrete ipc "
     "island midphase multiccd nativeccd override refsafe sensor sleep speculative warmstart"},
    {"mujoco", "size", harmless},
    {"mujoco", "asset", obeyed},
    {"asset default", "mesh", obeyed,
     "name class file content_type scale inertia vertex face refpos refquat builtin params", "",
     "normal texcoord smoothnormal maxhullvert material octree_maxdepth"},
    {"mesh", "plugin", harmless},
    {"asset", "*", harmless},
    {"mujoco", "contact", obeyed},
    {"contact default", "pair", obeyed, "name class geom1 geom2 friction margin condim", "",
     "gap solimp solref solreffriction adhesion surfacevel"},
    {"contact", "exclude", obeyed, "name body1 body2"},
    {"mujoco", "statistic visual sensor custom", aside},
    {"mujoco", "deformable", changes},
    {"mujoco", "keyframe", obeyed},
    {"keyframe", "key", obeyed, "name time qpos qvel ctrl", "", "act mpos mquat"},
    {"mujoco", "actuator", obeyed},
    {"actuator", "general motor position velocity damper", obeyed,
     "name class joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange "
     "forcelimited kp kv dampratio timeconst inheritrange gaintype gainprm biastype biasprm "
     "dyntype",
     "armature=0 damping=0",
     "actdim actearly actlimited actrange body cranklength cranksite dynprm group lengthrange "
     "slidersite user delay nsample interp"},
    {"actuator", "intvelocity orientation pid cylinder muscle adhesion dcmotor plugin", obeyed,
     "name class", "", "*"},  // named by the reader
    {"general motor position velocity damper intvelocity orientation pid cylinder muscle adhesion "
     "dcmotor plugin",
     "*", harmless},
    {"mujoco", "tendon", obeyed},
    {"tendon", "fixed spatial", obeyed, "name class", "",
     "*"},  // checked by the reader, with defaults
    {"fixed", "joint", obeyed, "joint coef"},
    {"spatial", "site", obeyed, "site"},
    {"spatial", "pulley", obeyed, "divisor"},
    {"spatial", "geom", obeyed, "geom", "", "sidesite"},  // named by the reader
    {"mujoco", "extension", obeyed},
    {"extension", "plugin", obeyed, "plugin", "", "*"},  // named by the reader

    {"mujoco default", "default", obeyed, "class"},
    {"default",
     "texture material camera light tendon general motor position velocity intvelocity "
     "orientation pid damper cylinder muscle adhesion dcmotor",
     harmless},

    {"default", "equality", obeyed, "active", "", "solimp solref"},

    {"mujoco", "worldbody", obeyed},
    {"worldbody body", "body", obeyed, "name childclass pos quat axisangle euler xyaxes zaxis",
     "gravcomp=0", "fuse mocap simple sleep user", "", true},
    {"worldbody body", "composite", obeyed, "", "", "*"},  // rejected
    {"composite", "*", harmless},
    {"worldbody body", "flexcomp", changes},
    {"body", "inertial", obeyed,
     "mass diaginertia fullinertia pos quat axisangle euler xyaxes zaxis"},
    {"body default", "joint", obeyed,
     "name class type axis pos ref range limited damping frictionloss stiffness springref "
     "springdamper armature actuatorfrcrange actuatorfrclimited",
     "springyield=0",
     "actuatorgravcomp align group margin solimpfriction "
     "solimplimit "
     "solreffriction solreflimit user",
     "", true},
    {"body", "freejoint", obeyed, "name", "", "align group"},
    {"worldbody body default", "geom", obeyed,
     "name class type size fromto mass density group mesh fitscale shellinertia pos quat axisangle "
     "euler xyaxes zaxis contype conaffinity condim friction margin",
     "",
     "adhesion castshadow fluidcoef fluidshape gap hfield material "
     "priority rgba solimp solmix solref surfacevel user",
     "", true},
    {"geom", "plugin", harmless},
    {"worldbody body default", "site", obeyed,
     "name class fromto pos quat axisangle euler xyaxes zaxis", "",
     "group material mesh rgba size type user"},
    {"worldbody body", "camera light", aside},
    {"worldbody body", "plugin", changes},

    {"mujoco", "equality", obeyed},
    {"equality", "connect", obeyed, "name class active body1 body2 site1 site2 anchor", "",
     "solimp solref"},
    {"equality", "weld", obeyed, "name class active body1 body2 site1 site2 relpose anchor", "",
     "solimp solref torquescale"},
    {"equality", "joint", obeyed, "name class active joint1 joint2 polycoef", "", "solimp solref"},
    {"equality", "tendon", obeyed, "name class active tendon1 tendon2 polycoef", "",
     "solimp solref"},
    {"equality", "flex flexstrain flexvert distance", changes},
};

constexpr Remedy remedies[] = {
    {"springyield", "give the spring in a scenario (joint_spring_damper)"},
    {"gravcomp", "it is a force of a controller"},
    {"density viscosity wind", "nothing here moves in a fluid"},
    {"deformable flexcomp flex flexstrain flexvert", "bodies are rigid here"},
    {"plugin", "give its forces in a scenario"},
};

}  // namespace mjcf_table

constinit const Format mjcf_format{mjcf_table::rows, mjcf_table::remedies};

}  // namespace chasles::io
