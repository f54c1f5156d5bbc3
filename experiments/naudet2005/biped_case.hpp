#pragma once
/// \file
/// The paper's mechanism in one form, ready to run, and records of what comes out.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/naudet2005/forms.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::naudet2005 {

/// The paper's interval, s.
inline constexpr double kEnd = 0.85;
/// The paper's independent coordinates q1, q2, q3 come first in every form's state.
inline constexpr std::size_t kIndependent = 3;

/// One form of the biped, initial state packed.
class BipedCase {
 public:
  /// \throws std::invalid_argument for what the registries do not have
  BipedCase(const Registries& registries, const Form& form);

  [[nodiscard]] Formulation& formulation() { return *formulation_; }
  [[nodiscard]] const Form& form() const { return form_; }
  [[nodiscard]] const std::vector<double>& x0() const { return x0_; }

  /// Runs from the initial state after as many explicit evaluations as the paper's program makes there; they count in
  /// SimulationResult::rhs_calls. \param times as OdeEntry::solve takes them
  SimulationResult run(const OdeEntry& integrator, std::span<const double> times, const SimulationOptions& options,
                       OdeSink& sink);

  /// \returns what makes the records of a run.
  [[nodiscard]] RecordMaker records(std::string_view integrator, std::string parameters) const;

 private:
  Form form_;
  std::unique_ptr<const Mechanism> mechanism_;
  std::unique_ptr<Formulation> formulation_;
  std::vector<double> x0_;
};

/// \returns options with equal absolute and relative tolerance.
SimulationOptions with_tolerance(double tolerance);

/// \returns options of a fixed-step run. \param step s
SimulationOptions with_step(double step);

/// \returns 0 to 0.85 s with output every millisecond, which limits the first step of MATLAB's methods to one.
std::vector<double> paper_times();

/// \returns the mean of |a_i - b_i| over q1, q2, q3.
double mean_error(std::span<const double> a, std::span<const double> b);

/// \returns the largest |a_i - b_i| of q1, q2, q3.
double largest_error(std::span<const double> a, std::span<const double> b);

/// \returns a mean local error as the paper averages it: three components from `first` on, over the N + 1 points of the
/// N steps. \throws std::logic_error where the run did not record local errors
double mean_local_error(const OdeStatistics& statistics, std::size_t first);

/// \returns q1, q2, q3 at 0.85 s as the reference part found them. \throws std::runtime_error when it failed
std::vector<double> reference_angles(const std::vector<Record>& records);

/// \returns "step=0.001".
std::string step_text(double step);

}  // namespace mbdbench::naudet2005
