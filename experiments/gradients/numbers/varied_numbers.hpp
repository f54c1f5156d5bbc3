#pragma once
/// \file
/// The numbers that a gradient is taken by, and the mechanism that has them.
///
/// | name | number |
/// |---|---|
/// | mass.BODY | its mass; the inertia about its centre of mass stays |
/// | stiffness.SPRING, damping.SPRING | of a spring in a joint or between points |
/// | length.JOINT | of the link that carries a tree joint (mechanisms/model/link_length.hpp) |
/// | q.JOINT, v.JOINT, q.JOINT.2 | start coordinates and velocities, named as in trajectories |
/// | force.JOINT@0.5, force.JOINT.2@0.5 | a control's force in a tree joint at a time |
///
/// A control is a joint load, a table over time: linear between its times, constant outside. Every value of the numbers
/// is a Mechanism of its own, which is checked as any other. Start values of closed loops take others with them
/// (loop_start.hpp), and so do lengths there.
#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/gradients/numbers/lengthened_mechanism.hpp"
#include "experiments/gradients/numbers/loop_start.hpp"
#include "mechanisms/model/link_length.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench::gradients {

/// A force in a tree joint that is linear between times.
struct Control {
  std::string joint;          ///< "slider", of several components "hip.2"
  std::vector<double> times;  ///< increasing, at least two
};

enum class VariedKind { mass, stiffness, damping, length, start_position, start_velocity, control };

struct VariedNumber {
  VariedKind kind = VariedKind::mass;
  std::string name;
  std::size_t place = 0;  ///< body, spring (of joints, then those between points), length, entry of q or u, or control
  std::size_t knot = 0;   ///< of a control
};

/// Where a time lies between two knots of a control: their shares of its force there.
struct KnotShares {
  std::size_t knot = 0;
  double first = 1.0;   ///< of `knot`
  double second = 0.0;  ///< of the next one
};

/// Coordinates and velocities that a run starts from.
struct RunStart {
  Eigen::VectorXd q;
  Eigen::VectorXd u;
  Eigen::VectorXd longer;  ///< by how much links are, in the order of their numbers
};

/// A link whose length is varied.
struct VariedLink {
  std::string joint;
  int tree_joint = 0;  ///< among those of the tree
  LinkLength own;
};

class VariedNumbers;

/// How a start changes with numbers, which must outlive it.
class StartDerivatives {
 public:
  /// \param columns of start coordinates, then of start velocities; empty: each number moves itself alone
  StartDerivatives(const VariedNumbers& numbers, Eigen::MatrixXd columns);

  /// Adds weights of the start as weights of numbers.
  void add_weights(std::span<const double> by_q, std::span<const double> by_u, std::span<double> by_numbers) const;
  /// The change of the start with one of numbers. \param of_q, of_u zeros, receive it
  void change(std::span<const double> of_numbers, std::span<double> of_q, std::span<double> of_u) const;

 private:
  /// Calls `each(number, place, share)` for what start values do, place in q and u one behind the other.
  template <typename Each>
  void for_entries(const Each& each) const;

  const VariedNumbers* numbers_;
  Eigen::MatrixXd columns_;
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
  /// \returns the links whose lengths are varied, in the order of their numbers, whose `place` counts them.
  [[nodiscard]] std::span<const VariedLink> links() const { return links_; }
  [[nodiscard]] int q_size() const { return static_cast<int>(q_.size()); }
  /// \returns the numbers of the mechanism itself; of controls zeros.
  [[nodiscard]] std::vector<double> own_values() const { return own_values_; }

  /// \returns the mechanism with these numbers, its start as `start` has it. \throws ModelError where it cannot be,
  /// std::invalid_argument for a number that is not finite
  [[nodiscard]] Mechanism with(std::span<const double> values) const;
  /// \returns the start, with loops closed. \throws ModelError where they cannot be
  [[nodiscard]] RunStart start(std::span<const double> values) const;
  /// \returns the components of u whose coordinates, and whose velocities, follow those that are varied; none where
  /// starts are as they are given.
  [[nodiscard]] ChangeableComponents following() const;
  /// \param at a start of these numbers \throws std::invalid_argument where it is singular
  [[nodiscard]] StartDerivatives start_derivatives(const RunStart& at) const;

 private:
  void add(const Mechanism& mechanism, std::span<const std::string> names);
  void add_control(const Mechanism& mechanism, const Control& control);
  void tie_starts(const Mechanism& mechanism);
  /// \returns coordinates and velocities as loops_ has them.
  [[nodiscard]] RunStart with_slides(const RunStart& start) const;

  MechanismDescription description_;
  Eigen::VectorXd q_;
  Eigen::VectorXd u_;
  std::vector<VariedNumber> numbers_;
  std::vector<double> own_values_;
  std::vector<Control> controls_;
  std::vector<std::size_t> loaded_;
  std::vector<std::size_t> first_of_;
  std::vector<VariedLink> links_;
  std::optional<LengthenedMechanism> slides_;  ///< where lengths take start values with them
  std::vector<StartValue> start_values_;       ///< there
  std::optional<LoopStart> loops_;             ///< where start values take others with them; with slides_ of that
};

/// \param place of a spring as VariedNumber has it
const std::string& spring_name(const MechanismDescription& description, std::size_t place);

/// Puts a start into the description of the mechanism itself, or of one with other numbers.
void put_start(const Mechanism& mechanism, const RunStart& start, MechanismDescription& description);
/// \param values of that mechanism
void put_start(std::span<const StartValue> values, const RunStart& start, MechanismDescription& description);

}  // namespace mbdbench::gradients
