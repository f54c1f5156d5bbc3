#pragma once
/// \file
/// Studies from TOML files; docs/using/studies/studies.md describes the format.
#include <filesystem>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// Reads a declaration, builds its mechanisms, reads its expectations.
/// \param quick keys of its table [quick] stand in place of those of the study
/// \throws FileError with the line, what is wrong and what would be right
Study read_study(const Registries& registries, const std::filesystem::path& file, bool quick = false);

}  // namespace mbdbench::studies
