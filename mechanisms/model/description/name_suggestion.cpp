#include "mechanisms/model/description/name_suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace mbdbench {
namespace {

/// Restricted Damerau-Levenshtein distance, three rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  constexpr std::size_t kMostEdits = 2;
  std::string nearest;
  std::size_t smallest = kMostEdits + 1;
  for (const std::string& name : known) {
    const std::size_t longer = std::max(name.size(), wrong.size());
    if (longer - std::min(name.size(), wrong.size()) > kMostEdits) {
      continue;
    }
    const std::size_t distance = edit_distance(wrong, name);
    if (distance < smallest && 2 * distance < longer) {
      smallest = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string suggest_name(std::string_view wrong, const std::vector<std::string>& known, std::string_view noun) {
  constexpr std::size_t kMost = 24;
  const std::string nearest = nearest_name(wrong, known);
  const std::string question = nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", nearest);
  if (known.empty()) {
    return fmt::format("{}there are no {}", question, noun);
  }
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMost));
  return fmt::format("{}{}: {}{}", question, noun, fmt::join(known.begin(), end, ", "),
                     known.size() > kMost ? ", ..." : "");
}

}  // namespace mbdbench
