#include "formulations/augmented_lagrangian/dual/twins/dual_twin_group.hpp"

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

/// \returns the entries of a lower triangle.
std::size_t triangle(std::size_t rows) {
  return rows * (rows + 1) / 2;
}

}  // namespace

/// What is counted before there is memory.
struct TwinGroup::Layout {
  std::vector<std::vector<int>> joint_of_row;  // by node
  std::vector<std::size_t> schur;              // by node: packs below it on a stack
  std::size_t deepest = 0;                     // packs on the stack at most
  std::size_t most_rows = 1;                   // of a node
  std::size_t most_closed = 1;
  std::size_t handles = 0;  // of all leaves
  std::size_t indices = 0;  // of all nodes
};

TwinGroup::TwinGroup(const TwinForm& form, std::span<const double> masses) : form_(form), nodes_(form.nodes.size()) {
  place_joints();
  Layout layout;
  count_rows(layout);
  place_numbers(layout);
  place_indices(layout);
  for (const TwinNode& node : nodes_) {
    for (std::size_t lane = 0; lane < kTwins && node.body >= 0; ++lane) {
      node.inertia_inverse[lane] = 1.0 / masses[index_of(form_.lanes[lane].bodies[index_of(node.body)])];
    }
  }
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

void TwinGroup::count_rows(Layout& layout) {
  layout.joint_of_row.resize(nodes_.size());
  std::size_t stack = 0;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const TwinForm::Node& from = form_.nodes[n];
    TwinNode& node = nodes_[n];
    node.body = from.body;
    for (std::size_t j = 0; j < from.joints.size(); ++j) {
      const int rows = form_.rows[index_of(from.joints[j])];
      node.row_count += rows;
      node.closed_rows += j < from.closed ? rows : 0;
      layout.joint_of_row[n].insert(layout.joint_of_row[n].end(), index_of(rows), from.joints[j]);
    }
    layout.handles += from.body >= 0 ? from.joints.size() : 0;
    layout.indices += index_of(node.row_count);
    for (std::size_t which = 0; which < 2; ++which) {
      node.children[which] = from.children[which];
      if (from.children[which] >= 0) {
        const TwinNode& child = nodes_[index_of(from.children[which])];
        node.child_counts[which] = child.row_count - child.closed_rows;
        layout.indices += index_of(node.child_counts[which]);
        stack -= triangle(index_of(node.child_counts[which]));
      }
    }
    layout.schur.push_back(stack);
    stack += triangle(index_of(node.row_count - node.closed_rows));
    layout.deepest = std::max(layout.deepest, stack);
    layout.most_rows = std::max(layout.most_rows, index_of(node.row_count));
    layout.most_closed = std::max(layout.most_closed, index_of(node.closed_rows));
  }
  trees_.nodes = nodes_.data();
  trees_.node_count = static_cast<int>(nodes_.size());
  trees_.body_count = static_cast<int>(form_.lanes.front().bodies.size());
}

// First how much, then where: in the order in which passes read.
void TwinGroup::place_numbers(const Layout& layout) {
  for (const bool counting : {true, false}) {
    Packs packs(counting ? nullptr : numbers_.get());
    // Changes of rates are added as they are found: nobody keeps them.
    for (std::size_t which = 0; which < static_cast<std::size_t>(DualVector::rate_change); ++which) {
      vectors_[which] =
          packs.take(which < kJointVectors ? index_of(trees_.row_count) : 6 * index_of(trees_.body_count));
    }
    trees_.front = packs.take(layout.most_rows * layout.most_rows);
    trees_.scaled = packs.take(layout.most_rows * layout.most_closed);
    trees_.lower = packs.take(layout.most_rows * layout.most_closed);
    trees_.pivots = packs.take(layout.most_closed);
    double* const schurs = packs.take(layout.deepest);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      TwinNode& node = nodes_[n];
      const std::size_t rows = index_of(node.row_count);
      const std::size_t closed = index_of(node.closed_rows);
      node.schur = schurs == nullptr ? nullptr : schurs + layout.schur[n] * kTwins;
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
      handles_.reserve(layout.handles);
    }
  }
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

void TwinGroup::place_indices(const Layout& layout) {
  // Which row of a joint it is, counted from the joint's first one.
  const auto within = [](const std::vector<int>& all, std::size_t row) {
    return static_cast<int>(row -
                            index_of(static_cast<int>(std::find(all.begin(), all.end(), all[row]) - all.begin())));
  };
  indices_.reserve(layout.indices);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    TwinNode& node = nodes_[n];
    const std::vector<int>& joints = layout.joint_of_row[n];
    node.places = indices_.data() + indices_.size();
    for (std::size_t row = 0; row < joints.size(); ++row) {
      indices_.push_back(first_places_[index_of(joints[row])] + within(joints, row));
    }
    for (std::size_t which = 0; which < 2; ++which) {
      node.child_rows[which] = indices_.data() + indices_.size();
      if (node.children[which] < 0) {
        continue;
      }
      const std::vector<int>& below = layout.joint_of_row[index_of(node.children[which])];
      for (std::size_t row = index_of(nodes_[index_of(node.children[which])].closed_rows); row < below.size(); ++row) {
        const auto first = std::find(joints.begin(), joints.end(), below[row]) - joints.begin();
        indices_.push_back(static_cast<int>(first) + within(below, row));
      }
    }
  }
}

}  // namespace mbdbench
