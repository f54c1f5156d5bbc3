#pragma once
/// \file
/// JSON files of a run.
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace mbdbench {

/// Replaces the file at once; names that are not UTF-8 get replacement characters. \throws FileError
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json);

}  // namespace mbdbench
