#pragma once
/// \file
/// Naudet's recursive Hamiltonian equations for trees of revolute joints under gravity, in link frames [Naudet2005].
///
/// paper symbol -> name
///   P* (articulated momentum) -> LinkWrench `momentum`: b of P* = A V + b in the inward sweep
///   E                         -> the z axis of every link's frame
///   T* (accumulated force)    -> gravity times the first moment of all links outboard
///
/// Two sweeps. Inward: articulated inertias A and b. Outward: velocities, and at once P* = A V + b, so that no third
/// sweep collects momenta; gravity acts on the first moment of all outboard links, which rides on the inward sweep.
/// About 360 operations a link.
#include <span>
#include <vector>

#include "formulations/recursion/articulated_inertia.hpp"

namespace mbdbench {

/// Velocities and momentum rates of all joints. Allocates nothing after construction.
class RevoluteNaudet {
 public:
  explicit RevoluteNaudet(const Mechanism& mechanism);

  /// \param q, p canonical momenta, u joint velocities, momentum_rates by body
  /// \returns -1, or a body whose articulated inertia about its joint is not positive; see `failed_pivot`
  int evaluate(std::span<const double> q, std::span<const double> p, std::span<double> u,
               std::span<double> momentum_rates);
  [[nodiscard]] double failed_pivot() const { return failed_pivot_; }

 private:
  /// What the inward sweep leaves for the outward one at a link.
  struct Link {
    JointGain gain{};
    double rest = 0.0;                              // joint velocity if the inboard link rests
    ProjectedInertia inertia{};                     // A without the joint's own direction
    double fx = 0.0, fy = 0.0, nx = 0.0, ny = 0.0;  // P* less A V
    double hx = 0.0, hy = 0.0;                      // first moment of all outboard links about O_k
  };
  /// The same where runs start.
  struct Slot {
    LinkVector linear;
    LinkVector angular;
    LinkVector gravity;
    ArticulatedInertia inertia;
    LinkWrench momentum;
    LinkVector first_moment;
  };

  int sweep_inward(std::span<const double> p);
  int sweep_outward(std::span<double> u, std::span<double> momentum_rates);

  RevoluteTree tree_;
  std::vector<Link> links_;
  std::vector<Slot> slots_;
  std::vector<double> angles_;
  std::vector<double> sines_;
  std::vector<double> cosines_;
  double failed_pivot_ = 0.0;
};

}  // namespace mbdbench
