#include "experiments/studies/verdicts/comparison/file_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
// And of places, where the mechanism's lengths say what is small: 1e-14 of the largest.
constexpr double kSmallestPlace = 1e-2;
constexpr std::array<std::string_view, 8> kPlaces = {"com",    "frame_a", "frame_b", "frame1",
                                                     "frame2", "point",   "point1",  "point2"};

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

double largest_of(const SplitLine& line) {
  double largest = 0.0;
  for (const double number : line.numbers) {
    largest = std::max(largest, std::abs(number));
  }
  return largest;
}

/// \returns the key of a line that places something; empty of every other line.
std::string_view place_of(std::string_view line) {
  const auto* const found = std::find_if(kPlaces.begin(), kPlaces.end(), [line](std::string_view key) {
    return line.starts_with(key) && line.substr(key.size()).starts_with(" = ");
  });
  return found == kPlaces.end() ? std::string_view() : *found;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// \returns the largest length in the lines that place something. Quaternions there are of size one.
double length_in(const std::vector<std::string>& lines) {
  double largest = 0.0;
  for (const std::string& line : lines) {
    if (!place_of(line).empty()) {
      largest = std::max(largest, largest_of(split_line(line.substr(0, line.find("rotation")))));
    }
  }
  return largest;
}

/// \returns whether a line says no more than its absence would, but for rounding, where another line stands in its
/// place.
bool may_be_missing(std::string_view line, std::string_view other, double length) {
  const std::string_view place = place_of(line);
  return !place.empty() && place != place_of(other) &&
         largest_of(split_line(line)) <= kLastDigitsOfInputs * kSmallestPlace * length;
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

bool equal_but_for_rounding(std::string_view a, std::string_view b, double length) {
  if (a == b) {
    return true;
  }
  const SplitLine left = split_line(a);
  const SplitLine right = split_line(b);
  if (left.words != right.words || left.numbers.size() != right.numbers.size()) {
    return false;
  }
  const bool is_start = left.words.starts_with("q0 = ") || left.words.starts_with("v0 = ");
  const double smallest = is_start ? kSmallestStart : place_of(a).empty() ? 0.0 : kSmallestPlace * length;
  const double largest = std::max({smallest, largest_of(left), largest_of(right)});
  return std::equal(left.numbers.begin(), left.numbers.end(), right.numbers.begin(),
                    [largest](double x, double y) { return std::abs(x - y) <= kLastDigitsOfInputs * largest; });
}

std::string first_difference_beyond_rounding(const fs::path& a, const fs::path& b) {
  const std::vector<std::string> before = lines_of(a);
  const std::vector<std::string> after = lines_of(b);
  const double length = std::max(length_in(before), length_in(after));
  const auto line_at = [](const std::vector<std::string>& lines, std::size_t i) {
    return i < lines.size() ? lines[i] : std::string("(end)");
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    const std::string left = line_at(before, i);
    const std::string right = line_at(after, j);
    if (i < before.size() && j < after.size() && equal_but_for_rounding(left, right, length)) {
      ++i;
      ++j;
    } else if (may_be_missing(left, right, length)) {
      ++i;
    } else if (may_be_missing(right, left, length)) {
      ++j;
    } else {
      return fmt::format("line {}: {} -> {}", i + 1, left, right);
    }
  }
  return {};
}

bool files_equal_but_for_rounding(const fs::path& a, const fs::path& b) {
  // Large mechanisms have no file, and a folder opens as an empty one.
  return fs::is_regular_file(a) && fs::is_regular_file(b) && std::ifstream(a) && std::ifstream(b) &&
         first_difference_beyond_rounding(a, b).empty();
}

}  // namespace mbdbench::studies
