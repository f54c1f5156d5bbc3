#include "mechanisms/model/description/visible_text.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace mbdbench {
namespace {

/// A character where it begins: its code point and how many bytes it takes.
struct Character {
  unsigned code = 0;
  std::size_t length = 1;
};

/// \returns the character at this place; a byte that is no UTF-8 stands for itself.
Character character_at(std::string_view text, std::size_t place) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return place + i < text.size() ? static_cast<unsigned char>(text[place + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const auto bits = [&](std::size_t i) { return byte(i) & 0x3FU; };
  if (byte(0) >= 0xC2U && byte(0) <= 0xDFU && follows(1)) {
    return {(byte(0) & 0x1FU) << 6U | bits(1), 2};
  }
  if (byte(0) >= 0xE0U && byte(0) <= 0xEFU && follows(1) && follows(2)) {
    return {(byte(0) & 0x0FU) << 12U | bits(1) << 6U | bits(2), 3};
  }
  if (byte(0) >= 0xF0U && byte(0) <= 0xF4U && follows(1) && follows(2) && follows(3)) {
    return {(byte(0) & 0x07U) << 18U | bits(1) << 12U | bits(2) << 6U | bits(3), 4};
  }
  return {byte(0), 1};
}

bool is_unseen(const Character& character) {
  const unsigned code = character.code;
  const auto within = [code](unsigned first, unsigned last) { return code >= first && code <= last; };
  if (within(0x00, 0x1F)) {
    return code != '\n' && code != '\t';
  }
  // Of other encodings only the bytes that are control characters there as well.
  return within(0x7F, 0x9F) ||
         (character.length > 1 && (within(0x200E, 0x200F) || within(0x2028, 0x202E) || within(0x2066, 0x2069)));
}

/// Files from other systems end their lines with two characters.
bool ends_line(std::string_view text, std::size_t place) {
  return text.substr(place, 2) == "\r\n";
}

}  // namespace

std::string unseen_character(std::string_view text, Lines lines) {
  std::size_t letter = 1;
  for (std::size_t place = 0; place < text.size(); ++letter) {
    const Character character = character_at(text, place);
    if (is_unseen(character) && !ends_line(text, place)) {
      return fmt::format(
          "holds the control character U+{:04X} at letter {}, which is invisible and which terminals obey; "
          "take it out",
          character.code, letter);
    }
    if (character.code == '\n' && lines == Lines::one) {
      return fmt::format("holds a line break at letter {}; it must be one line", letter);
    }
    place += character.length;
  }
  return {};
}

std::string visible_text(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  for (std::size_t place = 0; place < text.size();) {
    const Character character = character_at(text, place);
    if (is_unseen(character) && !ends_line(text, place)) {
      visible += fmt::format("\\u{:04x}", character.code);
    } else {
      visible += text.substr(place, character.length);
    }
    place += character.length;
  }
  return visible;
}

}  // namespace mbdbench
