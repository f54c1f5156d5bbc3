#pragma once
/// \file
/// The registry entry of `bae-haug-printed`.
#include "formulations/formulation.hpp"

namespace mbdbench {

FormulationEntry bae_haug_printed_entry();

}  // namespace mbdbench
