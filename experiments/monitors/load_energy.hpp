#pragma once
/// \file
/// The energy that the loads of a mechanism could give: where nothing moves, the balance of energy and work is right to
/// rounding of that at best.
#include <memory>
#include <span>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Follows one run. Nothing is evaluated where no load exchanges energy: gravity and stiffnesses are in the potential.
class LoadEnergy {
 public:
  /// \param mechanism must outlive this
  explicit LoadEnergy(const Mechanism& mechanism);
  LoadEnergy(LoadEnergy&&) noexcept;
  LoadEnergy& operator=(LoadEnergy&&) noexcept;
  ~LoadEnergy();

  /// \returns whether observe needs to be called.
  [[nodiscard]] bool follows() const { return workspace_ != nullptr; }
  void observe(double t, std::span<const double> q, std::span<const double> u);
  /// \returns the largest sum so far, J: forces over the mechanism's length, torques over a radian.
  [[nodiscard]] double largest() const { return largest_; }

 private:
  struct Workspace;

  std::unique_ptr<Workspace> workspace_;
  double largest_ = 0.0;
};

}  // namespace mbdbench
