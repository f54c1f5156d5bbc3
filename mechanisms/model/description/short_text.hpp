#pragma once
/// \file
/// Quotations in messages: a formula of a thousand letters would hide what is wrong with it.
#include <string>
#include <string_view>

namespace mbdbench {

/// \returns the text; of a long one its beginning and its end, "..." between them.
inline std::string short_text(std::string_view text) {
  constexpr std::size_t kMost = 80;
  constexpr std::size_t kEnd = 20;
  if (text.size() <= kMost) {
    return std::string(text);
  }
  return std::string(text.substr(0, kMost - kEnd - 3)) + "..." + std::string(text.substr(text.size() - kEnd));
}

}  // namespace mbdbench
