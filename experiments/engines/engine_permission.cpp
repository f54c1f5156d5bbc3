#include "experiments/engines/engine_permission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>

namespace mbdbench {
namespace {

struct Permissions {
  std::mutex mutex;
  std::set<std::string, std::less<>> commands;
};

Permissions& permissions() {
  static Permissions all;
  return all;
}

bool stands_in_list(const std::string& command) {
  std::ifstream stream(trusted_engines_file());
  for (std::string line; std::getline(stream, line);) {
    if (line == command) {
      return true;
    }
  }
  return false;
}

std::string how_to_permit() {
  const std::string file = trusted_engines_file();
  return fmt::format("--allow-engines starts them{}; docs/using/engines.md",
                     file.empty() ? "" : fmt::format(", and a line in {} trusts a command for good", file));
}

void require_plain(const std::string& file, const std::string& command) {
  // What moves the cursor could show another command than the one that is started.
  if (std::any_of(command.begin(), command.end(), [](unsigned char letter) { return letter < ' ' || letter == 127; })) {
    throw EngineNotPermitted(fmt::format("{}: the command of an engine holds control characters", file));
  }
}

}  // namespace

void permit_engine(std::string_view command) {
  const std::lock_guard lock(permissions().mutex);
  permissions().commands.emplace(command);
}

void permit_typed_engines(int argument_count, const char* const* arguments) {
  constexpr std::string_view kProgram = "program=";
  for (int i = 1; i < argument_count; ++i) {
    const std::string_view word = arguments[i];
    const std::size_t start = word.find(kProgram);
    if (start != std::string_view::npos) {
      const std::string_view command = word.substr(start + kProgram.size());
      permit_engine(command.substr(0, command.find_first_of(",]")));
    }
  }
}

bool engine_permitted(const std::string& command) {
  {
    const std::lock_guard lock(permissions().mutex);
    if (permissions().commands.contains(command)) {
      return true;
    }
  }
  return stands_in_list(command);
}

std::string trusted_engines_file() {
  const char* const configuration = std::getenv("XDG_CONFIG_HOME");
  if (configuration != nullptr && *configuration == '/') {
    return std::string(configuration) + "/mbdbench/trusted_engines";
  }
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/mbdbench/trusted_engines" : "";
}

void require_permitted(const std::string& command) {
  if (!engine_permitted(command)) {
    throw EngineNotPermitted(
        fmt::format("the command '{}' comes from a file and is not started; {}", command, how_to_permit()));
  }
}

std::string engine_command(const FormulationEntry& entry, std::string_view options) {
  if (entry.source != "engine") {
    return {};
  }
  return parse_parameters(entry.options, options, entry.key).text("program");
}

void announce_engines(const std::string& file, const std::map<std::string, std::string>& commands, bool allow) {
  std::string refused;
  for (const auto& [name, command] : commands) {
    require_plain(file, command);
    if (allow) {
      permit_engine(command);
    }
    const std::string line = fmt::format("  {}: {}\n", name, command);
    if (engine_permitted(command)) {
      fmt::print("{} starts the engine\n{}", file, line);
    } else {
      refused += line;
    }
  }
  if (!refused.empty()) {
    throw EngineNotPermitted(
        fmt::format("{}: wants to start programs of its own, which could do all that you can:\n{}{}", file, refused,
                    how_to_permit()));
  }
}

}  // namespace mbdbench
