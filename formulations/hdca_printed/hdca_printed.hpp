#pragma once
/// \file
/// The registry entry of `hdca-printed`.
#include "formulations/formulation.hpp"

namespace mbdbench {

FormulationEntry hdca_printed_entry();

}  // namespace mbdbench
