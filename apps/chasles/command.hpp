#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The command line: commands, their options, and the variables that get the values. CLI11 parses it; only
/// command.cpp, help.cpp, main.cpp and usage.cpp include it, for it takes longer to compile than all commands.
///
///     Command command = program.add_command("plot", "Draw quantities of a run");
///     command.add_option("-o,--output", options->out, "SVG file").required();
///     command.callback([=] { plot(*options); });

/// An option or a positional argument of a command: a handle.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}
  CommandOption required(bool is_required = true) const;
  /// Values are separated by commas.
  CommandOption by_commas() const;
  /// It takes one value each time it is given, and may be given again.
  CommandOption one_at_a_time() const;
  /// Other values are refused.
  CommandOption one_of(std::vector<std::string> values) const;

 private:
  CLI::Option* option_;
};

/// The program or one of its commands: a handle. The variables must outlive the parsing.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}
  Command add_command(const std::string& name, const std::string& description) const;

  /// @param names  "-o,--output"; in capitals, "MODEL": a positional argument
  CommandOption add_option(const std::string& names, std::string& value,
                           const std::string& help) const;
  CommandOption add_option(const std::string& names, std::vector<std::string>& values,
                           const std::string& help) const;
  CommandOption add_option(const std::string& names, double& value, const std::string& help) const;
  CommandOption add_option(const std::string& names, std::optional<double>& value,
                           const std::string& help) const;
  CommandOption add_option(const std::string& names, int& value, const std::string& help) const;
  CommandOption add_option(const std::string& names, std::uint64_t& value,
                           const std::string& help) const;
  void add_flag(const std::string& names, bool& value, const std::string& help) const;
  /// Text below the help.
  void footer(const std::string& text) const;
  /// What is called if the command is chosen, after all variables are set.
  void callback(std::function<void()> call) const;

  CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};
