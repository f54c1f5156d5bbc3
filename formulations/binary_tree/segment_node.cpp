#include "formulations/binary_tree/segment_node.hpp"

#include <algorithm>
#include <iterator>

namespace mbdbench {

using kernels::kHandleRows;

void turn_proximal_back(const JointTurn& turn, kernels::TwoHandles<double>& node) {
  constexpr int kBoth = 2 * kHandleRows;
  double full[kBoth][kBoth];
  for (int i = 0; i < kBoth; ++i) {
    for (int j = 0; j <= i; ++j) {
      full[i][j] = full[j][i] = node.matrix[kernels::triangle(i) + j];
    }
  }
  for (const int first : {0, 3}) {
    for (auto& row : full) {
      turn_back(turn, row[first], row[first + 1]);
    }
    turn_back(turn, node.right[first], node.right[first + 1]);
  }
  for (const int first : {0, 3}) {
    for (int j = 0; j < kBoth; ++j) {
      turn_back(turn, full[first][j], full[first + 1][j]);
    }
  }
  for (int i = 0; i < kBoth; ++i) {
    std::copy(full[i], full[i] + i + 1, node.matrix + kernels::triangle(i));
  }
}

void close_ground(const kernels::TwoHandles<double>& node, const Vec3& motion, double* sigma, double& smallest) {
  double matrix[kernels::triangle(kHandleRows)];
  std::copy(std::begin(node.matrix), std::begin(node.matrix) + kernels::triangle(kHandleRows), matrix);
  kernels::HandleFactor<double> factor{};
  kernels::factorise_handle(matrix, factor, smallest);
  double right[kHandleRows] = {node.right[0] - motion.x(), node.right[1] - motion.y(), node.right[2] - motion.z(),
                               node.right[3], node.right[4]};
  kernels::eliminate(factor, right);
  for (int k = 0; k < kHandleRows; ++k) {
    right[k] *= factor.inverse[k];
  }
  kernels::substitute_back(factor, right);
  std::copy(right, right + kHandleRows, sigma);
}

}  // namespace mbdbench
