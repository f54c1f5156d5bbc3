#pragma once
/// \file
/// The numbers that a gradient is taken by, and the mechanism that has them.
///
/// | name | number |
/// |---|---|
/// | mass.BODY | its mass; the inertia about its centre of mass stays |
/// | stiffness.SPRING, damping.SPRING | of a spring in a tree joint |
/// | q.JOINT, v.JOINT, q.JOINT.2 | start coordinates and velocities, named as in trajectories |
/// | force.JOINT@0.5, force.JOINT.2@0.5 | a control's force in a tree joint at a time |
///
/// A control is a joint load, a table over time: linear between its times, constant outside. Every value of the numbers
/// is a Mechanism of its own, which is checked as any other.
#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench::gradients {

/// A force in a tree joint that is linear between times.
struct Control {
  std::string joint;          ///< "slider", of several components "hip.2"
  std::vector<double> times;  ///< increasing, at least two
};

enum class VariedKind { mass, stiffness, damping, start_position, start_velocity, control };

struct VariedNumber {
  VariedKind kind = VariedKind::mass;
  std::string name;
  std::size_t place = 0;  ///< body, joint spring, entry of q or u, or control
  std::size_t knot = 0;   ///< of a control
};

/// Where a time lies between two knots of a control: their shares of its force there.
struct KnotShares {
  std::size_t knot = 0;
  double first = 1.0;   ///< of `knot`
  double second = 0.0;  ///< of the next one
};

class VariedNumbers {
 public:
  /// \param names of parameters without controls, whose numbers follow in the order of their times
  /// \throws std::invalid_argument for a name that is not there, saying which are, one that stands twice, and times
  /// that do not increase
  VariedNumbers(const Mechanism& mechanism, std::span<const std::string> names, std::vector<Control> controls);

  [[nodiscard]] std::span<const VariedNumber> numbers() const { return numbers_; }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::span<const Control> controls() const { return controls_; }
  /// \returns the place in u that a control loads.
  [[nodiscard]] std::size_t loaded(std::size_t control) const { return loaded_[control]; }
  [[nodiscard]] KnotShares shares(std::size_t control, double t) const;
  /// \returns where the numbers of a control begin.
  [[nodiscard]] std::size_t first_of(std::size_t control) const { return first_of_[control]; }
  [[nodiscard]] bool any(VariedKind kind) const;
  /// \returns the numbers of the mechanism itself; of controls zeros.
  [[nodiscard]] std::vector<double> own_values() const { return own_values_; }

  /// \returns the mechanism with these numbers, its start as `start` has it. \throws ModelError where it cannot be,
  /// std::invalid_argument for a number that is not finite
  [[nodiscard]] Mechanism with(std::span<const double> values) const;
  /// \param q, u receive the start.
  void start(std::span<const double> values, Eigen::VectorXd& q, Eigen::VectorXd& u) const;

 private:
  void add(const Mechanism& mechanism, std::span<const std::string> names);
  void add_control(const Mechanism& mechanism, const Control& control);

  MechanismDescription description_;
  Eigen::VectorXd q_;
  Eigen::VectorXd u_;
  std::vector<VariedNumber> numbers_;
  std::vector<double> own_values_;
  std::vector<Control> controls_;
  std::vector<std::size_t> loaded_;
  std::vector<std::size_t> first_of_;
};

/// Puts a start into the description of the mechanism itself, or of one with other numbers.
void put_start(const Mechanism& mechanism, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
               MechanismDescription& description);

}  // namespace mbdbench::gradients
