#include "mechanisms/io/text/source_lines.hpp"

namespace mbdbench {

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

}  // namespace mbdbench
