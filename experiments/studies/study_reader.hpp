#pragma once
/// \file
/// Studies from TOML files; docs/studies.md describes the format.
#include <filesystem>

#include "experiments/command_line.hpp"
#include "experiments/studies/study.hpp"

namespace mbdbench::studies {

/// Reads a declaration, builds its mechanisms, reads its expectations.
/// \throws FileError with the line, what is wrong and what would be right
Study read_study(const Registries& registries, const std::filesystem::path& file);

}  // namespace mbdbench::studies
