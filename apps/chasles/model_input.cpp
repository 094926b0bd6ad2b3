#include "model_input.hpp"

#include <fmt/format.h>

#include <chasles/io/output_file.hpp>
#include <chasles/io/scenario_file.hpp>
#include <cstdio>

namespace {

constexpr const char* kinds = "Model file: .yaml, .json, URDF, MJCF or SDF; - for standard input";

std::shared_ptr<ModelInput> make(Command command, const std::string& help, bool required) {
  auto input = std::make_shared<ModelInput>();
  command.add_option("MODEL", input->path, help).required(required);
  command.add_flag("--floating-base", input->floating_base,
                   "URDF: let the root link move freely, by the joint root_joint");
  command.add_option("--model", input->model,
                     "SDF: the model to read of a file with several; default: all of them");
  command
      .add_option("--package", input->packages,
                  "Folder of a package, NAME=FOLDER, for package://NAME/FILE; may be given again")
      .one_at_a_time();
  command.add_flag("--allow-outside", input->allow_outside,
                   "Read files outside of the model's folder, too, if the model includes them");
  return input;
}

/// @throws Error that says so, if the file is a scenario
void refuse_scenario(const std::string& path) {
  if (chasles::is_stream(path)) return;
  std::vector<std::filesystem::path> files;
  try {
    const auto found = chasles::read_scenario_or_mechanism(path, {}, &files);
    if (!std::holds_alternative<chasles::Scenario>(found)) return;
  } catch (const std::exception&) {
    return;
  }
  throw chasles::Error(path + ": is a scenario, not a model; give its model, " +
                       (files.size() > 1 ? files[1].string() : "which it names") +
                       ", or run it: chasles simulate " + path);
}

}  // namespace

std::shared_ptr<ModelInput> ModelInput::add_to(Command command) {
  return make(command, kinds, true);
}
std::shared_ptr<ModelInput> ModelInput::add_optional_to(Command command,
                                                        const std::string& otherwise) {
  return make(command, std::string(kinds) + "; default: " + otherwise, false);
}

chasles::ReadOptions ModelInput::options(std::vector<std::string>& warnings,
                                         bool appearance) const {
  chasles::ReadOptions options{floating_base, &warnings, appearance};
  options.allow_outside = allow_outside;
  options.model = model;
  for (const std::string& package : packages) {
    const auto at = package.find('=');
    if (at == package.npos || at == 0 || at + 1 == package.size())
      throw chasles::Error("--package '" + package +
                           "' is not NAME=FOLDER; give the name of the package and its folder");
    options.packages.emplace_back(package.substr(0, at), package.substr(at + 1));
  }
  return options;
}

chasles::Mechanism ModelInput::read_mechanism(bool appearance) const {
  std::vector<std::string> warnings;
  chasles::Mechanism mechanism;
  try {
    mechanism = chasles::read_mechanism(path, options(warnings, appearance));
  } catch (const chasles::Error&) {
    refuse_scenario(path);
    throw;
  }
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  return mechanism;
}

chasles::Model ModelInput::read(const std::optional<chasles::Vec3>& gravity) const {
  chasles::Mechanism mechanism = read_mechanism();
  if (gravity) mechanism.gravity = *gravity;
  return chasles::compile(mechanism);
}

void add_loops_option(Command command, std::string& loops) {
  command
      .add_option(
          "--loops", loops,
          "closed: loops, couplings, mimic relations and gears of rotors hold, the default; "
          "open: the tree without them")
      .one_of({"closed", "open"});
}

std::string open_loops(const chasles::Model& model) {
  const auto& loops = model.loops();
  if (loops.empty()) return {};
  return fmt::format(
      "{} '{}'{} open: what is computed is the tree without {}; simulate closes loops",
      loops.size() == 1 ? "the loop" : "the loops", loops[0].name,
      loops.size() == 1 ? " is" : fmt::format(" and {} more are", loops.size() - 1),
      loops.size() == 1 ? "it" : "them");
}
