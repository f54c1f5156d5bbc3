#pragma once
/// \file
/// The articulated-body algorithm for trees of revolute joints under gravity, in link frames [Featherstone1983].
///
/// paper symbol       -> name
///   I^A (articulated-body inertia) -> ArticulatedInertia
///   Z^A (zero-acceleration force)  -> LinkWrench in `sweep_inward`
///   s                  -> the z axis of every link's frame
///   U = I^A s, D = s^T I^A s       -> JointGain holds U / D
///
/// Three sweeps: angular velocities and what they need (outward), articulated inertias (inward), accelerations
/// (outward). Accelerations are those of points, d/dt [v_O; omega] resolved in the link: linear velocities drop out.
/// Gravity is an upward acceleration of the ground. About 420 operations a link.
#include <span>
#include <vector>

#include "formulations/recursion/articulated_inertia.hpp"

namespace mbdbench {

/// Accelerations of all joints. Allocates nothing after construction.
class RevoluteAba {
 public:
  explicit RevoluteAba(const Mechanism& mechanism);

  /// \param q, u, accelerations by body
  /// \returns -1, or a body whose articulated inertia about its joint is not positive; see `failed_pivot`
  int evaluate(std::span<const double> q, std::span<const double> u, std::span<double> accelerations);
  [[nodiscard]] double failed_pivot() const { return failed_pivot_; }

 private:
  /// What the sweeps leave for each other at a link.
  struct Link {
    LinkVector centripetal;  // acceleration of O_k from omega of the inboard link
    double turned_x = 0.0;   // omega x z u
    double turned_y = 0.0;
    LinkWrench needed;  // by the rigid link for omega alone
    JointGain gain{};
    double rest = 0.0;  // joint acceleration that loads and omega cause if the inboard link rests
  };
  /// The same where runs start.
  struct Slot {
    LinkVector omega;
    LinkVector linear;
    LinkVector angular;
    ArticulatedInertia inertia;
    LinkWrench wrench;
  };

  void sweep_velocities(std::span<const double> u);
  int sweep_inward();
  int sweep_accelerations(std::span<double> accelerations);

  RevoluteTree tree_;
  std::vector<Link> links_;
  std::vector<Slot> slots_;
  std::vector<double> angles_;
  std::vector<double> sines_;
  std::vector<double> cosines_;
  double failed_pivot_ = 0.0;
};

}  // namespace mbdbench
