#pragma once
/// \file
/// Files that come with the program and are not compiled into it.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mbdbench {

/// \param name in the source tree, "plots/make_all.py", of which the program is a build, or below share/mbdbench of the
/// place where it is installed \returns where it lies; nothing where it does not
std::optional<std::filesystem::path> shipped_file(const std::filesystem::path& name);

/// \returns the declaration of a study that comes with the program, by its name ("long_runs").
std::optional<std::filesystem::path> shipped_study(const std::string& name);

/// \returns their names, sorted; empty where none came with it.
std::vector<std::string> shipped_studies();

}  // namespace mbdbench
