#pragma once
/// \file
/// Memory of eight sub-trees of equal form (dual_twins.hpp), and what they exchange with the rest of the assembly:
/// Xi^C, xi_0^C and the multipliers of the handles that stay, rates of the bodies at these, and vectors as a whole.
#include <array>
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/dual/dual_nodes.hpp"
#include "formulations/augmented_lagrangian/dual/twins/dual_twins.hpp"
#include "formulations/kernels/aligned_memory.hpp"

namespace mbdbench {

/// Vectors of the problem: a pack a joint, or a pack a body; of twins a row each.
enum class DualVector { right, residual, multipliers, multiplier_change, input, rates, rate_change };
inline constexpr std::size_t kDualVectors = 7;
inline constexpr std::size_t kJointVectors = 4;  ///< the first ones are of joints

/// Eight sub-trees.
class TwinGroup {
 public:
  /// \param masses one a body, positive
  TwinGroup(const TwinForm& form, std::span<const double> masses);

  [[nodiscard]] const TwinTrees& trees() const { return trees_; }
  /// \returns a vector; null for changes of rates, which twins add as they find them.
  [[nodiscard]] double* vector(DualVector which) const { return vectors_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] TwinVectors vectors(DualVector joints, DualVector bodies) const {
    return {vector(joints), vector(bodies)};
  }
  [[nodiscard]] const TwinForm& form() const { return form_; }
  /// \returns whether the handles of a joint stay. \param joint within
  [[nodiscard]] bool stays(int joint) const { return first_place(joint) >= trees_.closed_rows; }
  /// \returns where the rows of a joint stand among the multipliers. \param joint within
  [[nodiscard]] int first_place(int joint) const { return first_places_[static_cast<std::size_t>(joint)]; }

  /// Somebody else sets inputs and right sides, B of the joints that do not stay and J_C^-1 (twin_kinematics.hpp).
  void fill_from_outside() { filled_from_outside_ = true; }
  [[nodiscard]] bool is_filled_from_outside() const { return filled_from_outside_; }
  /// \returns a handle. \param body, joint within
  [[nodiscard]] TwinHandle& handle_of(int body, int joint);
  /// \returns 1 / m and J_C^-1. \param body within
  [[nodiscard]] double* inertia_inverse_of(int body) const { return leaf_of(body).inertia_inverse; }

  /// A pivot that is not positive, as others see it.
  struct Failure {
    int node = 0;  ///< place in the order of the division
    int row = 0;   ///< of that node
    double pivot = 0.0;
  };
  /// \returns that of the first lane in which a row fails. \param node at which factorising has stopped \param row of
  /// it
  [[nodiscard]] Failure failure_at(int node, int row, std::span<const DualNode> nodes) const;

  /// B of a handle of any kind: six numbers a row. \param leaf a node
  [[nodiscard]] double* columns(std::size_t leaf, std::size_t handle, std::size_t lane) const {
    return nodes_[leaf].handles[handle].numbers + lane;
  }
  /// \param matrix J_C^-1, three numbers a column
  void set_inertia(std::size_t leaf, std::size_t lane, const double* matrix) const;

  /// Finds the handles that stay among those of the roots as others see them.
  void connect(std::span<const DualNode> nodes);
  void give_schur(std::span<const DualNode> nodes) const;
  void give_right(std::span<const DualNode> nodes) const;
  /// \param from a pack a joint
  void take_kept_multipliers(const double* from, DualVector to) const;
  /// \param to a pack a body: the rates of bodies at handles that stay
  void give_kept_rates(double* to) const;
  /// A whole vector.
  void take(DualVector which, const double* from) const;
  void give(DualVector which, double* to) const;

 private:
  /// A row that the roots leave, in one lane.
  struct Kept {
    int multiplier = 0;  ///< among the packs of joints
    int row = 0;         ///< of Xi^C
    int slot = 0;        ///< among its packs
  };

  [[nodiscard]] const TwinNode& leaf_of(int body) const;
  struct Layout;

  void place_joints();
  void count_rows(Layout& layout);
  void place_numbers(const Layout& layout);
  void place_handles(const TwinForm::Node& from, double* numbers, TwinNode& node);
  void place_indices(const Layout& layout);
  /// Calls work(own, other) with the numbers of a vector here and elsewhere.
  template <typename Work>
  void for_numbers(DualVector which, const Work& work) const;

  TwinForm form_;
  std::vector<int> first_places_;  // by joint
  std::vector<TwinNode> nodes_;
  std::vector<int> indices_;         // what these point at
  std::vector<TwinHandle> handles_;  // likewise
  TwinTrees trees_;
  std::array<double*, kDualVectors> vectors_{};
  AlignedMemory numbers_;
  bool filled_from_outside_ = false;
  std::array<std::vector<Kept>, kTwins> kept_;  // by lane: rows of the roots
  std::vector<int> kept_bodies_;                // within
};

}  // namespace mbdbench
