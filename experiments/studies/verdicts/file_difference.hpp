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

/// \returns whether two lines have the same words, and numbers that differ by no more than rounding of the largest
/// number in the line, or by 1e-14 in a start (q0, v0): sines of another compiler move the last digits of what a
/// mechanism places with them, and make 5e-18 of a zero beside a length.
bool equal_but_for_rounding(std::string_view a, std::string_view b);

/// \returns whether that holds of all lines of two files; false where one cannot be read.
bool files_equal_but_for_rounding(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace mbdbench::studies
