#include "formulations/augmented_lagrangian/dual/twins/dual_twin_group.hpp"

#include <algorithm>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

const TwinNode& TwinGroup::leaf_of(int body) const {
  return *std::find_if(nodes_.begin(), nodes_.end(), [body](const TwinNode& node) { return node.body == body; });
}

TwinHandle& TwinGroup::handle_of(int body, int joint) {
  const TwinNode& leaf = leaf_of(body);
  const auto first = handles_.begin() + (leaf.handles - handles_.data());
  return *std::find_if(first, first + leaf.handle_count,
                       [&](const TwinHandle& handle) { return leaf.places[handle.first_row] == first_place(joint); });
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

}  // namespace mbdbench
