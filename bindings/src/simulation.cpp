/// Scenarios and runs. chasles/_runs.py has the classes that users see.
#include "chasles/simulation/simulation.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>

#include <chrono>

#include "callback.hpp"
#include "chasles/io/report.hpp"
#include "chasles/io/run_file.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/io/summary_text.hpp"
#include "chasles/simulation/driver.hpp"
#include "chasles/simulation/kinematic.hpp"
#include "entered.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

constexpr std::pair<LimitMode, std::string_view> limit_modes[] = {{LimitMode::ignore, "ignore"},
                                                                  {LimitMode::warn, "warn"},
                                                                  {LimitMode::soft, "soft"},
                                                                  {LimitMode::rigid, "rigid"}};

/// Collects the samples of a run, and what its report needs.
class Samples : public Recorder {
 public:
  /// @param file  that also gets them, during the run only; null: none
  explicit Samples(Recorder* file) : file_(file) {}
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override {
    if (file_) file_->begin(scenario, quantities);
    report_.begin(scenario, quantities);
    for (const Quantity& quantity : quantities) columns_.push_back({quantity, {}});
  }
  void sample(const Sample& sample) override {
    if (file_) file_->sample(sample);
    report_.sample(sample);
    t_.push_back(sample.state.t);
    q_.insert(q_.end(), sample.state.q.data(), sample.state.q.data() + sample.state.q.size());
    v_.insert(v_.end(), sample.state.v.data(), sample.state.v.data() + sample.state.v.size());
    using Rows = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Rows value = sample.values[k];
      columns_[k].values.insert(columns_[k].values.end(), value.data(),
                                value.data() + value.size());
    }
  }
  void end(const Summary& summary) override {
    if (file_) file_->end(summary);
    report_.end(summary);
  }
  void step(double t) { report_.step(t); }

  nb::tuple arrays(int nq, int nv) {
    const auto n = static_cast<npy_intp>(t_.size());
    nb::dict quantities;
    for (const Column& column : columns_) {
      std::vector<npy_intp> shape{n};
      if (column.quantity.shape != Quantity::Shape::number) shape.push_back(column.quantity.rows);
      if (column.quantity.shape == Quantity::Shape::matrix ||
          column.quantity.shape == Quantity::Shape::matrices)
        shape.push_back(column.quantity.columns);
      quantities[column.quantity.name.c_str()] = to_array(column.values, shape);
    }
    return nb::make_tuple(to_array(t_, {n}), to_array(q_, {n, nq}), to_array(v_, {n, nv}),
                          quantities);
  }
  ReportRun run;

 private:
  struct Column {
    Quantity quantity;
    std::vector<double> values;
  };
  Recorder* file_;
  ReportRecorder report_{run};
  std::vector<double> t_, q_, v_;
  std::vector<Column> columns_;
};

/// A run. It may be entered once at a time: neither by two threads, nor by a law that it calls.
class BoundRun {
 public:
  explicit BoundRun(const Scenario& scenario) {
    const nb::gil_scoped_release released;
    simulation_ = std::make_unique<Simulation>(scenario);
  }

  /// Samples until the end, or until an exception; `samples` then has those before it.
  /// @param path  a file for them, too; none: no file
  void run(const std::optional<std::filesystem::path>& path) {
    const Entered entered(busy_, "the simulation is in a step");
    std::unique_ptr<Recorder> file;
    if (path) file = as<FileError>([&] { return make_run_file(*path); });
    samples_ = std::make_unique<Samples>(file.get());
    const nb::gil_scoped_release released;
    simulation_->run(*samples_, [&](double t) {
      samples_->step(t);
      return interrupted(t);
    });
  }
  nb::tuple samples() {
    const Entered entered(busy_, "the simulation is in a step");
    const Scenario& s = simulation_->scenario();
    if (!samples_) samples_ = std::make_unique<Samples>(nullptr);  // the run did not begin
    return samples_->arrays(s.model.nq(), s.model.nv());
  }
  /// What a page shows of the last run; once.
  ReportRun report() {
    const Entered entered(busy_, "the simulation is in a step");
    return samples_ ? std::move(samples_->run) : ReportRun{};
  }
  void step(double until) {
    if (!std::isfinite(until))
      raise(PyExc_ValueError, "step(): until is " + to_text(until) + "; give a time [s]");
    const Entered entered(busy_, "the simulation is in a step");
    const nb::gil_scoped_release released;
    simulation_->step(until, interrupted);
  }
  void set_joint_forces(ArrayLike tau) {
    const Entered entered(busy_, "the simulation is in a step");
    simulation_->set_joint_forces(vector_of(tau, "set_joint_forces(): tau"));
  }
  void reset(std::optional<State> start) {
    const Entered entered(busy_, "the simulation is in a step");
    const nb::gil_scoped_release released;
    start ? simulation_->reset(*start) : simulation_->reset();
  }
  nb::tuple state() {
    const Entered entered(busy_, "the simulation is in a step");
    const State& x = simulation_->state();
    return nb::make_tuple(x.t, to_array(x.q), to_array(x.v));
  }
  nb::tuple summary() {
    const Entered entered(busy_, "the simulation is in a step");
    const Summary s = simulation_->summary();
    nb::dict numbers;
    for (const auto& [name, value] : s.entries()) numbers[name.c_str()] = value;
    nb::list events;
    for (const EventRecord& event : s.events) events.append(nb::make_tuple(event.name, event.t));
    nb::list violations;
    for (const Violation& violation : s.violations) violations.append(violation.text());
    return nb::make_tuple(numbers, events, summary_text(simulation_->scenario(), s), violations);
  }
  const Scenario& scenario() const { return simulation_->scenario(); }

 private:
  std::atomic<bool> busy_ = false;
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<Samples> samples_;
};

LimitMode limit_mode(const std::string& name) {
  for (const auto& [mode, its] : limit_modes)
    if (its == name) return mode;
  throw UnknownName("there is no treatment '" + name +
                    "' of joint limits; it is ignore, warn, soft or rigid");
}

/// A tuple: it cannot be changed, as a list could be without any effect.
nb::tuple names_of(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(name);
  return nb::tuple(list);
}

Scenario make_scenario(const BoundModel& m, nb::object q, nb::object v, double duration) {
  Scenario s{.model = m.model,
             .start = {0, m.model.neutral(), Vector(m.model.nv())},
             .duration = duration};
  s.name = m.model.name();
  if (!q.is_none())
    s.start.q = checked_configuration(m.model, vector_of({q}, "Scenario(): q", m.model.nq()));
  if (!v.is_none()) s.start.v = vector_of({v}, "Scenario(): v", m.model.nv());
  if (m.mechanism) s.appearance = m.mechanism->appearance;
  return s;
}

void add_event(Scenario& s, const std::string& name, nb::object g, int direction,
               const std::string& action) {
  const StateFunction f(std::move(g), "event '" + name + "'", s.model.nq(), s.model.nv());
  RunEvent event{{name, [f](const State& x) { return f.number(x.t, x.q, x.v); },
                  static_cast<IntegratorEvent::Direction>(direction)}};
  require_known(event.event.direction);
  if (action != "log" && action != "stop")
    throw UnknownName("there is no action '" + action + "' of an event; it is log or stop");
  event.action = action == "log" ? RunEvent::log : RunEvent::stop;
  s.events.push_back(std::move(event));
}

void add_scenario(nb::module_& m) {
  nb::class_<Scenario>(
      m, "Scenario",
      "The description of a run: model, start, forces, integrator, recorded quantities.")
      .def(
          "__init__",
          [](Scenario* s, const BoundModel& model, nb::object q, nb::object v, double duration) {
            new (s) Scenario(make_scenario(model, q, v, duration));
          },
          "model"_a, "q"_a.none() = nb::none(), "v"_a.none() = nb::none(), "duration"_a = 1.0,
          nb::sig("def __init__(self, model: Model, q: numpy.typing.ArrayLike | None = None, "
                  "v: numpy.typing.ArrayLike | None = None, duration: float = 1.0) -> None"))
      .def_rw("name", &Scenario::name, "Of the run, for its report.",
              nb::for_setter(nb::name("name")))
      .def_prop_ro(
          "model", [](const Scenario& s) { return new BoundModel(s.model); },
          nb::rv_policy::take_ownership, "Its model.")
      .def_rw("duration", &Scenario::duration, "[s]", nb::for_setter(nb::name("duration")))
      .def_rw("every", &Scenario::every, "Sampling interval [s]; 0: a 200th of the duration.",
              nb::for_setter(nb::name("every")))
      .def_prop_rw(
          "quantities", [](const Scenario& s) { return names_of(s.quantities); },
          [](Scenario& s, std::vector<std::string> x) { s.quantities = std::move(x); },
          "Names of recorded quantities, such as 'energy' and 'pose:hand'; set it to change them.",
          nb::for_getter(nb::sig("def quantities(self) -> tuple[str, ...]")),
          nb::for_setter(nb::name("quantities")))
      .def_rw("joint_inputs", &Scenario::joint_inputs,
              "Joint forces are set by Simulation.set_joint_forces as well.",
              nb::for_setter(nb::name("joint_inputs")))
      .def_rw("joint_dynamics", &Scenario::joint_dynamics,
              "Damping and friction of the description act.",
              nb::for_setter(nb::name("joint_dynamics")))
      .def_rw("loops", &Scenario::loops, "Loops are closed and couplings hold; False: the tree.",
              nb::for_setter(nb::name("loops")))
      .def_prop_rw(
          "actuators", [](const Scenario& s) { return names_of(s.actuators); },
          [](Scenario& s, std::vector<std::string> x) { s.actuators = std::move(x); },
          "Closed mechanisms: the joints with motors, for inverse_dynamics; set it to change them.",
          nb::for_getter(nb::sig("def actuators(self) -> tuple[str, ...]")),
          nb::for_setter(nb::name("actuators")))
      .def_prop_rw(
          "limits",
          [](const Scenario& s) {
            return std::string(limit_modes[static_cast<std::size_t>(s.limits)].second);
          },
          [](Scenario& s, const std::string& x) { s.limits = limit_mode(x); },
          "Joint limits: 'ignore', 'warn' (violations are in the summary), 'soft' or 'rigid' "
          "stops.",
          nb::for_setter(nb::name("limits")))
      .def_prop_rw(
          "order", [](const Scenario& s) { return s.integrator.order; },
          [](Scenario& s, std::optional<int> x) { s.integrator.order = x; },
          nb::arg("value").none(), "Of families of methods; None: that of the method.",
          nb::for_setter(nb::name("order")))
      .def_prop_rw(
          "method", [](const Scenario& s) { return s.integrator.method; },
          [](Scenario& s, std::string x) { s.integrator.method = std::move(x); },
          "Integration method: methods().", nb::for_setter(nb::name("method")))
      .def_prop_rw(
          "step", [](const Scenario& s) { return s.integrator.step; },
          [](Scenario& s, std::optional<double> x) { s.integrator.step = x; },
          nb::arg("value").none(), "Length of fixed steps [s]; None: adaptive.",
          nb::for_setter(nb::name("step")))
      .def_prop_rw(
          "tolerance", [](const Scenario& s) { return s.integrator.tolerance; },
          [](Scenario& s, std::optional<double> x) { s.integrator.tolerance = x; },
          nb::arg("value").none(), "Of adaptive methods; None: that of the method.",
          nb::for_setter(nb::name("tolerance")))
      .def_prop_ro(
          "forces",
          [](const Scenario& s) {
            std::vector<std::string> names;
            for (const Force& force : s.forces.list()) names.push_back(force.name);
            return names;
          },
          "Names of the forces.")
      .def_prop_ro(
          "start",
          [](const Scenario& s) {
            return nb::make_tuple(s.start.t, to_array(s.start.q), to_array(s.start.v));
          },
          nb::sig("def start(self) -> tuple[float, numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64]]"),
          "(t, q, v) of the start.")
      .def(
          "set_start",
          [](Scenario& s, ArrayLike q, ArrayLike v, double t) {
            s.start = {t, vector_of(q, "set_start(): q", s.model.nq()),
                       vector_of(v, "set_start(): v", s.model.nv())};
          },
          "q"_a, "v"_a, "t"_a = 0.0, "The state at the start: q (nq,), v (nv,), t [s].")
      .def(
          "add_force", [](Scenario& s, const Force& force) { s.forces.add(force); }, "force"_a,
          "Adds a Force; it acts from the start.")
      .def("add_event", &add_event, "name"_a, "g"_a, "direction"_a = 0, "action"_a = "log",
           nb::sig("def add_event(self, name: str, g: collections.abc.Callable[[float, "
                   "numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]], float], direction: int = 0, action: str "
                   "= 'log') -> None"),
           "An event where g(t, q, v) crosses zero: direction 1 rising, -1 falling, 0 both; action "
           "'log' or 'stop'.")
      .def(
          "drive_joint",
          [](Scenario& s, const std::string& joint, nb::handle motion, int coordinate) {
            as<UnknownName>([&] { return &s.model.joint(joint); });
            s.constraints.more.push_back(joint_driver(
                s.model, joint, reference_of(motion, "the motion of '" + joint + "'"), coordinate));
          },
          "joint"_a, "motion"_a, "coordinate"_a = 0,
          nb::sig("def drive_joint(self, joint: str, motion: float | Reference | "
                  "collections.abc.Callable[[float], "
                  "tuple[float, float, float]], coordinate: int = 0) -> None"),
          "Prescribes the motion of a joint, as a constraint; the motor's effort is the quantity "
          "driver_force:JOINT.")
      .def(
          "drive_frame",
          [](Scenario& s, const std::string& frame, ArrayLike axis, nb::handle motion) {
            as<UnknownName>([&] { return s.model.frame(frame); });
            s.constraints.more.push_back(
                frame_driver(s.model, frame, vec3_of(axis, "axis"),
                             reference_of(motion, "the motion of '" + frame + "'")));
          },
          "frame"_a, "axis"_a, "motion"_a,
          nb::sig("def drive_frame(self, frame: str, axis: numpy.typing.ArrayLike, motion: float | "
                  "Reference | "
                  "collections.abc.Callable[[float], tuple[float, float, float]]) -> None"),
          "Prescribes the position of a frame along an axis of the world [m].")
      .def(
          "kinematic", [](const Scenario& s) { return kinematic(s); },
          "The same scenario as kinematic analysis: all degrees of freedom are driven.")
      .def(
          "copy", [](const Scenario& s) { return Scenario(s); }, "An independent copy.")
      .def("__repr__", [](const Scenario& s) {
        return "<chasles.Scenario '" + s.name + "': model '" + s.model.name() + "', " +
               to_text(s.duration) + " s>";
      });
  m.def(
      "load_scenario",
      [](const std::filesystem::path& path, const std::vector<std::string>& changes) {
        return as<FileError>([&] { return read_scenario(path, nullptr, nullptr, changes); });
      },
      "path"_a, "changes"_a = std::vector<std::string>{},
      "The scenario of a file. changes: overrides such as 'integrator.tolerance=1e-8', "
      "'forces.0.stiffness=5'.");
}

}  // namespace

bool interrupted(double) {
  static thread_local auto last = std::chrono::steady_clock::now();
  if (const auto now = std::chrono::steady_clock::now();
      now - last > std::chrono::milliseconds(50)) {
    last = now;
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() < 0) throw nb::python_error();
  }
  return true;
}

void add_simulation(nb::module_& m) {
  add_scenario(m);
  nb::class_<ReportRun>(m, "Report", "What a page shows of a run.")
      .def(
          "html",
          [](const ReportRun& run, const std::string& page) {
            return write_report(page, {&run, 1});
          },
          "page"_a, "The page with the run in it.");
  nb::class_<BoundRun>(m, "Run", "A run of a scenario; use chasles.Simulation.")
      .def(nb::init<const Scenario&>(), "scenario"_a)
      .def("run", &BoundRun::run, "path"_a.none() = nb::none(),
           "To the end, or until an exception; also into a file.")
      .def("samples", &BoundRun::samples,
           nb::sig("def samples(self) -> tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], dict[str, "
                   "numpy.typing.NDArray[numpy.float64]]]"),
           "(t, q, v, quantities) of the last run.")
      .def("report", &BoundRun::report, "Of the last run, once.")
      .def("step", &BoundRun::step, "until"_a, "To a time [s].")
      .def("set_joint_forces", &BoundRun::set_joint_forces, "tau"_a, "That act from now on (nv,).")
      .def(
          "reset", [](BoundRun& r) { r.reset({}); }, "To the start of the scenario.")
      .def(
          "reset",
          [](BoundRun& r, double t, ArrayLike q, ArrayLike v) {
            r.reset(State{t, vector_of(q, "reset(): q"), vector_of(v, "reset(): v")});
          },
          "t"_a, "q"_a, "v"_a, "To a state.")
      .def("state", &BoundRun::state,
           nb::sig("def state(self) -> tuple[float, numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "(t, q, v) now.")
      .def("summary", &BoundRun::summary,
           nb::sig("def summary(self) -> tuple[dict[str, float], list[tuple[str, float]], str, "
                   "list[str]]"),
           "(numbers, events, text, violations).")
      .def_prop_ro(
          "model", [](const BoundRun& r) { return new BoundModel(r.scenario().model); },
          nb::rv_policy::take_ownership)
      .def_prop_ro("scenario", [](const BoundRun& r) { return Scenario(r.scenario()); });
}

}  // namespace chasles::python
