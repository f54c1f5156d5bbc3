#include "experiments/terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

#include "experiments/terminal/started_by_launcher.hpp"

namespace mbdbench {
namespace {

ColourChoice colour_choice = ColourChoice::automatic;
bool wide_tables = false;

constexpr std::array<std::string_view, 6> kRed = {"FAILED",        "failed",          "not reproduced",
                                                  "does not hold", "mostly does not", "inaccurate"};
constexpr std::array<std::string_view, 5> kYellow = {"not measured", "by model", "mostly holds", "ill-conditioned",
                                                     "disturbed"};
constexpr std::array<std::string_view, 5> kGreen = {"exact", "within limit", "below the published error", "holds",
                                                    "passed"};

constexpr const char* kPlain = "\x1b[0m";

/// \returns the sequence that begins the colour of a word; nullptr for none.
const char* colour_of(std::string_view word) {
  const auto among = [word](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (among(kRed)) {
    return "\x1b[31m";
  }
  if (among(kYellow)) {
    return "\x1b[33m";
  }
  return among(kGreen) ? "\x1b[32m" : nullptr;
}

}  // namespace

void use_colours(std::string_view name) {
  if (name == "auto") {
    colour_choice = ColourChoice::automatic;
  } else if (name == "always" || name == "never") {
    colour_choice = name == "always" ? ColourChoice::always : ColourChoice::never;
  } else {
    throw std::invalid_argument(fmt::format("--color '{}': must be auto, always or never", name));
  }
}

void use_wide_tables(bool wanted) {
  wide_tables = wanted;
}

bool is_terminal(int descriptor) {
  return isatty(descriptor) == 1 && launcher_variable() == nullptr;
}

std::optional<std::size_t> terminal_columns(int descriptor) {
  if (!is_terminal(descriptor)) {
    return std::nullopt;
  }
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  std::size_t columns = 0;
  if (const char* const text = std::getenv("COLUMNS")) {
    const std::string_view digits(text);
    std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  }
  return columns > 0 ? columns : 80;
}

std::optional<std::size_t> table_columns() {
  return wide_tables ? std::nullopt : terminal_columns(STDOUT_FILENO);
}

bool wants_colours(ColourChoice choice, bool terminal) {
  if (choice != ColourChoice::automatic) {
    return choice == ColourChoice::always;
  }
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  return terminal && (no_colour == nullptr || *no_colour == '\0') &&
         !(kind != nullptr && std::string_view(kind) == "dumb");
}

std::string coloured(std::string_view text, std::string_view word) {
  const char* const colour = colour_of(word);
  if (colour == nullptr || !wants_colours(colour_choice, is_terminal(STDOUT_FILENO))) {
    return std::string(text);
  }
  return fmt::format("{}{}{}", colour, text, kPlain);
}

}  // namespace mbdbench
