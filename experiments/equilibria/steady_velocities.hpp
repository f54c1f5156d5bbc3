#pragma once
/// \file
/// The velocities of a steady motion: some components are held at rates, the others are what constraints make of them.
#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// Of the largest singular value or pivot of scaled rows: as where the generic rank of loops is judged.
inline constexpr double kRankOfConstraints = 1e-9;

/// A component of u that goes on steadily.
struct TurningRate {
  std::string name;    ///< as in trajectories, without "v.": "spindle", "hip.2"
  int place = 0;       ///< in u
  double rate = 0.0;   ///< 1/s or m/s; of those to be found where the search starts
  bool found = false;  ///< it is to be found: that at which the joint neither gains nor loses speed
};

/// \throws std::invalid_argument naming a prescribed motion whose speed is not constant from t on
void require_steady_drives(const Mechanism& mechanism, double t);

/// Velocities u with Phi_q u + Phi_t = 0 of which some are held: the others are the smallest that there are.
class SteadyVelocities {
 public:
  SteadyVelocities(const Mechanism& mechanism, std::vector<TurningRate> turning);

  /// \param phi_q constraint_size() x u_size() \param phi_t what prescribed motions add to the rate of Phi
  /// \throws std::invalid_argument where none keep the constraints, with the nearest that do
  [[nodiscard]] Eigen::VectorXd at(const Eigen::MatrixXd& phi_q, const Eigen::VectorXd& phi_t) const;
  /// \returns how they change as Phi_q does. \param u as `at` has it
  [[nodiscard]] Eigen::VectorXd following(const Eigen::MatrixXd& phi_q, const Eigen::MatrixXd& phi_q_change,
                                          const Eigen::VectorXd& u) const;
  /// \returns how u changes with each rate that is to be found, a column each. \param phi_q as of `at`
  [[nodiscard]] Eigen::MatrixXd by_found_rates(const Eigen::MatrixXd& phi_q) const;
  /// Adds to the rates that are to be found, in their order; in units of the mechanism.
  void change_found_rates(const Eigen::VectorXd& change);

  [[nodiscard]] std::span<const TurningRate> turning() const { return turning_; }
  [[nodiscard]] Eigen::Index found_count() const;

 private:
  /// \returns the smallest change of those that are not held that takes `defect` out of the rate of Phi.
  [[nodiscard]] Eigen::VectorXd answer(const Eigen::MatrixXd& phi_q, const Eigen::VectorXd& defect) const;

  const Mechanism* mechanism_;
  std::vector<TurningRate> turning_;
  std::vector<Eigen::Index> others_;  // components that are not held
};

}  // namespace mbdbench
