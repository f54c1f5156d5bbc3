#pragma once
/// \file
/// A mechanism whose parameters all change together, along one random direction: differences by parameters then take as
/// many mechanisms as right-hand sides, however many parameters there are.
#include <Eigen/Core>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "formulations/formulation.hpp"
#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {

/// One number of the mechanism.
struct VaryingParameter {
  RateParameter parameter;
  std::size_t place = 0;  ///< in u, among the bodies, springs (of joints, then those between points) or tree joints
  /// What changes rates by about as much as they are, at most the number itself: derivatives times this have one unit.
  double size = 0.0;
  double change = 0.0;        ///< along the direction; zero where the number is: it may not become negative
  Vec3 along = Vec3::Zero();  ///< of a length, in which its joint moves
};

/// Mechanisms along the direction, each made when it is first asked for.
class ParameterVariation {
 public:
  /// \param mechanism which outlives this \param velocities a formulation of it, whose derivatives at the start settle
  /// the sizes \param reach largest multiple of the direction that will be asked for
  ParameterVariation(const Mechanism& mechanism, Formulation& velocities, double reach);

  [[nodiscard]] const Mechanism& mechanism() const { return *mechanism_; }
  /// \returns forces in all tree joints, all masses, stiffness and damping of springs where they are not
  /// zero, and the lengths of all links, lengths last.
  [[nodiscard]] const std::vector<VaryingParameter>& parameters() const { return parameters_; }
  /// \returns how many there are without the lengths.
  [[nodiscard]] std::size_t without_lengths() const { return without_lengths_; }
  /// \returns why derivatives by lengths say nothing; empty where they do, or where there are no lengths.
  [[nodiscard]] const std::string& lengths_say_nothing() const { return lengths_say_nothing_; }
  /// \returns how many lengths do not change along the direction: loops do not close with others.
  [[nodiscard]] std::size_t held_lengths() const;

  /// \returns the mechanism with parameters changed by s times their direction. \param lengths whether they change too
  /// \throws ModelError where there is no such mechanism
  const Mechanism& at(double s, bool lengths);

 private:
  void list_parameters();
  void list_lengths();
  void settle_sizes(Formulation& velocities);
  void hold_lengths(double reach);
  /// \returns whether there is such a mechanism.
  [[nodiscard]] bool closes(double s) const;
  [[nodiscard]] MechanismDescription changed(double s, bool lengths) const;

  const Mechanism* mechanism_;
  std::vector<VaryingParameter> parameters_;
  std::size_t without_lengths_ = 0;
  std::string lengths_say_nothing_;
  std::map<std::pair<bool, double>, std::unique_ptr<const Mechanism>> made_;
};

}  // namespace mbdbench
