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
  /// \returns where what follows so many pieces starts.
  [[nodiscard]] Number* behind(const Pieces& counted) const { return start_ + counted.taken_; }

 private:
  Number* start_;
  std::size_t taken_ = 0;
};

/// What a sweep reads stands together, in the order in which it reads: memory is then fetched ahead.
struct DualStorage::Shelves {
  Pieces<double> inward;   // K^T
  Pieces<double> outward;  // S and K
  Pieces<double> reach;
  Pieces<double> rows;
  Pieces<double> right;  // xi_0
  Pieces<double> others;

  explicit Shelves(double* start)
      : inward(start), outward(start), reach(start), rows(start), right(start), others(start) {}
  /// One behind the other. \param counted the sizes
  Shelves(double* start, const Shelves& counted)
      : inward(start),
        outward(inward.behind(counted.inward)),
        reach(outward.behind(counted.outward)),
        rows(reach.behind(counted.reach)),
        right(rows.behind(counted.rows)),
        others(right.behind(counted.right)) {}
  [[nodiscard]] std::size_t taken() const {
    return inward.taken() + outward.taken() + reach.taken() + rows.taken() + right.taken() + others.taken();
  }
};

DualStorage::DualStorage(const AssemblyTree& tree, const AssemblyDivision& division, std::span<const double> masses,
                         const TwinGroups& twins)
    : bodies_(masses.size()), nodes_(tree.nodes().size()), ends_(tree.joints().size()) {
  int rows = 0;
  for (const AssemblyJoint& joint : tree.joints()) {
    row_offsets_.push_back(rows);
    rows += joint.rows;
  }
  row_offsets_.push_back(rows);
  for (const NodeRange& range : division.ranges) {
    ranges_.push_back({range.first, range.last, {}, {}, {}, {}, {}, {}, {}});
  }
  place_nodes(tree, division, twins);
  place_ends();
  list_members(twins);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    for (std::size_t axis = 0; axis < 3 && bodies_[i].inverse_inertia != nullptr; ++axis) {
      bodies_[i].inverse_inertia[axis] = 1.0 / masses[i];
    }
  }
}

void DualStorage::place_ends() {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    for (int h = 0; h < bodies_[i].handles && bodies_[i].rows != nullptr; ++h) {
      DualEnds& ends = ends_[index_of(bodies_[i].joints[h])];
      const int end = ends.bodies[0] < 0 ? 0 : 1;
      ends.bodies[end] = static_cast<int>(i);
      ends.row_count = bodies_[i].row_counts[h];
      ends.steps[end] = bodies_[i].handles * kDualPack;
      ends.rows[end] = bodies_[i].rows + h * kDualPack;
    }
  }
}

void DualStorage::list_members(const TwinGroups& twins) {
  // All of them first: spans point into the list.
  constexpr std::size_t kLists = 6;
  std::vector<std::array<std::size_t, kLists + 1>> bounds;
  for (const DualRange& range : ranges_) {
    std::array<std::vector<int>, kLists> lists;
    auto& [joints, bodies, single_joints, single_bodies, single_nodes, closing] = lists;
    for (std::size_t n = range.first; n < range.last; ++n) {
      const DualNode& node = nodes_[n];
      joints.insert(joints.end(), node.joints, node.joints + node.closed_joints);
      if (node.body >= 0) {
        bodies.push_back(node.body);
      }
      if (twins.seen(n) != TwinGroups::Seen::whole) {
        continue;
      }
      single_nodes.push_back(static_cast<int>(n));
      if (node.closed_joints > 0) {
        closing.push_back(static_cast<int>(n));
      }
      single_joints.insert(single_joints.end(), node.joints, node.joints + node.closed_joints);
      if (node.body >= 0) {
        single_bodies.push_back(node.body);
      }
    }
    for (std::vector<int>* const list : {&joints, &bodies, &single_joints, &single_bodies}) {
      std::sort(list->begin(), list->end());
    }
    // Twins write to the same lines of cache.
    std::stable_sort(bodies.begin(), bodies.end(), [&twins](int one, int other) {
      return twins.leaf(one).group_and_node() < twins.leaf(other).group_and_node();
    });
    bounds.push_back({range_members_.size()});
    for (std::size_t list = 0; list < kLists; ++list) {
      range_members_.insert(range_members_.end(), lists[list].begin(), lists[list].end());
      bounds.back()[list + 1] = range_members_.size();
    }
  }
  for (std::size_t r = 0; r < ranges_.size(); ++r) {
    DualRange& range = ranges_[r];
    const std::array<std::span<const int>*, kLists> lists = {
        &range.joints, &range.bodies, &range.single_joints, &range.single_bodies, &range.single_nodes, &range.closing};
    for (std::size_t list = 0; list < kLists; ++list) {
      *lists[list] = std::span(range_members_).subspan(bounds[r][list], bounds[r][list + 1] - bounds[r][list]);
    }
  }
}

void DualStorage::place_nodes(const AssemblyTree& tree, const AssemblyDivision& division, const TwinGroups& twins) {
  const std::vector<int>& order = division.order;
  std::vector<int> position(order.size());
  std::vector<std::size_t> schur(order.size());  // packs below Xi^C on the stack of its range
  std::size_t most_joints = 1;
  std::size_t most_rows = 1;
  std::size_t largest_front = 1;
  std::size_t largest_across = 1;   // packs of Y
  std::size_t largest_inverse = 1;  // of L^-1
  std::vector<std::size_t> deepest(ranges_.size(), 0);
  // Twins are factorised before all others: what their roots leave waits in a place of its own.
  const auto schur_size = [&](int index) {
    const AssemblyNode& node = tree.nodes()[index_of(index)];
    const bool single = twins.seen(index_of(position[index_of(index)])) == TwinGroups::Seen::whole;
    return single ? index_of(node.width) * node.external.size() : 0;
  };
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    std::size_t stack = 0;
    for (std::size_t at = ranges_[range].first; at < ranges_[range].last; ++at) {
      const AssemblyNode& from = tree.nodes()[index_of(order[at])];
      position[index_of(order[at])] = static_cast<int>(at);
      if (twins.seen(at) == TwinGroups::Seen::whole) {
        most_joints = std::max(most_joints, from.closed.size());
        most_rows = std::max(most_rows, index_of(from.closed_rows));
        largest_front = std::max(largest_front,
                                 index_of(from.closed_rows + from.width) * (from.closed.size() + from.external.size()));
        largest_across = std::max(largest_across, index_of(from.closed_rows) * from.external.size());
        largest_inverse = std::max(largest_inverse, index_of(from.closed_rows) * from.closed.size());
      }
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
  Shelves counted(nullptr);
  for (const bool counting : {true, false}) {
    Shelves shelves = counting ? Shelves(nullptr) : Shelves(numbers_.get(), counted);
    Pieces<double>& packs = shelves.others;
    Pieces<int> indices(indices_.empty() ? nullptr : indices_.data());
    const auto numbers = [&packs](std::size_t count) { return packs.take(count * kPackSize); };
    for (std::size_t range = 0; range < ranges_.size(); ++range) {
      DualScratch& scratch = ranges_[range].scratch;  // one thread has the nodes of a range
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
        node = {};
        node.schur = schurs == nullptr ? nullptr : schurs + schur[index] * kPackSize;
        place_node(tree, from, node, indices, counting);
        if (twins.seen(index) == TwinGroups::Seen::whole) {
          place_numbers(node, shelves);
        } else {
          place_twin(twins, twins.seen(index), node, shelves);
        }
      }
    }
    if (counting) {
      counted = shelves;
      numbers_ = lane_memory(counted.taken() / kPackSize);
      indices_.resize(indices.taken() + 1);
    }
  }
  // The top stands before the branches that it joins.
  for (std::size_t index = 0; index < nodes_.size(); ++index) {
    const AssemblyNode& from = tree.nodes()[index_of(order[index])];
    const int children[2] = {from.child1, from.child2};
    for (int which = 0; which < 2 && children[which] >= 0; ++which) {
      set_child(nodes_[index].children[which], position[index_of(children[which])]);
    }
  }
}

// Loads of a whole pack read behind the last one.
template <typename Shelf>
double* DualStorage::columns(Shelf& shelf, std::size_t count, std::size_t size) {
  const std::size_t needed = size == kPackSize ? count * kPackSize : count * size + kPackSize - size;
  return shelf.take((needed + kPackSize - 1) / kPackSize * kPackSize);
}

void DualStorage::place_numbers(DualNode& node, Shelves& shelves) {
  const std::size_t joints = index_of(node.joint_count);
  const std::size_t closed = index_of(node.closed_joints);
  const std::size_t rows = index_of(node.row_count);
  const std::size_t closed_rows = index_of(node.closed_rows);
  node.inverse = columns(shelves.outward, closed_rows * closed, kDualPack);
  node.gain = columns(shelves.outward, (rows - closed_rows) * closed, kDualPack);
  node.gain_transposed = columns(shelves.inward, closed_rows * (joints - closed), kDualPack);
  node.right = shelves.right.take(joints * kPackSize);
  if (node.body >= 0) {
    DualBody& body = bodies_[index_of(node.body)];
    body.columns = columns(shelves.others, rows, kDualBody);
    body.reach = columns(shelves.reach, rows, kDualPack);
    body.rows = columns(shelves.rows, 6 * joints, kDualPack);
    body.inverse_inertia = shelves.others.take(4 * kPackSize);
    body.right = node.right;
  }
}

void DualStorage::place_twin(const TwinGroups& twins, TwinGroups::Seen seen, DualNode& node, Shelves& shelves) {
  const std::size_t joints = index_of(node.joint_count);
  if (seen == TwinGroups::Seen::root) {
    node.right = shelves.right.take(joints * kPackSize);
    node.schur = shelves.others.take(index_of(node.row_count - node.closed_rows) *
                                     index_of(node.joint_count - node.closed_joints) * kPackSize);
  }
  if (node.body >= 0 && twins.leaf(node.body).is_at_edge()) {  // others find the residuals of its handles
    DualBody& body = bodies_[index_of(node.body)];
    body.columns = columns(shelves.others, index_of(node.row_count), kDualBody);
    body.rows = columns(shelves.rows, 6 * joints, kPackSize);
  }
}

void DualStorage::set_child(DualChild& link, int index) const {
  const DualNode& child = nodes_[index_of(index)];
  link.node = index;
  link.count = child.joint_count - child.closed_joints;
  link.right = child.right == nullptr ? nullptr : child.right + child.closed_joints * std::ptrdiff_t{kDualPack};
  link.rests = child.body >= 0 && child.closed_joints == 0;
}

void DualStorage::place_node(const AssemblyTree& tree, const AssemblyNode& from, DualNode& node, Pieces<int>& indices,
                             bool counting) {
  const std::vector<int> joints = joints_of(from);
  const std::size_t closed = from.closed.size();
  node.body = from.body;
  node.joint_count = static_cast<int>(joints.size());
  node.closed_joints = static_cast<int>(closed);
  node.closed_rows = from.closed_rows;
  node.row_count = from.closed_rows + from.width;
  node.uniform_rows = joints.empty() ? 0 : rows(index_of(joints.front()));
  for (const int joint : joints) {
    node.uniform_rows = rows(index_of(joint)) == node.uniform_rows ? node.uniform_rows : 0;
  }
  int* const own = indices.take(joints.size());
  int* const first_rows = indices.take(joints.size() + 1);
  int* const slots = indices.take(index_of(node.row_count));
  int* const counts = from.body >= 0 ? indices.take(joints.size()) : nullptr;
  int* places[2] = {};
  const int children[2] = {from.child1, from.child2};
  for (int which = 0; which < 2 && children[which] >= 0; ++which) {
    places[which] = indices.take(tree.nodes()[index_of(children[which])].external.size());
  }
  if (from.body >= 0) {
    DualBody& body = bodies_[index_of(from.body)];
    body = {};
    body.handles = node.joint_count;
    body.uniform_rows = node.uniform_rows;
    body.joints = own;
    body.row_counts = counts;
  }
  if (counting) {
    return;
  }
  node.joints = own;
  node.first_rows = first_rows;
  node.slots = slots;
  int row = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    own[j] = joints[j];
    first_rows[j] = row;
    const int count = rows(index_of(joints[j]));
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
    node.children[which].places = places[which];
  }
}

}  // namespace mbdbench
