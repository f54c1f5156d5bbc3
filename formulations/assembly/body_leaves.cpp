#include "formulations/assembly/body_leaves.hpp"

#include <algorithm>

#include "formulations/assembly/node_kernels.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

template <int kRows>
void add_columns_of(const double* columns, int stride, const double* values, int row_count, Vec6& wrench) {
  const int rows = kRows >= 0 ? kRows : row_count;
  for (int i = 0; i < 6; ++i) {
    double sum = 0.0;
    for (int r = 0; r < rows; ++r) {
      sum += values[r] * columns[i * stride + r];
    }
    wrench[i] += sum;
  }
}

/// wrench += columns values, 6 x rows, row-major; five rows (revolute joints) with a fixed length.
void add_columns(const double* columns, int stride, const double* values, int rows, Vec6& wrench) {
  if (rows == 5) {
    add_columns_of<5>(columns, stride, values, rows, wrench);
  } else {
    add_columns_of<-1>(columns, stride, values, rows, wrench);
  }
}

}  // namespace

BodyLeaves::BodyLeaves(const AssemblyTree& tree, std::span<const double> masses) {
  leaves_.resize(index_of(tree.body_count()));
  inertias_.resize(index_of(tree.body_count()));
  for (std::size_t i = 0; i < inertias_.size(); ++i) {
    inertias_[i].mass = masses[i];
    inertias_[i].inverse_mass = 1.0 / masses[i];
  }
  for (const AssemblyJoint& joint : tree.joints()) {
    joint_rows_.push_back(joint.rows);
  }
  std::size_t handles = 0;
  std::size_t factors = 0;
  for (const AssemblyNode& node : tree.nodes()) {
    if (node.body < 0) {
      continue;
    }
    Leaf& leaf = leaves_[index_of(node.body)];
    leaf.joints = node.closed;
    leaf.joints.insert(leaf.joints.end(), node.external.begin(), node.external.end());
    leaf.front_rows = node.closed_rows + node.width;
    leaf.rows = leaf.front_rows;
    leaf.handles = handles;
    for (const RakedArm& arm : node.arms) {
      const int rows = joint_rows_[index_of(arm.joint)];
      leaf.joints.push_back(arm.joint);
      leaf.arms.push_back({rows, leaf.rows, factors});
      leaf.rows += rows;
      factors += index_of(rows) * index_of(rows + 6);
    }
    if (!leaf.arms.empty()) {
      leaf.hub = static_cast<int>(hubs_.size());
      hubs_.emplace_back();
    }
    handles += 6 * index_of(leaf.rows);
  }
  handles_.assign(handles, 0.0);
  factors_.assign(factors, 0.0);
}

void BodyLeaves::set_inertia(int body, const Mat3& inertia, const Mat3& inertia_inverse) {
  inertias_[index_of(body)].inertia = inertia;
  inertias_[index_of(body)].inertia_inverse = inertia_inverse;
}

bool BodyLeaves::fill(int body, double* front) {
  const Leaf& l = leaf(body);
  const Inertia& own = inertias_[index_of(body)];
  if (l.hub < 0) {
    if (l.rows == 10) {
      fill_leaf<double, 10>(handles(body), own.inverse_mass, own.inertia_inverse.data(), l.rows, front);
    } else {
      fill_leaf<double>(handles(body), own.inverse_mass, own.inertia_inverse.data(), l.rows, front);
    }
    return true;
  }
  Hub& hub = hubs_[index_of(l.hub)];
  Mat6 total = hub.added;
  total.topLeftCorner<3, 3>().diagonal().array() += own.mass;
  total.bottomRightCorner<3, 3>() += own.inertia;
  hub.cholesky.compute(total);
  const double* b = handles(body);
  for (int c = 0; c < l.front_rows; ++c) {
    Vec6 column;
    for (int i = 0; i < 6; ++i) {
      column[i] = b[i * l.rows + c];
    }
    const Vec6 velocity = hub.cholesky.solve(column);
    for (int r = c; r < l.front_rows; ++r) {
      double sum = 0.0;
      for (int i = 0; i < 6; ++i) {
        sum += velocity[i] * b[i * l.rows + r];
      }
      front[c * l.front_rows + r] = sum;
    }
  }
  return hub.cholesky.info() == Eigen::Success && total.allFinite();
}

Vec6 BodyLeaves::times_inverse_inertia(int body, const Vec6& wrench) const {
  const int hub = leaf(body).hub;
  if (hub >= 0) {
    return hubs_[index_of(hub)].cholesky.solve(wrench);
  }
  const Inertia& own = inertias_[index_of(body)];
  Vec6 velocity;
  velocity.head<3>() = own.inverse_mass * wrench.head<3>();
  velocity.tail<3>().noalias() = own.inertia_inverse * wrench.tail<3>();
  return velocity;
}

void BodyLeaves::project(int body, const Vec6& wrench, double* result) const {
  const Leaf& l = leaf(body);
  const Vec6 velocity = times_inverse_inertia(body, wrench);
  const double* b = handles(body);
  if (l.rows == 10 && l.hub < 0) {
    project_velocity<double, 10>(b, velocity.data(), l.rows, result);
    return;
  }
  for (int r = 0; r < l.front_rows; ++r) {
    result[r] = 0.0;
    for (int i = 0; i < 6; ++i) {
      result[r] += velocity[i] * b[i * l.rows + r];
    }
  }
}

void BodyLeaves::add_multipliers(int body, std::span<const double> sigma, std::span<const int> row_offsets,
                                 Vec6& wrench) const {
  const Leaf& l = leaf(body);
  const double* column = handles(body);
  const double* const end = column + l.front_rows;
  for (const int joint : l.joints) {
    if (column == end) {
      return;  // the rest was raked
    }
    const int rows = joint_rows_[index_of(joint)];
    add_columns(column, l.rows, sigma.data() + row_offsets[index_of(joint)], rows, wrench);
    column += rows;
  }
}

Vec6 BodyLeaves::unbalanced(int body, const Vec6& input, const Mat3& inertia, const Vec6& rate,
                            std::span<const double> sigma, std::span<const int> row_offsets) const {
  const Leaf& l = leaf(body);
  Vec6 wrench = input;
  const double* column = handles(body);
  for (const int joint : l.joints) {
    const int rows = joint_rows_[index_of(joint)];
    add_columns(column, l.rows, sigma.data() + row_offsets[index_of(joint)], rows, wrench);
    column += rows;
  }
  wrench.head<3>() -= inertias_[index_of(body)].mass * rate.head<3>();
  wrench.tail<3>() -= inertia * rate.tail<3>();
  return wrench;
}

void BodyLeaves::subtract_constrained_rates(int body, const Vec6& velocity, std::span<const int> row_offsets,
                                            std::span<double> residual) const {
  const Leaf& l = leaf(body);
  const double* b = handles(body);
  int column = 0;
  for (const int joint : l.joints) {
    double* rows = residual.data() + row_offsets[index_of(joint)];
    for (int r = 0; r < joint_rows_[index_of(joint)]; ++r, ++column) {
      for (int i = 0; i < 6; ++i) {
        rows[r] -= velocity[i] * b[i * l.rows + column];
      }
    }
  }
}

void BodyLeaves::reset_arms(int body) {
  if (leaf(body).hub >= 0) {
    hubs_[index_of(leaf(body).hub)].added.setZero();
  }
}

int BodyLeaves::rake(int body, std::size_t index, const double* block, int stride, double shift) {
  const Leaf& l = leaf(body);
  const Arm& arm = l.arms[index];
  double* factor = factors_.data() + arm.factor;
  for (int c = 0; c < arm.rows; ++c) {
    std::copy_n(block + c * stride + c, arm.rows - c, factor + c * arm.rows + c);
    factor[c * arm.rows + c] += shift;
  }
  const int failed = factorise_front<double>(factor, arm.rows, 0);
  if (failed >= 0) {
    return failed;
  }
  double* g = factor + arm.rows * arm.rows;
  const double* b = handles(body);
  for (int i = 0; i < 6; ++i) {
    std::copy_n(b + i * l.rows + arm.column, arm.rows, g + i * arm.rows);
    eliminate_right_side<double>(factor, arm.rows, 0, g + i * arm.rows);
  }
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Columns> columns(g, 6, arm.rows);
  hubs_[index_of(l.hub)].added += columns.lazyProduct(columns.transpose());
  return -1;
}

void BodyLeaves::rake_right_side(int body, std::size_t index, double* right, Vec6& wrench) const {
  const Arm& arm = leaf(body).arms[index];
  const double* factor = factors_.data() + arm.factor;
  eliminate_right_side<double>(factor, arm.rows, 0, right);
  const double* g = factor + arm.rows * arm.rows;
  for (int i = 0; i < 6; ++i) {
    for (int r = 0; r < arm.rows; ++r) {
      wrench[i] -= g[i * arm.rows + r] * right[r];
    }
  }
}

void BodyLeaves::recover_arm(int body, std::size_t index, const double* z, const Vec6& velocity, double* sigma) const {
  const Arm& arm = leaf(body).arms[index];
  const double* factor = factors_.data() + arm.factor;
  const double* g = factor + arm.rows * arm.rows;
  double total[6] = {};
  for (int r = 0; r < arm.rows; ++r) {
    total[r] = z[r];
    for (int i = 0; i < 6; ++i) {
      total[r] += g[i * arm.rows + r] * velocity[i];
    }
  }
  recover_closed<double>(factor, arm.rows, 0, total, sigma);
}

}  // namespace mbdbench
