#pragma once
/// \file
/// Loads over time that the steps of a run did not meet: a pulse of 10 ms within a step of a second, at rest before it,
/// leaves neither a residual nor an imbalance, since nothing has moved.
#include <cstddef>
#include <string>
#include <vector>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench {

/// The impulses of one table over t.
struct TableImpulse {
  std::string load;
  const TableLaw* table = nullptr;
  double whole = 0.0;   ///< of |f| over the run
  double missed = 0.0;  ///< the sum over the steps of |impulse - what points within the step show of it|
};

/// \returns the integral of a table from one abscissa to another, of its absolute value where `absolute`.
double integral(const TableLaw& table, double from, double to, bool absolute);

/// Follows one run.
class TableImpulses {
 public:
  /// \param description must outlive this
  explicit TableImpulses(const MechanismDescription& description);

  /// An accepted step; either way in time.
  void step(double from, double to);
  /// \returns one entry a table over t.
  [[nodiscard]] const std::vector<TableImpulse>& impulses() const { return impulses_; }

 private:
  std::vector<TableImpulse> impulses_;
};

}  // namespace mbdbench
