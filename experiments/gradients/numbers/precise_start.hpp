#pragma once
/// \file
/// Starts of runs in numbers of 113 bits: the coordinates and velocities that follow varied ones (loop_start.hpp) close
/// the loops to all bits.
#include <vector>

#include "experiments/gradients/numbers/varied_numbers.hpp"
#include "experiments/precise/motion/precise_motion.hpp"

namespace mbdbench::gradients {

/// A start in 113 bits.
struct PreciseRunStart {
  precise::Reals q;
  precise::Reals u;
};

/// Newton's method for Phi = 0 by the coordinates that follow, and one linear system for Phi_q u = 0 by the velocities
/// that do.
class PreciseStart {
 public:
  /// \param numbers must outlive this \param values near which starts are asked for, as doubles
  /// \throws ModelError where loops cannot be closed with them
  PreciseStart(const VariedNumbers& numbers, std::span<const double> values);

  /// \param motion with masses, lengths and so on of these values
  /// \throws std::invalid_argument where Newton's method does not end
  [[nodiscard]] PreciseRunStart at(precise::PreciseMotion& motion, double t, const precise::Reals& values) const;

 private:
  void close(precise::PreciseMotion& motion, double t, PreciseRunStart& start) const;

  const VariedNumbers* numbers_;
  RunStart near_;
  ChangeableComponents following_;
};

}  // namespace mbdbench::gradients
