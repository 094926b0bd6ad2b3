#include <fmt/format.h>

#include <chasles/io/mechanism_file.hpp>
#include <chasles/mechanism/redescribe.hpp>
#include <chasles/suggest.hpp>
#include <memory>

#include "commands.hpp"
#include "model_input.hpp"
#include "output.hpp"

namespace {

struct Arguments {
  std::string output, describe;
};

chasles::Description description(const std::string& word) {
  static constexpr std::string_view words[] = {"world", "body", "frames"};  // as in the enum
  for (std::size_t i = 0; i < std::size(words); ++i)
    if (word == words[i]) return static_cast<chasles::Description>(i);
  throw chasles::Error("convert: --describe '" + word + "' is not known" +
                       chasles::choices(word, words));
}

void convert(const ModelInput& input, const Arguments& arguments) {
  require_ending(arguments.output, {".yaml", ".yml", ".urdf"},
                 "models are written as .yaml or .urdf");
  const bool urdf = std::filesystem::path(arguments.output).extension() == ".urdf";
  if (urdf && !arguments.describe.empty())
    throw chasles::Error("convert: URDF has one description; leave out --describe");
  chasles::Mechanism mechanism = input.read_mechanism();
  chasles::check(mechanism);  // nothing is written that is refused when it is used
  chasles::reference_geometry(mechanism);
  if (!arguments.describe.empty())
    mechanism = chasles::redescribe(mechanism, description(arguments.describe));
  const std::filesystem::path inputs[] = {input.path};
  if (!urdf) return write_output(chasles::write_yaml(mechanism), arguments.output, inputs);
  std::vector<std::string> warnings;
  const std::string text = chasles::write_urdf(mechanism, &warnings);
  for (const chasles::Body& body : mechanism.bodies)
    if (body.joint.type == chasles::JointType::floating &&
        body.joint.group == chasles::FloatingGroup::so3xr3)
      warnings.push_back(
          "body '" + body.name +
          "': the group of its floating joint, so3xr3, is left out: URDF has none, and "
          "a reader takes se3");
  for (const std::string& warning : warnings)
    fmt::print(stderr, "warning: {}: {}\n", input.path, warning);
  write_output(text, arguments.output, inputs);
}

}  // namespace

void add_convert(Command program) {
  const Command command =
      program.add_command("convert", "Write a model file as YAML, in any description, or as URDF");
  const auto input = ModelInput::add_to(command);
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("-o,--output", arguments->output,
                     "YAML or URDF file by its ending, or - for YAML on standard output, the "
                     "default");
  command.add_option("--describe", arguments->describe,
                     "Give joints in the world, in the body or by two frames: "
                     "world | body | frames; default: as they are");
  command.callback([=] { convert(*input, *arguments); });
}
