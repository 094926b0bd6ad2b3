#pragma once

#include <chasles/io/mechanism_file.hpp>
#include <chasles/model/model.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"

/// The model argument that most commands share: `MODEL [--floating-base] [--model NAME] [--package NAME=FOLDER]
/// [--allow-outside]`.
struct ModelInput {
  std::string path, model;
  std::vector<std::string> packages;
  bool floating_base = false, allow_outside = false;

  /// Adds its options to a command; the result lives as long as the command's callback holds it.
  static std::shared_ptr<ModelInput> add_to(Command command);
  /// The same, but MODEL may be left out; then `path` is empty.
  /// @param otherwise  what is taken instead, for help
  static std::shared_ptr<ModelInput> add_optional_to(Command command, const std::string& otherwise);
  /// How the file is to be read.
  /// @throws Error for a package without a folder
  chasles::ReadOptions options(std::vector<std::string>& warnings, bool appearance = false) const;
  /// Reads the description; warnings go to stderr.
  /// @param appearance  what bodies look like is read, too
  chasles::Mechanism read_mechanism(bool appearance = false) const;
  /// Reads and compiles.
  chasles::Model read(const std::optional<chasles::Vec3>& gravity = {}) const;
};

/// `--loops closed|open`, for commands that compute with loops and couplings; empty: as the model or scenario says.
void add_loops_option(Command command, std::string& loops);

/// A note for models with loops: results are those of the tree, with its loops open. Empty: no loops.
std::string open_loops(const chasles::Model& model);
