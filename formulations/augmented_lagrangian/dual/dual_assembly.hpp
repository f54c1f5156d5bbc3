#pragma once
/// \file
/// The augmented Lagrangian iteration of [Malczyk2012] on an assembly tree, in packs (dual_nodes.hpp): one
/// factorisation of A + I / alpha, then passes over the multipliers as proximal.hpp describes them.
///
/// For what the formulation meets mostly: no raked arms, no limited ranks, plain passes. AssemblyEngine does the rest.
/// Cost O(k n) with k passes, about 1.5 kB a body in chains.
///
/// Sub-trees of equal form go side by side, eight to a group (dual_twins.hpp); what is left is taken one node after
/// another, the rows of a joint side by side.
///
/// Processes and threads share the branches of the tree (assembly/assembly_division.hpp). All passes are one region, in
/// which every thread comes to the same decisions: sums over branches are added in their order (dual_passes.cpp).
#include <array>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "formulations/assembly/assembly_engine.hpp"
#include "formulations/augmented_lagrangian/dual/dual_exchange.hpp"
#include "formulations/augmented_lagrangian/dual/dual_scope.hpp"
#include "formulations/augmented_lagrangian/dual/dual_storage.hpp"
#include "formulations/execution/branch_team.hpp"
#include "formulations/kernels/aligned_memory.hpp"

namespace mbdbench {

/// Storage and passes. No allocation after construction.
class DualAssembly {
 public:
  /// \returns whether the tree and the options are of the kind above.
  [[nodiscard]] static bool suits(const AssemblyTree& tree, const ProximalOptions& proximal);

  /// \param masses one a body, positive \param execution threads and processes share the branches
  DualAssembly(const AssemblyTree& tree, std::span<const double> masses, const ProximalOptions& proximal,
               const Execution& execution);

  [[nodiscard]] const BranchTeam& team() const { return team_; }

  [[nodiscard]] int row_count() const { return storage_.row_count(); }
  [[nodiscard]] int row_offset(int joint) const { return storage_.row_offset(static_cast<std::size_t>(joint)); }
  /// \returns the joints of a body's handles.
  [[nodiscard]] std::span<const int> joints(int body) const;

  /// Sets B of one handle: +-D shifted to the centre of mass.
  /// \param directions D about the handle's point \param sign +1 on body b, -1 on a \param lever handle minus centre of
  /// mass
  void set_handle(int body, int handle, const SpatialColumns& directions, double sign, const Vec3& lever);
  /// \param inertia_inverse J_C^-1 in world axes
  void set_inertia(int body, const Mat3& inertia_inverse);

  /// All matrices. \param set_leaf called with every body, perhaps on several threads: sets its handles and inertia
  template <typename SetLeaf>
  AssemblyPivot factorise(const SetLeaf& set_leaf) {
    return factorise(set_leaf, [](std::size_t) {});
  }
  /// \param set_twins likewise called with every group of twins, by its number
  template <typename SetLeaf, typename SetTwins>
  AssemblyPivot factorise(const SetLeaf& set_leaf, const SetTwins& set_twins) {
    const auto factorise_range = [&](std::size_t range) {
      twins_.for_numbers(range, set_twins);
      for (const int body : storage_.ranges()[range].bodies) {
        set_leaf(body);
      }
      factorise_nodes(range);
    };
    team_.for_branches(factorise_range);
    for (const int body : exchange_.foreign_bodies()) {
      set_leaf(body);
    }
    exchange_.send_matrices();
    factorise_range(kTop);
    return first_failure();
  }

  [[nodiscard]] TwinGroups& twins() { return twins_; }
  /// Calls work(number) for the groups of twins of a share.
  template <typename Work>
  void for_twins(const BranchShare& share, const Work& work) const {
    for_ranges(share, [&](std::size_t range) { twins_.for_numbers(range, work); });
  }

  /// What this process needs to know where it is not alone: its branches, the top, and what the joints of the top
  /// connect.
  [[nodiscard]] const DualScope& scope() const { return exchange_.scope(); }
  /// \returns what processes tell one another of bodies. \param numbers so many a body
  [[nodiscard]] BranchLetter letter_of_bodies(std::span<double> numbers, std::size_t a_body) {
    return exchange_.letter_of_bodies(numbers, a_body);
  }
  void send(const BranchLetter& letter) { exchange_.send(letter); }

  /// As the functions of AssemblyEngine; after `solve` the rates and multipliers of other processes' branches are
  /// theirs alone. \param others what is not in twins that are filled from outside, which then keep what is theirs;
  /// everything: they are read and written like all others
  void solve(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma, std::span<Vec6> rates,
             const DualScope& others = {});
  int refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates, const PassLimits& limits,
             int done = 0);
  void correct(std::span<const double> residual, std::span<double> sigma, std::span<Vec6> rates);
  void constraint_residual(std::span<const double> r, std::span<const Vec6> rates, std::span<double> residual) const;
  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] const PassRemainder& remainder() const { return remainder_; }

 private:
  DualAssembly(const TwinPlan& plan, const AssemblyTree& tree, std::span<const double> masses,
               const ProximalOptions& proximal, const Execution& execution);

  static constexpr std::size_t kTop = DualStorage::kTop;

  /// Where passes end. Every thread has its own, with the same values.
  struct Progress {
    int passes = 0;
    bool goes_on = true;
    PassRemainder remainder;
    PassSeries multiplier_series;
    PassSeries rate_series;
  };

  [[nodiscard]] double* vector(DualVector which) const { return vectors_[static_cast<std::size_t>(which)].get(); }
  [[nodiscard]] DualTree tree() const {
    return {storage_.bodies(), storage_.nodes(), storage_.ends(), proximal_.regularisation};
  }
  [[nodiscard]] std::size_t joint_count() const { return storage_.joint_count(); }
  void factorise_nodes(std::size_t range);
  [[nodiscard]] AssemblyPivot first_failure() const;
  void read_rows(const BranchShare& share, std::span<const double> rows, double* to, const DualScope& scope = {}) const;
  void write_rows(const BranchShare& share, const double* from, std::span<double> rows,
                  const DualScope& scope = {}) const;
  static void read_rates(const BranchShare& share, std::span<const Vec6> rates, double* to,
                         const DualScope& scope = {});
  static void write_rates(const BranchShare& share, const double* from, std::span<Vec6> rates,
                          const DualScope& scope = {});
  /// Calls work(range) for the branches of a share, and for the top where it is the first.
  template <typename Work>
  static void for_ranges(const BranchShare& share, const Work& work) {
    for (std::size_t branch = share.first; branch < share.last; ++branch) {
      work(branch);
    }
    if (share.member.index == 0) {
      work(kTop);
    }
  }
  /// \returns the sums of all ranges, in their order.
  [[nodiscard]] DualSquares total_squares() const;
  void find_residual(std::size_t range) const;
  /// What a pass solves for. With inputs, or with the residual of the rates that stand, which it finds on the way.
  enum class Pass { of_inputs, of_residual, of_given_residual };
  /// \param afterwards called with every range when its results stand
  template <typename RangeWork>
  void sweep(const BranchShare& share, Pass pass, const RangeWork& afterwards);
  void sweep_inward(std::size_t range, Pass pass);
  void sweep_outward(std::size_t range, Pass pass);
  /// Where the results of a pass stand.
  [[nodiscard]] static std::pair<DualVector, DualVector> results_of(Pass pass);
  /// Vectors of groups of twins from those of all joints and bodies. \param scope as of `solve`
  void take(const BranchShare& share, std::initializer_list<DualVector> vectors, const DualScope& scope = {}) const;
  /// The other way: multipliers and rates, for all threads.
  void give(const BranchShare& share, const DualScope& scope = {}) const;
  [[nodiscard]] DualVectors vectors(DualVector joints, DualVector bodies) const {
    return {vector(joints), vector(bodies)};
  }
  void add_changes(std::size_t range);
  /// Squares of the multipliers and of some numbers of bodies as they stand.
  void square(std::size_t range, DualVector bodies);
  /// Calls work on the thread that exchanges, and waits for it.
  template <typename Work>
  void one_of(const BranchShare& share, const Work& work) const;
  /// Passes from the multipliers and the rates that stand.
  void iterate(const BranchShare& share, const PassLimits& limits, Progress& progress);
  void tell_edges(const BranchShare& share);
  void tell_rates(const BranchShare& share);
  /// Hands out what the passes have found.
  void finish(const BranchShare& share, const Progress& progress, std::span<double> sigma, std::span<Vec6> rates,
              const DualScope& scope = {});
  /// After a pass.
  static void judge(const DualSquares& squares, const PassLimits& limits, Progress& progress);

  DualSweeps sweeps_;
  ProximalOptions proximal_;
  TwinGroups twins_;
  DualStorage storage_;
  std::vector<DualFailure> failures_;       // by range
  std::vector<DualSquares> range_squares_;  // likewise
  BranchTeam team_;
  DualExchange exchange_;
  std::array<AlignedMemory, kDualVectors> vectors_;
  int passes_ = 0;
  PassRemainder remainder_;
};

}  // namespace mbdbench
