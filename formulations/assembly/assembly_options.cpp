#include "formulations/assembly/assembly_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mbdbench {
namespace {

// Memory of all node matrices up to which a mechanism is accepted. Chains of 1e5 bodies need 0.2 GB; a star of 300
// bodies reaches the limit, since a hub is assembled with one branch after the other, each time with all its handles.
constexpr double kLargestAssembly = 2e9;

// Trees without larger hubs are linear in n: no need to build the assembly tree for the estimate.
constexpr int kHarmlessHub = 40;

struct Hub {
  int body = -1;
  int joints = 0;
};

Hub largest_hub(const Mechanism& mechanism) {
  std::vector<int> joints(mechanism.bodies().size(), 1);
  for (const Joint& joint : mechanism.tree_joints()) {
    if (joint.a >= 0) {
      ++joints[static_cast<std::size_t>(joint.a)];
    }
  }
  const auto largest = std::max_element(joints.begin(), joints.end());
  return {static_cast<int>(largest - joints.begin()), *largest};
}

double assembly_bytes(const Mechanism& mechanism) {
  const AssemblyTree tree(mechanism.body_count(), assembly_joints(mechanism), GroundClosure::root);
  double numbers = 0.0;
  for (const AssemblyNode& node : tree.nodes()) {
    const double rows = node.closed_rows + node.width;
    numbers += rows * rows;
  }
  return numbers * sizeof(double);
}

}  // namespace

std::span<const ParameterSpecification> ground_closure_options() {
  static constexpr std::array<std::string_view, 2> kChoices = {"root", "leaf"};
  static const std::array<ParameterSpecification, 1> kOptions = [] {
    ParameterSpecification ground;
    ground.name = "ground";
    ground.default_value = std::string("root");
    ground.help =
        "where joints to the ground are closed: at the root of the assembly tree (as published) or at the body (leaf)";
    ground.choices = {kChoices.begin(), kChoices.end()};
    return std::array<ParameterSpecification, 1>{ground};
  }();
  return kOptions;
}

GroundClosure ground_closure(const Parameters& options) {
  return options.text("ground") == "leaf" ? GroundClosure::leaf : GroundClosure::root;
}

std::vector<AssemblyJoint> assembly_joints(const Mechanism& mechanism) {
  std::vector<AssemblyJoint> joints;
  for (const Joint& joint : mechanism.tree_joints()) {
    joints.push_back({joint.a, joint.b, joint.nc + static_cast<int>(joint.motions.size())});
  }
  return joints;
}

std::string refuse_for_assembly(const Mechanism& mechanism) {
  if (!mechanism.cut_joints().empty()) {
    return fmt::format("it has closed loops ({} cut joint{}, the first is '{}') and the formulation takes trees only",
                       mechanism.cut_joints().size(), mechanism.cut_joints().size() == 1 ? "" : "s",
                       mechanism.cut_joints().front().name);
  }
  const Hub hub = largest_hub(mechanism);
  if (hub.joints <= kHarmlessHub) {
    return {};
  }
  const double bytes = assembly_bytes(mechanism);
  if (bytes <= kLargestAssembly) {
    return {};
  }
  return fmt::format("body '{}' carries {} joints, so that assembling it needs {:.1f} GB (at most {:.1f} are used)",
                     mechanism.bodies()[static_cast<std::size_t>(hub.body)].name, hub.joints, bytes * 1e-9,
                     kLargestAssembly * 1e-9);
}

}  // namespace mbdbench
