#include <memory>
#include <stdexcept>
#include <string>

#include "commands.hpp"

void add_info(CLI::App& program) {
  CLI::App* info = program.add_subcommand("info", "Print what a model file describes");
  auto model = std::make_shared<std::string>();
  info->add_option("MODEL", *model, "Model file")->required();
  info->callback([model] {
    throw std::runtime_error("info '" + *model + "': this version does not read models yet");
  });
}
