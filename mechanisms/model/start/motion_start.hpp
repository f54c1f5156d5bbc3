#pragma once
/// \file
/// Puts joints with prescribed motions where their motions start. Without loops every joint does so by itself.
#include <string>
#include <vector>

#include "mechanisms/model/loads/motions.hpp"
#include "mechanisms/model/start/initial_state.hpp"

namespace mbdbench {

/// Of scaled residuals: rounding of a pose is about eps times the size of the mechanism.
inline constexpr double kClosed = 1e-14;

/// \returns for every tree joint whether its initial state may be changed: those marked `dependent`, or all where none
/// is marked.
std::vector<bool> changeable_joints(const Mechanism& mechanism);

/// \returns what rates of the start are compared with, 1/s: the largest of u, of the motions' own rates and of a swing
/// in the mechanism's gravity. \param motions evaluated
double rate_of_start(const Mechanism& mechanism, const PrescribedMotions& motions, const Eigen::VectorXd& u);

/// Sets the prescribed components of a mechanism without cut joints to f(0) and f'(0).
/// \param state the given state; receives the consistent one
/// \throws ModelError for a joint that may not be changed
void start_motions(const Mechanism& mechanism, InitialState& state);

/// \param difference in the coordinate's unit
/// \throws ModelError: q0 of tree joint `index` differs from its motion and may not be changed
[[noreturn]] void report_motion_position(std::size_t index, const std::string& name, double difference);
/// \throws ModelError: the same for v0
[[noreturn]] void report_motion_velocity(std::size_t index, const std::string& name, double difference);

}  // namespace mbdbench
