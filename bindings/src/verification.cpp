/// Published problems, and errors of runs.
#include "chasles/io/verification.hpp"

#include <nanobind/stl/filesystem.h>

#include "common.hpp"

namespace chasles::python {

namespace {

using namespace nb::literals;

void add_problems(nb::module_& m) {
  nb::class_<VerifiedValue>(m, "VerifiedValue", "A published number, or list of numbers, and ours.")
      .def_ro("quantity", &VerifiedValue::quantity)
      .def_ro("source", &VerifiedValue::source)
      .def_ro("published", &VerifiedValue::published)
      .def_ro("computed", &VerifiedValue::computed)
      .def_ro("tolerance", &VerifiedValue::tolerance)
      .def_ro("error", &VerifiedValue::error, "Estimated, of the computed value.")
      .def_ro("difference", &VerifiedValue::difference, "Largest of all entries.")
      .def_ro("digits", &VerifiedValue::digits, "Decimal digits in agreement.")
      .def_ro("agrees", &VerifiedValue::agrees, "Both are at most the tolerance.");
  nb::class_<Verification>(m, "Verification", "A published problem and how it was met.")
      .def_prop_ro("name", [](const Verification& v) { return v.problem.name; })
      .def_prop_ro("title", [](const Verification& v) { return v.problem.title; })
      .def_prop_ro("source", [](const Verification& v) { return v.problem.source; })
      .def_ro("values", &Verification::values)
      .def_ro("methods", &Verification::methods, "Of the runs and their repetitions.")
      .def_ro("passed", &Verification::passed, "All values agree.")
      .def(
          "markdown",
          [](const Verification& v) {
            return verification_markdown({&v, 1});
          },
          "As a document.")
      .def("_repr_html_",
           [](const Verification& v) {
             return verification_html({&v, 1});
           })
      .def("__repr__", [](const Verification& v) {
        return "<chasles.Verification '" + v.problem.name +
               "': " + (v.passed ? "agrees" : "does not agree") + ", " +
               std::to_string(v.values.size()) + " values>";
      });
  m.def(
      "problem_names",
      [](const std::filesystem::path& folder) {
        return as<FileError>([&] { return problem_names(folder); });
      },
      "folder"_a, "Names of the published problems in a folder, such as examples/verification.");
  m.def(
      "verify",
      [](const std::filesystem::path& path) {
        const VerificationProblem problem = as<FileError>([&] { return read_problem(path); });
        const nb::gil_scoped_release released;
        return verify(problem);
      },
      "path"_a,
      "Computes the published numbers of a problem (docs/verification.md), with estimates of the "
      "errors.");
}

void add_errors(nb::module_& m) {
  nb::class_<QuantityError>(m, "QuantityError",
                            "The estimated error of a recorded quantity: of its largest entry.")
      .def_ro("name", &QuantityError::name)
      .def_ro("unit", &QuantityError::unit)
      .def_ro("end", &QuantityError::end, "At the end of the run.")
      .def_ro("worst", &QuantityError::worst, "At any sample.")
      .def_ro("worst_time", &QuantityError::worst_time, "[s]")
      .def_ro("size", &QuantityError::size, "Largest entry of the quantity itself.")
      .def_prop_ro(
          "errors",
          [](const QuantityError& e) {
            return to_array(e.errors, {static_cast<npy_intp>(e.errors.size())});
          },
          "(samples,)");
  nb::class_<ErrorEstimate>(
      m, "ErrorEstimate",
      "Errors of a run, by repeating it more accurately and by a method of another family.")
      .def_ro("quantities", &ErrorEstimate::quantities, "q and v first, then the recorded ones.")
      .def_prop_ro(
          "runs",
          [](const ErrorEstimate& e) {
            std::vector<std::string> list;
            for (const RepeatedRun& run : e.runs)
              list.push_back(run.text + (run.failure.empty() ? "" : ": " + run.failure));
            return list;
          },
          "The repetitions, and why one was not compared.")
      .def_ro("horizon", &ErrorEstimate::horizon,
              "Time from which the run does not predict the motion [s]; None: to its end.")
      .def_ro("lyapunov_time", &ErrorEstimate::lyapunov_time,
              "Time in which errors grow by e [s], of chaotic motions.")
      .def(
          "__getitem__",
          [](const ErrorEstimate& e, const std::string& name) {
            for (const QuantityError& x : e.quantities)
              if (x.name == name) return x;
            throw UnknownName("there is no error of '" + name +
                              "'; name the quantity in Scenario.quantities");
          },
          "name"_a);
  m.def(
      "estimate_error",
      [](const Scenario& scenario) {
        const nb::gil_scoped_release released;
        RecordedSamples samples;
        Simulation simulation(scenario);
        simulation.run(samples, interrupted);
        return estimate_error(scenario, samples, simulation.summary(), interrupted);
      },
      "scenario"_a,
      "Runs a scenario, and repeats it with a tenth of its tolerance (or step) and by another "
      "method: errors of q, v and the recorded quantities.");
}

}  // namespace

void add_verification(nb::module_& m) {
  add_problems(m);
  add_errors(m);
}

}  // namespace chasles::python
