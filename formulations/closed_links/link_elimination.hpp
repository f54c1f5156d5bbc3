#pragma once
/// \file
/// The articulated-body algorithm in link frames [Featherstone1983] for several right sides: inertias are eliminated
/// once for the positions, then loads, or impulses, go inward and rates outward as often as asked.
///
/// The arithmetic of a row stands in kernels/loadless_rows.hpp and kernels/acceleration_rows.hpp. Turns, slides,
/// spherical and free joints; neither prescribed motions nor screws. Compiled without automatic vectorisation
/// (cmake/kernels.cmake).
///
/// Cost: O(n), about 300 operations a turn for the positions, 110 for loads, 60 outward.
#include <span>
#include <vector>

#include "formulations/closed_links/column_plan.hpp"
#include "formulations/kernels/loadless_rows.hpp"
#include "formulations/recursion/link_tree.hpp"

namespace mbdbench {

/// Workspace of one mechanism's tree. Allocates nothing after construction.
class LinkElimination {
 public:
  using Vector = kernels::LinkVector<double>;
  /// [v'_O; omega'] of a row, or their change, in its axes.
  struct Motion {
    Vector linear{};
    Vector angular{};
  };

  explicit LinkElimination(const Mechanism& mechanism);

  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  [[nodiscard]] const LinkPositions& positions() const { return positions_; }
  /// \returns of how many directions row i leaves free.
  [[nodiscard]] int step_count(std::size_t i) const;

  /// \returns -1, or a tree joint whose articulated inertia is not positive; see `failed_pivot`
  int set_positions(std::span<const double> q);
  [[nodiscard]] double failed_pivot() const { return failed_pivot_; }
  /// What angular velocities need, after set_positions.
  void set_velocities(std::span<const double> u);
  /// Inward. \param tau joint forces, dual to u \param loads on every row about its O_k in its axes, gravity included
  void sweep_loads(std::span<const double> tau, std::span<const kernels::LinkWrench<double>> loads);
  /// Outward, after sweep_loads. \param rates receives u'
  void sweep_accelerations(std::span<double> rates);
  /// \returns [v'_O; omega'] of row i after sweep_accelerations.
  [[nodiscard]] const Motion& motion(std::size_t i) const { return motions_[i]; }

  /// The joint of row i as what a unit wrench passes.
  void describe(std::size_t i, ColumnLink& link) const;
  /// What impulses on the links outboard do to the joint of row i if its inboard link rests.
  /// \param along sum of y over all impulses, one number a step of `describe`
  void set_impulse(std::size_t i, const double* along);
  /// Outward, after all set_impulse. \param rates receives what the impulses do to u
  void sweep_impulses(std::span<double> rates);

 private:
  /// Rows of a way outward: with loads and velocities, or of impulses alone.
  struct Outward {
    std::vector<kernels::AccelerationRow<double>> rows;
    std::vector<kernels::SphericalAccelerationRow<double>> spherical;
  };

  bool eliminate(std::size_t i, kernels::ArticulatedInertia<double>& inertia);
  void set_velocity(std::size_t i, std::span<const double> u, kernels::Turning<double>& turning);
  void sweep_outward(const Outward& outward, std::span<double> rates);
  [[nodiscard]] kernels::LinkWrench<double>& needed(std::size_t i);

  LinkTree tree_;
  LinkPositions positions_;
  std::vector<kernels::RunStart<double>> start_;  // by row: what lies between its inboard row and it
  std::vector<char> starts_;                      // whether something does
  std::vector<kernels::ArticulatedInertia<double>> inertias_;
  std::vector<kernels::LinkWrench<double>> wrenches_;
  std::vector<kernels::Turning<double>> turnings_;
  std::vector<Motion> motions_;
  std::vector<kernels::TurnInertia<double>> turns_;         // by row
  std::vector<kernels::SlideInertia<double>> slides_;       // by ordinal
  std::vector<kernels::SlideGain<double>> slide_gains_;     // by ordinal
  std::vector<kernels::SphericalInertia<double>> spheres_;  // by ordinal
  Outward loads_;
  Outward impulses_;
  double failed_pivot_ = 0.0;
};

}  // namespace mbdbench
