#include "mechanisms/io/text/source_lines.hpp"

#include <utility>

namespace mbdbench {
namespace {

// More lines than a file can have.
constexpr std::size_t kNextFile = std::size_t{1} << 40U;

}  // namespace

void SourceLines::note(const ElementReference& where, std::size_t line) {
  lines_[{where.section, where.index, where.key}] = line;
}

std::size_t SourceLines::line_of(const ElementReference& where) const {
  std::string key = where.key;
  while (true) {
    const auto found = lines_.find({where.section, where.index, key});
    if (found != lines_.end()) {
      return found->second;
    }
    if (key.empty()) {
      return 1;
    }
    const std::size_t outer = key.find_last_of(".[");
    key.resize(outer == std::string::npos ? 0 : outer);
  }
}

std::size_t SourceLines::add_included(std::string file) {
  included_.push_back(std::move(file));
  return included_.size() * kNextFile;
}

std::pair<std::string, std::size_t> SourceLines::place(std::string_view first, std::size_t line) const {
  const std::size_t file = line / kNextFile;
  return {file == 0 ? std::string(first) : included_[file - 1], line % kNextFile};
}

}  // namespace mbdbench
