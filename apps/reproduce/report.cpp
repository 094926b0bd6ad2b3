#include "report.hpp"

#include <filesystem>

#include "json.hpp"

namespace {

std::filesystem::path in_new_folder(const std::filesystem::path& folder, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // if it fails, opening the file says why
  return folder / name;
}

}  // namespace

ResultFile::ResultFile(const std::string& directory, const std::string& name)
    : file_(in_new_folder(directory, name)) {}

void ResultFile::close() {
  file_.write(text_.str());
  file_.commit();
}

void write_entries(const std::string& name, const std::vector<Entry>& entries,
                   const std::string& directory) {
  if (directory.empty()) return;
  Json rows = Json::array();
  for (const Entry& e : entries)
    rows.push_back({{"table", e.table},
                    {"row", e.row},
                    {"column", e.column},
                    {"printed", e.printed},
                    {"computed", e.computed}});
  ResultFile file(directory, name + ".json");
  file.stream() << Json{{"entries", rows}}.dump(1) << '\n';
  file.close();
}
