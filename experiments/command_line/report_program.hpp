#pragma once
/// \file
/// Tables, figures and report of a study, which plots/make_all.py makes.
#include <filesystem>

namespace mbdbench::studies {

/// Starts the plots' program on a directory of results: the one below a parent of this program (a checkout) or in
/// share/mbdbench beside it (an installation). Where there is none, or it fails, says what to do: the records are
/// complete without it. \returns whether the report is whole
bool make_report(const std::filesystem::path& output);

}  // namespace mbdbench::studies
