// Directions and weights through the slopes that absolute_slopes.cpp has set.
#include "formulations/augmented_lagrangian/derivatives/absolute_slopes.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

AbsoluteSlopes::Changes AbsoluteSlopes::changes_of(const Joint& of, std::size_t k, const AbsoluteChange& change) const {
  Changes result = Changes::Zero();
  if (of.a >= 0) {
    result.head<BodySlopes::kTwist>() = change.twists.col(of.a);
  }
  if (of.b >= 0) {
    result.segment<BodySlopes::kTwist>(BodySlopes::kTwist) = change.twists.col(of.b);
  }
  if (k < mechanism_->tree_joints().size()) {
    result[kLength] = change.lengths[static_cast<Eigen::Index>(k)];
  }
  return result;
}

void AbsoluteSlopes::run(const AbsoluteChange& change, std::span<Vec6> g, std::span<double> h) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const auto body = static_cast<Eigen::Index>(i);
    g[i] = -own_[i] * change.twists.col(body);
    g[i].head<3>() -= change.masses[body] * (bodies_[i].acceleration.head<3>() - mechanism_->gravity());
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Joint& of = joint(k);
    const JointSlopes& slopes = joints_[k];
    const Changes changes = changes_of(of, k, change);
    Eigen::Map<Eigen::VectorXd>(h.data() + system_->row_offset(static_cast<int>(k)), slopes.rows.rows()) =
        -slopes.rows.lazyProduct(changes);
    if (of.a >= 0) {
      g[index_of(of.a)] += slopes.on_a * changes;
    }
    if (of.b >= 0) {
      g[index_of(of.b)] += slopes.on_b * changes;
    }
  }
  run_loads(change, g);
}

void AbsoluteSlopes::run_loads(const AbsoluteChange& change, std::span<Vec6> g) {
  for (const SpringForces::BodyWrench& one : change.wrenches) {
    if (one.body >= 0) {
      g[index_of(one.body)] += one.wrench;
    }
  }
  Eigen::VectorXd forces = change.forces;
  if (loads_) {
    for (std::size_t k = 0; k < mechanism_->tree_joints().size(); ++k) {
      const Joint& of = joint(k);
      const Changes changes = changes_of(of, k, change);
      tree_.turns.segment(of.u_offset, of.nu) = joints_[k].turns.lazyProduct(changes);
      tree_.pushes.segment(of.u_offset, of.nu) = joints_[k].speeds.lazyProduct(changes);
    }
    tree_.lengths = change.lengths;
    loads_->run(tree_);
    forces += tree_.forces;
    for (std::size_t i = 0; i < g.size(); ++i) {
      g[i] += tree_.wrenches.col(static_cast<Eigen::Index>(i));
    }
  }
  for (std::size_t k = 0; k < mechanism_->tree_joints().size(); ++k) {
    const Joint& of = joint(k);
    for (int i = 0; i < of.nu; ++i) {
      const Vec6 wrench = forces[of.u_offset + i] * joints_[k].duals[index_of(i)].value;
      g[index_of(of.b)] += shift_wrench(-place_of(of.b).lever, wrench);
      if (of.a >= 0) {
        g[index_of(of.a)] -= shift_wrench(-place_of(of.a).lever, wrench);
      }
    }
  }
}

void AbsoluteSlopes::run_back(std::span<const Vec6> of_g, std::span<const double> of_h, AbsoluteChange& weights) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const auto body = static_cast<Eigen::Index>(i);
    weights.twists.col(body) -= own_[i].transpose() * of_g[i];
    weights.masses[body] -= of_g[i].head<3>().dot(bodies_[i].acceleration.head<3>() - mechanism_->gravity());
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Joint& of = joint(k);
    const JointSlopes& slopes = joints_[k];
    const Eigen::Map<const Eigen::VectorXd> rows(of_h.data() + system_->row_offset(static_cast<int>(k)),
                                                 slopes.rows.rows());
    Changes changes = -slopes.rows.transpose().lazyProduct(rows);
    if (of.a >= 0) {
      changes += slopes.on_a.transpose() * of_g[index_of(of.a)];
    }
    if (of.b >= 0) {
      changes += slopes.on_b.transpose() * of_g[index_of(of.b)];
    }
    add_changes(of, k, changes, weights);
  }
  run_loads_back(of_g, weights);
}

void AbsoluteSlopes::add_changes(const Joint& of, std::size_t k, const Changes& changes, AbsoluteChange& to) const {
  if (of.a >= 0) {
    to.twists.col(of.a) += changes.head<BodySlopes::kTwist>();
  }
  if (of.b >= 0) {
    to.twists.col(of.b) += changes.segment<BodySlopes::kTwist>(BodySlopes::kTwist);
  }
  if (k < mechanism_->tree_joints().size()) {
    to.lengths[static_cast<Eigen::Index>(k)] += changes[kLength];
  }
}

void AbsoluteSlopes::run_loads_back(std::span<const Vec6> of_g, AbsoluteChange& weights) {
  Eigen::VectorXd forces(mechanism_->u_size());
  for (std::size_t k = 0; k < mechanism_->tree_joints().size(); ++k) {
    const Joint& of = joint(k);
    const auto about_center = [&](int body) {
      return body < 0 ? Vec6(Vec6::Zero()) : shift_velocity(-place_of(body).lever, of_g[index_of(body)]);
    };
    const Vec6 between = about_center(of.b) - about_center(of.a);
    for (int i = 0; i < of.nu; ++i) {
      forces[of.u_offset + i] = joints_[k].duals[index_of(i)].value.dot(between);
    }
  }
  weights.forces += forces;
  if (!loads_) {
    return;
  }
  tree_.forces = forces;
  for (std::size_t i = 0; i < of_g.size(); ++i) {
    tree_.wrenches.col(static_cast<Eigen::Index>(i)) = of_g[i];
  }
  loads_->run_back(tree_);
  weights.lengths += tree_.lengths;
  for (std::size_t k = 0; k < mechanism_->tree_joints().size(); ++k) {
    const Joint& of = joint(k);
    const Changes changes = joints_[k].turns.transpose().lazyProduct(tree_.turns.segment(of.u_offset, of.nu)) +
                            joints_[k].speeds.transpose().lazyProduct(tree_.pushes.segment(of.u_offset, of.nu));
    add_changes(of, k, changes, weights);
  }
}

}  // namespace mbdbench
