#pragma once
/// \file
/// The catalogue: named builders of mechanisms with typed parameters, one file a mechanism, one registry line each.
#include <span>
#include <stdexcept>
#include <string_view>

#include "mechanisms/model/description/parameters.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// One mechanism of the catalogue.
struct MechanismEntry {
  std::string_view key;
  std::string_view summary;  ///< one line for `mbdbench list mechanisms`
  std::string_view source;   ///< citation key of docs/references.md, or "generated"
  /// The first one may be given without its name: `pendulum:16`.
  std::span<const ParameterSpecification> parameters;
  MechanismDescription (*make)(const Parameters& parameters) = nullptr;
};

/// A mechanism as the user names it: `pendulum`, `pendulum:16`, `random_tree:seed=7,bodies=12`, or the
/// latter as formulations have it: `random_tree[seed=7,bodies=12]`.
class MechanismKeyError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// \returns the suite's own mechanisms, in the order in which they are listed.
std::span<const MechanismEntry> mechanism_registry();

/// \returns the mechanism that `specification` names.
/// \throws MechanismKeyError for an unknown key or parameter, a value of the wrong type or out of range (saying what
/// would
///         be right); ModelError from the mechanism itself.
Mechanism make_mechanism(std::span<const MechanismEntry> registry, std::string_view specification);

}  // namespace mbdbench
