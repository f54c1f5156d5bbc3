#include "experiments/studies/verdicts/file_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <vector>

namespace mbdbench::studies {
namespace {

namespace fs = std::filesystem;

// Some hundred operations make a coordinate. A file that somebody changed differs by more.
constexpr double kLastDigitsOfInputs = 1e-12;
// Of starts a line has one joint, often at zero: there 1e-14 rad, m or as much a second is no start of its own.
constexpr double kSmallestStart = 1e-2;

/// A line as its numbers and all else.
struct SplitLine {
  std::string words;  ///< with a mark in place of every number
  std::vector<double> numbers;
};

/// Digits of a name ("joint1") are no number.
bool continues_a_name(char before) {
  return std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_' || before == '.';
}

SplitLine split_line(std::string_view line) {
  SplitLine found;
  std::size_t i = 0;
  while (i < line.size()) {
    double value = 0.0;
    const char* const start = line.data() + i;
    const bool may_start = i == 0 || !continues_a_name(line[i - 1]);
    const bool looks_like_one = std::isdigit(static_cast<unsigned char>(line[i])) != 0 || line[i] == '-';
    const auto [end, error] = may_start && looks_like_one ? std::from_chars(start, line.data() + line.size(), value)
                                                          : std::from_chars_result{start, std::errc::invalid_argument};
    if (error == std::errc() && std::isfinite(value)) {
      found.words += '#';
      found.numbers.push_back(value);
      i += static_cast<std::size_t>(end - start);
    } else {
      found.words += line[i++];
    }
  }
  return found;
}

}  // namespace

std::string first_difference(const fs::path& a, const fs::path& b) {
  std::ifstream before(a);
  std::ifstream after(b);
  std::string left;
  std::string right;
  for (std::size_t line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(before, left));
    const bool more_after = static_cast<bool>(std::getline(after, right));
    if (!more && !more_after) {
      return {};
    }
    if (more != more_after || left != right) {
      return fmt::format("line {}: {} -> {}", line, more ? left : "(end)", more_after ? right : "(end)");
    }
  }
}

bool equal_but_for_rounding(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  const SplitLine left = split_line(a);
  const SplitLine right = split_line(b);
  if (left.words != right.words || left.numbers.size() != right.numbers.size()) {
    return false;
  }
  double largest = left.words.starts_with("q0 = ") || left.words.starts_with("v0 = ") ? kSmallestStart : 0.0;
  for (const SplitLine* const line : {&left, &right}) {
    for (const double number : line->numbers) {
      largest = std::max(largest, std::abs(number));
    }
  }
  return std::equal(left.numbers.begin(), left.numbers.end(), right.numbers.begin(),
                    [largest](double x, double y) { return std::abs(x - y) <= kLastDigitsOfInputs * largest; });
}

bool files_equal_but_for_rounding(const fs::path& a, const fs::path& b) {
  // Large mechanisms have no file, and a folder opens as an empty one.
  if (!fs::is_regular_file(a) || !fs::is_regular_file(b)) {
    return false;
  }
  std::ifstream before(a);
  std::ifstream after(b);
  if (!before || !after) {
    return false;
  }
  std::string left;
  std::string right;
  while (std::getline(before, left)) {
    if (!std::getline(after, right) || !equal_but_for_rounding(left, right)) {
      return false;
    }
  }
  return !std::getline(after, right);
}

}  // namespace mbdbench::studies
