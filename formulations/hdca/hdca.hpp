#pragma once
/// \file
/// The Hamiltonian divide-and-conquer algorithm [Chadaj2015], [Chadaj2017].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, p): trees and closed loops of any topology.
FormulationEntry hdca_entry();

}  // namespace mbdbench
