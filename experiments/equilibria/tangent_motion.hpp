#pragma once
/// \file
/// Accelerations at steady velocities and their derivatives along what the constraints leave free: what equilibria and
/// steady motions are found with.
#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "experiments/equilibria/steady_velocities.hpp"
#include "experiments/registries/registries.hpp"
#include "formulations/formulation.hpp"
#include "formulations/joint_state.hpp"
#include "mechanisms/model/kinematics/jacobians.hpp"
#include "mechanisms/model/loads/motions.hpp"

namespace mbdbench {

/// One mechanism at rest or at velocities that shall stay as they are, moved along its constraints. Freedoms c are
/// scaled: one of 1 turns by about 1, or moves by about the mechanism's length. O(n^3) a change of position with loops.
class TangentMotion {
 public:
  /// Takes `aba` where it has exact derivatives of the mechanism, otherwise `dense`, with differences of fourth order
  /// where that has none or loops are singular.
  /// \param turning what goes on steadily; of none, and without motions that go on, the mechanism rests
  /// \throws std::invalid_argument for prescribed motions whose speed is not constant, and where no velocities keep the
  /// constraints; ModelError where no formulation takes it
  TangentMotion(const Registries& registries, const Mechanism& mechanism, double t,
                std::vector<TurningRate> turning = {});

  /// \returns the key of the formulation.
  [[nodiscard]] const std::string& formulation_key() const { return key_; }
  [[nodiscard]] Formulation& formulation() const { return *formulation_; }
  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] const Eigen::VectorXd& q() const { return q_; }
  /// \returns the velocities here.
  [[nodiscard]] const Eigen::VectorXd& u() const { return u_; }
  /// \returns whether something may go on: a joint that turns, or a motion.
  [[nodiscard]] bool goes_on() const { return mechanism_->rheonomic() || !velocities_.turning().empty(); }
  /// \returns whether a component of u does.
  [[nodiscard]] bool goes_on(Eigen::Index place) const;
  /// \returns whether the constraints let the velocities stay as they are: around a loop with a crank they do not.
  [[nodiscard]] bool velocities_stay() const { return velocities_stay_; }
  [[nodiscard]] Eigen::Index freedoms() const { return basis_.cols(); }
  /// \returns whether branches of the motion meet here: constraints leave more free than elsewhere.
  [[nodiscard]] bool is_singular() const { return singular_; }
  /// \returns Z: how u follows from rates of the freedoms.
  [[nodiscard]] const Eigen::MatrixXd& basis() const { return basis_; }

  /// Goes to coordinates that close the loops; velocities follow.
  /// \throws std::invalid_argument where no velocities keep the constraints
  void set_positions(const Eigen::VectorXd& q);
  /// \returns the coordinates at a step of the freedoms from here, loops closed again; empty where that fails.
  [[nodiscard]] Eigen::VectorXd moved(const Eigen::VectorXd& step);
  /// \returns the coordinates of the same motion a time later, were its velocities constant.
  [[nodiscard]] Eigen::VectorXd later(double duration) const;
  /// Goes on with it by this time.
  /// \throws std::runtime_error where the loops open: its velocities are not constant
  void go_on(double duration);
  /// Goes back to where and when it was.
  void go_back(const Eigen::VectorXd& q, double t);

  /// \returns u' here. \throws std::runtime_error where the equations have no solution
  Eigen::VectorXd velocity_rates();
  /// \returns c'' here, 1/s^2. \throws likewise
  Eigen::VectorXd accelerations() { return left_inverse_ * velocity_rates(); }
  /// Derivatives of c'' with respect to c, velocities following, and c' here. \returns whether they are exact \throws
  /// likewise
  bool linearise(Eigen::MatrixXd& by_positions, Eigen::MatrixXd& by_velocities);
  /// \param displacements, velocities how q moves, as velocities, and u changes: a column each
  /// \param changes receives how u' changes \returns whether they are exact \throws likewise
  bool acceleration_changes(const Eigen::MatrixXd& displacements, const Eigen::MatrixXd& velocities,
                            Eigen::MatrixXd& changes);
  /// \returns how the rates of displacements, along axes that turn with bodies on ball joints, change with them here.
  [[nodiscard]] Eigen::MatrixXd turned(const Eigen::MatrixXd& displacements) const;
  /// \returns directions of the freedoms, orthonormal columns, along which nothing moves but what goes on, and on which
  /// neither accelerations nor rates depend. \param by_positions of `linearise`
  [[nodiscard]] Eigen::MatrixXd ignorable(const Eigen::MatrixXd& by_positions) const;
  /// \returns how c' changes with the rates that are to be found, a column each, in units of the mechanism.
  [[nodiscard]] Eigen::MatrixXd by_found_rates() const { return left_inverse_ * by_found_rates_; }
  void change_found_rates(const Eigen::VectorXd& change);

  /// \returns q' of velocities here.
  [[nodiscard]] Eigen::VectorXd coordinate_change(const Eigen::VectorXd& velocities) const;

 private:
  /// \returns u' at coordinates and velocities.
  Eigen::VectorXd accelerations_at(const Eigen::VectorXd& q, const Eigen::VectorXd& u);
  /// \param reach by how much the loops may be corrected, in units of the mechanism
  [[nodiscard]] bool close(Eigen::VectorXd& q, double reach);
  void set_basis();
  void set_velocities();
  [[nodiscard]] Eigen::MatrixXd differences(const Eigen::MatrixXd& displacements, const Eigen::MatrixXd& velocities);

  const Mechanism* mechanism_;
  double t_;
  SteadyVelocities velocities_;
  std::string key_;
  std::unique_ptr<Formulation> formulation_;
  bool exact_ = false;
  CoordinateRates coordinate_rates_;
  Kinematics kinematics_;
  Jacobians jacobians_;
  PrescribedMotions motions_;
  Eigen::VectorXd q_;
  Eigen::VectorXd u_;
  bool velocities_stay_ = true;
  bool singular_ = false;
  Eigen::MatrixXd basis_;
  Eigen::MatrixXd left_inverse_;    // of the basis
  Eigen::MatrixXd following_;       // how u changes with displacements along the basis
  Eigen::MatrixXd by_found_rates_;  // how u changes with these
};

}  // namespace mbdbench
