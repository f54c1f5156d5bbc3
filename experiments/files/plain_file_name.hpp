#pragma once
/// \file
/// Names of files made from texts of any length and with any letters: labels, formulations with their options.
#include <string>
#include <string_view>

namespace mbdbench {

/// \returns the text with letters, digits, '-', '_' and '.' as they are and '_' for all else; of a text of more than a
/// hundred bytes the beginning and a digest of the whole, since systems take names of up to 255 bytes with all endings.
std::string plain_file_name(std::string_view text);

}  // namespace mbdbench
