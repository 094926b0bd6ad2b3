/// chasles help: the program about itself, for people, for man and for shells. All of it comes from
/// the commands and options themselves.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chasles/error.hpp>
#include <chasles/suggest.hpp>
#include <chasles/version.hpp>

#include "commands.hpp"

namespace {

/// Commands that people call.
std::vector<const CLI::App*> commands(const CLI::App& program) {
  return program.get_subcommands({});
}

/// "-o,--output" as "-o --output"; a positional has none.
std::vector<std::string> flags(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}
bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// Text of roff: nothing in it is a command.
std::string roff(std::string text) {
  for (const auto& [what, with] : {std::pair{"\\", "\\e"}, {"-", "\\-"}, {"'", "\\(aq"}})
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos;
         at += std::string(with).size())
      text.replace(at, 1, with);
  if (text.starts_with('.')) text.insert(0, "\\&");
  for (std::size_t at = 0; (at = text.find("\n.", at)) != text.npos; at += 4)
    text.insert(at + 1, "\\&");
  return text;
}

void print_man_option(const CLI::Option& option) {
  const std::vector<std::string> names = flags(option);
  const std::string name =
      names.empty() ? option.get_name() : fmt::format("{}", fmt::join(names, ", "));
  fmt::print(".TP\n.B {}{}\n{}\n", roff(name),
             !names.empty() && takes_value(option) ? " \\fIVALUE\\fR" : "",
             roff(option.get_description()));
}

void print_man_page(const CLI::App& program) {
  fmt::print(".TH CHASLES 1 \"\" \"chasles {}\" \"User Commands\"\n", chasles::version());
  fmt::print(".SH NAME\nchasles \\- {}\n", roff("multibody dynamics with screws"));
  fmt::print(".SH SYNOPSIS\n.B chasles\n.I COMMAND\n[\\fIARGUMENT\\fR ...]\n");
  fmt::print(
      ".SH DESCRIPTION\nReads mechanisms from YAML, URDF, MJCF and SDF files, prints and converts "
      "them, "
      "evaluates "
      "their kinematics and\ndynamics, and integrates their motion. Where a file is taken, \\- is "
      "standard "
      "input or output.\n.SH COMMANDS\n");
  for (const CLI::App* command : commands(program)) {
    fmt::print(".SS {}\n{}.\n", roff(command->get_name()), roff(command->get_description()));
    for (const CLI::Option* option : command->get_options()) print_man_option(*option);
    if (!command->get_footer().empty())
      fmt::print(".PP\n.nf\n{}\n.fi\n", roff(command->get_footer()));
  }
  fmt::print(
      ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\na computation or writing failed\n.TP\n.B "
      "2\nbad "
      "input\n.TP\n.B 130, 143\ninterrupted by Ctrl\\-C, by SIGTERM; what was recorded is "
      "kept\n.TP\n.B "
      "141\nnobody reads what is written\n");
  fmt::print(
      ".SH FILES\n.TP\n.I RUN.part.csv\na run that is being recorded as RUN.csv, or was when the "
      "program "
      "was killed\n");
}

void print_completion(const CLI::App& program) {
  std::string names, cases;
  for (const CLI::App* command : commands(program)) {
    std::vector<std::string> words;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& flag : flags(*option)) words.push_back(flag);
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) words='{}' ;;\n", command->get_name(), fmt::join(words, " "));
  }
  fmt::print(R"(# bash completion for chasles {0}; made by `chasles help --completion`.
_chasles() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{1} --help --version' -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}  esac
  if [[ ${{COMP_WORDS[1]}} == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{1}' -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}}
complete -o default -F _chasles chasles
)",
             chasles::version(), names, cases);
}

void print_help(const CLI::App& program, const std::string& name) {
  if (name.empty()) {
    // Not program.help(), which is about the command that was called: this one.
    fmt::print("{}", program.get_formatter()->make_help(&program, program.get_name(),
                                                        CLI::AppFormatMode::Normal));
    return;
  }
  std::vector<std::string_view> known;
  for (const CLI::App* command : commands(program)) {
    if (command->get_name() == name) {
      fmt::print("{}", command->help(program.get_name()));
      return;
    }
    known.push_back(command->get_name());
  }
  throw chasles::Error("help: there is no command '" + name + "'" + chasles::choices(name, known));
}

}  // namespace

void add_help(Command program) {
  const Command command = program.add_command("help", "Say how a command is used");
  struct Options {
    std::string command;
    bool man = false, completion = false;
  };
  const auto options = std::make_shared<Options>();
  command.add_option("COMMAND", options->command, "The command; without it, all of them");
  command.add_flag("--man", options->man, "The manual page, for man");
  command.add_flag("--completion", options->completion, "The completion script, for bash");
  command.callback([options, &app = program.app()] {
    if (options->man)
      print_man_page(app);
    else if (options->completion)
      print_completion(app);
    else
      print_help(app, options->command);
  });
}
