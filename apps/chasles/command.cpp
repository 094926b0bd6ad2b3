#include "command.hpp"

#include <CLI/CLI.hpp>

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
  return CommandOption(app_->add_option(names, value, help));
}
CommandOption Command::add_option(const std::string& names, std::vector<std::string>& values,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(names, values, help));
}
CommandOption Command::add_option(const std::string& names, double& value,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(names, value, help));
}
CommandOption Command::add_option(const std::string& names, std::optional<double>& value,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(names, value, help));
}
CommandOption Command::add_option(const std::string& names, int& value,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(names, value, help));
}
CommandOption Command::add_option(const std::string& names, std::uint64_t& value,
                                  const std::string& help) const {
  return CommandOption(app_->add_option(names, value, help));
}
void Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
  app_->add_flag(names, value, help);
}
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::callback(std::function<void()> call) const { app_->callback(std::move(call)); }
