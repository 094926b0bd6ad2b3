/// chasles methods: the integrators that a scenario may name.
#include <fmt/format.h>

#include <chasles/integrators/integrator.hpp>

#include "commands.hpp"
#include "json.hpp"

namespace {

using chasles::MethodInfo;
using chasles::Needs;

const char* steps(const MethodInfo& method) {
  return method.fixed_or_adaptive ? "either" : method.adaptive ? "adaptive" : "fixed";
}

const char* needs(const MethodInfo& method) {
  switch (method.needs) {
    case Needs::rates:
      return "rates";
    case Needs::coordinates:
      return "rates of coordinates";
    case Needs::masses:
      return "masses";
    case Needs::mechanism:
      return "a mechanism";
    case Needs::expansion:
      break;
  }
  return "smooth forces";
}

std::string dominating(const MethodInfo& method) {
  const bool composed = chasles::method_info(method.dominated_by).takes_composition;
  return std::string(method.dominated_by) + (composed ? " with order 4" : "");
}

void print() {
  fmt::print("{:<17} {:>5}  {:<9} {:<61} {:<20} {}\n", "method", "order", "steps", "options",
             "needs", "what it is");
  for (const MethodInfo& m : chasles::methods())
    fmt::print("{:<17} {:>5}  {:<9} {:<61} {:<20} {}{}{}\n", m.name, m.order, steps(m),
               fmt::format("{}", fmt::join(chasles::options_of(m), ", ")), needs(m), m.description,
               m.symmetric ? "; symmetric" : "",
               m.dominated_by.empty()
                   ? ""
                   : fmt::format("; for comparison: {} needs less work", dominating(m)));
}

Json as_json() {
  Json list = Json::array();
  for (const MethodInfo& m : chasles::methods())
    list.push_back({{"name", m.name},
                    {"order", m.order},
                    {"adaptive", m.adaptive},
                    {"symmetric", m.symmetric},
                    {"options", chasles::options_of(m)},
                    {"needs", needs(m)},
                    {"description", m.description},
                    {"dominated_by", m.dominated_by}});
  return {{"methods", list}};
}

}  // namespace

void add_methods(Command program) {
  const Command command =
      program.add_command("methods", "List the integrators: order, steps, options, needs");
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "As JSON");
  command.footer("A scenario names one: integrator: {method: mk4, step: 0.01}");
  command.callback([=] {
    if (*json)
      fmt::print("{}\n", as_json().dump(2));
    else
      print();
  });
}
