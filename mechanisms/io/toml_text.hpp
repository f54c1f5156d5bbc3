#pragma once
/// \file
/// TOML from files that anybody may have written: mechanisms and studies.
#include <toml++/toml.h>

#include <string_view>

namespace mbdbench {

/// Levels of tables and lists that a file may have: ours need six. The parser and whoever walks over its tables call
/// themselves for every level, and would use up the stack.
inline constexpr std::size_t kDeepestToml = 32;

/// Parses a text whose depth has been checked before, and whose keys and strings hold no unseen characters.
/// \param file_name for messages
/// \throws FileError with the line: too deep, no TOML, characters that terminals obey (visible_text.hpp)
toml::table parse_toml(std::string_view text, std::string_view file_name);

}  // namespace mbdbench
