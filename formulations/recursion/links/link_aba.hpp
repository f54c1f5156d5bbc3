#pragma once
/// \file
/// The articulated-body algorithm for any tree, in link frames [Featherstone1983].
///
/// Three sweeps along the rows of a LinkTree: angular velocities and what they need (outward), articulated inertias
/// (inward), accelerations (outward). Gravity is an upward acceleration of the ground. The arithmetic of a row stands
/// in kernels/acceleration_rows.hpp. Threads share the branches of the tree. Compiled without automatic vectorisation
/// (cmake/kernels.cmake).
#include <span>
#include <vector>

#include "formulations/kernels/acceleration_rows.hpp"
#include "formulations/recursion/branch_results.hpp"
#include "formulations/recursion/links/link_tree.hpp"

namespace mbdbench {

/// Accelerations of all joints. Allocates nothing after construction.
class LinkAba {
 public:
  /// \param execution processes and threads share the branches of the tree
  LinkAba(const Mechanism& mechanism, const Execution& execution);

  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  /// \returns those of the last set_positions.
  [[nodiscard]] const LinkPositions& positions() const { return positions_; }
  [[nodiscard]] const BranchTeam& team() const { return team_; }
  /// \param everywhere also in the branches of other processes: loads may need them
  void set_positions(std::span<const double> q, bool everywhere);

  /// After set_positions. \param tau joint forces, dual to u
  /// \param motions accelerations of prescribed motions, in the order of PrescribedMotions
  /// \param loads on every row, gravity included; empty: gravity alone
  /// \returns -1, or a tree joint whose articulated inertia is not positive; see `failed_pivot`
  int evaluate(std::span<const double> u, std::span<const double> tau, std::span<const double> motions,
               std::span<const kernels::LinkWrench<double>> loads, std::span<double> accelerations);
  [[nodiscard]] double failed_pivot() const { return failure_.pivot; }

 private:
  using Vector = kernels::LinkVector<double>;
  /// What links where runs start leave for them and the other way round.
  struct Slot {
    kernels::Turning<double> turning{};
    Vector linear{};
    Vector angular{};
    kernels::ArticulatedInertia<double> inertia{};
    kernels::LinkWrench<double> wrench{};
  };
  /// What a run carries inward.
  struct Carried {
    kernels::ArticulatedInertia<double> inertia{};
    kernels::LinkWrench<double> wrench{};
  };
  /// What a run carries outward.
  struct Motion {
    Vector linear{};
    Vector angular{};
  };

  /// The row that stops a range, -1: none does.
  struct Failure {
    int row = -1;
    double pivot = 0.0;
  };
  using Loads = std::span<const kernels::LinkWrench<double>>;

  /// \returns whether no range has failed; keeps the first that has.
  bool settle(std::span<const Failure> failures);
  void clear_slots(const LinkRange& range);
  /// What the branches carry inward joins the links of the trunk that they hang on.
  void join_roots();
  void sweep_velocities(const LinkRange& range, std::span<const double> u, std::span<const double> motions);
  void turn_velocities(const LinkSegment& segment, std::span<const double> u, kernels::Turning<double>& turning);
  void row_velocity(std::size_t i, std::span<const double> u, std::span<const double> motions,
                    kernels::Turning<double>& turning);
  Failure sweep_inward(const LinkRange& range, std::span<const double> tau);
  Failure turns_inward(const LinkSegment& segment, std::span<const double> tau, Carried& carried);
  Failure row_inward(std::size_t i, std::span<const double> tau, Carried& carried);
  void subtract(const LinkRange& range, Loads loads);
  Failure sweep_accelerations(const LinkRange& range, bool weight, std::span<double> accelerations);
  void turn_accelerations(const LinkSegment& segment, Motion& motion, std::span<double> accelerations);
  Failure row_acceleration(std::size_t i, Motion& motion, std::span<double> accelerations);

  LinkTree tree_;
  BranchTeam team_;
  BranchPieces pieces_;
  LinkPositions positions_;
  std::vector<kernels::AccelerationRow<double>> rows_;
  std::vector<kernels::SlideGain<double>> slides_;
  std::vector<kernels::SphericalAccelerationRow<double>> spherical_;
  std::vector<Slot> slots_;
  std::vector<double> rates_;      // u', by place
  std::vector<Carried> roots_;     // what branches carry to the trunk
  std::vector<Failure> failures_;  // by range
  Failure failure_;
};

}  // namespace mbdbench
