#pragma once
/// \file
/// The articulated-body algorithm for any open tree, in link frames [Featherstone1983]: AccelerationSweeps over one
/// state. Compiled without automatic vectorisation (cmake/kernels.cmake).
#include "formulations/recursion/links/acceleration_sweeps.hpp"
#include "formulations/recursion/links/link_recursion.hpp"

namespace mbdbench {

/// Accelerations of all joints.
class LinkAba final : public LinkRecursion {
 public:
  LinkAba(const Mechanism& mechanism, const Execution& execution);

  /// Those of the trunk and of the branches of this process.
  void set_positions(std::span<const double> q);

  /// After set_positions. \param tau joint forces, dual to u
  /// \param motions accelerations of prescribed motions, in the order of PrescribedMotions
  /// \param loads on every row, gravity included; empty: gravity alone
  /// \returns -1, or a tree joint whose articulated inertia is not positive; see `failed_pivot`
  int evaluate(std::span<const double> u, std::span<const double> tau, std::span<const double> motions,
               std::span<const kernels::LinkWrench<double>> loads, std::span<double> accelerations);

 private:
  using Sweeps = AccelerationSweeps<double>;
  using Loads = std::span<const kernels::LinkWrench<double>>;

  void sweep_velocities(const LinkRange& range, const double* u, const double* motions, Loads loads);
  void sweep_inward(const LinkRange& range, const double* tau, LinkFailure& failure);
  void sweep_outward(const LinkRange& range, bool weight, double* accelerations, LinkFailure& failure);

  std::vector<kernels::AccelerationRow<double>> turns_;
  std::vector<kernels::SlideGain<double>> gains_;
  std::vector<kernels::SphericalAccelerationRow<double>> spheres_;
  std::vector<AccelerationSlot<double>> slots_;
  std::vector<CarriedAcceleration<double>> roots_;
  std::vector<double> rates_;  // u', by place
  AccelerationData<double> data_;
};

}  // namespace mbdbench
