/// The list `constraints` of a scenario.
#include <utility>

#include "chasles/constraints/point_constraints.hpp"
#include "io/runs/scenario_parts.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {

std::vector<ConstraintPtr> read_constraints(const Fields& scenario, const Model& model,
                                            ConstVectorRef q) {
  const std::vector<ConstraintPtr> of_model = constraints_of(model);
  std::vector<ConstraintPtr> list;
  std::vector<ConstraintElement> elements = read_constraints(scenario, model.constraints().size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const LineColumn at = scenario.list("constraints")[i].location;
    elements[i].where.clear();  // the location follows
    try {
      for (ConstraintPtr& one : constraints_of(model, elements[i], q)) {
        for (const std::vector<ConstraintPtr>* others : {&of_model, &std::as_const(list)})
          for (const ConstraintPtr& other : *others)
            if (other->name() == one->name())
              throw Error("constraint " + quote(one->name()) +
                          ": there is another constraint of the name " + quote(one->name()));
        list.push_back(std::move(one));
      }
    } catch (const Error& error) {
      fail(scenario.file(), at, error.what());
    }
  }
  return list;
}

void add_constraints(const Fields& file, const std::vector<bool>& near, Scenario& run) {
  const auto close = [&] {
    if (!run.joints) run.start.q = closed_start(run, run.start, near);
  };
  if (file.has("constraints")) {
    close();
    for (ConstraintPtr& constraint : read_constraints(file, run.model, run.start.q))
      run.constraints.more.push_back(std::move(constraint));
  }
  if (!near.empty()) with_location(file, file.require("initial"), close);
}

}  // namespace chasles::io
