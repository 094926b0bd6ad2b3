/// Recorded runs and states in files, plots, numbers in scenarios.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>

#include "chasles/io/plot.hpp"
#include "chasles/io/run_file.hpp"
#include "chasles/io/scenario_numbers.hpp"
#include "chasles/io/states_file.hpp"
#include "parts.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

Array column(const std::vector<double>& x) {
  return to_array(x, {static_cast<npy_intp>(x.size())});
}

void add_files(nb::module_& m) {
  m.def(
      "read_run",
      [](const std::filesystem::path& path, const std::vector<std::string>& quantities) {
        const RunColumns run = as<FileError>([&] { return read_columns(path, quantities); });
        nb::dict out;
        out[run.time.name.c_str()] = column(run.time.values);
        for (const RunColumns::Column& c : run.columns) out[c.name.c_str()] = column(c.values);
        return out;
      },
      "path"_a, "quantities"_a = std::vector<std::string>{"*"},
      nb::sig("def read_run(path: str | os.PathLike, quantities: "
              "collections.abc.Sequence[str] = ['*']) -> dict[str, "
              "numpy.typing.NDArray[numpy.float64]]"),
      "Columns of a recorded run, .csv or .json, or of any CSV with a header: {'t': .., 'q:elbow': "
      "..}, each (samples,) in SI units. quantities: names, beginnings of names ('q', "
      "'pose:hand'), or patterns with * and ?.");
  m.def(
      "read_recorded_state",
      [](const std::filesystem::path& path, const BoundModel& b, std::optional<double> t) {
        const State x = as<FileError>([&] { return read_recorded_state(path, b.model, t); });
        return std::tuple{x.t, to_array(x.q), to_array(x.v)};
      },
      "path"_a, "model"_a, "t"_a.none() = nb::none(),
      "(t, q, v) at a time [s] of a recorded run of the same model; None: its last state.");
  m.def(
      "read_states",
      [](const std::filesystem::path& path, const BoundModel& b) {
        nb::list out;
        for (const GivenState& x : as<FileError>([&] { return read_states(path, b.model); })) {
          nb::dict state;
          state["q"] = to_array(x.q), state["v"] = to_array(x.v), state["a"] = to_array(x.a);
          state["jerk"] = to_array(x.jerk), state["snap"] = to_array(x.snap);
          state["tau"] = to_array(x.tau);
          out.append(state);
        }
        return out;
      },
      "path"_a, "model"_a,
      nb::sig("def read_states(path: str | os.PathLike, model: Model) -> list[dict[str, "
              "numpy.typing.NDArray[numpy.float64]]]"),
      "The states of a file of `chasles eval`: q (nq,), v, a, jerk, snap, tau (nv,), neutral or "
      "zero where the file has none.");
  m.def(
      "plot_svg",
      [](const std::filesystem::path& path, const std::vector<std::string>& quantities,
         const std::string& title, bool logarithmic, double width) {
        PlotOptions options{.title = title, .logarithmic = logarithmic};
        options.width = width;
        const RunColumns run = as<FileError>([&] { return read_columns(path, quantities); });
        return plot_svg(run, options);
      },
      "path"_a, "quantities"_a, "title"_a = "", "logarithmic"_a = false, "width"_a = 0.0,
      "A plot of a recorded run as SVG text, without other packages; quantities as in read_run. "
      "width [mm]; 0: about 900 pixels.");
}

void add_numbers(nb::module_& m) {
  m.def(
      "scenario_numbers",
      [](const std::string& text) {
        nb::dict out;
        for (const ScenarioNumber& x :
             as<FileError>([&] { return scenario_numbers(text, "text"); }))
          out[x.path.c_str()] = x.value;
        return out;
      },
      "text"_a, nb::sig("def scenario_numbers(text: str) -> dict[str, float]"),
      "The numbers in the text of a scenario file by their paths: {'forces.0.stiffness': 3.0}, as "
      "load_scenario takes them in `changes`.");
  m.def(
      "with_number",
      [](const std::string& text, const std::string& path, double value) {
        return as<FileError>([&] { return with_number(text, "text", path, value); });
      },
      "text"_a, "path"_a, "value"_a,
      "The text of a scenario file with another value of one number; everything else, comments "
      "too, stays as it was.");
}

}  // namespace

void add_recorded_runs(nb::module_& m) {
  add_files(m);
  add_numbers(m);
}

}  // namespace chasles::python
