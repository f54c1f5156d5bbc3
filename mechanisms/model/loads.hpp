#pragma once
/// \file
/// All applied loads of a mechanism at one state: generalised forces of the tree joints and one wrench a body at its
/// centre of mass, gravity included. Loads in cut joints act as a pair of wrenches on their two bodies.
#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "mechanisms/model/kinematics.hpp"

namespace mbdbench {

/// Evaluates loads; owns its parsers and workspace, so one instance a thread. `evaluate` allocates nothing.
class LoadEvaluator {
 public:
  explicit LoadEvaluator(const Mechanism& mechanism);
  LoadEvaluator(LoadEvaluator&&) noexcept;
  LoadEvaluator& operator=(LoadEvaluator&&) noexcept;
  ~LoadEvaluator();

  /// \param kinematics positions and velocities set \param q coordinates \param u quasi-velocities
  void evaluate(double t, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics);

  /// The same with those loads only that have no share in Energies::potential: without gravity and stiffnesses.
  void evaluate_without_potential(double t, std::span<const double> q, std::span<const double> u,
                                  const Kinematics& kinematics);

  /// \returns the power (W) of the loads of the last evaluation at these velocities. \param u, kinematics as it had
  /// them
  [[nodiscard]] double power(std::span<const double> u, const Kinematics& kinematics) const;

  /// \returns tau, u_size() entries, dual to u.
  [[nodiscard]] const Eigen::VectorXd& joint_forces() const { return joint_forces_; }
  /// \returns [f; n_C] on body k in world axes.
  [[nodiscard]] const Vec6& body_wrench(int index) const { return wrenches_[static_cast<std::size_t>(index)]; }

 private:
  struct Workspace;
  void add_joint_force(JointReference joint, int component, double value, const Kinematics& kinematics);
  void add_wrench(int body, const Vec3& point, const Vec3& force, const Vec3& torque, const Kinematics& kinematics);
  void add_given_loads(double t, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics);
  /// \param stiff 1: with the springs' stiffnesses; 0: their dampers alone
  void add_springs(double stiff, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics);

  const Mechanism* mechanism_;
  Eigen::VectorXd joint_forces_;
  std::vector<Vec6> wrenches_;
  std::unique_ptr<Workspace> workspace_;
};

/// \returns the energy stored in all springs at these positions (J). \param q tree coordinates
double spring_energy(const Kinematics& kinematics, std::span<const double> q);

/// Coordinates of a cut joint at the kinematics' positions; angles within half a turn of the joint's q0.
/// \param q nq entries
void cut_coordinates(const Kinematics& kinematics, int cut, std::span<double> q);

}  // namespace mbdbench
