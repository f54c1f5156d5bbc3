#include "formulations/augmented_lagrangian/augmented_options.hpp"

#include <vector>

#include "formulations/assembly/assembly_options.hpp"
#include "formulations/options/division_options.hpp"

namespace mbdbench {
namespace {

ParameterSpecification number(std::string_view name, double default_value, double minimum, std::string_view help) {
  ParameterSpecification option;
  option.name = name;
  option.default_value = default_value;
  option.minimum = minimum;
  option.help = help;
  return option;
}

ParameterSpecification iteration_limit(int default_value) {
  ParameterSpecification option;
  option.name = "iterations";
  option.default_value = std::int64_t{default_value};
  option.minimum = 1;
  option.maximum = 1000;
  option.help = "most passes over the multipliers at each level: position, velocity, acceleration";
  return option;
}

ParameterSpecification refresh_option() {
  ParameterSpecification option;
  option.name = "refresh";
  option.default_value = std::string("off");
  option.help = "new Jacobians in every pass of a position projection (on), or those of its start, as published (off)";
  option.choices = {"off", "on"};
  return option;
}

ParameterSpecification passes_option() {
  ParameterSpecification option;
  option.name = "passes";
  option.default_value = std::string("plain");
  option.help =
      "passes over the multipliers after the fourth: conjugate residuals of the same system, or plain, as published";
  option.choices = {"plain", "conjugate"};
  return option;
}

std::vector<ParameterSpecification> specifications(bool projections) {
  const AugmentedOptions defaults;
  // Below 1 the passes hardly converge; beyond 1e12 the regularisation is lost in rounding.
  ParameterSpecification alpha = number("alpha", defaults.alpha, 1.0, "penalty of every constraint row");
  alpha.maximum = 1e12;
  std::vector<ParameterSpecification> list = {
      ground_closure_option(), alpha, iteration_limit(defaults.most_iterations), passes_option(),
      number("eps_a", defaults.acceleration, 0.0, "change of all accelerations (2-norm) at which passes end")};
  if (projections) {
    list.push_back(number("eps_p", defaults.position, 0.0,
                          "change of all coordinates (2-norm) at which passes of a position projection end"));
    list.push_back(number("eps_v", defaults.velocity, 0.0,
                          "change of all velocities (2-norm) at which passes of a velocity projection end"));
    list.push_back(refresh_option());
  }
  // Projected states satisfy the constraints: there is nothing to damp [Malczyk2012, Sect. 3.3].
  list.push_back(number("mu", defaults.mu, 0.0, "damping ratio in Phi'' + 2 omega mu Phi' + omega^2 Phi"));
  list.push_back(
      number("omega", projections ? 0.0 : defaults.omega, 0.0, "natural frequency in it, 1/s; 0: not stabilised"));
  list.push_back(threads_option());
  return list;
}

// The paper's examples take 1e6, of which light bodies leave no digit: alpha^2 eps.
constexpr double kPrintedPenalty = 1e4;

std::vector<ParameterSpecification> printed_specifications() {
  std::vector<ParameterSpecification> list;
  for (const ParameterSpecification& option : specifications(true)) {
    if (option.name != "ground" && option.name != "passes" && option.name != "refresh" && option.name != "threads") {
      list.push_back(option);
      if (option.name == "omega") {
        list.back().default_value = AugmentedOptions().omega;
      } else if (option.name == "alpha") {
        list.back().default_value = kPrintedPenalty;
      }
    }
  }
  ParameterSpecification projections;
  projections.name = "projections";
  projections.default_value = std::string("off");
  projections.help = "mass-orthogonal projections of positions and velocities after every step";
  projections.choices = {"off", "on"};
  list.push_back(projections);
  return list;
}

}  // namespace

std::span<const ParameterSpecification> augmented_option_specifications(bool projections) {
  static const std::vector<ParameterSpecification> kPenalty = specifications(false);
  static const std::vector<ParameterSpecification> kProjected = specifications(true);
  return projections ? kProjected : kPenalty;
}

std::span<const ParameterSpecification> printed_option_specifications() {
  static const std::vector<ParameterSpecification> kPrinted = printed_specifications();
  return kPrinted;
}

AugmentedOptions printed_options(const Parameters& parameters, const Execution& execution) {
  AugmentedOptions options;
  options.execution = execution.alone();
  options.alpha = parameters.number("alpha");
  options.most_iterations = static_cast<int>(parameters.integer("iterations"));
  options.position = parameters.number("eps_p");
  options.velocity = parameters.number("eps_v");
  options.acceleration = parameters.number("eps_a");
  options.mu = parameters.number("mu");
  options.omega = parameters.number("omega");
  options.projections = parameters.text("projections") == "on";
  return options;
}

AugmentedOptions augmented_options(const Parameters& parameters, bool projections, const Execution& execution) {
  AugmentedOptions options;
  options.ground = ground_closure(parameters);
  options.alpha = parameters.number("alpha");
  options.most_iterations = static_cast<int>(parameters.integer("iterations"));
  options.conjugate = parameters.text("passes") == "conjugate";
  options.acceleration = parameters.number("eps_a");
  options.projections = projections;
  options.mu = parameters.number("mu");
  options.omega = parameters.number("omega");
  options.execution = execution_in(parameters, execution);
  if (projections) {
    options.position = parameters.number("eps_p");
    options.velocity = parameters.number("eps_v");
    options.refresh = parameters.text("refresh") == "on";
  }
  return options;
}

}  // namespace mbdbench
