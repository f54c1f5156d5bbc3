#pragma once
/// \file
/// Which files of a folder are results: only what has the name of one may be removed.
#include <filesystem>
#include <string>

namespace mbdbench {

/// \returns a file directly in the folder that has the name of a result, other than provenance.json; empty if there is
/// none.
std::string result_in(const std::filesystem::path& folder);

/// Removes the results of every command, figures and tables as `figures_and_tables.json` lists them. Files with other
/// names stay, with the folders around them. \returns the folders of results that still hold some, as "figures, tables"
std::string remove_results(const std::filesystem::path& folder);

/// The same of one of these folders: "inputs".
void remove_results(const std::filesystem::path& folder, const std::string& inner);

}  // namespace mbdbench
