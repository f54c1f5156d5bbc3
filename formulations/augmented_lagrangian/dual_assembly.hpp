#pragma once
/// \file
/// The augmented Lagrangian iteration of [Malczyk2012] on an assembly tree, in packs (dual_nodes.hpp): one
/// factorisation of A + I / alpha, then passes over the multipliers as proximal.hpp describes them.
///
/// For what the formulation meets mostly: no raked arms, no limited ranks, plain passes. AssemblyEngine does the rest
/// and takes the same calls. Cost O(k n) with k passes, about 5 kB a body in chains.
#include <array>
#include <span>
#include <vector>

#include "formulations/assembly/assembly_engine.hpp"
#include "formulations/augmented_lagrangian/dual_nodes.hpp"
#include "formulations/subchains/lane_memory.hpp"

namespace mbdbench {

/// Storage and passes. No allocation after construction.
class DualAssembly {
 public:
  /// \returns whether the tree and the options are of the kind above.
  [[nodiscard]] static bool suits(const AssemblyTree& tree, const ProximalOptions& proximal);

  /// \param masses one a body, positive
  DualAssembly(const AssemblyTree& tree, std::span<const double> masses, const ProximalOptions& proximal);

  [[nodiscard]] int row_count() const { return row_count_; }
  [[nodiscard]] int row_offset(int joint) const { return row_offsets_[static_cast<std::size_t>(joint)]; }
  /// \returns the joints of a body's handles.
  [[nodiscard]] std::span<const int> joints(int body) const;

  /// Sets B of one handle: +-D shifted to the centre of mass.
  /// \param directions D about the handle's point \param sign +1 on body b, -1 on a \param lever handle minus centre of
  /// mass
  void set_handle(int body, int handle, const SpatialColumns& directions, double sign, const Vec3& lever);
  /// \param inertia_inverse J_C^-1 in world axes
  void set_inertia(int body, const Mat3& inertia_inverse);

  /// As the functions of AssemblyEngine.
  AssemblyPivot factorise();
  void solve(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma, std::span<Vec6> rates);
  int refine(std::span<const double> r, std::span<double> sigma, std::span<Vec6> rates, const PassLimits& limits,
             int done = 0);
  void correct(std::span<const double> residual, std::span<double> sigma, std::span<Vec6> rates);
  void constraint_residual(std::span<const double> r, std::span<const Vec6> rates, std::span<double> residual) const;
  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] const PassRemainder& remainder() const { return remainder_; }

 private:
  /// Numbers of the problem, a pack a joint or a pack a body.
  enum Vector { kRight, kResidual, kMultipliers, kMultiplierChange, kInput, kRates, kRateChange, kVectors };

  [[nodiscard]] double* vector(Vector which) const { return vectors_[which].get(); }
  [[nodiscard]] DualTree tree() const { return {bodies_, nodes_, proximal_.regularisation}; }
  [[nodiscard]] int joint_rows(std::size_t joint) const { return row_offsets_[joint + 1] - row_offsets_[joint]; }
  [[nodiscard]] std::size_t joint_count() const { return row_offsets_.size() - 1; }
  void read_rows(std::span<const double> rows, double* to) const;
  void write_rows(const double* from, std::span<double> rows) const;
  void read_rates(std::span<const Vec6> rates, double* to) const;
  void write_rates(const double* from, std::span<Vec6> rates) const;
  void place_nodes(const AssemblyTree& tree);
  /// Passes from the multipliers and the rates that stand. \returns all passes
  int iterate(const PassLimits& limits, int done);
  /// Adds the last pass. \returns whether its change of the rates is above the limits
  bool add_change(const PassLimits& limits);

  DualSweeps sweeps_;
  ProximalOptions proximal_;
  int row_count_ = 0;
  std::vector<int> row_offsets_;  // and the number of all rows
  std::vector<DualBody> bodies_;
  std::vector<DualNode> nodes_;
  std::vector<int> indices_;  // what bodies and nodes point at
  LaneMemory numbers_;        // likewise
  std::array<LaneMemory, kVectors> vectors_;
  int passes_ = 0;
  PassRemainder remainder_;
  MultiplierSeries series_;
};

}  // namespace mbdbench
