#include "command.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

namespace {

template <class T>
bool read_number(std::string_view word, T& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end) return false;
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
  return true;
}

/// An option that takes all of its word as a number, or says what it takes.
template <class T, class Target>
CLI::Option* add_number(CLI::App& app, const std::string& names, Target& target,
                        const std::string& help, const char* kind, const std::string& remedy) {
  const std::string name = names.substr(names.find("--"));
  const auto read = [&target, name, remedy](const std::string& word) {
    T value{};
    if (!read_number(word, value))
      throw CLI::ConversionError(name + " '" + word + "': " + remedy,
                                 CLI::ExitCodes::ConversionError);
    target = value;
  };
  return app.add_option_function<std::string>(names, read, help)->type_name(kind);
}

/// An option with an empty value would act as if it were not given.
CLI::Validator not_empty(const std::string& names) {
  const std::string remedy =
      names.starts_with('-') ? "give one, or leave the option out" : "give one";
  return {[remedy](const std::string& word) {
            return word.empty() ? "the value is empty; " + remedy : std::string();
          },
          ""};
}

constexpr const char* a_number = "give a finite number, such as 0.5";

}  // namespace

CommandOption CommandOption::required(bool is_required) const {
  option_->required(is_required);
  return *this;
}
CommandOption CommandOption::by_commas() const {
  option_->delimiter(',');
  return *this;
}
CommandOption CommandOption::one_at_a_time() const {
  option_->allow_extra_args(false);
  return *this;
}
CommandOption CommandOption::one_of(std::vector<std::string> values) const {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}

Command Command::add_command(const std::string& name, const std::string& description) const {
  return Command(*app_->add_subcommand(name, description));
}

CommandOption Command::add_option(const std::string& names, std::string& value,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(names, value, help)->check(not_empty(names)));
}
CommandOption Command::add_option(const std::string& names, std::vector<std::string>& values,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(names, values, help)->check(not_empty(names)));
}
CommandOption Command::add_option(const std::string& names, double& value,
                                  const std::string& help) const {
  return CommandOption(add_number<double>(*app_, names, value, help, "FLOAT", a_number));
}
CommandOption Command::add_option(const std::string& names, std::optional<double>& value,
                                  const std::string& help) const {
  return CommandOption(add_number<double>(*app_, names, value, help, "FLOAT", a_number));
}
CommandOption Command::add_option(const std::string& names, int& value,
                                  const std::string& help) const {
  return CommandOption(add_number<int>(*app_, names, value, help, "INT",
                                       "give a whole number in digits, up to 2147483647"));
}
CommandOption Command::add_option(const std::string& names, std::uint64_t& value,
                                  const std::string& help) const {
  return CommandOption(
      add_number<std::uint64_t>(*app_, names, value, help, "UINT",
                                "give a whole number in digits, from 0 to 18446744073709551615"));
}
void Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
  app_->add_flag(names, value, help);
}
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::callback(std::function<void()> call) const { app_->callback(std::move(call)); }
