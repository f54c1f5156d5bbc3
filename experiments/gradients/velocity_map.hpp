#pragma once
/// \file
/// How quasi-velocities change with a formulation's state, masses and lengths of links, and a start's momenta with its
/// velocities.
///
/// States with velocities: u is part of them. Momenta: u = U(q, p) is in q' = N(q) u, so that its derivatives are those
/// of the right-hand side; and since p = M u is linear in u, of a start dp = M (du - dU by all else), where M times
/// a vector is what `pack` makes of it. With constraints U is what impulses leave, but momenta of a start are those of
/// the tree of joints alone, p = M u: a formulation of that tree knows its U.
///
/// Cost: momenta about one vector-Jacobian product each.
#include <memory>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench::gradients {

/// A change of a start or state: of coordinates, velocities or rates, masses of bodies and lengths of links, by tree
/// joint (empty: none).
struct Change {
  std::span<const double> q;
  std::span<const double> rate;
  std::span<const double> masses;
  std::span<const double> lengths;
};

/// Sums that derivatives are added to: by coordinates, velocities or rates, masses and lengths (empty: not wanted).
struct Sums {
  std::span<double> q;
  std::span<double> rate;
  std::span<double> masses;
  std::span<double> lengths;
};

/// Of one formulation with states of joint coordinates, which must outlive it.
class VelocityMap {
 public:
  explicit VelocityMap(Formulation& formulation);
  ~VelocityMap();
  VelocityMap(const VelocityMap&) = delete;
  VelocityMap& operator=(const VelocityMap&) = delete;

  [[nodiscard]] bool has_momenta() const { return momenta_; }

  /// Weights of u at a state x turned into those of its q, its second half and the rest. \returns why there are none
  RhsStatus add_weights(double t, std::span<const double> x, std::span<const double> by_u, const Sums& sums);
  /// The change of u with a change of the state. \param change `rate` is that of the second half \param u receives it
  RhsStatus change(double t, std::span<const double> x, const Change& change, std::span<double> u);

  /// Weights of the state of a start turned into those of its q, u and the rest. \param x the start's state
  RhsStatus add_start_weights(double t, std::span<const double> x, std::span<const double> weights, const Sums& sums);
  /// The change of the start's state. \param change `rate` is that of u
  RhsStatus start_change(double t, std::span<const double> x, const Change& change, std::span<double> of_x);

 private:
  struct OpenTree;

  /// Whether momenta of a start are those of another formulation's states.
  [[nodiscard]] bool starts_in_tree() const { return momenta_ && formulation_->mechanism().constrained(); }
  /// \returns the map of the tree without constraints.
  VelocityMap& open_tree();
  /// q' of changes of quaternions alone, u held.
  void set_turned_rates(std::span<const double> of_q, std::span<double> rates);
  RhsStatus set_velocities(double t, std::span<const double> x);
  RhsStatus add_parameter_change(double t, std::span<const double> x, const Change& change);

  Formulation* formulation_;
  bool momenta_;
  std::unique_ptr<OpenTree> open_tree_;  ///< where there are constraints, once it is asked for
  std::vector<double> q_;
  std::vector<double> u_;
  std::vector<double> weights_;
  std::vector<double> product_;
  std::vector<double> direction_;
  std::vector<double> masses_;
  std::vector<double> lengths_;
  std::vector<double> work_;
};

}  // namespace mbdbench::gradients
