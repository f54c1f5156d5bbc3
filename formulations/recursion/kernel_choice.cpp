#include "formulations/recursion/kernel_choice.hpp"

#include <array>
#include <string>
#include <string_view>

#include "formulations/recursion/revolute_tree.hpp"

namespace mbdbench {

std::span<const ParameterSpecification> kernel_options() {
  static constexpr std::array<std::string_view, 2> kChoices = {"auto", "general"};
  static const std::array<ParameterSpecification, 1> kOptions = [] {
    ParameterSpecification kernel;
    kernel.name = "kernel";
    kernel.default_value = std::string("auto");
    kernel.help =
        "auto: link frames for trees of revolute joints under gravity alone, otherwise general; general: world axes "
        "for all";
    kernel.choices = {kChoices.begin(), kChoices.end()};
    return std::array<ParameterSpecification, 1>{kernel};
  }();
  return kOptions;
}

bool use_link_frames(const Mechanism& mechanism, const Parameters& options) {
  return options.text("kernel") == "auto" && RevoluteTree::describes(mechanism);
}

}  // namespace mbdbench
