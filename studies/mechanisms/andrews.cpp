#include "studies/mechanisms/andrews.hpp"

#include <iterator>

#include "studies/mechanisms/rods.hpp"

namespace chasles::studies {
namespace {

/// Symbols of the literature [m].
constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072,
                 d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                 ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                 tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                 fa = 0.01421;

/// A body at q = 0: mass, moment about its center of mass, that center, and its end at F, in the
/// world.
struct Part {
  double mass, I;
  Vec3 com, end;
};
constexpr Vec3 O{0, 0, 0}, A{xa, ya, 0}, B{xb, yb, 0}, P{rr, 0, 0};
constexpr Part K1{0.04325, 2.194e-6, {ra, 0, 0}, P};
constexpr Part K2{0.00365, 4.41e-7, {rr - da, 0, 0}, {rr - d, 0, 0}};
constexpr Part K3{0.02373, 5.255e-6, {xb + sb, yb - sa, 0}, {xb, yb - ss, 0}};
constexpr Part K4{0.00706, 5.667e-7, {xa + zt, ya - (e - ea), 0}, {xa + zt, ya - e, 0}};
constexpr Part K5{0.0705, 1.169e-5, {xa + ta, ya - tb, 0}, {xa + zt, ya, 0}};
constexpr Part K6{0.00706, 5.667e-7, {xa + zf - fa, ya - u, 0}, {xa + zf, ya - u, 0}};
constexpr Part K7{0.05498, 1.912e-5, {xa + ub, ya - ua, 0}, {xa, ya - u, 0}};
/// Attachment of the spring on K3.
constexpr Vec3 D{xb + sd, yb - sc, 0};

void add(MechanismBuilder& builder, const char* name, std::string_view parent, const char* angle,
         const Vec3& at, const Part& part) {
  // Only the moment about z matters; the others are those of a thin plate.
  builder.body(name, parent, joints::revolute({0, 0, 1}, at))
      .joint_name(angle)
      .pose({{}, part.com})
      .inertia(part.mass, {}, Sym3::diagonal(part.I / 2, part.I / 2, part.I));
}

/// Joins the ends of K2 and of another part.
Loop at_F(const char* name, const char* other, const Part& part) {
  return {.name = name,
          .bodies = {"K2", other},
          .type = JointType::revolute,
          .geometry = FramesGeometry{{{}, K2.end - K2.com}, {{}, part.end - part.com}}};
}

}  // namespace

Mechanism andrews() {
  MechanismBuilder builder("andrews");
  builder.gravity({0, 0, 0});
  add(builder, "K1", ground, "beta", O, K1);
  add(builder, "K2", "K1", "Theta", P, K2);
  add(builder, "K3", ground, "gamma", B, K3);
  add(builder, "K5", ground, "delta", A, K5);
  add(builder, "K4", "K5", "Phi", K5.end, K4);
  add(builder, "K7", ground, "epsilon", A, K7);
  add(builder, "K6", "K7", "Omega", K7.end, K6);
  return builder.loop(at_F("F3", "K3", K3))
      .loop(at_F("F4", "K4", K4))
      .loop(at_F("F6", "K6", K6))
      .build();
}

std::array<double, 7> andrews_order(const Model& model, ConstVectorRef x) {
  std::array<double, 7> angles;
  for (std::size_t i = 0; i < angles.size(); ++i)
    angles[i] = x[model.joint(andrews_angles[i]).q_index];
  return angles;
}

State andrews_start(const Model& model) {
  constexpr double q0[] = {-0.0617138900142764, 0,
                           0.455279819163070,   0.222668390165886,
                           0.487364979543843,   -0.222668390165886,
                           1.23054744454982};
  State start{0, Vector(7), Vector(7)};
  for (std::size_t i = 0; i < std::size(q0); ++i)
    start.q[model.joint(andrews_angles[i]).q_index] = q0[i];
  return start;
}

Forces andrews_forces(const Model& model) {
  Forces forces;
  forces.add(body_wrench(model, {"K1"}, {0, 0, 0.033, 0, 0, 0}));
  forces.add(point_spring_damper(model, {"K3", D - K3.com}, {std::string(ground), {xc, yc, 0}},
                                 4530, 0, 0.07785));
  return forces;
}

}  // namespace chasles::studies
