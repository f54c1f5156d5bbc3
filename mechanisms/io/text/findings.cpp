#include "mechanisms/io/text/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "mechanisms/io/file_error.hpp"

namespace mbdbench {
namespace {

// A file of 10^4 links may have an error in each; a reader of messages has seen enough of them after a screen or two.
constexpr std::size_t kMostErrors = 100;

}  // namespace

void Findings::error(std::size_t line, std::string message) {
  errors_.push_back({line, std::move(message)});
}

bool Findings::enough() const {
  return errors_.size() > kMostErrors;
}

void Findings::throw_if_failed(std::string_view file_name, const SourceLines& lines) const {
  if (errors_.empty()) {
    return;
  }
  std::vector<Error> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Error& a, const Error& b) { return a.line < b.line; });
  const auto same = [](const Error& a, const Error& b) {
    return std::tie(a.line, a.message) == std::tie(b.line, b.message);
  };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  const auto [first_file, first_line] = lines.place(file_name, sorted.front().line);
  if (sorted.size() == 1) {
    throw FileError(first_file, first_line, sorted.front().message);
  }
  std::string text = fmt::format("{} errors", sorted.size());
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostErrors); ++i) {
    const auto [file, line] = lines.place(file_name, sorted[i].line);
    fmt::format_to(std::back_inserter(text), "\n{}:{}: {}", file, line, sorted[i].message);
  }
  if (sorted.size() > kMostErrors) {
    fmt::format_to(std::back_inserter(text), "\nand {} more", sorted.size() - kMostErrors);
  }
  throw FileError(first_file, first_line, text);
}

}  // namespace mbdbench
