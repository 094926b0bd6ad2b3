#include "report.hpp"

#include <filesystem>
#include <stdexcept>

#include "json.hpp"

ResultFile::ResultFile(const std::string& directory, const std::string& name)
    : path_((std::filesystem::path(directory) / name).string()) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  file_.open(path_);
  if (!file_) throw std::runtime_error(path_ + ": cannot be written");
}

void ResultFile::close() {
  if (!file_.flush()) throw std::runtime_error(path_ + ": writing failed");
}

void write_entries(const std::string& name, const std::vector<Entry>& entries,
                   const std::string& directory) {
  if (directory.empty()) return;
  to_json::Json rows = to_json::Json::array();
  for (const Entry& e : entries)
    rows.push_back({{"table", e.table},
                    {"row", e.row},
                    {"column", e.column},
                    {"printed", e.printed},
                    {"computed", e.computed}});
  ResultFile file(directory, name + ".json");
  file.stream() << to_json::Json{{"entries", rows}}.dump(1) << '\n';
  file.close();
}
