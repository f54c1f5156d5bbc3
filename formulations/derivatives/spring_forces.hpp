#pragma once
/// \file
/// What one unit of stiffness or damping of a spring between two points, or in a cut joint, does: wrenches on two
/// bodies, or forces along the quasi-velocities of the tree. Rates change with that number as they do with these.
#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>

#include "formulations/derivatives/rate_parameters.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/cut_references.hpp"

namespace mbdbench {

/// Workspace of one mechanism, with kinematics of its own: O(n) a state, O(depth) a spring.
class SpringForces {
 public:
  /// \param near as of LoadEvaluator
  SpringForces(const Mechanism& mechanism, const CutReferences* near);
  ~SpringForces() = default;
  SpringForces(const SpringForces&) = delete;
  SpringForces& operator=(const SpringForces&) = delete;
  SpringForces(SpringForces&&) = delete;
  SpringForces& operator=(SpringForces&&) = delete;

  void set_state(std::span<const double> q, std::span<const double> u);

  struct BodyWrench {
    int body = -1;               ///< -1: the ground
    Vec6 wrench = Vec6::Zero();  ///< about its centre of mass, world axes
  };
  /// \param place of a stiffness or damping with `moves_bodies`
  [[nodiscard]] std::array<BodyWrench, 2> wrenches(const ParameterPlace& place) const;
  /// \param forces dual to u, added to
  void add(const ParameterPlace& place, Eigen::Ref<Eigen::VectorXd> forces) const;

 private:
  /// \returns the pair of a wrench about the world's origin on one body and its opposite on the other.
  [[nodiscard]] std::array<BodyWrench, 2> pair_of(int body, int opposite, const Vec6& wrench) const;

  std::optional<CutReferences> at_start_;
  const CutReferences* near_;
  Kinematics kinematics_;
};

}  // namespace mbdbench
