#pragma once
/// \file
/// The part of a formulation that one of several processes evaluates: its slice of the state and of the right-hand
/// side.
#include <cstddef>
#include <span>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// One process's part. No process holds memory or does work for the others' parts, beyond the mechanism's description.
class FormulationPart {
 public:
  /// \param layout of the part's components \param components which of the whole state's they are
  FormulationPart(std::vector<StateComponent> layout, std::vector<std::size_t> components)
      : layout_(std::move(layout)), components_(std::move(components)) {}
  virtual ~FormulationPart() = default;
  FormulationPart(const FormulationPart&) = delete;
  FormulationPart& operator=(const FormulationPart&) = delete;
  FormulationPart(FormulationPart&&) = delete;
  FormulationPart& operator=(FormulationPart&&) = delete;

  [[nodiscard]] std::size_t state_size() const { return layout_.size(); }
  [[nodiscard]] std::span<const StateComponent> layout() const { return layout_; }
  /// \returns which component of the whole formulation's state every component of the part is.
  [[nodiscard]] std::span<const std::size_t> components() const { return components_; }

  /// x' at (t, x), the parts of this process; all processes call it together and get the same status. A state that is
  /// not finite on one of them is a failure on all; what overflows afterwards is not.
  RhsStatus rhs(double t, std::span<const double> x, std::span<double> xdot) {
    ++rhs_calls_;
    return evaluate(t, x, xdot);
  }
  [[nodiscard]] std::size_t rhs_calls() const { return rhs_calls_; }
  /// As Formulation::diagnostics.
  virtual void diagnostics(const DiagnosticSink& /*sink*/) const {}

 protected:
  virtual RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) = 0;

 private:
  std::vector<StateComponent> layout_;
  std::vector<std::size_t> components_;
  std::size_t rhs_calls_ = 0;
};

}  // namespace mbdbench
