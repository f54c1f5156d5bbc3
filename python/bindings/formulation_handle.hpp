#pragma once
/// \file
/// A formulation as Python holds it.
#include <memory>
#include <string>

#include "formulations/formulation.hpp"

namespace mbdbench::python {

/// Python keeps the mechanism alive as long as this.
struct FormulationHandle {
  std::string word;  ///< that chose it, "hdca[gauge=leak]"
  std::unique_ptr<Formulation> formulation;
};

}  // namespace mbdbench::python
