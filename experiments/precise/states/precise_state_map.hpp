#pragma once
/// \file
/// States that are not those of the tree's joints, in 113 bits, as functions of these: coordinates and velocities of
/// all joints, independent ones alone with their momenta, absolute coordinates of bodies. Where (q, u) moves along the
/// constraints by (q', u'), x' is how such a state changes; nothing else of a formulation is asked for.
///
/// What stands in a state is told by the names of its components:
///
///   q.JOINT, v.JOINT      of tree and cut joints; q.independent1, v.independent1: of those components of the tree that
///                         do not depend, as the numbers dependent.1 say, a bit each, 50 a number
///   p.JOINT               of independent components: p_i = B^T M u with u = B u_i [Naudet2005]
///   r.BODY.1, e.BODY.1    centre of mass and unit quaternion; vr, ve: their rates
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/precise/motion/precise_motion.hpp"
#include "formulations/formulation.hpp"

namespace mbdbench::precise {

/// A state that a formulation has written, and that means nothing: a defect of it.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Coordinates and velocities of the tree's joints.
struct JointMotionState {
  std::span<const Real> q;
  std::span<const Real> u;
};

/// The components of one formulation's states.
class PreciseStateMap {
 public:
  /// \throws std::invalid_argument naming a component that is not known
  explicit PreciseStateMap(const Formulation& formulation);

  /// Reads which components depend. \param x a state with that choice \throws StateError where it leaves fewer
  /// independent ones than the state holds
  void choose(std::span<const double> x);

  /// Closes loops by coordinates and velocities that a state of independent ones does not hold; it keeps the others.
  /// Loops of doubles are open by their rounding, over a pivot of 1e-3 coordinates of such a state are 1e-13 away from
  /// them, and derivatives by 1e-9. States that hold all coordinates, or absolute ones, mean these: they stay. So do
  /// those of momenta, which belong to velocities where loops are as open as they are.
  /// \param open how far open they are left, of the units of their rows, with signs by row: what rounding of positions
  /// and lengths does
  void close(PreciseMotion& motion, double t, Reals& q, Reals& u, double open = 0.0) const;
  /// \returns whether `close` moves anything, after `choose`.
  [[nodiscard]] bool closes() const { return !left_to_loops().empty(); }
  /// \returns x of a motion on the constraints. \param near a state whose signs of quaternions it takes
  [[nodiscard]] Reals state(PreciseMotion& motion, double t, const JointMotionState& at,
                            std::span<const double> near) const;
  /// A state and how it changes.
  struct Moving {
    Reals state;
    Reals rates;
  };
  /// \returns x and x' there.
  [[nodiscard]] Moving moving(PreciseMotion& motion, double t, const JointMotionState& at,
                              std::span<const double> near) const;

 private:
  enum class Kind {
    coordinate,      // of the tree, `index` into q
    velocity,        // likewise, into u
    momentum,        // of an independent component of u
    cut_coordinate,  // `index`: the cut joint, `part`: its component
    cut_quaternion,
    cut_velocity,
    turn,   // an angle of a cut joint that loads know
    place,  // `index`: the body, `part`: the axis
    quaternion,
    place_rate,
    quaternion_rate,
    held  // says what others mean
  };
  struct Component {
    Kind kind = Kind::held;
    int index = 0;
    int part = 0;
  };
  using Names = std::map<std::string, Component, std::less<>>;
  [[nodiscard]] Names names_of_joints() const;
  void add_names_of_bodies(Names& names) const;
  [[nodiscard]] Component named(const Names& names, const StateComponent& one) const;
  /// Of all components, where the motion is. \param udot none: bodies do not accelerate, and there are no rates
  [[nodiscard]] Moving read(PreciseMotion& motion, double t, const JointMotionState& at, std::span<const Real> udot,
                            std::span<const double> near) const;
  [[nodiscard]] bool has(Kind kind) const;
  /// A component that a state of independent ones leaves to the loops, in q and in u.
  struct Left {
    int q = 0;
    Eigen::Index u = 0;
  };
  [[nodiscard]] std::vector<Left> left_to_loops() const;
  void look_near(PreciseMotion& motion, std::span<const double> near) const;

  const Mechanism* mechanism_;
  std::vector<Component> components_;
  std::vector<std::string> names_;
  std::vector<bool> independent_;         // components of u that a state of momenta holds
  std::vector<std::size_t> quaternions_;  // of bodies: where they begin in states that have them
};

}  // namespace mbdbench::precise
