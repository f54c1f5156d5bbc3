#pragma once
/// \file
/// Two text files of results line by line.
#include <filesystem>
#include <string>
#include <string_view>

namespace mbdbench::studies {

/// \returns "line 14: stiffness = 15 -> stiffness = 16", the first line in which two files differ; empty where they do
/// not.
std::string first_difference(const std::filesystem::path& a, const std::filesystem::path& b);

/// \param length largest length that places something in the file, m; 0 of a line by itself
/// \returns whether two lines have the same words, and numbers that differ by no more than rounding of the largest
/// number in the line, by 1e-14 in a start (q0, v0), or by 1e-14 of that length in a place (com, frames, points): sines
/// of another compiler move the last digits of what a mechanism places with them, and make 5e-18 of a zero.
bool equal_but_for_rounding(std::string_view a, std::string_view b, double length = 0.0);

/// As `first_difference`, the first line that differs by more than that. Mechanism files leave out what lies at zero,
/// so that a line of a place may be missing in one where it is rounding of zero in the other.
std::string first_difference_beyond_rounding(const std::filesystem::path& a, const std::filesystem::path& b);

/// \returns whether there is none; false where one cannot be read.
bool files_equal_but_for_rounding(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace mbdbench::studies
