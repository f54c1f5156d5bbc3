#pragma once
/// \file
/// Naudet's recursive Hamiltonian equations for any tree, in link frames [Naudet2005].
///
/// Two sweeps along the rows of a LinkTree, whose arithmetic and symbols stand in kernels/momentum_rows.hpp.
/// Threads share the branches of the tree. Compiled without automatic vectorisation (cmake/kernels.cmake).
#include <span>
#include <vector>

#include "formulations/kernels/momentum_rows.hpp"
#include "formulations/recursion/branch_results.hpp"
#include "formulations/recursion/links/link_tree.hpp"

namespace mbdbench {

/// Velocities and momentum rates of all joints. Allocates nothing after construction.
class LinkNaudet {
 public:
  /// \param execution processes and threads share the branches of the tree
  LinkNaudet(const Mechanism& mechanism, const Execution& execution);

  [[nodiscard]] const LinkTree& tree() const { return tree_; }
  /// \returns those of the last `evaluate`.
  [[nodiscard]] const LinkPositions& positions() const { return positions_; }
  [[nodiscard]] const BranchTeam& team() const { return team_; }
  /// After evaluate: those of the branches of other processes too, where loads need them.
  void set_other_positions(std::span<const double> q) {
    if (team_.is_divided()) {
      tree_.set_positions(q, positions_);
    }
  }

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
  [[nodiscard]] double failed_pivot() const { return failure_.pivot; }

 private:
  using Carried = kernels::CarriedMomentum<double>;
  using Motion = kernels::CarriedVelocity<double>;
  /// What links where runs start leave for them and the other way round.
  struct Slot {
    Motion motion{};
    Carried carried{};
    kernels::LinkWrench<double> load{};
  };

  /// The row that stops a range, -1: none does.
  struct Failure {
    int row = -1;
    double pivot = 0.0;
  };

  /// \returns whether no range has failed; keeps the first that has.
  bool settle(std::span<const Failure> failures);
  void clear_slots(const LinkRange& range);
  void clear_loads(const LinkRange& range);
  /// What the branches carry inward joins the links of the trunk that they hang on.
  void join_roots();
  void join_run(const LinkRun& run, const Carried& carried, Carried& slot) const;
  Failure sweep_inward(const LinkRange& range, std::span<const double> p, std::span<const double> motions);
  Failure turns_inward(const LinkSegment& segment, std::span<const double> p, Carried& carried);
  Failure row_inward(std::size_t i, std::span<const double> p, std::span<const double> motions, Carried& carried);
  void join(std::size_t i, Carried& carried) const;
  Failure sweep_outward(const LinkRange& range, std::span<const double> p, bool weight, std::span<double> u,
                        std::span<double> momentum_rates);
  void sweep_loads(const LinkRange& range, std::span<const kernels::LinkWrench<double>> loads,
                   std::span<double> momentum_rates);
  void add_load(std::size_t i, kernels::LinkWrench<double>& carried, std::span<double> momentum_rates) const;
  void turns_outward(const LinkSegment& segment, Motion& motion, std::span<double> u, std::span<double> momentum_rates);
  Failure row_outward(std::size_t i, std::span<const double> p, Motion& motion, std::span<double> u,
                      std::span<double> momentum_rates);

  LinkTree tree_;
  BranchTeam team_;
  BranchPieces pieces_;
  std::vector<std::size_t> load_pieces_;  // of root_loads_
  LinkPositions positions_;
  std::vector<kernels::MomentumRow<double>> rows_;
  std::vector<kernels::GeneralMomentumRow<double>> slides_;
  std::vector<kernels::GeneralMomentumRow<double>> driven_;
  std::vector<kernels::SphericalMomentumRow<double>> spherical_;
  std::vector<Slot> slots_;
  std::vector<double> velocities_;  // u, by place
  std::vector<double> rates_;       // p' likewise
  std::vector<Carried> roots_;      // what branches carry to the trunk
  std::vector<kernels::LinkWrench<double>> root_loads_;
  std::vector<Failure> failures_;  // by range
  Failure failure_;
};

}  // namespace mbdbench
