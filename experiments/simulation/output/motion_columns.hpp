#pragma once
/// \file
/// Columns of a trajectory beyond the state: what follows from it and is asked for.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formulations/formulation.hpp"
#include "mechanisms/model/loads/loads.hpp"

namespace mbdbench {

/// Which of them.
struct MotionColumnChoice {
  bool velocities = false;     ///< v.JOINT, where the state has momenta or absolute coordinates
  bool accelerations = false;  ///< a.JOINT, u'
  bool loads = false;          ///< tau.JOINT; force_SPRING of every spring
  bool poses = false;          ///< x.BODY, y.BODY, z.BODY, e0.BODY to e3.BODY; e0_MARKER to e3_MARKER

  [[nodiscard]] bool any() const { return velocities || accelerations || loads || poses; }
};

/// Computes them at states of one formulation.
class MotionColumns {
 public:
  /// \param formulation of the run; must outlive this
  /// \throws std::invalid_argument for accelerations that only dense equations of more than 2000 quasi-velocities give
  MotionColumns(Formulation& formulation, const MotionColumnChoice& choice);
  ~MotionColumns();

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Appends as many numbers as there are names. \throws std::runtime_error when the state cannot be observed
  void append(double t, std::span<const double> x, std::vector<double>& row);

 private:
  void name_joint_columns(const char* symbol);
  void append_accelerations(double t, std::span<const double> x, std::vector<double>& row);
  void append_loads(double t, std::vector<double>& row);
  /// \returns coordinate (0 where it is a quaternion's) and quasi-velocity of a joint in the tree or cut.
  [[nodiscard]] std::pair<double, double> joint_component(const std::string& name, int component) const;
  void append_poses(std::vector<double>& row) const;

  Formulation& formulation_;
  MotionColumnChoice choice_;
  std::vector<std::string> names_;
  bool writes_velocities_ = false;
  /// Whose rates are accelerations: a copy of the run's formulation where its state has u, else dense equations.
  std::unique_ptr<Formulation> accelerating_;
  bool own_state_ = false;
  std::unique_ptr<Kinematics> kinematics_;  // for loads and poses; else 2 kB a body for nothing
  LoadEvaluator loads_;
  Eigen::VectorXd q_, u_;
  std::vector<double> x_, rates_;
};

}  // namespace mbdbench
