#pragma once
/// \file
/// All applied loads of a mechanism at one state: generalised forces of the tree joints and one wrench a body at its
/// centre of mass, gravity included. Loads in cut joints act as a pair of wrenches on their two bodies.
#include <Eigen/Core>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

class CutReferences;

/// Evaluates loads; owns its parsers and workspace, so one instance a thread. `evaluate` allocates nothing.
class LoadEvaluator {
 public:
  /// \param near where the angles of cut joints are looked for, must outlive this; nullptr: near their q0
  LoadEvaluator(const Mechanism& mechanism, const CutReferences* near);
  LoadEvaluator(LoadEvaluator&&) noexcept;
  LoadEvaluator& operator=(LoadEvaluator&&) noexcept;
  ~LoadEvaluator();

  /// \param kinematics positions and velocities set \param q coordinates \param u quasi-velocities
  void evaluate(double t, std::span<const double> q, std::span<const double> u, const Kinematics& kinematics) {
    evaluate(t, q, u, kinematics, kinematics.cut_joints());
  }
  /// The same from poses and velocities of the bodies alone. \param cut_joints may be empty where there are none
  void evaluate(double t, std::span<const double> q, std::span<const double> u, const BodyMotions& bodies,
                std::span<const JointKinematics> cut_joints);

  /// \returns whether a load depends on the pose of a body, in value or in where it acts: not so for forces in tree
  /// joints whose formulas use no markers.
  [[nodiscard]] bool need_bodies() const;
  /// \returns whether there is a load in a joint at all.
  [[nodiscard]] bool in_joints() const;
  /// Joint forces alone, where no load needs bodies; wrenches of bodies stay as they are.
  void evaluate_joint_forces(double t, std::span<const double> q, std::span<const double> u);

  /// The same with those loads only that have no share in Energies::potential: without gravity and stiffnesses.
  void evaluate_without_potential(double t, std::span<const double> q, std::span<const double> u,
                                  const Kinematics& kinematics);

  /// \returns the power (W) of the loads of the last evaluation at these velocities. \param u, kinematics as it had
  /// them
  [[nodiscard]] double power(std::span<const double> u, const Kinematics& kinematics) const;

  /// \returns the name of the first load whose law gives no finite number at this state; empty when all do.
  [[nodiscard]] std::string name_of_not_finite(double t, std::span<const double> q, std::span<const double> u,
                                               const Kinematics& kinematics);

  /// \returns tau, u_size() entries, dual to u.
  [[nodiscard]] const Eigen::VectorXd& joint_forces() const { return joint_forces_; }
  /// \returns [f; n_C] on body k in world axes.
  [[nodiscard]] const Vec6& body_wrench(int index) const { return wrenches_[static_cast<std::size_t>(index)]; }

 private:
  struct Workspace;
  /// What loads may look at beside (t, q, u); bodies and cut joints only where needed.
  struct View {
    std::span<const double> q;
    std::span<const double> u;
    const BodyMotions* bodies;
    std::span<const JointKinematics> cut_joints;
    double stiffness = 1.0;  ///< of joint springs and stops: 1, or 0 for what takes energy alone
  };
  void apply_joint_loads(double t, const View& view);
  void apply_body_loads(double t, const BodyMotions& bodies);
  /// \param stiffness 1, or 0 for the dampers alone
  void apply_point_springs(const BodyMotions& bodies, double stiffness);
  void apply_bushings(const BodyMotions& bodies, double stiffness);
  std::pair<double, double> own_values(JointReference joint, int component, const View& view);
  void add_joint_force(JointReference joint, int component, double value, const View& view);
  void add_wrench(int body, const Vec3& point, const Vec3& force, const Vec3& torque, const BodyMotions& bodies);

  const Mechanism* mechanism_;
  const CutReferences* near_;
  Eigen::VectorXd joint_forces_;
  std::vector<Vec6> wrenches_;
  std::unique_ptr<Workspace> workspace_;
};

/// \returns whether a load, spring, friction or stop acts in a joint.
bool has_joint_loads(const MechanismDescription& description);

/// \returns the energy stored in all springs, stops and bushings at these positions (J). \param q tree coordinates
/// \param near as of LoadEvaluator
double spring_energy(const Kinematics& kinematics, std::span<const double> q, const CutReferences* near);

/// Coordinates of a cut joint where its ends are. \param near nq entries; angles are within half a turn of these
/// \param q nq entries
void cut_coordinates(const Joint& joint, const JointKinematics& state, std::span<const double> near,
                     std::span<double> q);

}  // namespace mbdbench
