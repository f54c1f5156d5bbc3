#include "formulations/projection/projection_system.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formulations/assembly/mechanism_assembly.hpp"
#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"

namespace mbdbench {
namespace {

double largest_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

class AssemblyProjection final : public ProjectionSystem {
 public:
  explicit AssemblyProjection(const Mechanism& mechanism)
      : system_(mechanism, AssemblyOptions{}), momenta_(index_of(mechanism.u_size())) {}

  RhsStatus set_positions(double t, std::span<const double> q) override { return system_.set_positions(t, q); }
  double position_residual(std::span<const double> q) override { return system_.position_residual(q); }
  std::span<const double> position_correction(std::span<const double> q) override {
    system_.solve_position_correction(q);
    return system_.u();
  }
  double set_velocities(std::span<const double> u) override {
    system_.set_velocities(u);
    return system_.velocity_residual();
  }
  std::span<const double> nearest_velocities() override {
    system_.outboard_momenta(momenta_);
    system_.solve_velocities(momenta_);
    return system_.u();
  }
  double nearest_residual() override { return system_.velocity_residual(); }

 private:
  MechanismAssembly system_;
  std::vector<double> momenta_;
};

class RecursionProjection final : public ProjectionSystem {
 public:
  explicit RecursionProjection(const Mechanism& mechanism)
      : tree_(mechanism),
        rows_(mechanism, {}),
        residual_(index_of(mechanism.constraint_size())),
        momenta_(index_of(mechanism.u_size())) {}

  RhsStatus set_positions(double t, std::span<const double> q) override {
    const RhsStatus status = tree_.set_positions(t, q);
    return status.ok ? rows_.set_positions(tree_, q) : status;
  }
  double position_residual(std::span<const double> q) override {
    constraint_residual(tree_.kinematics(), q, tree_.motions().positions(), residual_);
    return largest_of(residual_);
  }
  std::span<const double> position_correction(std::span<const double> /*q*/) override {
    std::fill(momenta_.begin(), momenta_.end(), 0.0);
    rows_.correct_positions(tree_, momenta_, residual_);
    return tree_.u();
  }
  double set_velocities(std::span<const double> u) override {
    tree_.set_velocities(u);
    return velocity_residual();
  }
  std::span<const double> nearest_velocities() override {
    tree_.momenta(momenta_);
    tree_.sweep_momenta(momenta_);
    rows_.close_velocities(tree_);
    tree_.sweep_velocities();
    return tree_.u();
  }
  double nearest_residual() override { return velocity_residual(); }

 private:
  double velocity_residual() {
    constraint_rate_residual(tree_.kinematics(), tree_.u(), tree_.motions().velocities(), residual_);
    return largest_of(residual_);
  }

  BodyRecursion tree_;
  CutRows rows_;
  std::vector<double> residual_;
  std::vector<double> momenta_;
};

}  // namespace

std::unique_ptr<ProjectionSystem> make_projection_system(const Mechanism& mechanism) {
  if (mechanism.couplings().empty()) {
    return std::make_unique<AssemblyProjection>(mechanism);
  }
  return std::make_unique<RecursionProjection>(mechanism);
}

}  // namespace mbdbench
