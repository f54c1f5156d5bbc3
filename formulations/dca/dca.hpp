#pragma once
/// \file
/// Featherstone's divide-and-conquer algorithm [Featherstone1999].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, u): open chains and trees of any branching.
FormulationEntry dca_entry();

}  // namespace mbdbench
