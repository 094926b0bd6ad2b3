/// chasles serve: a scenario that runs live in a page of this machine, and follows its file.
#include <fmt/format.h>
#include <unistd.h>

#include <chasles/error.hpp>
#include <cstdio>

#include "catch_interrupt.hpp"
#include "commands.hpp"
#include "served.hpp"

namespace {

struct ServeOptions {
  std::string scenario;
  int port = 0;
  bool paused = false;
};

void serve(const ServeOptions& options) {
  if (options.port < 0 || options.port > 65535)
    throw chasles::Error(fmt::format(
        "serve: --port {} is not a port; give one from 1 to 65535, or none", options.port));
  if (!std::filesystem::is_regular_file(options.scenario))
    throw chasles::Error(
        options.scenario +
        ": there is no such file; chasles serve takes a scenario that it can read again");
  const CatchInterrupt guard;
  Served served(options.scenario, options.paused);
  LocalServer server(options.port, [&](const auto& request) { return served.answer(request); });
  fmt::print("{} runs at\n  {}\nThe page follows the file. Ctrl-C ends.\n", options.scenario,
             server.address());
  std::fflush(stdout);
  while (interrupted == 0) {
    usleep(100'000);
    served.watch();
  }
}

}  // namespace

void add_serve(Command program) {
  const Command command = program.add_command(
      "serve", "Run a scenario live in a page of this machine, which follows its file");
  const auto options = std::make_shared<ServeOptions>();
  command.add_option("SCENARIO", options->scenario, "Scenario file, .yaml or .json").required();
  command.add_option("--port", options->port, "Of 127.0.0.1; default: any that is free");
  command.add_flag("--paused", options->paused, "Wait for the page to start it");
  command.footer(
      "Only this machine can open the page, and only with the token in its address. In the page "
      "bodies\n"
      "are pulled by a spring, every number of the scenario has a slider, and the scenario with "
      "these\n"
      "numbers can be copied back.");
  command.callback([=] { serve(*options); });
}
