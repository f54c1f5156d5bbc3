#pragma once
/// \file
/// Initial values by name, and which of them closing the loops moved: nothing that a user typed changes without a word.
#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mbdbench {

class Mechanism;
struct MechanismDescription;

/// Changes of typed values up to this are their last digits and need no word: rad, of the longest link, of the largest
/// rate of the start.
inline constexpr double kWorthTelling = 1e-8;

/// An initial value that closing the loops changed.
struct MovedValue {
  std::string name;   ///< "q.joint1"
  double from = 0.0;  ///< as it was typed or set, or in the mechanism before
  double to = 0.0;
  bool was_set = false;  ///< by name, in place of the mechanism's own
};

/// Which initial values an author typed and wants kept, one flag a joint: those that are there, at joints not marked as
/// dependent.
struct TypedStart {
  explicit TypedStart(const MechanismDescription& description);
  std::vector<bool> q0;
  std::vector<bool> v0;
};

/// One initial value of a tree joint.
struct StartValue {
  std::string name = {};      ///< as in trajectories: "q.hip.2", components counted from 1
  std::size_t joint = 0;      ///< among the tree joints
  std::size_t component = 0;  ///< of the joint's q0 or v0
  bool rate = false;
  double unit = 1.0;  ///< of the coordinate, or of the rate times a second
  int place = 0;      ///< in q or u
  /// \returns the one of the two that it stands in.
  double& in(Eigen::VectorXd& q, Eigen::VectorXd& u) const { return rate ? u[place] : q[place]; }
  [[nodiscard]] double in(const Eigen::VectorXd& q, const Eigen::VectorXd& u) const {
    return rate ? u[place] : q[place];
  }
  /// \returns how far apart two of its values are, without unit. \param largest_rate of the start, 1/s
  [[nodiscard]] double distance(double from, double to, double largest_rate) const;
};

/// \returns all initial values of the tree joints, q0 before v0 of each joint; those of cut joints follow from them.
std::vector<StartValue> start_values(const Mechanism& mechanism);

/// \returns what rates of a start are compared with, 1/s: the largest of u and of a swing in the mechanism's gravity.
double largest_start_rate(const Mechanism& mechanism, const Eigen::VectorXd& u);

/// \param mechanism with its consistent start. \param q_given, u_given the start of its description
/// \returns the typed values that moved by more than kWorthTelling.
std::vector<MovedValue> moved_values(const Mechanism& mechanism, const TypedStart& typed,
                                     const Eigen::VectorXd& q_given, const Eigen::VectorXd& u_given);

/// \param occasion how the sentence begins: "to close the loops of mechanism 'arm' at the start"
/// \returns what moved, as text for the user, values that were set first; empty where nothing did.
std::string moved_text(std::string_view occasion, std::span<const MovedValue> moved);

/// \returns the same for the start of the mechanism as its file or its author gave it; empty where it stayed.
std::string moved_start_text(const Mechanism& mechanism);

}  // namespace mbdbench
