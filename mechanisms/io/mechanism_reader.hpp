#pragma once
/// \file
/// Mechanisms from TOML files, and from those of robots where a name ends in .urdf, .xml or .mjcf;
/// docs/using/mechanisms/mechanisms.md describes all.
#include <filesystem>
#include <string_view>

#include "mechanisms/io/file_error.hpp"
#include "mechanisms/io/robot_options.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Reads what the file says; whether it makes sense as a mechanism is left to `Mechanism`.
/// \param options of robots' files; a TOML file takes none
/// \throws FileError with the line and what would be right: syntax, unknown or missing keys, wrong types and sizes.
MechanismDescription read_mechanism(const std::filesystem::path& path, const RobotOptions& options = {});

/// The same from a text. \param file_name for messages
MechanismDescription parse_mechanism(std::string_view text, std::string_view file_name,
                                     const RobotOptions& options = {});

/// Reads and builds a mechanism. \throws FileError where it cannot be read, or is no usable mechanism.
Mechanism load_mechanism(const std::filesystem::path& path, const RobotOptions& options = {});

/// The same from a text. \param file_name for messages
Mechanism load_mechanism(std::string_view text, std::string_view file_name, const RobotOptions& options = {});

}  // namespace mbdbench
