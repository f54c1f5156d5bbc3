#pragma once
/// \file
/// One of the two sub-chains into which a cut joint divides a loop, as one rank treats it [Malczyk2008, section 3].
///
/// A sub-chain is a mechanism of its own, the tree of one of the two joints at the ground with its own loads. Its rows
/// of the cut joint are carried inward as in CutRows; what the two sub-chains know of one another is the pose and
/// velocity of the ends of the cut joint and of springs between them, and the sum of
///
///   PhiL^(beta) lambda = RHS^(beta)      over both sub-chains beta     [Malczyk2008, Eq. (5) with l the ground]
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "formulations/bae_haug/cut_end.hpp"
#include "formulations/recursion/articulated_tree.hpp"
#include "mechanisms/model/loads/point_spring.hpp"

namespace mbdbench {

/// What a sub-chain adds to the small system of the nc multipliers.
struct CutShare {
  /// Most numbers of one share in a message: the lower triangle of PhiL, RHS, the limits below which rows vanish.
  static constexpr std::size_t kSize = 21 + 6 + 6;
};

/// The sweeps of one sub-chain. Allocates nothing after construction.
class Subchain {
 public:
  /// \param whole the mechanism with the cut joint; refuse_split(whole) is empty
  /// \param part 0: the sub-chain with body a of the cut joint, 1: that with body b
  Subchain(const Mechanism& whole, int part);

  /// Poses, velocities and articulated inertias at the state of the whole mechanism.
  /// \param end receives this sub-chain's end of the cut joint
  RhsStatus set_state(double t, std::span<const double> q, std::span<const double> u, CutEnd& end);
  /// Where this sub-chain's ends of the springs to the other one are, after set_state.
  /// \param message receives kSpringEndSize numbers a spring
  void write_spring_ends(std::span<double> message) const;
  /// The backward pass: loads and rows of the cut joint condensed to the ground, after set_state.
  /// \param other_ends what the other sub-chain's write_spring_ends wrote
  /// \param share receives CutShare::kSize numbers
  void condense(double t, const CutHandles& handles, std::span<const double> other_ends, std::span<double> share);
  /// The forward pass, after condense. \param multipliers lambda, nc entries
  void sweep_accelerations(const Eigen::VectorXd& multipliers);

  /// \returns how many numbers `write_accelerations` writes.
  [[nodiscard]] std::size_t acceleration_count() const { return velocity_places_.size(); }
  /// u' of this sub-chain, after sweep_accelerations. \param message acceleration_count() entries
  void write_accelerations(std::span<double> message) const;
  /// Puts what `write_accelerations` wrote where the whole mechanism has it. \param accelerations u' of the whole
  void place_accelerations(std::span<const double> message, std::span<double> accelerations) const;

  /// \returns the joint of the whole mechanism that has the same name: statuses outlive the sub-chain.
  [[nodiscard]] int whole_joint(std::string_view name) const;

 private:
  /// One link between the cut joint and the ground.
  struct PathLink {
    int body = 0;
    SpatialColumns wrenches;  // Y_k, one column a row of the cut joint
    JointMatrix along;        // H_k^T Y_k
    JointMatrix rates;        // pivot_k^-1 H_k^T Y_k
  };

  /// The own end of a spring to the other sub-chain.
  struct CrossingSpring {
    PointSpringDescription spring;
    Vec3 point = Vec3::Zero();  // in the body's frame
  };

  [[nodiscard]] SpringEnd spring_end(std::size_t spring) const;
  void reduce(const CutHandles& handles, std::span<double> share);

  const Mechanism* whole_;
  bool on_b_;
  std::unique_ptr<const Mechanism> mechanism_;
  ArticulatedTree tree_;
  int end_body_;
  std::vector<PathLink> path_;             // outermost first
  std::vector<CrossingSpring> crossing_;   // in the whole mechanism's order
  std::vector<PointForce> spring_forces_;  // of these, on the own ends
  std::vector<std::size_t> position_places_;
  std::vector<std::size_t> velocity_places_;
  std::vector<double> q_;
  std::vector<double> u_;
};

/// Numbers of one end of a spring in a message: point and velocity.
constexpr std::size_t kSpringEndSize = 6;

/// \returns the springs between the two sub-chains: each costs one end a message more.
std::vector<PointSpringDescription> crossing_springs(const Mechanism& whole);

/// \returns why a mechanism does not fall into two sub-chains that one cut joint connects; empty if it does.
std::string refuse_split(const Mechanism& mechanism);

}  // namespace mbdbench
