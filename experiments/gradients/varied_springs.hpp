#pragma once
/// \file
/// Springs whose stiffness or damping is varied: what weights of forces are worth by these numbers.
///
/// A unit of such a number is a force along quasi-velocities: of a spring in a tree joint along one, of a spring
/// between points or in a cut joint along all that move its bodies (formulations/derivatives/spring_forces.hpp).
/// Velocities are those of q' = N(q) u, which every formulation computes: states may have momenta, or velocities that
/// it projects.
///
/// Cost a state: a product a spring in a tree joint; where there are others O(n), and O(depth) for each of them.
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "experiments/gradients/numbers/varied_numbers.hpp"
#include "formulations/derivatives/rate_parameters.hpp"
#include "formulations/derivatives/spring_forces.hpp"

namespace mbdbench::gradients {

class VariedSprings {
 public:
  /// \param mechanism with the numbers of one evaluation \param near where coordinates of cut joints are looked for;
  /// both must outlive this
  VariedSprings(const Mechanism& mechanism, const VariedNumbers& numbers, const CutReferences& near);

  /// \returns of which components of x' `add_weights` is told: those of coordinates with dampers, then, where dampers
  /// act on bodies, of all coordinates.
  [[nodiscard]] const std::vector<std::size_t>& wanted_rates() const { return wanted_; }
  /// \param q coordinates \param rates those that are wanted \param by_forces weights of forces dual to u
  void add_weights(std::span<const double> q, std::span<const double> rates, std::span<const double> by_forces,
                   std::span<double> by_numbers);

 private:
  struct Term {
    std::size_t number = 0;  ///< among those that are varied
    ParameterPlace place;
  };
  void set_velocities(std::span<const double> q, std::span<const double> rates);

  const Mechanism* mechanism_;
  std::vector<Term> terms_;
  std::vector<std::size_t> wanted_;
  std::size_t in_joints_ = 0;                // of what is wanted
  std::unique_ptr<SpringForces> on_bodies_;  // where there are any
  std::vector<double> u_;
  Eigen::VectorXd forces_;
};

}  // namespace mbdbench::gradients
