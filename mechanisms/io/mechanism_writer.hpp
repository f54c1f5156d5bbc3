#pragma once
/// \file
/// Mechanisms as TOML text; docs/using/mechanisms/mechanisms.md describes the format.
#include <string>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// \returns a text from which `parse_mechanism` gives the same description bit for bit. Numbers are in shortest
/// round-trip
///          form; fields that equal their defaults are left out where a reader would not miss them.
/// \param description strings in UTF-8
/// \throws std::invalid_argument for a number that is not finite, or a text with characters that nobody sees
std::string write_mechanism(const MechanismDescription& description);

}  // namespace mbdbench
