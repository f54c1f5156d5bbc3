#pragma once
/// \file
/// The Hamiltonian divide-and-conquer algorithm [Chadaj2015].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, p): open chains and trees of any branching.
FormulationEntry hdca_entry();

}  // namespace mbdbench
