#pragma once
/// \file
/// All integrators of the suite, in the order in which they are listed to users.
#include <span>
#include <string>
#include <string_view>

#include "integrators/ode.hpp"

namespace mbdbench {

/// \returns the suite's own integrators.
std::span<const OdeEntry> integrator_registry();

/// \returns the entry with this key, or nullptr.
const OdeEntry* find_integrator(std::span<const OdeEntry> registry, std::string_view key);

/// \returns the version of SUNDIALS, whose integrators are `cvode-adams` and `cvode-bdf`; empty in a build without
/// them.
std::string sundials_version();

}  // namespace mbdbench
