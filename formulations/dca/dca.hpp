#pragma once
/// \file
/// Featherstone's divide-and-conquer algorithm [Featherstone1999].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, u): trees and closed loops of any topology.
FormulationEntry dca_entry();

}  // namespace mbdbench
