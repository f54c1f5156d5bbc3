#pragma once
/// \file
/// Checks of option values whose messages say what would be right.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>

namespace mbdbench {

/// \returns a check for a whole number in a range: "must be a whole number from 1 to 1024".
CLI::Validator integer_from(std::int64_t least, std::int64_t most);

/// \returns a check for a finite number in a range: "must be a number from 0 to 100".
CLI::Validator number_from(double least, double most);

/// \throws std::invalid_argument where a file is there that shall not be replaced
void require_free(const std::filesystem::path& file, bool overwrite);

/// Adds --overwrite, in one wording for every command that writes a folder of results.
void add_overwrite_flag(CLI::App& command, bool& overwrite);

}  // namespace mbdbench
