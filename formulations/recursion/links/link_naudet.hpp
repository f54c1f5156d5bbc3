#pragma once
/// \file
/// Naudet's recursive Hamiltonian equations for any open tree, in link frames [Naudet2005]: MomentumSweeps over one
/// state. Compiled without automatic vectorisation (cmake/kernels.cmake).
#include "formulations/recursion/links/link_recursion.hpp"
#include "formulations/recursion/links/momentum_sweeps.hpp"

namespace mbdbench {

/// Velocities and momentum rates of all joints.
class LinkNaudet final : public LinkRecursion {
 public:
  LinkNaudet(const Mechanism& mechanism, const Execution& execution);

  /// \param p canonical momenta
  /// \param motions velocities of prescribed motions, in the order of PrescribedMotions
  /// \param weight whether gravity is wanted in the momentum rates
  /// \param u joint velocities
  /// \param momentum_rates without joint forces and other loads
  /// \returns -1, or a tree joint whose articulated inertia is not positive; see `failed_pivot`
  int evaluate(std::span<const double> q, std::span<const double> p, std::span<const double> motions, bool weight,
               std::span<double> u, std::span<double> momentum_rates);
  /// Adds E^T T* of loads on all rows, after `evaluate`.
  void add_loads(std::span<const kernels::LinkWrench<double>> loads, std::span<double> momentum_rates);

 private:
  using Sweeps = MomentumSweeps<double>;

  void sweep_inward(const LinkRange& range, const double* p, const double* motions, LinkFailure& failure);
  void sweep_outward(const LinkRange& range, const double* p, bool weight, double* u, double* rates,
                     LinkFailure& failure);

  std::vector<kernels::MomentumRow<double>> turns_;
  std::vector<kernels::GeneralMomentumRow<double>> general_;
  std::vector<kernels::SphericalMomentumRow<double>> spheres_;
  std::vector<MomentumSlot<double>> slots_;
  std::vector<kernels::CarriedMomentum<double>> roots_;
  std::vector<kernels::LinkWrench<double>> root_loads_;
  std::vector<double> velocities_;  // u, by place
  std::vector<double> rates_;       // p' likewise
  BranchLetter loads_left_;         // root_loads_, and rates with loads
  MomentumData<double> data_;
};

}  // namespace mbdbench
