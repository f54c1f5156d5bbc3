#include "formulations/options/kernel_choice.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace mbdbench {

std::span<const ParameterSpecification> kernel_options() {
  static constexpr std::array<std::string_view, 2> kChoices = {"auto", "general"};
  static const std::array<ParameterSpecification, 1> kOptions = [] {
    ParameterSpecification kernel;
    kernel.name = "kernel";
    kernel.default_value = std::string("auto");
    kernel.help = "open chains and trees, auto: in link frames; general: in world axes";
    kernel.choices = {kChoices.begin(), kChoices.end()};
    return std::array<ParameterSpecification, 1>{kernel};
  }();
  return kOptions;
}

bool use_link_frames(const Mechanism& mechanism, const Parameters& options) {
  const auto joints = mechanism.tree_joints();
  return options.text("kernel") == "auto" &&
         std::none_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.type == JointType::screw; });
}

}  // namespace mbdbench
