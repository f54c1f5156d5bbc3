#pragma once
/// \file
/// What the experiment's numbers are compared with. The paper prints curves only, and they are lost; an independent
/// prototype of this project ran the same mechanisms.
#include <array>
#include <string_view>

#include "experiments/malczyk2012/variants.hpp"
#include "experiments/record_maker.hpp"

namespace mbdbench::malczyk2012 {

/// Another integrator: Dormand-Prince with SciPy's step control, tolerance 1e-6. Only the order of magnitude can be
/// compared.
inline constexpr NumberSource kPrototype = expected_from("independent prototype with another step control");

/// Largest values over a run.
struct PrototypeRun {
  Model model;
  Variant variant;
  double end = 0.0;       ///< s
  double position = 0.0;  ///< max |Phi|
  double velocity = 0.0;  ///< max |Phi'|
  double energy = 0.0;    ///< J
};

inline constexpr std::array kPrototypeRuns = {
    PrototypeRun{kRhombus, kDca, 10.0, 2.8e-8, 7e-9, 2e-4},
    PrototypeRun{kRhombus, kHdca, 10.0, 5.6e-14, 1e-13, 2e-5},
    PrototypeRun{kRhombus, kPlainPenalty, 10.0, 3.1e-4, 5e-5, 3e-2},
    PrototypeRun{kRhombus, kPenalty, 10.0, 1e-4, 3e-4, 0.45},
    PrototypeRun{kRhombus, kProjected, 10.0, 3e-16, 6e-16, 3.6e-4},
    PrototypeRun{kRect, kDca, 10.0, 2.6e-5, 9e-6, 1e-3},
    PrototypeRun{kRect, kHdca, 10.0, 1.6e-6, 8e-14, 1.2e-4},
    PrototypeRun{kRect, kPlainPenalty, 10.0, 1e-3, 2e-4, 7e-4},
    PrototypeRun{kRect, kPenalty, 10.0, 2.3e-5, 2.4e-5, 2.3e-3},
    PrototypeRun{kRect, kProjected, 10.0, 3e-16, 9e-16, 1.2e-4},
    PrototypeRun{kLine, kDca, 10.0, 2.2e-5, 1.3e-5, 8e-4},
    PrototypeRun{kLine, kHdca, 10.0, 5.5e-7, 2.2e-8, 8e-5},
    PrototypeRun{kLine, kPlainPenalty, 10.0, 1e-3, 2e-4, 6.5e-3},
    PrototypeRun{kLine, kPenalty, 10.0, 1.9e-5, 1.5e-5, 3.5e-4},
    PrototypeRun{kLine, kProjected, 10.0, 6e-9, 9e-7, 1.8e-4},
    PrototypeRun{kCoupled, kDca, 5.0, 3.9e-5, 6e-5, 2.3},
    PrototypeRun{kCoupled, kProjected, 5.0, 1.5e-10, 9e-7, 2.7e-4},
};

}  // namespace mbdbench::malczyk2012
