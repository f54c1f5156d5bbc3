#pragma once
/// \file
/// The recursive formulation of Bae and Haug with cut joints [Malczyk2008].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, u): trees and any number of closed loops, redundant constraints included.
FormulationEntry bae_haug_entry();

}  // namespace mbdbench
