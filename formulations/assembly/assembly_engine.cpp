#include "formulations/assembly/assembly_engine.hpp"

#include <algorithm>

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

AssemblyEngine::AssemblyEngine(AssemblyTree tree) : tree_(std::move(tree)) {
  for (const AssemblyJoint& joint : tree_.joints()) {
    row_offsets_.push_back(row_count_);
    row_count_ += joint.rows;
  }
  leaf_of_body_.assign(static_cast<std::size_t>(tree_.body_count()), -1);
  std::size_t front_size = 0;
  std::size_t right_size = 0;
  for (const AssemblyNode& from : tree_.nodes()) {
    Node node;
    node.closed_rows = from.closed_rows;
    node.width = from.width;
    node.front = front_size;
    node.right = right_size;
    node.joints = from.closed;
    node.joints.insert(node.joints.end(), from.external.begin(), from.external.end());
    const auto rows = static_cast<std::size_t>(node.closed_rows + node.width);
    front_size += rows * rows;
    right_size += rows;
    if (from.body >= 0) {
      leaf_of_body_[static_cast<std::size_t>(from.body)] = static_cast<int>(nodes_.size());
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

std::span<const int> AssemblyEngine::leaf_joints(int body) const {
  return nodes_[static_cast<std::size_t>(leaf_of_body_[static_cast<std::size_t>(body)])].joints;
}

double* AssemblyEngine::leaf_matrix(int body) {
  return fronts_.data() + nodes_[static_cast<std::size_t>(leaf_of_body_[static_cast<std::size_t>(body)])].front;
}

int AssemblyEngine::leaf_rows(int body) const {
  const Node& leaf = nodes_[static_cast<std::size_t>(leaf_of_body_[static_cast<std::size_t>(body)])];
  return leaf.closed_rows + leaf.width;
}

double* AssemblyEngine::leaf_right_side(int body) {
  return rights_.data() + nodes_[static_cast<std::size_t>(leaf_of_body_[static_cast<std::size_t>(body)])].right;
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

AssemblyPivot AssemblyEngine::factorise() {
  for (const Node& node : nodes_) {
    double* front = fronts_.data() + node.front;
    const int m = node.closed_rows + node.width;
    if (node.children[0] >= 0) {
      std::fill_n(front, static_cast<std::size_t>(m) * static_cast<std::size_t>(m), 0.0);
      for (int which = 0; which < 2 && node.children[which] >= 0; ++which) {
        add_child_matrix(node, which);
      }
    }
    int failed = dispatch(node.closed_rows, node.width, [&]<int kClosed, int kWidth>() {
      return factorise_front<double, kClosed, kWidth>(front, node.closed_rows, node.width);
    });
    if (failed >= 0) {
      const double pivot = front[failed * m + failed];
      for (const int joint : node.joints) {
        failed -= tree_.joints()[static_cast<std::size_t>(joint)].rows;
        if (failed < 0) {
          return {joint, pivot};
        }
      }
    }
  }
  return {};
}

void AssemblyEngine::solve(std::span<const double> r, std::span<double> sigma) {
  for (const Node& node : nodes_) {
    double* right = rights_.data() + node.right;
    if (node.children[0] >= 0) {
      std::fill_n(right, node.closed_rows + node.width, 0.0);
      for (int which = 0; which < 2 && node.children[which] >= 0; ++which) {
        add_child_right_side(node, which);
      }
    }
    int row = 0;
    for (std::size_t j = 0; row < node.closed_rows; ++j) {
      const int joint = node.joints[j];
      const auto offset = static_cast<std::size_t>(row_offset(joint));
      for (int i = 0; i < tree_.joints()[static_cast<std::size_t>(joint)].rows; ++i) {
        right[row++] -= r[offset + static_cast<std::size_t>(i)];
      }
    }
    dispatch(node.closed_rows, node.width, [&]<int kClosed, int kWidth>() {
      eliminate_right_side<double, kClosed, kWidth>(fronts_.data() + node.front, node.closed_rows, node.width, right);
    });
  }
  // Disassembly: parents first, each node reads the multipliers of its external handles from the joints closed above
  // it.
  for (std::size_t index = nodes_.size(); index-- > 0;) {
    const Node& node = nodes_[index];
    if (node.closed_rows == 0) {
      continue;
    }
    double* values = multipliers_.data() + node.right;
    int row = 0;
    for (const int joint : node.joints) {
      const int rows = tree_.joints()[static_cast<std::size_t>(joint)].rows;
      if (row >= node.closed_rows) {
        std::copy_n(sigma.data() + row_offset(joint), rows, values + row);
      }
      row += rows;
    }
    dispatch(node.closed_rows, node.width, [&]<int kClosed, int kWidth>() {
      recover_closed<double, kClosed, kWidth>(fronts_.data() + node.front, node.closed_rows, node.width,
                                              rights_.data() + node.right, values);
    });
    row = 0;
    for (const int joint : node.joints) {
      const int rows = tree_.joints()[static_cast<std::size_t>(joint)].rows;
      if (row < node.closed_rows) {
        std::copy_n(values + row, rows, sigma.data() + row_offset(joint));
      }
      row += rows;
    }
  }
}

}  // namespace mbdbench
