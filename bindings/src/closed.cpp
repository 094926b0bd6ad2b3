/// Closed mechanisms: independent velocities, mobility, the screws of loops, tangent cones, derivatives.
#include "chasles/constraints/loop_screws.hpp"
#include "chasles/constraints/tangent_cone.hpp"
#include "chasles/systems/closed_dynamics.hpp"
#include "system.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

/// N and N_rate at a state, or J N and its rate.
ClosedKinematics kinematics(BoundSystem& s, const ArrayLike& q, const ArrayLike& v,
                            const std::vector<std::string>& independent, const std::string& what) {
  ClosedKinematics kin(s.closed(what), s.entries(independent));
  kin.at(s.q(q, what), v.value.is_none() ? Vector(s.model().nv()) : s.v(v, what));
  return kin;
}

void add_results(nb::module_& m) {
  nb::class_<MobilityReport>(m, "Mobility",
                             "Degrees of freedom and redundant equations of a closed mechanism.")
      .def_ro("equations", &MobilityReport::equations, "Constraint equations.")
      .def_ro("rank", &MobilityReport::rank, "Of them independent, generically.")
      .def_ro("mobility", &MobilityReport::mobility, "nv - rank: degrees of freedom.")
      .def_ro("gruebler", &MobilityReport::gruebler, "nv - equations.")
      .def_ro("local_rank", &MobilityReport::local_rank,
              "At the configuration itself; smaller than rank: singular.")
      .def_ro("independent", &MobilityReport::independent, "Entries of v that determine the rest.")
      .def_ro("dependent", &MobilityReport::dependent, "The other entries of v.");
  nb::class_<LoopScrewSystem>(
      m, "LoopScrews", "The screws of a loop, and the redundancy that follows from their algebra.")
      .def_ro("name", &LoopScrewSystem::name, "Of the loop.")
      .def_ro("joint_freedom", &LoopScrewSystem::joint_freedom, "Of all joints of the loop.")
      .def_ro("screws", &LoopScrewSystem::screws, "Of all joints, in the world.")
      .def_prop_ro(
          "subgroup",
          [](const LoopScrewSystem& l) { return std::string(subgroup_name(l.subgroup)); },
          "The motion subgroup that they generate, such as 'SE(2)'.")
      .def_ro("bound", &LoopScrewSystem::bound,
              "The rank of the loop alone is at most this, by the closures of its chains.")
      .def_ro("bound_with_others", &LoopScrewSystem::bound_with_others,
              "With what the loops before it leave of the motions of its bodies.")
      .def_ro("equations", &LoopScrewSystem::equations, "Of the cut joint.")
      .def_ro("redundant", &LoopScrewSystem::redundant,
              "Of them redundant wherever it and the loops before it are closed.")
      .def_ro("mobility", &LoopScrewSystem::mobility, "Of the loop alone, at least.");
  nb::class_<TangentCone::Branch>(m, "Branch", "A tangent of a branch of motion.")
      .def_prop_ro(
          "tangent", [](const TangentCone::Branch& b) { return to_array(b.tangent); },
          "(nv,), of length one.")
      .def_ro("finite", &TangentCone::Branch::finite, "A motion continues along it.");
  nb::class_<TangentCone>(m, "TangentCone",
                          "The motions that pass through a configuration, to second order.")
      .def_ro("kernel", &TangentCone::kernel, "Instantaneous mobility.")
      .def_ro("conditions", &TangentCone::conditions, "Independent conditions of second order.")
      .def_ro("dimension", &TangentCone::dimension, "Of the cone; 0: nothing moves.")
      .def_ro("branches", &TangentCone::branches)
      .def("moves", &TangentCone::moves, "Some vector of the cone continues to a finite motion.")
      .def("only_instantaneous", &TangentCone::only_instantaneous,
           "There are velocities, but no motion.");
  nb::class_<ClosedForwardDerivatives>(m, "ClosedForwardDerivatives",
                                       "Derivatives of constrained forward dynamics.")
      .def_prop_ro(
          "a", [](const ClosedForwardDerivatives& d) { return to_array(d.a); }, "(nv,)")
      .def_prop_ro(
          "multipliers", [](const ClosedForwardDerivatives& d) { return to_array(d.lambda); },
          "(equations,)")
      .def_prop_ro(
          "dq", [](const ClosedForwardDerivatives& d) { return to_array(d.dq); }, "da/dq (nv, nv)")
      .def_prop_ro(
          "dv", [](const ClosedForwardDerivatives& d) { return to_array(d.dv); }, "da/dv (nv, nv)")
      .def_prop_ro(
          "dtau", [](const ClosedForwardDerivatives& d) { return to_array(d.dtau); },
          "da/dtau (nv, nv)");
}

}  // namespace

void add_closed_systems(nb::module_& m) {
  add_results(m);
  auto system = nb::borrow<nb::class_<BoundSystem>>(m.attr("System"));
  const std::vector<std::string> none;
  system
      .def(
          "mobility_at",
          [](BoundSystem& s, ArrayLike q) {
            return analyze(s.closed("mobility_at()").constraints(), s.q(q, "mobility_at()"));
          },
          "q"_a,
          "Ranks of the constraint equations at an assembled configuration (nq,) and near it.")
      .def(
          "loop_screws",
          [](BoundSystem& s, ArrayLike q) {
            return loop_screw_systems(s.closed("loop_screws()").constraints(),
                                      s.q(q, "loop_screws()"));
          },
          "q"_a,
          "Of every loop, in the order of model.loops: its screws, and the redundancy by their "
          "algebra.")
      .def(
          "tangent_cone",
          [](BoundSystem& s, ArrayLike q) {
            return tangent_cone(s.closed("tangent_cone()").constraints(), s.q(q, "tangent_cone()"));
          },
          "q"_a,
          "Branches of motion at a configuration (nq,) with Phi = 0: at singular ones several "
          "meet.")
      .def(
          "random_assemblies",
          [](BoundSystem& s, ArrayLike around, int count, std::uint64_t seed) {
            if (count < 0)
              throw Error("random_assemblies(): count is " + std::to_string(count) +
                          "; give 0 or more");
            AssemblyOptions options;
            options.seed = seed;
            const auto found =
                random_assemblies(s.closed("random_assemblies()").constraints(),
                                  s.q(around, "random_assemblies()"), count, options);
            std::vector<double> rows;
            for (const Vector& q : found) rows.insert(rows.end(), q.data(), q.data() + q.size());
            return to_array(rows, {static_cast<npy_intp>(found.size()), s.model().nq()});
          },
          "around"_a, "count"_a, "seed"_a = 1,
          "Assembled configurations (n, nq) from random ones around one; those that cannot be "
          "closed are left out.")
      .def(
          "independent_velocities",
          [](BoundSystem& s, ArrayLike q, ArrayLike v,
             const std::vector<std::string>& independent) {
            const ClosedKinematics kin =
                kinematics(s, q, v, independent, "independent_velocities()");
            return std::tuple{to_array(kin.N()), to_array(kin.N_rate()), kin.independent()};
          },
          "q"_a, "v"_a.none() = nb::none(), "independent"_a = none,
          "(N, N_rate, entries) with v = N u and dv/dt = N du/dt + N_rate u: u (mobility,) are "
          "these entries of v. independent: their joints; "
          "none: those that determine the rest well.")
      .def(
          "jacobian",
          [](BoundSystem& s, ArrayLike q, FrameLike frame, RepresentationLike rep,
             const std::vector<std::string>& independent) {
            const std::string what = "jacobian()";
            const ClosedKinematics kin = kinematics(s, q, {nb::none()}, independent, what);
            return to_array(kin.jacobian(frame_of(s.model(), frame, what + ": frame"),
                                         representation_of(rep, what + ": representation")));
          },
          "q"_a, "frame"_a, "representation"_a, "independent"_a = none,
          "(6, mobility): the twist of a frame is J u, in independent velocities u.")
      .def(
          "jacobian_rate",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, FrameLike frame, RepresentationLike rep,
             const std::vector<std::string>& independent) {
            const std::string what = "jacobian_rate()";
            const ClosedKinematics kin = kinematics(s, q, v, independent, what);
            return to_array(kin.jacobian_rate(frame_of(s.model(), frame, what + ": frame"),
                                              representation_of(rep, what + ": representation")));
          },
          "q"_a, "v"_a, "frame"_a, "representation"_a, "independent"_a = none,
          "(6, mobility): the acceleration of a frame is J du/dt + J_rate u, in independent "
          "velocities u.")
      .def(
          "consistent_velocity",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, const std::vector<std::string>& kept) {
            const std::string what = "consistent_velocity()";
            std::vector<bool> fixed(static_cast<std::size_t>(s.model().nv()), false);
            for (const int k : s.entries(kept)) fixed[static_cast<std::size_t>(k)] = true;
            return to_array(consistent_velocity(s.closed(what).constraints(), s.q(q, what),
                                                s.v(v, what), fixed));
          },
          "q"_a, "v"_a, "kept"_a = none,
          "The velocities (nv,) nearest to v with B v = 0 at q; those of the joints `kept` do not "
          "change.")
      .def(
          "assemble",
          [](BoundSystem& s, ArrayLike start, const std::vector<std::string>& kept) {
            const std::string what = "assemble()";
            AssemblyOptions options;
            options.kept.resize(static_cast<std::size_t>(s.model().nv()), false);
            for (const int k : s.entries(kept)) options.kept[static_cast<std::size_t>(k)] = true;
            return to_array(assemble(s.closed(what).constraints(), s.q(start, what), options));
          },
          "start"_a, "kept"_a = none,
          "A configuration (nq,) near `start` with all loops closed; the joints `kept` do not "
          "move. "
          "Raises naming the loop that cannot be closed, and its gap.")
      .def(
          "determined_reactions",
          [](BoundSystem& s, ArrayLike q) {
            const std::string what = "determined_reactions()";
            nb::list out;
            for (const DeterminedComponents& x :
                 determined_reactions(s.closed(what).constraints(), s.q(q, what)))
              out.append(nb::make_tuple(x[0], x[1], x[2], x[3], x[4], x[5]));
            return out;
          },
          "q"_a,
          nb::sig("def determined_reactions(self, q: numpy.typing.ArrayLike) -> list[tuple[bool, "
                  "bool, bool, bool, bool, bool]]"),
          "Whether the motion determines the moments x, y, z and forces x, y, z in each joint, "
          "then "
          "in each loop, in the frame of the joint (z along its axis).")
      .def(
          "forward_derivatives_along",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, ArrayLike tau, ArrayLike dq, ArrayLike dv,
             ArrayLike dtau) {
            const std::string what = "forward_derivatives_along()";
            return closed_forward_derivatives_along(
                s.closed(what), s.q(q, what), s.v(v, what), s.v(tau, what, "tau"),
                {s.v(dq, what, "dq"), s.v(dv, what, "dv"), s.v(dtau, what, "dtau")});
          },
          "q"_a, "v"_a, "tau"_a, "dq"_a, "dv"_a, "dtau"_a,
          "The derivatives of all that forward_derivatives gives along a direction (dq, dv, dtau), "
          "each (nv,): second derivatives of the closed mechanism.")
      .def(
          "forward_derivatives",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, ArrayLike tau) {
            const std::string what = "forward_derivatives()";
            return closed_forward_derivatives(s.closed(what), s.q(q, what), s.v(v, what),
                                              s.v(tau, what, "tau"));
          },
          "q"_a, "v"_a, "tau"_a,
          "Derivatives of forward_dynamics of the closed mechanism; dq is an increment along "
          "plus(model, q, dq).")
      .def(
          "inverse_operational_space_inertia",
          [](BoundSystem& s, ArrayLike q, FrameLike frame, RepresentationLike rep) {
            const std::string what = "inverse_operational_space_inertia()";
            ConstrainedSystem& closed = s.closed(what);
            closed.set(0, s.q(q, what), Vector(s.model().nv()));
            Matrix inverse{6, 6};
            closed.inverse_operational_space_inertia(
                frame_of(s.model(), frame, what + ": frame"),
                representation_of(rep, what + ": representation"), inverse);
            return to_array(inverse);
          },
          "q"_a, "frame"_a, "representation"_a,
          "(6, 6): the acceleration of a frame of the constrained mechanism per unit wrench on it.")
      .def(
          "joint_reactions",
          [](BoundSystem& s, ArrayLike q, ArrayLike v, RepresentationLike rep, double t) {
            const std::string what = "joint_reactions()";
            MechanismState* state = s.system().mechanism();
            if (!state) throw Error(what + ": the system is not a mechanism");
            state->set(t, s.q(q, what), s.v(v, what));
            Vector a(s.model().nv());
            state->acceleration(a);
            JointReactions work(s.model());
            std::vector<double> rows;
            for (const Wrench& W :
                 state->joint_reactions(representation_of(rep, what + ": representation"), work))
              rows.insert(rows.end(), {W.t.x, W.t.y, W.t.z, W.f.x, W.f.y, W.f.z});
            return to_array(rows, {static_cast<npy_intp>(rows.size() / 6), 6});
          },
          "q"_a, "v"_a, "representation"_a, "t"_a = 0.0,
          "Wrenches (t; f) (joints, 6) that the joints transmit from parent to child under all "
          "forces and constraints at (q, v) [N m, N], in the order of model.joints.")
      .def(
          "operational_space_inertia",
          [](BoundSystem& s, ArrayLike q, FrameLike frame, RepresentationLike rep) {
            const std::string what = "operational_space_inertia()";
            ConstrainedSystem& closed = s.closed(what);
            closed.set(0, s.q(q, what), Vector(s.model().nv()));
            Matrix Lambda{6, 6};
            closed.operational_space_inertia(frame_of(s.model(), frame, what + ": frame"),
                                             representation_of(rep, what + ": representation"),
                                             Lambda);
            return to_array(Lambda);
          },
          "q"_a, "frame"_a, "representation"_a,
          "(J M^-1 J^T)^-1 (6, 6) of a frame of the constrained mechanism.");
}

}  // namespace chasles::python
