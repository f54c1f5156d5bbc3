#pragma once
/// \file
/// What members of an ensemble may differ in: initial values, parameters of the catalogue, and numbers of the mechanism
/// itself, all by name.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "mechanisms/model/mechanism.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench {

/// Where a variable stands.
enum class VariableKind { start, catalogue, mass, joint_spring, point_spring, joint_load };

/// One number that may differ among members.
struct MemberVariable {
  std::string name;  ///< "q.joint1", "v.hip.2", "angle", "mass.torso", "stiffness.spring", "load.motor"
  VariableKind kind = VariableKind::start;
  std::size_t index = 0;     ///< into start values, bodies, springs or loads
  std::string_view part;     ///< of springs: stiffness, damping or rest
  double value = 0.0;        ///< in the mechanism itself
  bool quaternion = false;   ///< a component of a quaternion, which does not go alone
  std::string_view refusal;  ///< why members may not differ in it; empty: they may
};

/// A value of a variable.
using VariableValue = std::pair<const MemberVariable*, double>;

/// A turn (rad, axes of body b) behind the quaternion of a joint.
struct JointTurn {
  std::size_t joint = 0;  ///< among the tree joints
  Vec3 turn = Vec3::Zero();
};

/// What one member changes. Values of the catalogue come first; what else is changed then is what they made.
struct MemberChange {
  /// Other values are deviations from the member's own: they add to initial values and multiply masses, springs and
  /// loads. Otherwise they take their place.
  bool deviations = false;
  std::vector<VariableValue> values;   ///< held where loops are closed, as those of --set
  std::vector<VariableValue> guesses;  ///< of the start: the nearest values that close the loops
  std::vector<JointTurn> turns;        ///< likewise
};

/// The variables of one mechanism.
class MemberVariables {
 public:
  /// \param word of the mechanism, as find_mechanism takes it \param assignments of --set
  /// \throws what find_mechanism and with_initial_values throw
  MemberVariables(const Registries& registries, std::string word, std::vector<std::string> assignments);

  [[nodiscard]] const Mechanism& mechanism() const { return base_; }
  [[nodiscard]] const std::vector<MemberVariable>& all() const { return variables_; }
  /// \param origin for messages: "--spread", "members.csv:1"
  /// \throws std::invalid_argument listing what there is
  [[nodiscard]] const MemberVariable& find(std::string_view name, const std::string& origin) const;
  /// \returns the tree joint that a start variable belongs to.
  [[nodiscard]] std::size_t joint_of(const MemberVariable& variable) const { return starts_[variable.index].joint; }
  /// \returns what names all coordinates, or velocities, of that joint: "q.hip".
  [[nodiscard]] std::string joint_text(const MemberVariable& variable) const;
  [[nodiscard]] bool is_rate(const MemberVariable& variable) const { return starts_[variable.index].rate; }

  /// \returns the mechanism with these changes, its start on the constraints.
  /// \throws ModelError, std::invalid_argument where it does not exist, or has other bodies, joints, ... than the base
  [[nodiscard]] Mechanism changed(const MemberChange& change) const;
  /// \returns what the change makes of these parameters; NaN where that is not known.
  /// \param mechanism what `changed` returns; nullptr: it does not exist
  [[nodiscard]] std::vector<double> resulting_values(std::span<const MemberVariable* const> parameters,
                                                     const MemberChange& change, const Mechanism* mechanism) const;

 private:
  void add_catalogue();
  void add_bodies_and_springs();
  [[nodiscard]] Mechanism with_catalogue(std::span<const VariableValue> values) const;

  const Registries& registries_;
  std::string word_;
  std::vector<std::string> assignments_;
  Mechanism base_;
  std::vector<StartValue> starts_;
  std::vector<MemberVariable> variables_;
  const MechanismEntry* entry_ = nullptr;  // of the catalogue
  std::string parameter_text_;
};

}  // namespace mbdbench
