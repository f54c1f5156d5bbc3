#pragma once
/// \file
/// The text of a file that somebody names: no folder, no device, no stream without end.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace mbdbench {

/// Of mechanisms, studies and states, bytes: a mechanism of a million bodies has as many.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 28U;

/// \param wanted what it should be, for messages: "a mechanism file (.toml, .urdf)"
/// \throws FileError for folders, devices, files that cannot be opened or read to their end and those with more than
/// `kLargestFile` bytes
std::string read_file_text(const std::filesystem::path& path, std::string_view wanted);

}  // namespace mbdbench
