#include "formulations/augmented_lagrangian/dual/dual_storage.hpp"

#include <algorithm>
#include <array>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kPackSize = kDualPack;

std::vector<int> joints_of(const AssemblyNode& node) {
  std::vector<int> joints = node.closed;
  joints.insert(joints.end(), node.external.begin(), node.external.end());
  return joints;
}

}  // namespace

template <typename Number>
class DualStorage::Pieces {
 public:
  explicit Pieces(Number* start) : start_(start) {}
  Number* take(std::size_t count) {
    Number* const piece = start_ == nullptr ? nullptr : start_ + taken_;
    taken_ += count;
    return piece;
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  Number* start_;
  std::size_t taken_ = 0;
};

DualStorage::DualStorage(const AssemblyTree& tree, const AssemblyDivision& division, std::span<const double> masses)
    : bodies_(masses.size()), nodes_(tree.nodes().size()), ends_(tree.joints().size()) {
  int rows = 0;
  for (const AssemblyJoint& joint : tree.joints()) {
    row_offsets_.push_back(rows);
    rows += joint.rows;
  }
  row_offsets_.push_back(rows);
  for (const NodeRange& range : division.ranges) {
    ranges_.push_back({range.first, range.last, {}, {}});
  }
  place_nodes(tree, division);
  place_ends();
  list_members();
  for (std::size_t i = 0; i < masses.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bodies_[i].inverse_inertia[axis * kPackSize + axis] = 1.0 / masses[i];
    }
  }
}

void DualStorage::place_ends() {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    for (int h = 0; h < bodies_[i].handles; ++h) {
      DualEnds& ends = ends_[index_of(bodies_[i].joints[h])];
      const int end = ends.bodies[0] < 0 ? 0 : 1;
      ends.bodies[end] = static_cast<int>(i);
      ends.handles[end] = h;
    }
  }
}

void DualStorage::list_members() {
  // All of them first: spans point into the list.
  std::vector<std::array<std::size_t, 3>> bounds;
  for (const DualRange& range : ranges_) {
    std::vector<int> joints;
    std::vector<int> bodies;
    for (std::size_t n = range.first; n < range.last; ++n) {
      const DualNode& node = nodes_[n];
      joints.insert(joints.end(), node.joints, node.joints + node.closed_joints);
      if (node.body >= 0) {
        bodies.push_back(node.body);
      }
    }
    std::sort(joints.begin(), joints.end());
    std::sort(bodies.begin(), bodies.end());
    const std::size_t first = range_members_.size();
    range_members_.insert(range_members_.end(), joints.begin(), joints.end());
    range_members_.insert(range_members_.end(), bodies.begin(), bodies.end());
    bounds.push_back({first, joints.size(), bodies.size()});
  }
  for (std::size_t r = 0; r < ranges_.size(); ++r) {
    const auto& [first, joints, bodies] = bounds[r];
    ranges_[r].joints = std::span<const int>(range_members_).subspan(first, joints);
    ranges_[r].bodies = std::span<const int>(range_members_).subspan(first + joints, bodies);
  }
}

void DualStorage::place_nodes(const AssemblyTree& tree, const AssemblyDivision& division) {
  const std::vector<int>& order = division.order;
  std::vector<int> position(order.size());
  std::vector<std::size_t> schur(order.size());  // packs below Xi^C on the stack of its range
  std::size_t most_joints = 1;
  std::size_t most_rows = 1;
  std::size_t largest_front = 1;
  std::size_t largest_across = 1;   // packs of Y
  std::size_t largest_inverse = 1;  // of L^-1
  std::vector<std::size_t> deepest(ranges_.size(), 0);
  const auto schur_size = [&tree](int index) {
    const AssemblyNode& node = tree.nodes()[index_of(index)];
    return index_of(node.width) * node.external.size();
  };
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    std::size_t stack = 0;
    for (std::size_t at = ranges_[range].first; at < ranges_[range].last; ++at) {
      const AssemblyNode& from = tree.nodes()[index_of(order[at])];
      position[index_of(order[at])] = static_cast<int>(at);
      most_joints = std::max(most_joints, from.closed.size());
      most_rows = std::max(most_rows, index_of(from.closed_rows));
      largest_front = std::max(largest_front,
                               index_of(from.closed_rows + from.width) * (from.closed.size() + from.external.size()));
      largest_across = std::max(largest_across, index_of(from.closed_rows) * from.external.size());
      largest_inverse = std::max(largest_inverse, index_of(from.closed_rows) * from.closed.size());
      for (const int child : {from.child1, from.child2}) {
        // What a branch leaves to the top stays on the branch's own stack.
        const bool own = child >= 0 && (range != kTop || index_of(position[index_of(child)]) >= ranges_[kTop].first);
        stack -= own ? schur_size(child) : 0;
      }
      schur[at] = stack;
      stack += schur_size(order[at]);
      deepest[range] = std::max(deepest[range], stack);
    }
  }
  // First how much, then where.
  for (const bool counting : {true, false}) {
    Pieces<double> packs(numbers_.get());
    Pieces<int> indices(indices_.empty() ? nullptr : indices_.data());
    const auto numbers = [&packs](std::size_t count) { return packs.take(count * kPackSize); };
    for (std::size_t range = 0; range < ranges_.size(); ++range) {
      DualNode scratch;  // of all nodes of a range, which one thread has
      scratch.products = numbers(most_joints);
      scratch.front = numbers(largest_front);
      scratch.columns = numbers(largest_across);
      scratch.lower = numbers(largest_inverse);
      scratch.upper = numbers(largest_inverse);
      scratch.pivots = numbers(most_joints);
      scratch.factor = packs.take((most_rows * most_rows + kPackSize - 1) / kPackSize * kPackSize);
      double* const schurs = numbers(deepest[range]);
      for (std::size_t index = ranges_[range].first; index < ranges_[range].last; ++index) {
        const AssemblyNode& from = tree.nodes()[index_of(order[index])];
        DualNode& node = nodes_[index];
        node = scratch;
        node.schur = schurs == nullptr ? nullptr : schurs + schur[index] * kPackSize;
        place_node(tree, from, node, packs, indices, counting);
        for (int which = 0; which < 2; ++which) {
          const int child = which == 0 ? from.child1 : from.child2;
          node.children[which].node = child < 0 ? -1 : position[index_of(child)];
        }
      }
    }
    if (counting) {
      numbers_ = lane_memory(packs.taken() / kPackSize);
      indices_.resize(indices.taken() + 1);
    }
  }
}

void DualStorage::place_node(const AssemblyTree& tree, const AssemblyNode& from, DualNode& node, Pieces<double>& packs,
                             Pieces<int>& indices, bool counting) {
  const auto numbers = [&packs](std::size_t count) { return packs.take(count * kPackSize); };
  const std::vector<int> joints = joints_of(from);
  const std::size_t closed = from.closed.size();
  node.body = from.body;
  node.joint_count = static_cast<int>(joints.size());
  node.closed_joints = static_cast<int>(closed);
  node.closed_rows = from.closed_rows;
  node.row_count = from.closed_rows + from.width;
  int* const own = indices.take(joints.size());
  int* const first_rows = indices.take(joints.size() + 1);
  int* const slots = indices.take(index_of(node.row_count));
  int* const counts = from.body >= 0 ? indices.take(joints.size()) : nullptr;
  node.inverse = numbers(index_of(node.closed_rows) * closed);
  node.gain = numbers(index_of(from.width) * closed);
  node.gain_transposed = numbers(index_of(node.closed_rows) * from.external.size());
  node.right = numbers(joints.size());
  int* places[2] = {};
  const int children[2] = {from.child1, from.child2};
  for (int which = 0; which < 2 && children[which] >= 0; ++which) {
    places[which] = indices.take(tree.nodes()[index_of(children[which])].external.size());
  }
  if (from.body >= 0) {
    bodies_[index_of(from.body)] = {node.joint_count,
                                    own,
                                    counts,
                                    numbers(index_of(node.row_count)),
                                    numbers(index_of(node.row_count)),
                                    numbers(6 * joints.size()),
                                    numbers(6)};
  }
  if (counting) {
    return;
  }
  node.joints = own;
  node.first_rows = first_rows;
  node.slots = slots;
  int row = 0;
  node.uniform_rows = joints.empty() ? 0 : rows(index_of(joints.front()));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    own[j] = joints[j];
    first_rows[j] = row;
    const int count = rows(index_of(joints[j]));
    node.uniform_rows = count == node.uniform_rows ? count : 0;
    if (counts != nullptr) {
      counts[j] = count;
    }
    for (int i = 0; i < count; ++i) {
      slots[row++] = static_cast<int>(j) * kDualPack + i;
    }
  }
  first_rows[joints.size()] = row;
  for (int which = 0; which < 2 && children[which] >= 0; ++which) {
    const std::vector<int>& external = tree.nodes()[index_of(children[which])].external;
    for (std::size_t i = 0; i < external.size(); ++i) {
      places[which][i] = static_cast<int>(std::find(joints.begin(), joints.end(), external[i]) - joints.begin());
    }
    node.children[which].places = {places[which], external.size()};
  }
}

}  // namespace mbdbench
