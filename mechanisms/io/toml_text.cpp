#include "mechanisms/io/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {
namespace {

/// Counts levels as the parser will make them: one for every open bracket and for every dot of a key before it. A dot
/// of a number is counted too, which is one too many at most. Strings and comments are passed over; where they are
/// malformed, the parser stops at the same place.
class TomlDepth {
 public:
  TomlDepth(std::string_view text, std::string_view file_name) : text_(text), file_name_(file_name) {}

  void require_shallow() {
    while (place_ < text_.size()) {
      take();
    }
  }

 private:
  void take() {
    const char letter = text_[place_];
    switch (letter) {
      case '#':
        place_ = std::min(text_.find('\n', place_), text_.size());
        return;
      case '"':
      case '\'':
        pass_string(letter);
        line_is_new_ = false;
        return;
      case '\n':
        ++line_;
        // Lists go on over lines; a key, a header or an inline table ends with its own.
        if (!in_list()) {
          dots_.assign(1, 0);
          brackets_.clear();
          if (is_header_) {
            header_ = header_dots_;
          }
          is_header_ = false;
          line_is_new_ = true;
        }
        break;
      case '[':
      case '{':
        open(letter);
        break;
      case ']':
      case '}':
        close();
        break;
      case ',':
        dots_.back() = 0;
        break;
      case '.':
        ++dots_.back();
        header_dots_ += is_header_ ? 1 : 0;
        break;
      default:
        break;
    }
    line_is_new_ = line_is_new_ && (letter == '\n' || letter == ' ' || letter == '\t' || letter == '\r');
    require_level();
    ++place_;
  }

  /// Multi-line strings have three quotes; in basic strings a backslash takes the next letter.
  void pass_string(char quote) {
    const std::string three(3, quote);
    const bool long_string = text_.substr(place_, 3) == three;
    place_ += long_string ? 3 : 1;
    while (place_ < text_.size()) {
      if (long_string ? text_.substr(place_, 3) == three : text_[place_] == quote || text_[place_] == '\n') {
        // Up to two quotes may stand before the three that end it.
        while (long_string && place_ + 3 < text_.size() && text_[place_ + 3] == quote) {
          ++place_;
        }
        place_ += long_string ? 3 : text_[place_] == quote ? 1 : 0;
        return;
      }
      line_ += text_[place_] == '\n' ? 1 : 0;
      if (quote == '"' && text_[place_] == '\\' && place_ + 1 < text_.size()) {
        ++place_;
        line_ += text_[place_] == '\n' ? 1 : 0;
      }
      ++place_;
    }
  }

  [[nodiscard]] bool in_list() const { return !is_header_ && !brackets_.empty(); }

  void open(char letter) {
    if (line_is_new_ && !in_list() && letter == '[') {
      is_header_ = true;
      header_ = 0;
      header_dots_ = 0;
      dots_.assign(1, 0);
    }
    brackets_.push_back(letter);
    dots_.push_back(0);
  }

  void close() {
    if (!brackets_.empty()) {
      brackets_.pop_back();
      dots_.pop_back();
    }
  }

  void require_level() const {
    std::size_t level = header_ + brackets_.size();
    for (const std::size_t dots : dots_) {
      level += dots;
    }
    if (level > kDeepestToml) {
      throw FileError(file_name_, line_,
                      fmt::format("is nested deeper than {} levels; tables and lists of ours need six", kDeepestToml));
    }
  }

  std::string_view text_;
  std::string_view file_name_;
  std::size_t place_ = 0;
  std::size_t line_ = 1;
  bool line_is_new_ = true;
  bool is_header_ = false;
  std::size_t header_ = 0;       ///< dots of the last header, in whose table the keys are
  std::size_t header_dots_ = 0;  ///< of the header that is being read
  std::vector<char> brackets_;
  std::vector<std::size_t> dots_ = {0};  ///< of the key at every level
};

void require_visible(const toml::node& node, std::string_view file_name);

void require_visible(const toml::table& table, std::string_view file_name) {
  for (const auto& [key, node] : table) {
    if (const std::string wrong = unseen_character(key.str(), Lines::one); !wrong.empty()) {
      throw FileError(file_name, key.source().begin.line,
                      fmt::format("the key \"{}\" {}", visible_text(key.str()), wrong));
    }
    require_visible(node, file_name);
  }
}

void require_visible(const toml::node& node, std::string_view file_name) {
  if (const toml::table* const table = node.as_table()) {
    require_visible(*table, file_name);
  } else if (const toml::array* const array = node.as_array()) {
    for (const toml::node& element : *array) {
      require_visible(element, file_name);
    }
  } else if (const auto* const text = node.as_string()) {
    if (const std::string wrong = unseen_character(text->get()); !wrong.empty()) {
      throw FileError(file_name, node.source().begin.line, fmt::format("a string {}", wrong));
    }
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view file_name) {
  TomlDepth(text, file_name).require_shallow();
  try {
    toml::table table = toml::parse(text, file_name);
    require_visible(table, file_name);
    return table;
  } catch (const toml::parse_error& error) {
    throw FileError(file_name, error.source().begin.line, visible_text(error.description()));
  }
}

}  // namespace mbdbench
