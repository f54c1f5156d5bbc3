#include "formulations/recursion/cut_rows.hpp"

#include <algorithm>
#include <limits>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// H^T Y is what is left of products of the size |H| |Y|. Rows that their mechanism cannot feel, such as those out of
// the plane of planar loops, leave rounding of 1e-15 of it, squared in A.
constexpr double kZeroRow = 1e-22;

}  // namespace

std::vector<std::size_t> rows_of_one_unit(const Mechanism& mechanism) {
  std::vector<std::size_t> groups;
  std::size_t group = 0;
  for (const Joint& cut : mechanism.cut_joints()) {
    groups.insert(groups.end(), index_of(cut.linear_rows()), group++);
    groups.insert(groups.end(), index_of(cut.nc - cut.linear_rows()), group++);
  }
  return groups;
}

CutRows::CutRows(const Mechanism& mechanism, BaumgarteConstants baumgarte)
    : mechanism_(&mechanism),
      baumgarte_(baumgarte),
      links_(mechanism.bodies().size()),
      a_(Eigen::MatrixXd::Zero(mechanism.cut_row_count(), mechanism.cut_row_count())),
      smallest_diagonal_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
      multipliers_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
      active_(index_of(mechanism.cut_row_count()), true),
      residual_(6, 0.0),
      solver_(rows_of_one_unit(mechanism)) {
  if (!empty()) {
    generic_rank_ = mechanism.generic_rank().rank - mechanism.motion_row_count();
  }
  for (std::size_t c = 0; c < mechanism.cut_joints().size(); ++c) {
    const Joint& joint = mechanism.cut_joints()[c];
    cut_of_row_.insert(cut_of_row_.end(), index_of(joint.nc), static_cast<int>(c));
    for (const int end : {joint.a, joint.b}) {
      for (int k = end; k >= 0; k = mechanism.parent(k)) {
        std::vector<Eigen::Index>& rows = links_[index_of(k)].rows;
        if (joint.nc == 0 || (!rows.empty() && rows.back() >= joint.row_offset)) {
          break;  // from here on inward the other end has been
        }
        for (int row = 0; row < joint.nc; ++row) {
          rows.push_back(joint.row_offset + row);
        }
      }
    }
  }
  for (int k = 0; k < mechanism.body_count(); ++k) {
    Link& link = links_[index_of(k)];
    const auto count = static_cast<Eigen::Index>(link.rows.size());
    link.wrenches.setZero(6, count);
    const int nu = mechanism.tree_joints()[index_of(k)].nu;
    link.along.setZero(nu, count);
    link.rates.setZero(nu, count);
    if (mechanism.parent(k) >= 0) {
      const std::vector<Eigen::Index>& outer = links_[index_of(mechanism.parent(k))].rows;
      for (const Eigen::Index row : link.rows) {
        link.in_parent.push_back(
            static_cast<std::size_t>(std::lower_bound(outer.begin(), outer.end(), row) - outer.begin()));
      }
    }
  }
}

void CutRows::add_end(const ArticulatedTree& tree, const Joint& joint, const JointKinematics& state, double sign) {
  const int body = sign > 0.0 ? joint.b : joint.a;
  if (body < 0) {
    return;
  }
  const Vec3 lever = state.point - tree.kinematics().tree_joint(body).point;
  Link& link = links_[index_of(body)];
  const auto first = std::lower_bound(link.rows.begin(), link.rows.end(), joint.row_offset) - link.rows.begin();
  for (int row = 0; row < joint.nc; ++row) {
    link.wrenches.col(first + row) += sign * shift_wrench(lever, state.d.col(row));
  }
}

RhsStatus CutRows::set_positions(const ArticulatedTree& tree) {
  if (empty()) {
    return {};
  }
  a_.setZero();
  for (Eigen::Index row = 0; row < smallest_diagonal_.size(); ++row) {
    // No diagonal entry is above infinity: the row counts as zero and its multiplier stays zero.
    smallest_diagonal_[row] = active_[static_cast<std::size_t>(row)] ? 0.0 : std::numeric_limits<double>::infinity();
  }
  for (Link& link : links_) {
    link.wrenches.setZero();
  }
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const JointKinematics& state = tree.kinematics().cut_joint(static_cast<int>(c));
    add_end(tree, mechanism_->cut_joints()[c], state, 1.0);
    add_end(tree, mechanism_->cut_joints()[c], state, -1.0);
  }
  for (int k = mechanism_->body_count() - 1; k >= 0; --k) {
    reduce(tree, k);
  }
  if (!solver_.decompose(a_, smallest_diagonal_, generic_rank_)) {
    return {false, mechanism_->cut_joints().front().name, "the matrix of the cut joints is not finite, its trace is",
            a_.trace()};
  }
  return {};
}

void CutRows::reduce(const ArticulatedTree& tree, int k) {
  Link& link = links_[index_of(k)];
  const SpatialColumns& axes = tree.axes(k);
  const JointMatrix& pivot_inverse = tree.pivot_inverse(k);
  const Eigen::Index free = axes.cols();
  Link* const parent = mechanism_->parent(k) < 0 ? nullptr : &links_[index_of(mechanism_->parent(k))];
  for (std::size_t i = 0; i < link.rows.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto wrench = link.wrenches.col(column);
    link.along.col(column).head(free) = axes.transpose().lazyProduct(wrench);
    link.rates.col(column).head(free) = pivot_inverse.lazyProduct(link.along.col(column).head(free));
    for (std::size_t j = 0; j <= i; ++j) {
      a_(link.rows[i], link.rows[j]) +=
          link.rates.col(column).head(free).dot(link.along.col(static_cast<Eigen::Index>(j)).head(free));
    }
    const double size = unreduced_square(tree, k, link.rows[i]);
    for (Eigen::Index f = 0; f < free; ++f) {
      smallest_diagonal_[link.rows[i]] += kZeroRow * axes.col(f).squaredNorm() * size * pivot_inverse(f, f);
    }
    if (parent != nullptr) {
      const Vec6 carried = wrench - tree.gain(k).lazyProduct(link.along.col(column).head(free));
      parent->wrenches.col(static_cast<Eigen::Index>(link.in_parent[i])) += shift_wrench(tree.lever(k), carried);
    }
  }
}

double CutRows::unreduced_square(const ArticulatedTree& tree, int k, Eigen::Index row) const {
  const int index = cut_of_row_[static_cast<std::size_t>(row)];
  const JointKinematics& cut = tree.kinematics().cut_joint(index);
  const Eigen::Index column = row - mechanism_->cut_joints()[index_of(index)].row_offset;
  return shift_wrench(cut.point - tree.kinematics().tree_joint(k).point, cut.d.col(column)).squaredNorm();
}

void CutRows::set_acceleration_right_side(const ArticulatedTree& tree) {
  const Kinematics& kinematics = tree.kinematics();
  for (std::size_t c = 0; c < mechanism_->cut_joints().size(); ++c) {
    const Joint& joint = mechanism_->cut_joints()[c];
    const JointKinematics& state = kinematics.cut_joint(static_cast<int>(c));
    const Vec6 relative = kinematics.velocity_at(joint.b, state.point) - kinematics.velocity_at(joint.a, state.point);
    // The handles move along their bodies: Sdot^T V = [omega x (v_h - v_O); 0].
    Vec3 bias = Vec3::Zero();
    if (joint.b >= 0) {
      bias +=
          kinematics.body(joint.b).velocity.tail<3>().cross(state.velocity - kinematics.tree_joint(joint.b).velocity);
    }
    if (joint.a >= 0) {
      bias -=
          kinematics.body(joint.a).velocity.tail<3>().cross(state.velocity - kinematics.tree_joint(joint.a).velocity);
    }
    closure_residual(joint, state.axes_a, state.axes_b, state.displacement, residual_);
    drive_residual(joint, tree.motions().positions(), residual_);
    for (int row = 0; row < joint.nc; ++row) {
      const double gamma = -state.d_rate.col(row).dot(relative) - state.d.col(row).head<3>().dot(bias) +
                           turning_term(state, state.d.col(row), relative);
      multipliers_[joint.row_offset + row] =
          gamma - 2.0 * baumgarte_.alpha * state.d.col(row).dot(relative) -
          baumgarte_.beta * baumgarte_.beta * residual_[index_of(row)];  // [Malczyk2008, Eq. (7)]
    }
    for (const DrivenRow& driven : joint.driven) {
      multipliers_[joint.row_offset + driven.row] +=
          tree.motions().accelerations()[index_of(driven.place)] +
          2.0 * baumgarte_.alpha * tree.motions().velocities()[index_of(driven.place)];
    }
  }
}

void CutRows::close(ArticulatedTree& tree) {
  // RHS: what the bodies would do without the cut joints.
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Vec6& rate = tree.relative_rate(static_cast<int>(k));
    for (std::size_t i = 0; i < link.rows.size(); ++i) {
      multipliers_[link.rows[i]] -= link.wrenches.col(static_cast<Eigen::Index>(i)).dot(rate);
    }
  }
  solver_.solve(multipliers_);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const int body = static_cast<int>(k);
    const Eigen::Index free = tree.axes(body).cols();
    JointVector rate = JointVector::Zero(free);
    for (std::size_t i = 0; i < link.rows.size(); ++i) {
      rate += multipliers_[link.rows[i]] * link.rates.col(static_cast<Eigen::Index>(i)).head(free);
    }
    tree.add_free_rate(body, rate);
  }
}

void CutRows::close_accelerations(ArticulatedTree& tree) {
  if (!empty()) {
    set_acceleration_right_side(tree);
    close(tree);
  }
}

void CutRows::close_velocities(ArticulatedTree& tree) {
  if (!empty()) {
    multipliers_.setZero();
    for (const Joint& joint : mechanism_->cut_joints()) {
      for (const DrivenRow& driven : joint.driven) {
        multipliers_[joint.row_offset + driven.row] = tree.motions().velocities()[index_of(driven.place)];
      }
    }
    close(tree);
  }
}

Vec6 CutRows::impulse(int k) const {
  const Link& link = links_[index_of(k)];
  Vec6 sum = Vec6::Zero();
  for (std::size_t i = 0; i < link.rows.size(); ++i) {
    sum += multipliers_[link.rows[i]] * link.wrenches.col(static_cast<Eigen::Index>(i));
  }
  return sum;
}

Vec6 CutRows::wrench(const ArticulatedTree& tree, int c) const {
  const Joint& joint = mechanism_->cut_joints()[index_of(c)];
  return tree.kinematics().cut_joint(c).d * multipliers_.segment(joint.row_offset, joint.nc);
}

}  // namespace mbdbench
