#include "formulations/options/projection_option.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace mbdbench {
namespace {

constexpr std::string_view kProjection = "projection";

}  // namespace

double projection_tolerance(const Mechanism& mechanism) {
  // Measured in loops of 129 to 4097 bodies: rounding leaves one epsilon a body of both.
  constexpr double kRoundingPerBody = 16.0 * std::numeric_limits<double>::epsilon();
  return std::max(1e-12, kRoundingPerBody * static_cast<double>(mechanism.body_count()));
}

ParameterSpecification projection_option() {
  ParameterSpecification option;
  option.name = kProjection;
  option.default_value = std::string("auto");
  option.help =
      "velocities in the right-hand side and states after accepted steps are projected on the constraints, "
      "mass-orthogonally; velocities: the former alone; auto: closed loops in velocities without another "
      "stabilisation, and mechanisms that are mobile by geometry alone";
  option.choices = {"auto", "on", "velocities", "off"};
  return option;
}

bool projection_is_on(const Mechanism& mechanism, const Parameters& options, bool drifts) {
  const std::string& choice = options.text(kProjection);
  if (choice != "auto") {
    return choice != "off";
  }
  return mechanism.closing_row_count() > 0 &&
         ((drifts && mechanism.cut_row_count() > 0) || mechanism.generic_rank().overconstrained);
}

bool steps_are_projected(const Mechanism& mechanism, const Parameters& options, bool drifts) {
  return options.text(kProjection) != "velocities" && projection_is_on(mechanism, options, drifts);
}

}  // namespace mbdbench
