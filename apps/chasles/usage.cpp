#include "usage.hpp"

#include <fmt/format.h>

#include <chasles/suggest.hpp>
#include <list>
#include <string_view>
#include <vector>

namespace {

std::string unknown_word(const CLI::App& command, const std::string& word) {
  std::list<std::string> names;  // keeps the words that `known` refers to in place
  std::vector<std::string_view> known;
  const auto add = [&](std::string name) { known.push_back(names.emplace_back(std::move(name))); };

  if (word.starts_with('-')) {
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) add("--" + name);
    const std::string flag = word.substr(0, word.find('='));
    return fmt::format("unknown option '{}'{}", flag, chasles::did_you_mean(flag, known));
  }
  for (const CLI::App* inner : command.get_subcommands({})) add(inner->get_name());
  if (known.empty()) return fmt::format("unexpected argument '{}'", word);
  return fmt::format("unknown command '{}'{}", word, chasles::choices(word, known));
}

/// CLI11's "--starts: At Most 1 required but received 2" and "--starts: 1 required INT missing", as sentences.
std::string wrong_count(const std::string& said) {
  const std::string option = said.substr(0, said.find(':'));
  return said.find("received") != said.npos ? option + " is given more than once; give it once"
                                            : option + " is without a value; give one after it";
}

}  // namespace

std::string usage_error(const CLI::App& program, const CLI::ParseError& error) {
  std::string path = program.get_name();
  for (const CLI::App* command = &program;;) {
    if (const auto words = command->remaining(); !words.empty())
      return fmt::format("{}: {}", path, unknown_word(*command, words.front()));
    const auto chosen = command->get_subcommands();
    if (chosen.empty()) {
      const bool counted = dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
      return fmt::format("{}: {}", path, counted ? wrong_count(error.what()) : error.what());
    }
    command = chosen.front();
    path += " " + command->get_name();
  }
}
