#include "experiments/files/shipped_file.hpp"

#include <algorithm>
#include <system_error>

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudies = "experiments/studies";

}  // namespace

std::optional<fs::path> shipped_file(const fs::path& name) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = program.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    for (const fs::path& candidate : {folder / name, folder / "share/mbdbench" / name}) {
      if (fs::exists(candidate, error)) {
        return candidate;
      }
    }
    if (folder == folder.root_path()) {
      break;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> shipped_study(const std::string& name) {
  const std::vector<std::string> known = shipped_studies();
  const bool found = std::find(known.begin(), known.end(), name) != known.end();
  return found ? shipped_file(fs::path(kStudies) / (name + ".toml")) : std::nullopt;
}

std::vector<std::string> shipped_studies() {
  std::vector<std::string> names;
  const std::optional<fs::path> folder = shipped_file(kStudies);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.value_or(""), error)) {
    if (entry.path().extension() == ".toml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace mbdbench
