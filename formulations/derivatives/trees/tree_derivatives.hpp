#pragma once
/// \file
/// Exact derivatives of the right-hand sides of one open tree with respect to the state: its recursion, linearised by
/// hand (tree_slopes.hpp, along_direction.hpp and tree_weights.hpp have the equations).
///
/// Cost: 1.4 to 1.8 right-hand sides for what all directions share; then of n components n / 16 passes outward, inward
/// and outward over the tree (AVX-512; AVX2 n / 8). One direction and weights do not need what directions share: 1.7 to
/// 2.6 and 1.7 to 3 right-hand sides in all.
#include <vector>

#include "formulations/batches/batch_tree.hpp"
#include "formulations/derivatives/linear_data.hpp"
#include "formulations/execution/instruction_set.hpp"

namespace mbdbench {

/// Workspace of one mechanism. Allocates nothing after construction.
class TreeDerivatives {
 public:
  /// Parameters as of BatchTree; a mechanism for which `loads_without_lanes` is empty.
  TreeDerivatives(const Mechanism& mechanism, StateKind kind, const CutReferences* near, const InstructionSet& set);

  // As of Formulation, by the same names. All return whether what they give is right for sure: pivots positive, numbers
  // finite.
  bool jacobian(double t, std::span<const double> x, std::span<double> rows);
  bool jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                       std::span<double> product);
  /// Without parameters it is vector_jacobian.
  bool weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                            std::span<double> product, const WeightsByParameter& by);

  /// \throws ModelError naming a parameter that is not there
  bool parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                          std::span<double> rows);

 private:
  [[nodiscard]] LinearParameter located(const RateParameter& parameter) const;
  [[nodiscard]] LinearParameter on_body(int body) const;
  [[nodiscard]] LinearParameter on_axis(int u, double force) const;
  /// Of a joint of the tree; of no node where its link has no length.
  [[nodiscard]] LinearParameter on_link(std::size_t joint) const;
  void add_nodes();
  void add_axes(std::size_t row, int count, int first_u);
  void reserve();
  void add_directions();
  void set_columns();
  void add_starts();
  void set_state(double t, std::span<const double> x);

  LinearSweeps sweeps_;
  BatchTree tree_;
  const Mechanism* mechanism_;
  std::vector<Vec3> links_;  // as of link_length.hpp
  std::vector<int> node_of_row_;
  std::vector<LinearNode> nodes_;
  std::vector<LinearAxis> axes_;
  std::vector<LinearDirection> directions_;
  std::vector<int> columns_;
  std::vector<LinearWeights> weights_;
  std::vector<LinearChange> along_;
  std::vector<unsigned char> flags_;
  std::vector<double> x_;
  std::vector<AlignedMemory> memory_;
  LinearData data_;
};

}  // namespace mbdbench
