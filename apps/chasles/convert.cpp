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
  bool loop_closures = false;
};

chasles::Description description(const std::string& word) {
  static constexpr std::string_view words[] = {"world", "body", "frames"};  // as in the enum
  for (std::size_t i = 0; i < std::size(words); ++i)
    if (word == words[i]) return static_cast<chasles::Description>(i);
  throw chasles::Error("convert: --describe '" + word + "' is not known" +
                       chasles::choices(word, words));
}

using Write = std::string (*)(const chasles::Mechanism&, std::vector<std::string>*);
struct OutputFormat {
  std::string_view ending, name;
  Write write;
};
std::string write_urdf(const chasles::Mechanism& mechanism, std::vector<std::string>* warnings) {
  return chasles::write_urdf(mechanism, warnings);
}
constexpr OutputFormat other_formats[] = {{".urdf", "URDF", write_urdf},
                                          {".mjcf", "MJCF", chasles::write_mjcf},
                                          {".xml", "MJCF", chasles::write_mjcf},
                                          {".sdf", "SDF", chasles::write_sdf}};

/// The format of an ending; null: YAML.
const OutputFormat* format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const OutputFormat& row : other_formats)
    if (row.ending == ending) return &row;
  return nullptr;
}

void convert(const ModelInput& input, const Arguments& arguments) {
  require_ending(arguments.output, {".yaml", ".yml", ".urdf", ".mjcf", ".xml", ".sdf"},
                 "models are written as .yaml, .urdf, .mjcf (or .xml) and .sdf");
  const OutputFormat* format = format_of(arguments.output);
  if (format != nullptr && !arguments.describe.empty())
    throw chasles::Error("convert: " + std::string(format->name) +
                         " has one description; leave out --describe");
  if (arguments.loop_closures && (format == nullptr || format->name != "URDF"))
    throw chasles::Error(
        "convert: --loop-closures: the file loop_closures.yaml stands beside a URDF; give -o "
        "MODEL.urdf, or leave it out");
  chasles::Mechanism mechanism = input.read_mechanism();
  chasles::check(mechanism);  // nothing is written that is refused when it is used
  chasles::reference_geometry(mechanism);
  if (!arguments.describe.empty())
    mechanism = chasles::redescribe(mechanism, description(arguments.describe));
  const std::filesystem::path inputs[] = {input.path};
  if (format == nullptr)
    return write_output(chasles::write_yaml(mechanism), arguments.output, inputs);
  std::vector<std::string> warnings;
  std::string closures;
  const std::string text = arguments.loop_closures
                               ? chasles::write_urdf(mechanism, &warnings, &closures)
                               : format->write(mechanism, &warnings);
  for (const std::string& warning : warnings)
    fmt::print(stderr, "warning: {}: {}\n", input.path, warning);
  write_output(text, arguments.output, inputs);
  if (arguments.loop_closures)
    write_output(
        closures,
        (std::filesystem::path(arguments.output).parent_path() / "loop_closures.yaml").string(),
        inputs);
}

}  // namespace

void add_convert(Command program) {
  const Command command = program.add_command(
      "convert", "Write a model file as YAML, in any description, or as URDF, MJCF or SDF");
  const auto input = ModelInput::add_to(command);
  const auto arguments = std::make_shared<Arguments>();
  command.add_option(
      "-o,--output", arguments->output,
      "YAML, URDF, MJCF (.mjcf, .xml) or SDF file by its ending, or - for YAML on standard "
      "output, the default");
  command.add_option("--describe", arguments->describe,
                     "Give joints in the world, in the body or by two frames: "
                     "world | body | frames; default: as they are");
  command.add_flag("--loop-closures", arguments->loop_closures,
                   "URDF: write its revolute loops to loop_closures.yaml beside it, not as "
                   "<constraint> elements");
  command.callback([=] { convert(*input, *arguments); });
}
