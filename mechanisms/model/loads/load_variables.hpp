#pragma once
/// \file
/// The variables that formulas of loads may use, and their values at a state.
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/loads/expression.hpp"

namespace mbdbench {

/// Storage of t, q_JOINT, v_JOINT, x_MARKER, ... and of a load's own q and v. Only variables that a formula has asked
/// for are kept up to date: a mechanism has many more than its formulas use. Values never move in memory.
class LoadVariables {
 public:
  /// The names that one formula sees.
  class Scope final : public VariableScope {
   public:
    Scope(LoadVariables& variables, bool with_own) : variables_(variables), with_own_(with_own) {}
    double* find(const std::string& name) override;
    [[nodiscard]] std::vector<std::string> names() const override;

   private:
    LoadVariables& variables_;
    bool with_own_;
  };

  enum class Source { time, joint_position, joint_velocity, marker_position, marker_velocity };
  /// What a name stands for.
  struct Variable {
    Source source = Source::time;
    int index = 0;  ///< into q or u; of the marker
    int axis = 0;   ///< of the marker's vector
    double value = 0.0;
    int quaternion = -1;  ///< where in q the quaternion starts of which this is a component, with its length taken out
  };

  explicit LoadVariables(const Mechanism& mechanism) : mechanism_(&mechanism) {}

  /// \returns what a global name stands for, if it does.
  [[nodiscard]] std::optional<Variable> resolve(std::string_view name) const;

  /// \returns t, joint and marker variables.
  [[nodiscard]] Scope global() { return {*this, false}; }
  /// \returns q and v of the joint component that a load acts on, then the global ones.
  [[nodiscard]] Scope in_joint() { return {*this, true}; }

  /// \returns whether a formula uses a marker.
  [[nodiscard]] bool need_bodies() const;
  /// Sets t, joint and marker variables that are in use. \param bodies may be nullptr where no marker is
  void set_global(double t, std::span<const double> q, std::span<const double> u, const BodyMotions* bodies);
  /// Sets the own q and v of a load in a tree joint. \returns them; q is 0 for joints whose coordinates are a
  /// quaternion.
  std::pair<double, double> set_own(const Joint& joint, int component, std::span<const double> q,
                                    std::span<const double> u);
  /// The same in a cut joint. \param near as of cut_coordinates
  std::pair<double, double> set_own_of_cut(const Joint& joint, int component, const BodyMotions& bodies,
                                           const JointKinematics& state, std::span<const double> near);

 private:
  struct OwnValues {
    double q = 0.0;
    double v = 0.0;
  };

  /// \returns the variable of that name, put into use; nullptr if there is none.
  double* use(const std::string& name);
  [[nodiscard]] std::optional<Variable> resolve_joint(std::string_view name, Source source) const;

  const Mechanism* mechanism_;
  std::deque<Variable> variables_;  // a deque keeps the addresses that expressions hold
  std::unordered_map<std::string, double*> in_use_;
  std::unique_ptr<OwnValues> own_ = std::make_unique<OwnValues>();
};

/// \returns column `component` of H (H^T H)^-1 of a cut joint: the wrench on b at O_k of a unit generalised force.
Vec6 cut_dual_direction(const Joint& joint, const JointKinematics& state, int component);

}  // namespace mbdbench
