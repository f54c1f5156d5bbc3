#include "mechanisms/model/available_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

// What a group without a limit reads as in version 1.
constexpr double kNoLimit = 1e18;

void keep_least(std::optional<double>& least, double value) {
  least = std::min(least.value_or(value), value);
}

/// \returns the number at the start of a file; nothing for "max" or no file.
std::optional<double> number_in(const fs::path& file) {
  std::ifstream stream(file);
  double value = 0.0;
  return stream >> value ? std::optional(value) : std::nullopt;
}

std::optional<double> machine_memory(const fs::path& root) {
  std::ifstream stream(root / "proc/meminfo");
  std::string name;
  double kibibytes = 0.0;
  std::string unit;
  while (stream >> name >> kibibytes && std::getline(stream, unit)) {
    if (name == "MemAvailable:") {
      return 1024.0 * kibibytes;
    }
  }
  return std::nullopt;
}

/// \returns the directories of the memory groups that hold this process, and of those around them.
std::vector<fs::path> group_directories(const fs::path& root) {
  const fs::path base = root / "sys/fs/cgroup";
  std::vector<fs::path> found = {base, base / "memory"};
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    // "0::/path" in version 2, "4:memory:/path" in version 1.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty() || controllers.find("memory") != std::string::npos) {
      const fs::path mount = controllers.empty() ? base : base / "memory";
      for (fs::path group = fs::path(line.substr(second + 1)).relative_path(); !group.empty();
           group = group.parent_path()) {
        found.push_back(mount / group);
      }
    }
  }
  return found;
}

}  // namespace

std::optional<double> available_memory(const fs::path& root) {
  std::optional<double> least = machine_memory(root);
  for (const fs::path& group : group_directories(root)) {
    for (const auto& [limit, usage] :
         {std::pair("memory.max", "memory.current"), {"memory.limit_in_bytes", "memory.usage_in_bytes"}}) {
      const std::optional<double> most = number_in(group / limit);
      if (most && *most < kNoLimit) {
        // Pages of files count as used, though they give way.
        keep_least(least, std::max(*most - number_in(group / usage).value_or(0.0), 0.5 * *most));
      }
    }
  }
  return least;
}

void require_available(double bytes, std::string_view what) {
  const std::optional<double> available = available_memory();
  if (available && bytes > *available) {
    throw MemoryRefusal(fmt::format("{} needs about {:.3g} GB of memory, and {:.3g} GB can be had; take a smaller one",
                                    what, 1e-9 * bytes, 1e-9 * *available));
  }
}

}  // namespace mbdbench
