#include "experiments/files/shipped_file.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array kStudyFolders = {"experiments/studies", "experiments/studies/papers"};

/// Calls visit(path) with every declaration that comes with the program.
template <typename Visit>
void visit_studies(const Visit& visit) {
  for (const char* const folder : kStudyFolders) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(shipped_file(folder).value_or(""), error)) {
      if (entry.path().extension() == ".toml") {
        visit(entry.path());
      }
    }
  }
}

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
  std::optional<fs::path> found;
  visit_studies([&](const fs::path& file) {
    if (file.stem() == name) {
      found = file;
    }
  });
  return found;
}

std::vector<std::string> shipped_studies() {
  std::vector<std::string> names;
  visit_studies([&](const fs::path& file) { names.push_back(file.stem().string()); });
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace mbdbench
