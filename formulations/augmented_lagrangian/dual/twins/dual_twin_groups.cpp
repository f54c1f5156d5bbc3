#include "formulations/augmented_lagrangian/dual/twins/dual_twin_groups.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

TwinGroups::TwinGroups(const AssemblyTree& tree, const TwinPlan& plan, std::span<const double> masses)
    : first_(plan.division.ranges.size() + 1), leaves_(masses.size()), seen_(tree.nodes().size(), Seen::whole) {
  groups_.reserve(plan.groups.size());  // their nodes point at their own memory
  for (const TwinForm& form : plan.groups) {
    groups_.emplace_back(form, masses);
    for (std::size_t range = form.range; range < plan.division.ranges.size(); ++range) {
      ++first_[range + 1];
    }
    for (const TwinForm::Lane& lane : form.lanes) {
      for (const int place : lane.nodes) {
        seen_[index_of(place)] = Seen::nothing;
      }
      seen_[index_of(lane.nodes.back())] = Seen::root;
    }
  }
  find_leaves(tree);
}

void TwinGroups::find_leaves(const AssemblyTree& tree) {
  std::vector<int> node_of(leaves_.size());
  for (std::size_t n = 0; n < tree.nodes().size(); ++n) {
    if (tree.nodes()[n].body >= 0) {
      node_of[index_of(tree.nodes()[n].body)] = static_cast<int>(n);
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const TwinForm& form = groups_[g].form();
    for (std::size_t n = 0; n < form.nodes.size(); ++n) {
      for (std::size_t lane = 0; lane < kTwins && form.nodes[n].body >= 0; ++lane) {
        const int body = form.lanes[lane].bodies[index_of(form.nodes[n].body)];
        Leaf& leaf = leaves_[index_of(body)];
        leaf.group = static_cast<int>(g);
        leaf.node = n;
        leaf.lane = lane;
        const AssemblyNode& node = tree.nodes()[index_of(node_of[index_of(body)])];
        for (const std::vector<int>* const joints : {&node.closed, &node.external}) {
          for (const int joint : *joints) {
            std::size_t handle = 0;
            while (form.lanes[lane].joints[index_of(form.nodes[n].joints[handle])] != joint) {
              ++handle;
            }
            leaf.handles.push_back(handle);
            leaf.stays.push_back(groups_[g].stays(form.nodes[n].joints[handle]));
          }
        }
      }
    }
  }
}

std::size_t TwinGroups::body_count() const {
  return static_cast<std::size_t>(
      std::count_if(leaves_.begin(), leaves_.end(), [](const Leaf& leaf) { return leaf.group >= 0; }));
}

void TwinGroups::set_handle(const Leaf& leaf, int handle, const double* directions, int row_count, double sign,
                            const double* lever) const {
  double* column = groups_[index_of(leaf.group)].columns(leaf.node, leaf.handles[index_of(handle)], leaf.lane);
  const double lx = lever[0];
  const double ly = lever[1];
  const double lz = lever[2];
  for (int c = 0; c < row_count; ++c, directions += kDualBody, column += 6 * kTwins) {
    const double x = sign * directions[0];
    const double y = sign * directions[1];
    const double z = sign * directions[2];
    column[0] = x;
    column[kTwins] = y;
    column[2 * kTwins] = z;
    column[3 * kTwins] = sign * directions[3] + (ly * z - lz * y);
    column[4 * kTwins] = sign * directions[4] + (lz * x - lx * z);
    column[5 * kTwins] = sign * directions[5] + (lx * y - ly * x);
  }
}

}  // namespace mbdbench
