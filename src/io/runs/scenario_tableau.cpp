/// A Runge-Kutta tableau in a scenario file.
#include <cmath>

#include "io/runs/scenario_parts.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

std::vector<double> read_row(const Fields& fields, const Value& value, std::string_view key) {
  if (value.kind != Value::Kind::list)
    fields.refuse(value, std::string(key) + " is not a list; give numbers, such as [1/6, 2/3]");
  std::vector<double> row;
  for (const Value& item : value.items) row.push_back(fields.to_number(item, key));
  return row;
}

int read_order(const Fields& fields, std::string_view key) {
  const double n = fields.number(key);
  if (n != std::floor(n) || n < 1 || n > 100)
    fields.refuse(fields.require(key),
                  std::string(key) + " " + to_text(n) + " is not an order; give 1, 2, ...");
  return static_cast<int>(n);
}

}  // namespace

RungeKuttaTableau read_tableau(const Fields& integrator) {
  const Fields fields(integrator.file(), integrator.require("tableau"), "tableau",
                      {"name", "order", "a", "b", "c", "b_estimate", "estimate_order"});
  RungeKuttaTableau tableau;
  tableau.name = fields.text("name", tableau.name);
  tableau.order = read_order(fields, "order");
  tableau.b = read_row(fields, fields.require("b"), "b");
  fields.require("a");
  for (const Value& row : fields.list("a")) tableau.a.push_back(read_row(fields, row, "a"));
  if (tableau.a.size() + 1 == tableau.b.size()) tableau.a.insert(tableau.a.begin(), {{}});
  if (fields.has("c")) tableau.c = read_row(fields, fields.require("c"), "c");
  if (fields.has("b_estimate")) {
    tableau.b_estimate = read_row(fields, fields.require("b_estimate"), "b_estimate");
    tableau.estimate_order = read_order(fields, "estimate_order");
  }
  return tableau;
}

}  // namespace chasles::io
