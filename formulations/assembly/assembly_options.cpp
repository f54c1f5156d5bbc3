#include "formulations/assembly/assembly_options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mbdbench {
namespace {

// Memory of all node matrices up to which a mechanism is accepted. Chains of 1e5 bodies need 0.2 GB. Arms are raked
// into their hub and cost little; loops through one body do not: 300 of them reach the limit.
constexpr double kLargestAssembly = 2e9;

// Mechanisms with fewer joints on one body and fewer loops are linear in n: no need to build the assembly tree for the
// estimate.
constexpr int kHarmlessHub = 40;

// A direction with singular value s, relative to those of the unconnected bodies, gains 1 / (1 + s^2 / regularisation)
// a pass: two or three passes for regular loops, and singular values down to 1e-5 still count. Smaller values cost
// digits of the first pass that later ones must bring back.
constexpr double kRegularisation = 1e-9;
// Below, rounding makes pivots of redundant rows negative: 1e-13 fails on a loop of 65 links.
constexpr double kSmallestRegularisation = 1e-12;

struct Hub {
  int body = -1;
  int joints = 0;
};

Hub largest_hub(const Mechanism& mechanism) {
  std::vector<int> joints(mechanism.bodies().size(), 0);
  for (const auto& list : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : list) {
      for (const int body : {joint.a, joint.b}) {
        if (body >= 0) {
          ++joints[static_cast<std::size_t>(body)];
        }
      }
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

ParameterSpecification ground_closure_option() {
  ParameterSpecification ground;
  ground.name = "ground";
  ground.default_value = std::string("root");
  ground.help =
      "where joints to the ground are closed: at the root of the assembly tree (as published) or at the body (leaf)";
  ground.choices = {"root", "leaf"};
  return ground;
}

GroundClosure ground_closure(const Parameters& options) {
  return options.text("ground") == "leaf" ? GroundClosure::leaf : GroundClosure::root;
}

ParameterSpecification loops_option() {
  ParameterSpecification loops;
  loops.name = "loops";
  loops.default_value = std::string("rank");
  loops.help =
      "where loops close: a factorisation that tells the rank, or regularised rows and passes over the multipliers "
      "(proximal)";
  loops.choices = {"rank", "proximal"};
  return loops;
}

ParameterSpecification regularisation_option() {
  ParameterSpecification regularisation;
  regularisation.name = "regularisation";
  regularisation.default_value = kRegularisation;
  regularisation.help = "relative size of the term on the diagonal of the rows that close loops (loops=proximal)";
  regularisation.minimum = kSmallestRegularisation;
  regularisation.maximum = 1.0;
  return regularisation;
}

ProximalOptions proximal_options(const Parameters& options) {
  ProximalOptions proximal;
  if (options.text("loops") == "proximal") {
    proximal.rows = ProximalRows::loops;
    proximal.regularisation = options.number("regularisation");
  }
  return proximal;
}

std::vector<double> body_masses(const Mechanism& mechanism) {
  std::vector<double> list;
  for (const Body& body : mechanism.bodies()) {
    list.push_back(body.mass);
  }
  return list;
}

std::vector<AssemblyJoint> assembly_joints(const Mechanism& mechanism) {
  std::vector<AssemblyJoint> joints;
  for (const auto& list : {mechanism.tree_joints(), mechanism.cut_joints()}) {
    for (const Joint& joint : list) {
      joints.push_back({joint.a, joint.b, joint.nc + static_cast<int>(joint.motions.size())});
    }
  }
  return joints;
}

std::string refuse_for_assembly(const Mechanism& mechanism) {
  const Hub hub = largest_hub(mechanism);
  const auto cuts = static_cast<int>(mechanism.cut_joints().size());
  if (std::max(hub.joints, cuts) <= kHarmlessHub) {
    return {};
  }
  const double bytes = assembly_bytes(mechanism);
  if (bytes <= kLargestAssembly) {
    return {};
  }
  return fmt::format(
      "assembling it needs {:.1f} GB (at most {:.1f} are used): it has {} loops, and body '{}' carries {} joints",
      bytes * 1e-9, kLargestAssembly * 1e-9, cuts, mechanism.bodies()[static_cast<std::size_t>(hub.body)].name,
      hub.joints);
}

}  // namespace mbdbench
