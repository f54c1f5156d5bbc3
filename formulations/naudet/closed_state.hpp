#pragma once
/// \file
/// States of Naudet's formulations of closed loops: which coordinates and rates they hold, in what order.
///
///   all coordinates:  q of all joints, q of the cut joints; p_i, or u of all joints and of the cut joints
///   reduced:          q without the dependent components; p_i, or u without the dependent components
///
/// A state whose meaning depends on the choice of dependent joints carries the choice, if it may change: one bit a
/// component of u, 50 a number, with zero rate. So it is stored with every sample and survives a restart.
#include <span>
#include <string>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// What a state of closed loops holds.
struct ClosedStateForm {
  StateKind rate_kind = StateKind::momentum;
  bool reduced = false;
  bool switching = false;  ///< the choice of dependent joints may change
};

/// \returns the joints of components of u, "hip2, shoulder.2": with a number where a joint has several.
std::string component_names(const Mechanism& mechanism, std::span<const int> components);

/// Which entry of the state is what, for one choice of dependent components.
class ClosedState {
 public:
  ClosedState(const Mechanism& mechanism, ClosedStateForm form, std::span<const int> dependent);

  [[nodiscard]] const ClosedStateForm& form() const { return form_; }
  /// \returns names and kinds; they do not change with the choice.
  [[nodiscard]] std::vector<StateComponent> layout() const;
  /// Takes another choice of the same size; allocates nothing.
  void set_dependent(std::span<const int> dependent);

  /// \returns the entries of q that the state holds, in its order.
  [[nodiscard]] std::span<const int> coordinates() const { return coordinates_; }
  /// \returns the components of u whose p or u the state holds, in its order.
  [[nodiscard]] std::span<const int> rates() const { return rates_; }
  /// \returns where things start: coordinates of cut joints, rates, rates of cut joints, the choice, the end.
  [[nodiscard]] std::size_t cut_coordinates_at() const { return coordinates_.size(); }
  [[nodiscard]] std::size_t rates_at() const { return coordinates_.size() + cut_coordinate_count_; }
  [[nodiscard]] std::size_t cut_rates_at() const { return rates_at() + rates_.size(); }
  [[nodiscard]] std::size_t choice_at() const { return cut_rates_at() + cut_rate_count_; }

  /// Writes the choice into a state that carries it.
  void write_choice(std::span<double> x) const;
  /// Reads it. \param dependent receives the components, ascending \returns whether they are as many as `dependent`
  /// holds
  bool read_choice(std::span<const double> x, std::span<int> dependent) const;

 private:
  [[nodiscard]] std::size_t choice_words() const;

  const Mechanism* mechanism_;
  ClosedStateForm form_;
  std::vector<int> coordinates_;
  std::vector<int> rates_;
  std::vector<bool> prescribed_;  // by component of u
  std::size_t cut_coordinate_count_ = 0;
  std::size_t cut_rate_count_ = 0;
};

}  // namespace mbdbench
