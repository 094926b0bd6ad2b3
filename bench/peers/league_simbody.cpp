/// Simbody on a problem of the league (league_simbody.py), which it reads from standard input as JSON. Joint coordinates,
/// loops as constraints with projection.
///
///     league_simbody METHOD ACCURACY <PROBLEM      prints the version, CPU seconds without set-up, and the outcome
///
/// Body frames are at the joints, in world axes at the start.
#include <Simbody.h>
#include <time.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

namespace {

using namespace SimTK;
using Json = nlohmann::json;

Vec3 vector(const Json& x) {
  return {x.at(0).get<double>(), x.at(1).get<double>(), x.at(2).get<double>()};
}

/// Iterators of JSON are ambiguous beside Simbody's operators.
std::vector<Json> list(const Json& of, const char* key) { return of.at(key); }

Vec3 perpendicular(const Vec3& axis) {
  const UnitVec3 z(axis);
  return Vec3(z.perp());
}

class Problem {
 public:
  explicit Problem(const Json& of) {
    Force::UniformGravity(forces_, matter_, vector(of.at("gravity")));
    for (const Json& body : list(of, "bodies")) add(body);
    for (const Json& loop : list(of, "loops")) close(loop, of.at("planar").get<bool>());
    for (const Json& spring : list(of, "springs")) stretch(spring);
    if (!of.at("torque").is_null())
      Force::MobilityConstantForce(forces_, bodies_.at(name(of.at("torque").at(0))),
                                   MobilizerUIndex(0), of.at("torque").at(1).get<double>());
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    for (const Json& body : list(of, "bodies")) start(body);
    system_.realize(state_, Stage::Velocity);
  }

  const MultibodySystem& system() const { return system_; }
  const State& start() const { return state_; }
  Vec3 outcome(const State& state, const Json& asked) const {
    system_.realize(state, Stage::Velocity);
    const MobilizedBody& body = bodies_.at(name(asked.at(1)));
    const Rotation& R = body.getBodyRotation(state);
    const std::string kind = asked.at(0);
    if (kind == "omega") return ~R * body.getBodyAngularVelocity(state);
    if (kind == "direction") return R * vector(asked.at(2));
    return body.getBodyTransform(state) * (vector(asked.at(2)) - origins_.at(name(asked.at(1))));
  }

 private:
  static std::string name(const Json& of) { return of.is_null() ? "" : of.get<std::string>(); }
  MobilizedBody& body(const Json& of) {
    return of.is_null() ? static_cast<MobilizedBody&>(matter_.updGround()) : bodies_.at(name(of));
  }
  Vec3 local(const Json& of, const Json& point) const {
    return vector(point) - origins_.at(name(of));
  }

  void add(const Json& of) {
    const Vec3 point = vector(of.at("point")), axis = vector(of.at("axis")),
               c = vector(of.at("com")) - point;
    const double m = of.at("mass");
    const Json& I = of.at("inertia");
    const SymMat33 central(I.at(0).at(0).get<double>(), I.at(1).at(0).get<double>(),
                           I.at(1).at(1).get<double>(), I.at(2).at(0).get<double>(),
                           I.at(2).at(1).get<double>(), I.at(2).at(2).get<double>());
    const Inertia about = Inertia(central).shiftFromMassCenter(c, m);
    const Body::Rigid rigid(MassProperties(m, c, about));
    const Vec3 at = point - origins_.at(name(of.at("parent")));
    MobilizedBody& parent = body(of.at("parent"));
    const std::string joint = of.at("joint");
    const auto put = [&](const MobilizedBody& made) { bodies_.emplace(name(of.at("name")), made); };
    if (joint == "revolute") {
      const Rotation R(UnitVec3(axis), ZAxis);
      put(MobilizedBody::Pin(parent, Transform(R, at), rigid, Transform(R)));
    } else if (joint == "prismatic") {
      const Rotation R(UnitVec3(axis), XAxis);
      put(MobilizedBody::Slider(parent, Transform(R, at), rigid, Transform(R)));
    } else if (joint == "universal") {
      const Rotation R(UnitVec3(axis), XAxis, vector(of.at("across")), YAxis);
      put(MobilizedBody::Universal(parent, Transform(R, at), rigid, Transform(R)));
    } else if (joint == "ball") {
      put(MobilizedBody::Ball(parent, Transform(at), rigid, Transform()));
    } else {
      put(MobilizedBody::Free(parent, Transform(at), rigid, Transform()));
    }
    origins_.emplace(name(of.at("name")), point);
  }

  /// A ball, of which one equation is left out in the plane, and for hinges in space two angles.
  void close(const Json& loop, bool planar) {
    MobilizedBody &a = body(loop.at(0)), &b = body(loop.at(1));
    const Vec3 p = local(loop.at(0), loop.at(2)), q = local(loop.at(1), loop.at(2));
    if (planar) {
      Constraint::PointOnLine(a, UnitVec3(vector(loop.at(3))), p, b, q);
      return;
    }
    Constraint::Ball(a, p, b, q);
    if (loop.at(3).is_null()) return;
    const Vec3 axis = vector(loop.at(3)), x = perpendicular(axis), y = cross(axis, x);
    Constraint::ConstantAngle(a, UnitVec3(axis), b, UnitVec3(x));
    Constraint::ConstantAngle(a, UnitVec3(axis), b, UnitVec3(y));
  }

  void stretch(const Json& s) {
    MobilizedBody &a = body(s.at(0)), &b = body(s.at(2));
    const Vec3 p = local(s.at(0), s.at(1)), q = local(s.at(2), s.at(3));
    Force::TwoPointLinearSpring(forces_, a, p, b, q, s.at(4).get<double>(), s.at(6).get<double>());
    if (s.at(5).get<double>() != 0)
      Force::TwoPointLinearDamper(forces_, a, p, b, q, s.at(5).get<double>());
  }

  void start(const Json& of) {
    MobilizedBody& moving = bodies_.at(name(of.at("name")));
    const std::string joint = of.at("joint");
    if (joint == "ball" || joint == "free") {
      const Vec3 w = vector(of.at("rate"));
      for (int k = 0; k < 3; ++k) moving.setOneU(state_, k, w[k]);
    } else if (joint == "universal") {
      const Vec3 w = vector(of.at("rate"));
      moving.setOneU(state_, 0, dot(w, Vec3(UnitVec3(vector(of.at("axis"))))));
      moving.setOneU(state_, 1, dot(w, Vec3(UnitVec3(vector(of.at("across"))))));
    } else {
      moving.setOneU(state_, 0, of.at("rate").get<double>());
    }
  }

  MultibodySystem system_;
  SimbodyMatterSubsystem matter_{system_};
  GeneralForceSubsystem forces_{system_};
  std::map<std::string, MobilizedBody> bodies_;
  std::map<std::string, Vec3> origins_{{"", Vec3(0)}};
  State state_;
};

/// Of the thread: under a limit of CPU time the clock of the process has ticks of milliseconds.
double cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::unique_ptr<Integrator> integrator(const std::string& method, const System& system) {
  if (method == "bdf")
    return std::unique_ptr<Integrator>(new CPodesIntegrator(system, CPodes::BDF));
  if (method == "adams")
    return std::unique_ptr<Integrator>(new CPodesIntegrator(system, CPodes::Adams));
  if (method == "feldberg")
    return std::unique_ptr<Integrator>(new RungeKuttaFeldbergIntegrator(system));
  return std::unique_ptr<Integrator>(new RungeKuttaMersonIntegrator(system));
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::runtime_error("give METHOD and ACCURACY");
  const Json of = Json::parse(std::cin);
  const Problem problem(of);
  const auto method = integrator(arguments[1], problem.system());
  const double accuracy = std::atof(arguments[2]), duration = of.at("duration");
  method->setAccuracy(accuracy);
  method->setConstraintTolerance(0.1 * accuracy);
  method->initialize(problem.start());
  const double begin = cpu_time();
  while (method->getTime() < duration) method->stepTo(duration, duration);
  const double seconds = cpu_time() - begin;
  const Vec3 end = problem.outcome(method->getState(), of.at("outcome"));
  int major = 0, minor = 0, build = 0;
  SimTK_version_SimTKcommon(&major, &minor, &build);
  std::printf("{\"version\": \"%d.%d\", \"seconds\": %.9g, \"value\": [%.17g, %.17g, %.17g]}\n",
              major, minor, seconds, end[0], end[1], end[2]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "league_simbody: %s\n", error.what());
  return 1;
}
