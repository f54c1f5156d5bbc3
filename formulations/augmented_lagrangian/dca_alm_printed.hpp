#pragma once
/// \file
/// The registry entry of `dca-alm-printed`.
#include "formulations/formulation.hpp"

namespace mbdbench {

FormulationEntry dca_alm_printed_entry();

}  // namespace mbdbench
