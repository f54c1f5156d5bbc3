#include "formulations/augmented_lagrangian/dual/dual_twin_groups.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// Hands out packs one after another; of nowhere, to count them.
class Packs {
 public:
  explicit Packs(double* start) : start_(start) {}
  double* take(std::size_t count) {
    double* const piece = start_ == nullptr ? nullptr : start_ + taken_ * kTwins;
    taken_ += count;
    return piece;
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  double* start_;
  std::size_t taken_ = 0;
};

std::size_t triangle(std::size_t rows) {
  return rows * (rows + 1) / 2;
}

}  // namespace

TwinGroup::TwinGroup(const TwinForm& form, std::span<const double> masses) : form_(form) {
  place_joints();
  place_nodes(masses);
}

void TwinGroup::place_joints() {
  first_places_.assign(form_.rows.size(), -1);
  int next = 0;
  const auto place = [&](int joint) {
    first_places_[index_of(joint)] = next;
    next += form_.rows[index_of(joint)];
  };
  for (const TwinForm::Node& node : form_.nodes) {
    std::for_each_n(node.joints.begin(), node.closed, place);
  }
  trees_.closed_rows = next;
  const TwinForm::Node& root = form_.nodes.back();
  std::for_each(root.joints.begin() + static_cast<std::ptrdiff_t>(root.closed), root.joints.end(), place);
  trees_.row_count = next;
  for (const TwinForm::Node& node : form_.nodes) {
    if (node.body >= 0 &&
        std::any_of(node.joints.begin(), node.joints.end(), [this](int joint) { return stays(joint); })) {
      kept_bodies_.push_back(node.body);
    }
  }
}

void TwinGroup::place_nodes(std::span<const double> masses) {
  trees_.node_count = static_cast<int>(form_.nodes.size());
  trees_.body_count = static_cast<int>(form_.lanes.front().bodies.size());
  nodes_.resize(form_.nodes.size());
  // Rows of every node by joint, and places of theirs.
  std::vector<std::vector<int>> joint_of_row(form_.nodes.size());
  std::vector<std::size_t> schur(form_.nodes.size());  // packs below it on a stack
  std::size_t stack = 0;
  std::size_t deepest = 0;
  std::size_t most_rows = 1;
  std::size_t most_closed = 1;
  std::size_t index_count = 0;
  std::size_t handle_count = 0;
  for (std::size_t n = 0; n < form_.nodes.size(); ++n) {
    const TwinForm::Node& from = form_.nodes[n];
    TwinNode& node = nodes_[n];
    node.body = from.body;
    for (std::size_t j = 0; j < from.joints.size(); ++j) {
      const int rows = form_.rows[index_of(from.joints[j])];
      node.row_count += rows;
      node.closed_rows += j < from.closed ? rows : 0;
      joint_of_row[n].insert(joint_of_row[n].end(), index_of(rows), from.joints[j]);
    }
    index_count += index_of(node.row_count);
    for (std::size_t which = 0; which < 2; ++which) {
      node.children[which] = from.children[which];
      if (from.children[which] >= 0) {
        const TwinNode& child = nodes_[index_of(from.children[which])];
        node.child_counts[which] = child.row_count - child.closed_rows;
        index_count += index_of(node.child_counts[which]);
        stack -= triangle(index_of(node.child_counts[which]));
      }
    }
    schur[n] = stack;
    stack += triangle(index_of(node.row_count - node.closed_rows));
    deepest = std::max(deepest, stack);
    most_rows = std::max(most_rows, index_of(node.row_count));
    most_closed = std::max(most_closed, index_of(node.closed_rows));
  }
  for (const TwinForm::Node& node : form_.nodes) {
    handle_count += node.body >= 0 ? node.joints.size() : 0;
  }
  // First how much, then where: in the order in which passes read.
  for (const bool counting : {true, false}) {
    Packs packs(counting ? nullptr : numbers_.get());
    for (std::size_t which = 0; which < kDualVectors; ++which) {
      vectors_[which] =
          packs.take(which < kJointVectors ? index_of(trees_.row_count) : 6 * index_of(trees_.body_count));
    }
    trees_.front = packs.take(most_rows * most_rows);
    trees_.scaled = packs.take(most_rows * most_closed);
    trees_.lower = packs.take(most_rows * most_closed);
    trees_.pivots = packs.take(most_closed);
    double* const schurs = packs.take(deepest);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      TwinNode& node = nodes_[n];
      const std::size_t rows = index_of(node.row_count);
      const std::size_t closed = index_of(node.closed_rows);
      node.schur = schurs == nullptr ? nullptr : schurs + schur[n] * kTwins;
      if (node.body >= 0) {
        place_handles(form_.nodes[n], packs.take(6 * rows), node);
        node.inertia_inverse = packs.take(kTwinInertia);
      }
      node.right = packs.take(rows);
      node.inverse = packs.take(triangle(closed));
      node.gain = packs.take(closed * (rows - closed));
    }
    if (counting) {
      numbers_ = lane_memory(packs.taken());
      handles_.clear();
      handles_.reserve(handle_count);
    }
  }
  indices_.reserve(index_count);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    TwinNode& node = nodes_[n];
    const std::vector<int>& joints = joint_of_row[n];
    // Which row of a joint it is, counted from the joint's first one.
    const auto within = [](const std::vector<int>& all, std::size_t row) {
      return static_cast<int>(row -
                              index_of(static_cast<int>(std::find(all.begin(), all.end(), all[row]) - all.begin())));
    };
    node.places = indices_.data() + indices_.size();
    for (std::size_t row = 0; row < joints.size(); ++row) {
      indices_.push_back(first_places_[index_of(joints[row])] + within(joints, row));
    }
    for (std::size_t which = 0; which < 2; ++which) {
      node.child_rows[which] = indices_.data() + indices_.size();
      if (node.children[which] < 0) {
        continue;
      }
      const std::vector<int>& below = joint_of_row[index_of(node.children[which])];
      for (std::size_t row = index_of(nodes_[index_of(node.children[which])].closed_rows); row < below.size(); ++row) {
        const auto first = std::find(joints.begin(), joints.end(), below[row]) - joints.begin();
        indices_.push_back(static_cast<int>(first) + within(below, row));
      }
    }
    for (std::size_t lane = 0; lane < kTwins && node.body >= 0; ++lane) {
      node.inertia_inverse[lane] = 1.0 / masses[index_of(form_.lanes[lane].bodies[index_of(node.body)])];
    }
  }
  trees_.nodes = nodes_.data();
}

const TwinNode& TwinGroup::leaf_of(int body) const {
  return *std::find_if(nodes_.begin(), nodes_.end(), [body](const TwinNode& node) { return node.body == body; });
}

TwinHandle& TwinGroup::handle_of(int body, int joint) {
  const TwinNode& leaf = leaf_of(body);
  const auto first = handles_.begin() + (leaf.handles - handles_.data());
  return *std::find_if(first, first + leaf.handle_count,
                       [&](const TwinHandle& handle) { return leaf.places[handle.first_row] == first_place(joint); });
}

void TwinGroup::place_handles(const TwinForm::Node& from, double* numbers, TwinNode& node) {
  int row = 0;
  node.handles = handles_.data() + handles_.size();
  node.handle_count = static_cast<int>(from.joints.size());
  for (const int joint : from.joints) {
    const int rows = form_.rows[index_of(joint)];
    handles_.push_back({row, rows, 0.0, numbers == nullptr ? nullptr : numbers + 6 * kTwins * index_of(row)});
    row += rows;
  }
}

TwinGroup::Failure TwinGroup::failure_at(int node, int row, std::span<const DualNode> nodes) const {
  const double* const pivots = trees_.pivots + index_of(row) * kTwins;
  std::size_t lane = 0;
  while (lane + 1 < kTwins && pivots[lane] > 0.0) {
    ++lane;
  }
  // Others name the joints that are closed there in an order of their own.
  const std::vector<int>& joints = form_.nodes[index_of(node)].joints;
  std::size_t which = 0;
  for (; row >= form_.rows[index_of(joints[which])]; ++which) {
    row -= form_.rows[index_of(joints[which])];
  }
  const int place = form_.lanes[lane].nodes[index_of(node)];
  const DualNode& own = nodes[index_of(place)];
  int joint = 0;
  while (own.joints[joint] != form_.lanes[lane].joints[index_of(joints[which])]) {
    ++joint;
  }
  return {place, own.first_rows[joint] + row, pivots[lane]};
}

void TwinGroup::set_inertia(std::size_t leaf, std::size_t lane, const double* matrix) const {
  constexpr int kEntries[6] = {0, 3, 6, 4, 7, 8};
  double* const inverse = nodes_[leaf].inertia_inverse + kTwins + lane;
  for (std::size_t i = 0; i < std::size(kEntries); ++i) {
    inverse[i * kTwins] = matrix[kEntries[i]];
  }
}

void TwinGroup::connect(std::span<const DualNode> nodes) {
  const TwinForm::Node& root = form_.nodes.back();
  for (std::size_t lane = 0; lane < kTwins; ++lane) {
    const TwinForm::Lane& own = form_.lanes[lane];
    const DualNode& node = nodes[index_of(own.nodes.back())];
    for (std::size_t j = root.closed; j < root.joints.size(); ++j) {
      const int joint = own.joints[index_of(root.joints[j])];
      int place = node.closed_joints;
      while (node.joints[place] != joint) {
        ++place;
      }
      for (int i = 0; i < form_.rows[index_of(root.joints[j])]; ++i) {
        kept_[lane].push_back({joint * kDualPack + i, node.first_rows[place] - node.closed_rows + i,
                               (place - node.closed_joints) * kDualPack + i});
      }
    }
  }
}

void TwinGroup::give_schur(std::span<const DualNode> nodes) const {
  for (std::size_t lane = 0; lane < kTwins; ++lane) {
    const DualNode& node = nodes[index_of(form_.lanes[lane].nodes.back())];
    const int column = (node.joint_count - node.closed_joints) * kDualPack;
    std::fill_n(node.schur, (node.row_count - node.closed_rows) * column, 0.0);
    const double* entry = nodes_.back().schur + lane;
    for (std::size_t i = 0; i < kept_[lane].size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j, entry += kTwins) {
        node.schur[kept_[lane][i].row * column + kept_[lane][j].slot] = *entry;
        node.schur[kept_[lane][j].row * column + kept_[lane][i].slot] = *entry;
      }
    }
  }
}

void TwinGroup::give_right(std::span<const DualNode> nodes) const {
  const TwinNode& root = nodes_.back();
  for (std::size_t lane = 0; lane < kTwins; ++lane) {
    const DualNode& node = nodes[index_of(form_.lanes[lane].nodes.back())];
    double* const right = node.right + node.closed_joints * kDualPack;
    for (std::size_t i = 0; i < kept_[lane].size(); ++i) {
      right[kept_[lane][i].slot] = root.right[(index_of(root.closed_rows) + i) * kTwins + lane];
    }
  }
}

void TwinGroup::take_kept_multipliers(const double* from, DualVector to) const {
  double* const own = vector(to) + index_of(trees_.closed_rows) * kTwins;
  for (std::size_t lane = 0; lane < kTwins; ++lane) {
    for (std::size_t i = 0; i < kept_[lane].size(); ++i) {
      own[i * kTwins + lane] = from[kept_[lane][i].multiplier];
    }
  }
}

void TwinGroup::give_kept_rates(double* to) const {
  const double* const own = vector(DualVector::rates);
  for (const int body : kept_bodies_) {
    for (std::size_t lane = 0; lane < kTwins; ++lane) {
      double* const other = to + form_.lanes[lane].bodies[index_of(body)] * std::ptrdiff_t{kDualPack};
      for (std::size_t i = 0; i < 6; ++i) {
        other[i] = own[(6 * index_of(body) + i) * kTwins + lane];
      }
    }
  }
}

template <typename Work>
void TwinGroup::for_numbers(DualVector which, const Work& work) const {
  double* const own = vector(which);
  if (static_cast<std::size_t>(which) >= kJointVectors) {
    for (std::size_t body = 0; body < index_of(trees_.body_count); ++body) {
      for (std::size_t lane = 0; lane < kTwins; ++lane) {
        work(own + 6 * body * kTwins + lane, form_.lanes[lane].bodies[body], 6);
      }
    }
    return;
  }
  for (std::size_t joint = 0; joint < form_.rows.size(); ++joint) {
    if (stays(static_cast<int>(joint))) {
      continue;
    }
    for (std::size_t lane = 0; lane < kTwins; ++lane) {
      work(own + index_of(first_places_[joint]) * kTwins + lane, form_.lanes[lane].joints[joint], form_.rows[joint]);
    }
  }
}

void TwinGroup::take(DualVector which, const double* from) const {
  for_numbers(which, [from](double* own, int place, int count) {
    const double* const other = from + place * std::ptrdiff_t{kDualPack};
    for (int i = 0; i < count; ++i) {
      own[static_cast<std::size_t>(i) * kTwins] = other[i];
    }
  });
}

void TwinGroup::give(DualVector which, double* to) const {
  for_numbers(which, [to](const double* own, int place, int count) {
    double* const other = to + place * std::ptrdiff_t{kDualPack};
    for (int i = 0; i < count; ++i) {
      other[i] = own[static_cast<std::size_t>(i) * kTwins];
    }
  });
}

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
