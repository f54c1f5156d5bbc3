#include "formulations/recursion/carried_rows.hpp"

#include <algorithm>

#include "formulations/recursion/semidefinite_solver.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// \param take called with the joint (and body), the place among its free components, the coupling, the factor of
/// every term whose component is not prescribed
template <class Take>
void for_free_terms(const Mechanism& tree, std::span<const Coupling> couplings, const Take& take) {
  for (std::size_t coupling = 0; coupling < couplings.size(); ++coupling) {
    for (const Coupling::Term& term : couplings[coupling].terms) {
      const auto after = std::find_if(tree.tree_joints().begin(), tree.tree_joints().end(),
                                      [&](const Joint& joint) { return joint.u_offset > term.u; });
      const auto k = static_cast<int>(after - tree.tree_joints().begin()) - 1;
      const Joint& joint = tree.tree_joints()[index_of(k)];
      const int component = term.u - joint.u_offset;
      const auto before = [&](const JointMotion& motion) { return motion.component < component; };
      const auto itself = [&](const JointMotion& motion) { return motion.component == component; };
      if (std::none_of(joint.motions.begin(), joint.motions.end(), itself)) {
        const auto prescribed = std::count_if(joint.motions.begin(), joint.motions.end(), before);
        take(k, component - static_cast<int>(prescribed), coupling, term.factor);
      }
    }
  }
}

}  // namespace

CarriedRows::CarriedRows(const Mechanism& tree, const Mechanism& whole, std::span<const CutBodies> ends,
                         std::span<const Coupling> couplings)
    : mechanism_(&tree),
      cuts_(whole.cut_joints()),
      loop_units_(whole.scales().loop_units),
      ends_(ends.begin(), ends.end()),
      links_(tree.bodies().size()) {
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Joint& joint = cuts_[c];
    cut_of_row_.insert(cut_of_row_.end(), index_of(joint.nc), c);
    for (const int end : {ends[c].a, ends[c].b}) {
      for (int row = 0; row < joint.nc; ++row) {
        lead_inward(end, joint.row_offset + row);
      }
    }
  }
  const auto first_coupling = static_cast<Eigen::Index>(cut_of_row_.size());
  for_free_terms(tree, couplings, [&](int k, int, std::size_t coupling, double) {
    lead_inward(k, first_coupling + static_cast<Eigen::Index>(coupling));
  });
  for (int k = 0; k < tree.body_count(); ++k) {
    Link& link = links_[index_of(k)];
    const auto count = static_cast<Eigen::Index>(link.rows.size());
    link.wrenches.setZero(6, count);
    const int nu = tree.tree_joints()[index_of(k)].nu;
    link.along.setZero(nu, count);
    link.rates.setZero(nu, count);
    if (tree.parent(k) >= 0) {
      const std::vector<Eigen::Index>& outer = links_[index_of(tree.parent(k))].rows;
      for (const Eigen::Index row : link.rows) {
        link.in_parent.push_back(
            static_cast<std::size_t>(std::lower_bound(outer.begin(), outer.end(), row) - outer.begin()));
      }
    }
  }
  for_free_terms(tree, couplings, [&](int k, int component, std::size_t coupling, double factor) {
    add_factor(k, component, first_coupling + static_cast<Eigen::Index>(coupling), factor);
  });
}

void CarriedRows::lead_inward(int k, Eigen::Index row) {
  for (; k >= 0; k = mechanism_->parent(k)) {
    std::vector<Eigen::Index>& rows = links_[index_of(k)].rows;
    if (!rows.empty() && rows.back() >= row) {
      return;  // from here on inward another end has been
    }
    rows.push_back(row);
  }
}

void CarriedRows::add_factor(int k, int component, Eigen::Index row, double factor) {
  Link& link = links_[index_of(k)];
  link.factors.conservativeResizeLike(Rows::Zero(link.along.rows(), link.along.cols()));
  const auto column = std::lower_bound(link.rows.begin(), link.rows.end(), row) - link.rows.begin();
  link.factors(component, column) += factor;
}

void CarriedRows::add_end(const BodyRecursion& tree, int body, const Joint& joint, const JointKinematics& state,
                          double sign) {
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

void CarriedRows::carry(const BodyRecursion& tree, std::span<const JointKinematics> states, Eigen::MatrixXd& a,
                        Eigen::VectorXd& smallest) {
  for (Link& link : links_) {
    link.wrenches.setZero();
  }
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    add_end(tree, ends_[c].b, cuts_[c], states[c], 1.0);
    add_end(tree, ends_[c].a, cuts_[c], states[c], -1.0);
  }
  for (int k = mechanism_->body_count() - 1; k >= 0; --k) {
    reduce(tree, k, states, a, smallest);
  }
}

void CarriedRows::reduce(const BodyRecursion& tree, int k, std::span<const JointKinematics> states, Eigen::MatrixXd& a,
                         Eigen::VectorXd& smallest) {
  Link& link = links_[index_of(k)];
  const SpatialColumns& axes = tree.axes(k);
  const JointMatrix& pivot_inverse = tree.pivot_inverse(k);
  const Eigen::Index free = axes.cols();
  Link* const parent = mechanism_->parent(k) < 0 ? nullptr : &links_[index_of(mechanism_->parent(k))];
  for (std::size_t i = 0; i < link.rows.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const auto wrench = link.wrenches.col(column);
    link.along.col(column).head(free) = axes.transpose().lazyProduct(wrench);
    if (link.factors.cols() > 0) {
      link.along.col(column).head(free) += link.factors.col(column).head(free);
    }
    link.rates.col(column).head(free) = pivot_inverse.lazyProduct(link.along.col(column).head(free));
    for (std::size_t j = 0; j <= i; ++j) {
      a(link.rows[i], link.rows[j]) +=
          link.rates.col(column).head(free).dot(link.along.col(static_cast<Eigen::Index>(j)).head(free));
    }
    if (const auto row = static_cast<std::size_t>(link.rows[i]); row < cut_of_row_.size()) {
      // What H^T Y would be if no joint were in between and its terms did not cancel.
      const std::size_t c = cut_of_row_[row];
      const Vec3 lever = states[c].point - tree.kinematics().tree_joint(k).point;
      const auto direction = states[c].d.col(link.rows[i] - cuts_[c].row_offset);
      const double force = direction.head<3>().norm();
      // A cut in the axis of a joint has no lever: what is left of it is rounding of the loop's size.
      const double torque = direction.tail<3>().norm() + std::max(lever.norm(), loop_units_[c]) * force;
      for (Eigen::Index f = 0; f < free; ++f) {
        const double size = axes.col(f).head<3>().norm() * force + axes.col(f).tail<3>().norm() * torque;
        smallest[link.rows[i]] += kZeroRow * size * size * pivot_inverse(f, f);
      }
    }
    if (parent != nullptr) {
      // PhiM_j^T += S (I - gain_k H_k^T) PhiM_k^T  [Bae1988, recursion of the cut joint's rows]
      const Vec6 carried = wrench - tree.gain(k).lazyProduct(link.along.col(column).head(free));
      parent->wrenches.col(static_cast<Eigen::Index>(link.in_parent[i])) += shift_wrench(tree.lever(k), carried);
    }
  }
}

void CarriedRows::subtract_free_rates(const BodyRecursion& tree, Eigen::VectorXd& right_side) const {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const Vec6& rate = tree.relative_rate(static_cast<int>(k));
    for (std::size_t i = 0; i < link.rows.size(); ++i) {
      right_side[link.rows[i]] -= link.wrenches.col(static_cast<Eigen::Index>(i)).dot(rate);
    }
    const JointVector& free_rate = tree.free_rate(static_cast<int>(k));
    for (Eigen::Index i = 0; i < link.factors.cols(); ++i) {
      right_side[link.rows[static_cast<std::size_t>(i)]] -= link.factors.col(i).head(free_rate.size()).dot(free_rate);
    }
  }
}

void CarriedRows::add_rates(const Eigen::VectorXd& multipliers, BodyRecursion& tree) const {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    const int body = static_cast<int>(k);
    const Eigen::Index free = tree.axes(body).cols();
    JointVector rate = JointVector::Zero(free);
    for (std::size_t i = 0; i < link.rows.size(); ++i) {
      rate += multipliers[link.rows[i]] * link.rates.col(static_cast<Eigen::Index>(i)).head(free);
    }
    tree.add_free_rate(body, rate);
  }
}

}  // namespace mbdbench
