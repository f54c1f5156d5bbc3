#pragma once
/// \file
/// Prescribed joint motions f(t), f'(t), f''(t): of tree joints in the order of their rows in Phi, then of cut joints.
#include <memory>
#include <span>
#include <vector>

#include "mechanisms/model/loads/expression.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Evaluates all prescribed motions; owns its parsers, so one instance a thread.
class PrescribedMotions {
 public:
  explicit PrescribedMotions(const Mechanism& mechanism);

  /// Evaluates f, f', f'' at time t.
  void evaluate(double t);
  [[nodiscard]] std::span<const double> positions() const { return positions_; }
  [[nodiscard]] std::span<const double> velocities() const { return velocities_; }
  [[nodiscard]] std::span<const double> accelerations() const { return accelerations_; }
  /// \returns the row of every motion in Phi.
  [[nodiscard]] std::span<const int> rows() const { return rows_; }

 private:
  struct Formulas {
    Expression position;
    Expression velocity;
    Expression acceleration;
  };
  std::unique_ptr<double> time_;  // on the heap: the parsers keep its address when this object moves
  std::vector<Formulas> formulas_;
  std::vector<double> positions_;
  std::vector<double> velocities_;
  std::vector<double> accelerations_;
  std::vector<int> rows_;
};

}  // namespace mbdbench
