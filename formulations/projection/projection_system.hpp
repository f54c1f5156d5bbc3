#pragma once
/// \file
/// What a projection on the constraints solves with: the assembly tree, or a recursion with rows of constraints, which
/// knows couplings too.
#include <memory>
#include <span>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// Constraints of one mechanism and the norm of its kinetic energy. Implementations allocate nothing after
/// construction.
class ProjectionSystem {
 public:
  ProjectionSystem() = default;
  virtual ~ProjectionSystem() = default;
  ProjectionSystem(const ProjectionSystem&) = delete;
  ProjectionSystem& operator=(const ProjectionSystem&) = delete;
  ProjectionSystem(ProjectionSystem&&) = delete;
  ProjectionSystem& operator=(ProjectionSystem&&) = delete;

  /// Matrices at (t, q). \returns which joint fails
  virtual RhsStatus set_positions(double t, std::span<const double> q) = 0;
  /// \returns max |Phi| at the positions set.
  virtual double position_residual(std::span<const double> q) = 0;
  /// \returns the least dq with Phi_q dq = -Phi, u_size() entries; after position_residual.
  virtual std::span<const double> position_correction(std::span<const double> q) = 0;
  /// Takes velocities. \returns max |Phi_q u + Phi_t|
  virtual double set_velocities(std::span<const double> u) = 0;
  /// \returns the u that keeps the constraints and is nearest to the one set.
  virtual std::span<const double> nearest_velocities() = 0;
  /// \returns max |Phi_q u + Phi_t| of nearest_velocities.
  virtual double nearest_residual() = 0;
};

/// \returns the assembly; the recursion where joints are coupled.
std::unique_ptr<ProjectionSystem> make_projection_system(const Mechanism& mechanism);

}  // namespace mbdbench
