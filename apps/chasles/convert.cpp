#include <chasles/io/mechanism_file.hpp>
#include <chasles/mechanism/redescribe.hpp>
#include <chasles/suggest.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "commands.hpp"
#include "model_input.hpp"

namespace {

struct Arguments {
  std::string output, describe;
};

chasles::Description description(const std::string& word) {
  static constexpr std::string_view words[] = {"world", "body", "frames"};  // as in the enum
  for (std::size_t i = 0; i < std::size(words); ++i)
    if (word == words[i]) return static_cast<chasles::Description>(i);
  throw chasles::Error("convert: --describe '" + word + "' is not world, body or frames" +
                       chasles::did_you_mean(word, words));
}

void write(const std::string& text, const std::string& path) {
  if (path.empty()) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw std::runtime_error("convert: writing to standard output failed");
    return;
  }
  std::ofstream file(path, std::ios::binary);
  if (!(file << text) || !file.flush())
    throw std::runtime_error("convert: '" + path + "' cannot be written");
}

void convert(const ModelInput& input, const Arguments& arguments) {
  chasles::Mechanism mechanism = input.read_mechanism();
  if (!arguments.describe.empty())
    mechanism = chasles::redescribe(mechanism, description(arguments.describe));
  write(chasles::write_yaml(mechanism), arguments.output);
}

}  // namespace

void add_convert(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("convert", "Write a model file as YAML, in any description");
  const auto input = ModelInput::add_to(*command);
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("-o,--output", arguments->output, "YAML file; default: standard output");
  command->add_option("--describe", arguments->describe,
                      "Give joints in the world, in the body or by two frames: "
                      "world | body | frames; default: as they are");
  command->callback([=] { convert(*input, *arguments); });
}
