#pragma once
/// \file
/// What derivatives of Naudet's states of loops ask of who has them: what a state holds, and what depends in it.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// States [q; q of the cut joints; p_i; numbers without a rate], or with independent coordinates alone
/// [q_i; p_i or u_i; numbers without a rate]. B = [I; K] and Phi_d are those of closed_dynamics.hpp.
class DependentStates {
 public:
  DependentStates() = default;
  virtual ~DependentStates() = default;
  DependentStates(const DependentStates&) = delete;
  DependentStates& operator=(const DependentStates&) = delete;
  DependentStates(DependentStates&&) = delete;
  DependentStates& operator=(DependentStates&&) = delete;

  /// Everything below is that of the state. \returns why there is no B, or no position
  virtual RhsStatus read(std::span<const double> x) = 0;
  /// \returns whether states hold independent coordinates alone.
  [[nodiscard]] virtual bool solves_coordinates() const = 0;
  /// \returns the entries of q that the state holds, in its order.
  [[nodiscard]] virtual std::span<const int> held() const = 0;
  /// \returns q of all joints of the tree.
  [[nodiscard]] virtual std::span<const double> coordinates() const = 0;
  /// \returns the components of u whose p or u the state holds, in its order.
  [[nodiscard]] virtual std::span<const int> independent() const = 0;
  /// B^T g in place. \param g over u
  virtual void reduce(std::span<double> g) = 0;
  /// B y in place. \param y over u, entries that depend are not read
  virtual void complete(std::span<double> y) = 0;
  /// Adds -Phi_d^-1 r to the entries that depend. \param residual r, by row of the cut joints \param y over u
  virtual void add_correction(std::span<const double> residual, std::span<double> y) = 0;
  /// \param g over u \param mu receives -Phi_d^-T g_d, by row of the cut joints
  virtual void multipliers(std::span<const double> g, std::span<double> mu) = 0;
};

/// States with coordinates and velocities of all joints, in which nothing depends.
class AllJointStates final : public DependentStates {
 public:
  explicit AllJointStates(const Mechanism& mechanism);
  RhsStatus read(std::span<const double> x) override;
  [[nodiscard]] bool solves_coordinates() const override { return false; }
  [[nodiscard]] std::span<const int> held() const override { return held_; }
  [[nodiscard]] std::span<const double> coordinates() const override { return q_; }
  [[nodiscard]] std::span<const int> independent() const override { return independent_; }
  void reduce(std::span<double> /*g*/) override {}
  void complete(std::span<double> /*y*/) override {}
  void add_correction(std::span<const double> /*residual*/, std::span<double> /*y*/) override {}
  void multipliers(std::span<const double> g, std::span<double> mu) override;

 private:
  std::vector<int> held_;
  std::vector<int> independent_;
  std::vector<double> q_;
};

/// \param part begins with entries of q, or with changes or weights of them, that the states hold \returns them over
/// all of q, zero where the states hold none
std::vector<double> spread(const DependentStates& states, std::span<const double> part);
/// The same the other way: what the states hold, at the beginning of `part`.
void gather(const DependentStates& states, std::span<const double> all, std::span<double> part);
/// \returns the cut joints whose coordinates the states hold.
std::span<const Joint> cuts_in(const DependentStates& states, const Mechanism& mechanism);
/// \returns how the joints move, a column each component of u: by itself, or with what follows it; zero where it
/// depends.
Eigen::MatrixXd motions_of(DependentStates& states, Eigen::Index size);
/// \returns how dependent coordinates close what has been opened, over u. Of states that solve coordinates.
/// \param openings Phi of the cut joints, a column a change
Eigen::MatrixXd closing_turns(DependentStates& states, const Eigen::MatrixXd& openings, Eigen::Index size);

}  // namespace mbdbench
