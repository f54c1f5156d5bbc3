#pragma once
/// \file
/// What the program tells a person, whatever it has to quote.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {

/// Writes a message to standard error. File names and texts of others may stand in it: what terminals obey is written
/// out. Where standard error is full or closed the message is lost, never the work that it is about.
template <class... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = visible_text(fmt::format(format, std::forward<Arguments>(arguments)...));
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

/// Prints plain text, without colours, to standard output, likewise. \throws std::system_error where it is full
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print("{}", visible_text(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

/// \returns "1 part", "2 parts". \param noun with a plural in s
template <class Count>
std::string counted(Count count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace mbdbench
