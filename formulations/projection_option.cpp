#include "formulations/projection_option.hpp"

#include <string>

namespace mbdbench {
namespace {

constexpr std::string_view kProjection = "projection";

}  // namespace

ParameterSpecification projection_option() {
  ParameterSpecification option;
  option.name = kProjection;
  option.default_value = std::string("auto");
  option.help =
      "velocities in the right-hand side and states after accepted steps are projected on the constraints, "
      "mass-orthogonally; auto: for mechanisms that are mobile by geometry alone";
  option.choices = {"auto", "on", "off"};
  return option;
}

bool projection_is_on(const Mechanism& mechanism, const Parameters& options) {
  const std::string& choice = options.text(kProjection);
  return choice == "auto" ? mechanism.generic_rank().overconstrained : choice == "on";
}

}  // namespace mbdbench
