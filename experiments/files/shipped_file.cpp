#include "experiments/files/shipped_file.hpp"

#include <system_error>

namespace mbdbench {

namespace fs = std::filesystem;

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

}  // namespace mbdbench
