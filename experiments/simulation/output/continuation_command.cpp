#include "experiments/simulation/output/continuation_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

namespace mbdbench {
namespace {

namespace fs = std::filesystem;

/// \returns the word as a shell takes it.
std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kHarmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=,";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char letter : word) {
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return text + "'";
}

}  // namespace

std::string continuation_command(const SimulateRequest& request, const char* state) {
  const fs::path directory = (fs::path(request.output) / "").lexically_normal().parent_path();
  std::string command = fmt::format("mbdbench simulate --restart {} --time {}",
                                    shell_quoted((directory / state).string()), shell_quoted(request.time));
  if (request.max_evaluations) {
    command += fmt::format(" --max-evaluations {}", *request.max_evaluations);
  }
  command += request.reactions ? " --reactions" : "";
  return command + " --output " + shell_quoted(directory.string() + "-continued");
}

}  // namespace mbdbench
