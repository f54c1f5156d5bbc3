#pragma once
/// \file
/// Numbers as users write them on the command line.
#include <string_view>
#include <utility>

namespace mbdbench {

/// \returns the finite number that the whole text stands for.
/// \param what for messages: "--rtol", "the end of --time"
/// \throws std::invalid_argument
double parse_number(std::string_view text, std::string_view what);

/// Splits `name=value`. \param option for messages: "--set"
/// \throws std::invalid_argument when a side is missing
std::pair<std::string_view, std::string_view> split_assignment(std::string_view text, std::string_view option);

}  // namespace mbdbench
