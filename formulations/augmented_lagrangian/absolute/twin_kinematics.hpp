#pragma once
/// \file
/// Kinematics, weights and right sides of the bodies and joints within groups of twins (dual/twins/dual_twins.hpp),
/// eight bodies and eight joints at a time: straight from a state to the numbers of the groups, and back to its rates.
#include <span>
#include <vector>

#include "formulations/augmented_lagrangian/absolute/twin_bodies.hpp"
#include "formulations/augmented_lagrangian/dual/twins/dual_twin_groups.hpp"
#include "formulations/execution/execution.hpp"
#include "formulations/kernels/aligned_memory.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Of one mechanism without loads beyond gravity and without prescribed motions. No allocation after construction.
///
/// It has a group if in all lanes the joints that are closed within are of the same kind, with a and b at the same
/// places; screws, rods and what rolls are left to others. Joints that stay are always left to others.
class TwinKinematics {
 public:
  /// \param twins outlive it; those that it has are told so \param damping 2 omega mu, 1/s \param stiffness omega^2
  TwinKinematics(const Mechanism& mechanism, TwinGroups& twins, double damping, double stiffness,
                 const InstructionSet& set);

  /// \returns whether it has a body, or joint k, tree joints first.
  [[nodiscard]] bool has_body(int body) const { return bodies_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] bool has_joint(int k) const { return joints_[static_cast<std::size_t>(k)]; }

  /// B and J_C^-1 of the bodies of a group, if it has that; what belongs to joints that stay is left alone.
  /// \param y 7 numbers a body
  void place(std::size_t group, std::span<const double> y);
  /// Inputs and right sides, after `place`. \param rates y'
  void move(std::size_t group, std::span<const double> rates);
  /// x' of the bodies from the rates of the group's bodies, after `move`: the group has to be placed again before it is
  /// moved again. \param xdot 14 numbers a body
  void accelerate(std::size_t group, std::span<double> xdot);

 private:
  /// One group.
  struct Group {
    TwinBodies twins;
    std::vector<TwinJoint> joints;
    std::vector<double*> inertia_inverse;
    std::vector<std::size_t> first;  // number of every body, lane by lane, among those of a state
    AlignedMemory numbers;
    double* input = nullptr;
    double* right = nullptr;
    const double* accelerations = nullptr;
  };

  [[nodiscard]] const Joint& joint(int k) const;
  /// \returns whether joints go side by side.
  [[nodiscard]] bool suits(const TwinGroup& twins) const;
  Group make_group(TwinGroup& twins) const;
  void set_bodies(const TwinForm& form, double* constants) const;
  void set_joint(const TwinForm& form, int within, double* constants) const;

  const Mechanism* mechanism_;
  TwinBodySweeps sweeps_;
  std::vector<Group> groups_;  // without bodies where it does not have them
  std::vector<bool> bodies_;
  std::vector<bool> joints_;
};

}  // namespace mbdbench
