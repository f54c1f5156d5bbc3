#include "formulations/assembly/body_leaves.hpp"

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// A handle's packs in B^T.
constexpr std::size_t kDirections = std::size_t{6} * kHandle;

}  // namespace

BodyLeaves::BodyLeaves(const AssemblyTree& tree, std::span<const double> masses, std::span<const int> row_offsets)
    : leaves_(masses.size()), plans_(masses.size()) {
  for (const AssemblyNode& node : tree.nodes()) {
    if (node.body < 0) {
      continue;
    }
    Leaf& leaf = leaves_[index_of(node.body)];
    BodyPlan& plan = plans_[index_of(node.body)];
    leaf.joints = node.closed;
    leaf.joints.insert(leaf.joints.end(), node.external.begin(), node.external.end());
    plan.handles = static_cast<int>(leaf.joints.size());
    for (const RakedArm& arm : node.arms) {
      const int rows = tree.joints()[index_of(arm.joint)].rows;
      leaf.arms.push_back({rows, leaf.joints.size(), ArmMatrix::Zero(rows, rows), ArmMatrix::Zero(rows, 6)});
      leaf.joints.push_back(arm.joint);
    }
    plan.all_handles = static_cast<int>(leaf.joints.size());
    if (!leaf.arms.empty()) {
      leaf.hub = static_cast<int>(hubs_.size());
      hubs_.emplace_back();
    }
    leaf.mass = masses[index_of(node.body)];
    plan.inverse_mass = 1.0 / leaf.mass;
  }
  for (const Leaf& leaf : leaves_) {
    for (const int joint : leaf.joints) {
      rows_.push_back({index_of(row_offsets[index_of(joint)]), tree.joints()[index_of(joint)].rows});
    }
  }
  memory_ = aligned_memory(rows_.size() * kDirections);
  std::size_t first = 0;
  for (std::size_t body = 0; body < leaves_.size(); ++body) {
    BodyPlan& plan = plans_[body];
    plan.rows = rows_.data() + first;
    plan.directions = memory_.get() + first * kDirections;
    first += leaves_[body].joints.size();
    if (leaves_[body].hub >= 0) {
      plan.inverse = hubs_[index_of(leaves_[body].hub)].inverse.data();
    }
  }
}

void BodyLeaves::place_handle(int body, std::size_t handle, const SpatialColumns& directions, double sign,
                              const Vec3& lever) {
  double* const rows = plan(body).directions + handle * kDirections;
  for (Eigen::Index c = 0; c < directions.cols(); ++c) {
    const double* const d = directions.data() + 6 * c;
    const double force[3] = {sign * d[0], sign * d[1], sign * d[2]};
    const double values[6] = {force[0],
                              force[1],
                              force[2],
                              sign * d[3] + (lever[1] * force[2] - lever[2] * force[1]),
                              sign * d[4] + (lever[2] * force[0] - lever[0] * force[2]),
                              sign * d[5] + (lever[0] * force[1] - lever[1] * force[0])};
    for (int i = 0; i < 6; ++i) {
      rows[i * kHandle + c] = values[i];
    }
  }
}

double BodyLeaves::direction(int body, std::size_t handle, int i, int row) const {
  return plan(body).directions[handle * kDirections + index_of(i) * kHandle + index_of(row)];
}

void BodyLeaves::set_inertia(int body, const Mat3& inertia, const Mat3& inertia_inverse) {
  leaves_[index_of(body)].inertia = inertia;
  std::copy_n(inertia_inverse.data(), 9, plans_[index_of(body)].inertia_inverse);
}

bool BodyLeaves::add_arms(int body) {
  const Leaf& l = leaf(body);
  Hub& hub = hubs_[index_of(l.hub)];
  Mat6 total = hub.added;
  total.topLeftCorner<3, 3>().diagonal().array() += l.mass;
  total.bottomRightCorner<3, 3>() += l.inertia;
  const Eigen::LLT<Mat6> cholesky(total);
  hub.inverse = cholesky.solve(Mat6::Identity());
  return cholesky.info() == Eigen::Success && total.allFinite();
}

Vec6 BodyLeaves::unbalanced(const NodeSteps& steps, int body, const Vec6& input, const Mat3& inertia, const Vec6& rate,
                            std::span<const double> sigma) const {
  Vec6 wrench = input;
  steps.add_multipliers(plan(body), plan(body).all_handles, sigma.data(), wrench.data());
  wrench.head<3>() -= leaf(body).mass * rate.head<3>();
  wrench.tail<3>() -= inertia * rate.tail<3>();
  return wrench;
}

void BodyLeaves::reset_arms(int body) {
  if (leaf(body).hub >= 0) {
    hubs_[index_of(leaf(body).hub)].added.setZero();
  }
}

int BodyLeaves::rake(int body, std::size_t index, const double* block, double shift) {
  Arm& arm = leaves_[index_of(body)].arms[index];
  for (int c = 0; c < arm.rows; ++c) {
    for (int r = c; r < arm.rows; ++r) {
      arm.factor(r, c) = block[c * kHandle + r];
    }
    arm.factor(c, c) += shift;
  }
  for (int j = 0; j < arm.rows; ++j) {
    if (!(arm.factor(j, j) > 0.0)) {
      return j;
    }
    const double root = std::sqrt(arm.factor(j, j));
    for (int i = j; i < arm.rows; ++i) {
      arm.factor(i, j) /= root;
    }
    for (int k = j + 1; k < arm.rows; ++k) {
      for (int i = k; i < arm.rows; ++i) {
        arm.factor(i, k) -= arm.factor(i, j) * arm.factor(k, j);
      }
    }
  }
  Mat6 gram = Mat6::Zero();
  for (int i = 0; i < 6; ++i) {
    for (int r = 0; r < arm.rows; ++r) {
      double value = direction(body, arm.handle, i, r);
      for (int m = 0; m < r; ++m) {
        value -= arm.factor(r, m) * arm.reduced(m, i);
      }
      arm.reduced(r, i) = value / arm.factor(r, r);
    }
    for (int k = 0; k <= i; ++k) {
      for (int r = 0; r < arm.rows; ++r) {
        gram(i, k) += arm.reduced(r, i) * arm.reduced(r, k);
      }
      gram(k, i) = gram(i, k);
    }
  }
  hubs_[index_of(leaf(body).hub)].added += gram;
  return -1;
}

void BodyLeaves::rake_right_side(int body, std::size_t index, double* right, Vec6& wrench) const {
  const Arm& arm = leaf(body).arms[index];
  for (int r = 0; r < arm.rows; ++r) {
    for (int m = 0; m < r; ++m) {
      right[r] -= arm.factor(r, m) * right[m];
    }
    right[r] /= arm.factor(r, r);
  }
  for (int i = 0; i < 6; ++i) {
    for (int r = 0; r < arm.rows; ++r) {
      wrench[i] -= arm.reduced(r, i) * right[r];
    }
  }
}

void BodyLeaves::recover_arm(int body, std::size_t index, const double* z, const Vec6& velocity, double* sigma) const {
  const Arm& arm = leaf(body).arms[index];
  for (int r = arm.rows - 1; r >= 0; --r) {
    sigma[r] = -z[r];
    for (int i = 0; i < 6; ++i) {
      sigma[r] -= arm.reduced(r, i) * velocity[i];
    }
    for (int m = r + 1; m < arm.rows; ++m) {
      sigma[r] -= arm.factor(m, r) * sigma[m];
    }
    sigma[r] /= arm.factor(r, r);
  }
}

}  // namespace mbdbench
