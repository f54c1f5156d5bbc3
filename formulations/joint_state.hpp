#pragma once
/// \file
/// States in joint coordinates, x = [q; u] or [q; p] over the tree joints, and what all formulations with them share.
#include "formulations/state_derivatives.hpp"

namespace mbdbench {

/// \returns names and kinds of x = [q; u] or [q; p]. \param rate_kind velocity or momentum
std::vector<StateComponent> joint_layout(const Mechanism& mechanism, StateKind rate_kind);

/// \returns whether a formulation has such states.
bool has_joint_states(const Formulation& formulation);

/// q' = N(q) u of all tree joints of one mechanism.
class CoordinateRates {
 public:
  explicit CoordinateRates(const Mechanism& mechanism);
  /// \param qdot q_size() entries
  void set(std::span<const double> q, std::span<const double> u, std::span<double> qdot) const {
    set_share(q, u, qdot, 0, 1);
  }
  /// One of several shares of the same.
  void set_share(std::span<const double> q, std::span<const double> u, std::span<double> qdot, std::size_t index,
                 std::size_t count) const;

 private:
  /// Neighbouring coordinates whose rates are neighbouring quasi-velocities.
  struct ScalarCoordinates {
    std::size_t q;
    std::size_t u;
    std::size_t count;
  };

  const Mechanism* mechanism_;
  std::vector<ScalarCoordinates> scalar_;
  std::vector<std::size_t> quaternion_joints_;  // spherical and free tree joints
};

/// Base of formulations whose state is the tree coordinates followed by quasi-velocities u or canonical momenta p.
class JointStateFormulation : public DifferentiatedFormulation {
 public:
  /// \param rate_kind velocity or momentum
  JointStateFormulation(const Mechanism& mechanism, StateKind rate_kind);

 protected:
  [[nodiscard]] std::span<const double> q_of(std::span<const double> x) const { return x.first(q_size()); }
  [[nodiscard]] std::span<const double> rate_of(std::span<const double> x) const { return x.subspan(q_size()); }
  [[nodiscard]] std::span<double> q_of(std::span<double> x) const { return x.first(q_size()); }
  [[nodiscard]] std::span<double> rate_of(std::span<double> x) const { return x.subspan(q_size()); }
  /// q' = N(q) u of all tree joints. \param qdot q_size() entries
  void set_coordinate_rates(std::span<const double> q, std::span<const double> u, std::span<double> qdot) const {
    rates_.set(q, u, qdot);
  }
  [[nodiscard]] const CoordinateRates& coordinate_rates() const { return rates_; }

 private:
  CoordinateRates rates_;
  [[nodiscard]] std::size_t q_size() const { return static_cast<std::size_t>(mechanism().q_size()); }
};

/// Base of formulations with x = [q; u]: nothing is computed to pack or unpack it.
class JointVelocityFormulation : public JointStateFormulation {
 public:
  explicit JointVelocityFormulation(const Mechanism& mechanism)
      : JointStateFormulation(mechanism, StateKind::velocity) {}

  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override;
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override;
};

}  // namespace mbdbench
