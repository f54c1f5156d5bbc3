#pragma once
/// \file
/// JSON files of a run, and JSON that others have written.
#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace mbdbench {

/// Levels of objects and lists that are read: ours have five. What compares or writes JSON calls itself for each.
inline constexpr std::size_t kDeepestJson = 32;

/// \returns what `write_json` writes.
std::string json_text(const nlohmann::ordered_json& json);

/// Replaces the file at once; names that are not UTF-8 get replacement characters. \throws FileError
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json);

/// \returns whether no level of the text lies deeper than `kDeepestJson`; looked at before it is parsed.
bool is_shallow_json(std::string_view text);

/// \returns what the text holds; a discarded value where it is no JSON or too deep.
nlohmann::json json_or_discarded(std::string_view text);

/// \returns what the file holds, with its keys in order; a discarded value where it cannot be read, is no JSON or too
/// deep.
nlohmann::ordered_json json_in(const std::filesystem::path& file);

}  // namespace mbdbench
