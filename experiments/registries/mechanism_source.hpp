#pragma once
/// \file
/// The mechanism that a user's word means: a file or a key of the catalogue.
#include <string>

#include "experiments/registries/registries.hpp"

namespace mbdbench {

/// \param word name of an existing file, anything that ends in .toml, .urdf, .xml or .mjcf, the last three also with
/// options
/// ("arm.urdf[floating,ignore=friction]"), or a catalogue key with parameters ("pendulum:16")
/// \throws FileError, MechanismKeyError, ModelError or std::runtime_error (memory) saying what would be right
Mechanism find_mechanism(const Registries& registries, const std::string& word);

}  // namespace mbdbench
