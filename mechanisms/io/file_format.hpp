#pragma once
/// \file
/// Versions of file formats: older ones are read, newer ones refused. docs/developing/compatibility.md says which
/// change of a format needs a new number.
#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace mbdbench {

/// Of a mechanism's TOML file, of a study's, and of the files in a folder of results. A file without a number has 1.
inline constexpr int kMechanismFormat = 1;
inline constexpr int kStudyFormat = 1;
inline constexpr int kResultFormat = 1;

/// \returns why a file of this format cannot be read, and what to do; empty where it can.
std::string format_refusal(double format, int newest);

/// Takes the key `format` out of the table of a file. \throws FileError with the line, for one that is not known
void take_format(toml::table& table, std::string_view file, int newest);

}  // namespace mbdbench
