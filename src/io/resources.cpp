#include "io/resources.hpp"

#include <algorithm>
#include <cstdlib>

namespace chasles::io {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// NAME/PATH whose `..` stay in NAME; empty otherwise.
fs::path contained(const fs::path& inside) {
  const fs::path plain = inside.lexically_normal();
  if (plain.is_absolute() || plain.empty() || *plain.begin() != *inside.begin()) return {};
  return *plain.begin() == ".." || *plain.begin() == "." ? fs::path{} : plain;
}

}  // namespace

std::vector<fs::path> folders_of(std::initializer_list<const char*> variables) {
  std::vector<fs::path> folders;
  for (const char* variable : variables) {
    const char* value = std::getenv(variable);
    std::string_view rest = value == nullptr ? "" : value;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return folders;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (error) return false;
  const fs::path outer = fs::weakly_canonical(folder.empty() ? "." : folder, error);
  if (error) return false;
  const fs::path relative = real.lexically_relative(outer);
  return !relative.empty() && *relative.begin() != "..";
}

std::optional<fs::path> find_named(const fs::path& inside, const std::vector<fs::path>& folders,
                                   const fs::path& beside) {
  const fs::path plain = contained(inside);
  if (plain.empty()) return std::nullopt;
  for (const fs::path& folder : folders)
    if (is_there(folder / plain)) return folder / plain;
  if (beside.empty()) return std::nullopt;
  std::error_code error;
  fs::path above = fs::absolute(beside, error);
  if (error) return std::nullopt;
  for (;; above = above.parent_path()) {
    if (is_there(above / plain)) return above / plain;
    if (above == above.parent_path()) return std::nullopt;
  }
}

std::optional<fs::path> find_in_package(const std::string& inside, const ReadOptions& options,
                                        const fs::path& beside) {
  const fs::path plain = contained(inside);
  if (plain.empty()) return std::nullopt;
  const std::string name = plain.begin()->string();
  const fs::path rest = plain.lexically_relative(name);
  for (const auto& [package, folder] : options.packages)
    if (package == name) return folder / rest;  // named by the user: reported even if missing
  std::vector<fs::path> folders;
  for (const fs::path& folder : folders_of({"ROS_PACKAGE_PATH"})) {
    folders.push_back(folder);
    const fs::path last = folder.has_filename() ? folder : folder.parent_path();
    if (last.filename() == name) folders.push_back(last.parent_path());
  }
  for (const fs::path& prefix : folders_of({"AMENT_PREFIX_PATH"}))
    folders.push_back(prefix / "share");
  return find_named(plain, folders, beside);
}

std::filesystem::path find_mesh(const std::string& name, const ReadOptions& options,
                                const std::filesystem::path& folder) {
  if (name.starts_with("file://")) return name.substr(7);
  constexpr std::string_view package = "package://";
  if (!name.starts_with(package)) return folder / name;
  const std::string inside = name.substr(package.size());
  return find_in_package(inside, options, folder).value_or(folder / inside);
}

}  // namespace chasles::io
