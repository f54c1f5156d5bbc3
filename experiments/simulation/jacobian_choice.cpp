#include "experiments/simulation/jacobian_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace mbdbench {

std::string_view to_string(JacobianChoice choice) {
  switch (choice) {
    case JacobianChoice::automatic:
      return "auto";
    case JacobianChoice::exact:
      return "exact";
    case JacobianChoice::differences:
      return "differences";
  }
  throw std::invalid_argument(fmt::format("JacobianChoice {} does not exist", static_cast<int>(choice)));
}

JacobianChoice parse_jacobian_choice(std::string_view text, std::string_view origin) {
  constexpr std::array kChoices = {JacobianChoice::automatic, JacobianChoice::exact, JacobianChoice::differences};
  const auto* const found =
      std::find_if(kChoices.begin(), kChoices.end(), [&](JacobianChoice choice) { return to_string(choice) == text; });
  if (found == kChoices.end()) {
    throw std::invalid_argument(
        fmt::format("{}: '{}' is no way to a Jacobian; there are auto, exact, differences", origin, text));
  }
  return *found;
}

bool takes_exact_jacobian(JacobianChoice choice, const OdeEntry& integrator, const Formulation& formulation) {
  if (!integrator.takes_jacobian || choice == JacobianChoice::differences) {
    return false;
  }
  const std::string why = formulation.without_jacobian();
  if (choice == JacobianChoice::exact && !why.empty()) {
    throw std::invalid_argument(
        fmt::format("jacobian = exact: the formulation has no exact derivatives of mechanism '{}': {}; auto takes "
                    "differences where there are none",
                    formulation.mechanism().name(), why));
  }
  return why.empty();
}

}  // namespace mbdbench
