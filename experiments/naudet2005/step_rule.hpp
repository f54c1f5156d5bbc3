#pragma once
/// \file
/// How an adaptive method may measure local errors and choose its steps: the space in which step_control_search.hpp
/// looks for the one that table 3 of [Naudet2005] comes from.
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace mbdbench::naudet2005 {

/// Size of the error e of a component x.
enum class ErrorMeasure {
  absolute,  ///< |e|
  mixed,     ///< |e| / max(1, |x|), as with equal absolute and relative tolerance in MATLAB
  relative   ///< |e| / max(1e-3, |x|), with the threshold of MATLAB's defaults
};

/// How the components are made one number.
enum class ErrorSum { largest, euclidean, mean_square };

/// One way to control steps. The defaults are the way inferred from table 3.
struct StepRule {
  ErrorMeasure measure = ErrorMeasure::absolute;
  ErrorSum sum = ErrorSum::largest;
  bool per_unit_step = false;  ///< error over step
  double exponent = 1.0 / 5.0;
  double safety = 0.9;
  double largest_growth = std::numeric_limits<double>::infinity();
  /// Instead of the power law: half the step after a rejection, double after an error below tolerance / 32.
  bool halving = false;
  bool restarts = true;  ///< at every time of tspan with the first step; else the step is carried on
  /// A step that was cut short to meet a time of tspan leaves the longer one in force; else the next one grows from it.
  bool keeps_uncut_step = true;
};

/// \returns "measure=absolute;sum=largest;...".
std::string rule_text(const StepRule& rule);

/// \returns the measured error. \param mask components under control; empty: all
double measured_error(const StepRule& rule, std::span<const double> error, std::span<const double> x, double step,
                      const std::vector<bool>& mask);

/// \returns next step over this one. \param error measured, over the tolerance
double step_factor(const StepRule& rule, double error);

}  // namespace mbdbench::naudet2005
