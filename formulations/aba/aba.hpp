#pragma once
/// \file
/// The articulated-body algorithm [Featherstone1983].
#include "formulations/formulation.hpp"

namespace mbdbench {

/// State (q, u): open chains and trees of any branching. The sequential baseline of every speedup.
FormulationEntry aba_entry();

}  // namespace mbdbench
