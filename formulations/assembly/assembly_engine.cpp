#include "formulations/assembly/assembly_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formulations/assembly/loop_kernels.hpp"
#include "formulations/assembly/node_kernels.hpp"

namespace mbdbench {
namespace {

/// Calls kernel<c, w> with the sizes of serial chains at compile time (revolute 5, spherical or planar 3), else at run
/// time.
template <typename Kernel>
auto dispatch(int closed, int width, Kernel kernel) {
  if (closed == 5 && width == 10) {
    return kernel.template operator()<5, 10>();
  }
  if (closed == 5 && width == 5) {
    return kernel.template operator()<5, 5>();
  }
  if (closed == 5 && width == 0) {
    return kernel.template operator()<5, 0>();
  }
  if (closed == 3 && width == 6) {
    return kernel.template operator()<3, 6>();
  }
  return kernel.template operator()<-1, -1>();
}

}  // namespace

AssemblyEngine::AssemblyEngine(AssemblyTree tree, std::span<const double> masses, const ProximalOptions& proximal)
    : tree_(std::move(tree)),
      leaves_(tree_, masses),
      body_input_(masses.size()),
      proximal_(proximal),
      loops_(proximal.rows == ProximalRows::everywhere) {
  for (const AssemblyJoint& joint : tree_.joints()) {
    row_offsets_.push_back(row_count_);
    row_count_ += joint.rows;
  }
  std::size_t front_size = 0;
  std::size_t right_size = 0;
  std::size_t largest_loop = 0;
  for (const AssemblyNode& from : tree_.nodes()) {
    Node node;
    node.closed_rows = from.closed_rows;
    node.width = from.width;
    node.body = from.body;
    node.arms = from.arms;
    node.most = from.closed_rows;
    node.loops = from.loops > 0 && (proximal.rows == ProximalRows::none || proximal.ranked);
    node.shifted =
        proximal.rows == ProximalRows::everywhere || (from.loops > 0 && proximal.rows == ProximalRows::loops);
    loops_ = loops_ || from.loops > 0;
    node.front = front_size;
    node.right = right_size;
    node.joints = from.closed;
    node.joints.insert(node.joints.end(), from.external.begin(), from.external.end());
    node.closed = row_blocks(from.closed);
    node.outside = row_blocks(from.external);
    const auto rows = static_cast<std::size_t>(node.closed_rows + node.width);
    front_size += rows * rows;
    right_size += rows;
    if (node.loops) {
      largest_loop = std::max(largest_loop, static_cast<std::size_t>(node.closed_rows));
    }
    const int children[2] = {from.child1, from.child2};
    for (int which = 0; which < 2; ++which) {
      node.children[which] = children[which];
      if (children[which] >= 0) {
        node.maps[which] = map_rows(nodes_[static_cast<std::size_t>(children[which])], node);
      }
    }
    nodes_.push_back(std::move(node));
  }
  fronts_.resize(front_size);
  rights_.resize(right_size);
  multipliers_.resize(right_size);
  // The diagonal of the closed rows stands behind what the kernel needs.
  scratch_.resize(loop_scratch_size<double>(largest_loop) + largest_loop);
  if (loops_) {
    free_diagonal_.resize(static_cast<std::size_t>(row_count_));
    residual_.resize(static_cast<std::size_t>(row_count_));
    sigma_correction_.resize(static_cast<std::size_t>(row_count_));
    no_input_.assign(masses.size(), Vec6::Zero());
    rate_correction_.resize(masses.size());
  }
  if (proximal.limits.conjugate) {
    for (Direction* const direction : {&preconditioned_, &search_, &image_}) {
      direction->multipliers.resize(static_cast<std::size_t>(row_count_));
      direction->rows.resize(static_cast<std::size_t>(row_count_));
      direction->rates.resize(masses.size());
    }
  }
}

std::vector<AssemblyEngine::RowBlock> AssemblyEngine::row_blocks(std::span<const int> joints) const {
  std::vector<RowBlock> blocks;
  for (const int joint : joints) {
    blocks.push_back({row_offset(joint), joint_rows(joint)});
  }
  return blocks;
}

std::vector<AssemblyEngine::BlockMap> AssemblyEngine::map_rows(const Node& child, const Node& parent) const {
  const auto first_row = [this](const Node& node, int joint) {
    int row = 0;
    for (const int j : node.joints) {
      if (j == joint) {
        break;
      }
      row += tree_.joints()[static_cast<std::size_t>(j)].rows;
    }
    return row;
  };
  std::vector<BlockMap> maps;
  int row = 0;
  for (const int j : child.joints) {
    const int rows = tree_.joints()[static_cast<std::size_t>(j)].rows;
    if (row >= child.closed_rows) {
      const int parent_row = first_row(parent, j);
      // Neighbouring joints that stay neighbours move as one block.
      if (!maps.empty() && maps.back().child_row + maps.back().rows == row &&
          maps.back().parent_row + maps.back().rows == parent_row) {
        maps.back().rows += rows;
      } else {
        maps.push_back({row, parent_row, rows});
      }
    }
    row += rows;
  }
  return maps;
}

void AssemblyEngine::add_child_matrix(const Node& node, int which) {
  const Node& child = nodes_[static_cast<std::size_t>(node.children[which])];
  const int m = node.closed_rows + node.width;
  const int child_m = child.closed_rows + child.width;
  const double* from = fronts_.data() + child.front;
  double* to = fronts_.data() + node.front;
  const std::vector<BlockMap>& maps = node.maps[which];
  for (std::size_t c = 0; c < maps.size(); ++c) {
    const BlockMap& columns = maps[c];
    for (std::size_t r = c; r < maps.size(); ++r) {
      const BlockMap& rows = maps[r];
      const double* block = from + columns.child_row * child_m + rows.child_row;
      // A block that changes sides of the diagonal is added transposed: only lower triangles are kept.
      const bool transposed = rows.parent_row < columns.parent_row;
      double* target =
          transposed ? to + rows.parent_row * m + columns.parent_row : to + columns.parent_row * m + rows.parent_row;
      if (rows.rows == 5 && columns.rows == 5) {
        add_block<double, 5>(block, child_m, 5, 5, transposed, r == c, target, m);
      } else {
        add_block<double>(block, child_m, rows.rows, columns.rows, transposed, r == c, target, m);
      }
    }
  }
}

void AssemblyEngine::add_child_right_side(const Node& node, int which) {
  const Node& child = nodes_[static_cast<std::size_t>(node.children[which])];
  for (const BlockMap& block : node.maps[which]) {
    for (int i = 0; i < block.rows; ++i) {
      rights_[node.right + static_cast<std::size_t>(block.parent_row + i)] +=
          rights_[child.right + static_cast<std::size_t>(block.child_row + i)];
    }
  }
}

AssemblyPivot AssemblyEngine::failed_pivot(const Node& node, int row) const {
  const double pivot = fronts_[node.front + static_cast<std::size_t>(row * (node.closed_rows + node.width) + row)];
  for (const int joint : node.joints) {
    row -= joint_rows(joint);
    if (row < 0) {
      return {joint, pivot};
    }
  }
  return {};
}

AssemblyPivot AssemblyEngine::fill_leaf_front(Node& node) {
  leaves_.reset_arms(node.body);
  for (std::size_t i = 0; i < node.arms.size(); ++i) {
    const Node& arm = nodes_[static_cast<std::size_t>(node.arms[i].child)];
    const int stride = arm.closed_rows + arm.width;
    const double* block = fronts_.data() + arm.front + arm.closed_rows * (stride + 1);
    // An arm hangs on one joint: only rows regularised everywhere are so here.
    const double shift = proximal_.rows == ProximalRows::everywhere ? proximal_.regularisation : 0.0;
    const int failed = leaves_.rake(node.body, i, block, stride, shift);
    if (failed >= 0) {
      return {node.arms[i].joint, block[failed * (stride + 1)]};
    }
  }
  if (!leaves_.fill(node.body, fronts_.data() + node.front)) {
    return {node.arms.front().joint, std::numeric_limits<double>::quiet_NaN()};
  }
  if (loops_) {
    set_free_diagonal(node);
  }
  return {};
}

void AssemblyEngine::set_free_diagonal(const Node& leaf) {
  const int m = leaf.closed_rows + leaf.width;
  int row = 0;
  for (const int joint : leaf.joints) {
    const auto offset = static_cast<std::size_t>(row_offset(joint));
    for (std::size_t i = 0; i < static_cast<std::size_t>(joint_rows(joint)); ++i, ++row) {
      free_diagonal_[offset + i] += fronts_[leaf.front + static_cast<std::size_t>(row * m + row)];
    }
  }
}

void AssemblyEngine::regularise(const Node& node) {
  const int m = node.closed_rows + node.width;
  double* front = fronts_.data() + node.front;
  int row = 0;
  for (std::size_t j = 0; row < node.closed_rows; ++j) {
    const double* free = free_diagonal_.data() + row_offset(node.joints[j]);
    for (int i = 0; i < joint_rows(node.joints[j]); ++i, ++row) {
      front[row * m + row] += proximal_.regularisation * (proximal_.rows == ProximalRows::loops ? free[i] : 1.0);
    }
  }
}

AssemblyPivot AssemblyEngine::factorise_node(Node& node) {
  double* front = fronts_.data() + node.front;
  if (node.shifted) {
    regularise(node);
  }
  if (node.loops) {
    double* diagonal = scratch_.data() + (scratch_.size() - static_cast<std::size_t>(node.closed_rows));
    double* next = diagonal;
    for (std::size_t j = 0; next < scratch_.data() + scratch_.size(); ++j) {
      next = std::copy_n(free_diagonal_.data() + row_offset(node.joints[j]), joint_rows(node.joints[j]), next);
    }
    const LoopRank<double> found =
        factorise_loop_front(front, node.closed_rows, node.width, diagonal, scratch_.data(), node.most);
    node.rank = found.rank;
    node.smallest_pivot = found.smallest_pivot;
    return node.rank >= 0 ? AssemblyPivot{} : AssemblyPivot{node.joints.front(), front[0]};
  }
  const int failed = dispatch(node.closed_rows, node.width, [&]<int kClosed, int kWidth>() {
    return factorise_front<double, kClosed, kWidth>(front, node.closed_rows, node.width);
  });
  return failed >= 0 ? failed_pivot(node, failed) : AssemblyPivot{};
}

AssemblyPivot AssemblyEngine::factorise() {
  std::fill(free_diagonal_.begin(), free_diagonal_.end(), 0.0);
  for (Node& node : nodes_) {
    AssemblyPivot failed;
    if (node.body >= 0) {
      failed = fill_leaf_front(node);
    } else {
      const auto m = static_cast<std::size_t>(node.closed_rows + node.width);
      std::fill_n(fronts_.data() + node.front, m * m, 0.0);
      for (int which = 0; which < 2 && node.children[which] >= 0; ++which) {
        add_child_matrix(node, which);
      }
    }
    if (failed.joint < 0 && node.closed_rows > 0) {
      failed = factorise_node(node);
    }
    if (failed.joint >= 0) {
      return failed;
    }
  }
  return {};
}

int AssemblyEngine::redundant_rows() const {
  int sum = 0;
  for (const Node& node : nodes_) {
    sum += node.loops ? node.closed_rows - node.rank : 0;
  }
  return sum;
}

std::vector<int> AssemblyEngine::loop_ranks() const {
  std::vector<int> ranks;
  for (const Node& node : nodes_) {
    if (node.loops) {
      ranks.push_back(node.rank);
    }
  }
  return ranks;
}

std::vector<double> AssemblyEngine::smallest_loop_pivots() const {
  std::vector<double> pivots;
  for (const Node& node : nodes_) {
    if (node.loops) {
      pivots.push_back(node.smallest_pivot);
    }
  }
  return pivots;
}

std::vector<int> AssemblyEngine::loop_rank_limits() const {
  std::vector<int> limits;
  for (const Node& node : nodes_) {
    if (node.loops) {
      limits.push_back(node.most);
    }
  }
  return limits;
}

void AssemblyEngine::limit_loop_ranks(std::span<const int> most) {
  std::size_t next = 0;
  for (Node& node : nodes_) {
    if (node.loops) {
      node.most = most[next++];
    }
  }
}

void AssemblyEngine::set_leaf_right_side(const Node& node, std::span<const double> r, std::span<const Vec6> input) {
  Vec6& wrench = body_input_[static_cast<std::size_t>(node.body)];
  wrench = input[static_cast<std::size_t>(node.body)];
  for (std::size_t i = 0; i < node.arms.size(); ++i) {
    const Node& arm = nodes_[static_cast<std::size_t>(node.arms[i].child)];
    double* right = rights_.data() + arm.right + arm.closed_rows;
    const double* given = r.data() + row_offset(node.arms[i].joint);
    for (int row = 0; row < arm.width; ++row) {
      right[row] -= given[row];
    }
    leaves_.rake_right_side(node.body, i, right, wrench);
  }
  leaves_.project(node.body, wrench, rights_.data() + node.right);
}

void AssemblyEngine::eliminate(const Node& node, std::span<const double> r) {
  double* right = rights_.data() + node.right;
  double* next = right;
  for (const RowBlock& block : node.closed) {
    const double* given = r.data() + block.offset;
    for (int i = 0; i < block.rows; ++i) {
      *next++ -= given[i];
    }
  }
  const double* front = fronts_.data() + node.front;
  if (node.loops) {
    eliminate_loop_right_side(front, node.closed_rows, node.width, node.rank, right, scratch_.data());
    return;
  }
  dispatch(node.closed_rows, node.width, [&]<int kClosed, int kWidth>() {
    eliminate_right_side<double, kClosed, kWidth>(front, node.closed_rows, node.width, right);
  });
}

void AssemblyEngine::recover(const Node& node, std::span<double> sigma) {
  double* values = multipliers_.data() + node.right;
  double* next = values + node.closed_rows;
  for (const RowBlock& block : node.outside) {
    const double* known = sigma.data() + block.offset;
    for (int i = 0; i < block.rows; ++i) {
      *next++ = known[i];
    }
  }
  const double* front = fronts_.data() + node.front;
  const double* right = rights_.data() + node.right;
  if (node.loops) {
    recover_loop(front, node.closed_rows, node.width, node.rank, right, values);
  } else {
    dispatch(node.closed_rows, node.width, [&]<int kClosed, int kWidth>() {
      recover_closed<double, kClosed, kWidth>(front, node.closed_rows, node.width, right, values);
    });
  }
  next = values;
  for (const RowBlock& block : node.closed) {
    double* found = sigma.data() + block.offset;
    for (int i = 0; i < block.rows; ++i) {
      found[i] = *next++;
    }
  }
}

void AssemblyEngine::recover_body(const Node& node, std::span<double> sigma, std::span<Vec6> rates) {
  const auto body = static_cast<std::size_t>(node.body);
  Vec6 wrench = body_input_[body];
  leaves_.add_multipliers(node.body, sigma, row_offsets_, wrench);
  rates[body] = leaves_.times_inverse_inertia(node.body, wrench);
  for (std::size_t i = 0; i < node.arms.size(); ++i) {
    const Node& arm = nodes_[static_cast<std::size_t>(node.arms[i].child)];
    leaves_.recover_arm(node.body, i, rights_.data() + arm.right + arm.closed_rows, rates[body],
                        sigma.data() + row_offset(node.arms[i].joint));
  }
}

void AssemblyEngine::sweep(std::span<const double> r, std::span<const Vec6> input, std::span<double> sigma,
                           std::span<Vec6> rates) {
  for (const Node& node : nodes_) {
    if (node.body >= 0) {
      set_leaf_right_side(node, r, input);
    } else {
      std::fill_n(rights_.data() + node.right, node.closed_rows + node.width, 0.0);
      for (int which = 0; which < 2 && node.children[which] >= 0; ++which) {
        add_child_right_side(node, which);
      }
    }
    if (node.closed_rows > 0) {
      eliminate(node, r);
    }
  }
  // Disassembly: parents first, each node reads the multipliers of its external handles from the joints closed above
  // it.
  for (std::size_t index = nodes_.size(); index-- > 0;) {
    const Node& node = nodes_[index];
    if (node.closed_rows > 0) {
      recover(node, sigma);
    }
    if (node.body >= 0) {
      recover_body(node, sigma, rates);
    }
  }
}

}  // namespace mbdbench
