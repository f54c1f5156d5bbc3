#pragma once
/// \file
/// Naudet's recursive Hamiltonian formulation [Naudet2005].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, p): open chains and trees of any branching.
FormulationEntry naudet_entry();

}  // namespace mbdbench
