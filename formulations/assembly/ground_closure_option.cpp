#include "formulations/assembly/ground_closure_option.hpp"

#include <fmt/format.h>

#include <array>

namespace mbdbench {

std::span<const ParameterSpecification> ground_closure_options() {
  static constexpr std::array<std::string_view, 2> kChoices = {"root", "leaf"};
  static const std::array<ParameterSpecification, 1> kOptions = {
      {{"ground",
        std::string("root"),
        "where joints to the ground are closed: at the root of the assembly tree (as published) or at the body itself "
        "(leaf)",
        -1e300,
        1e300,
        {kChoices.begin(), kChoices.end()}}}};
  return kOptions;
}

GroundClosure ground_closure(const Parameters& options) {
  return options.text("ground") == "leaf" ? GroundClosure::leaf : GroundClosure::root;
}

std::string refuse_cut_joints(const Mechanism& mechanism) {
  if (mechanism.cut_joints().empty()) {
    return {};
  }
  return fmt::format("it has closed loops ({} cut joint{}, the first is '{}') and the formulation takes trees only",
                     mechanism.cut_joints().size(), mechanism.cut_joints().size() == 1 ? "" : "s",
                     mechanism.cut_joints().front().name);
}

}  // namespace mbdbench
