#include "formulations/closed_links/closed_links.hpp"

#include <algorithm>
#include <cmath>

#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {

ClosedLinks::ClosedLinks(const Mechanism& mechanism, BaumgarteConstants baumgarte, bool projects)
    : mechanism_(&mechanism),
      baumgarte_(baumgarte),
      projects_(projects),
      links_(mechanism),
      columns_(mechanism, links_),
      poses_(mechanism, links_.tree()),
      loads_(mechanism),
      cuts_(mechanism.cut_joints().size()),
      a_(Eigen::MatrixXd::Zero(mechanism.cut_row_count(), mechanism.cut_row_count())),
      smallest_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
      multipliers_(Eigen::VectorXd::Zero(mechanism.cut_row_count())),
      change_(index_of(mechanism.u_size())),
      solver_(rows_of_one_unit(mechanism)),
      generic_rank_(cuts_.empty() ? 0 : mechanism.generic_rank().rank) {}

RhsStatus ClosedLinks::set_positions(std::span<const double> q) {
  if (const int failed = links_.set_positions(q); failed >= 0) {
    return {false, mechanism_->tree_joints()[index_of(failed)].name,
            "the articulated inertia along the joint is not positive definite or not finite, its smallest entry is",
            links_.failed_pivot()};
  }
  poses_.set_positions(links_.tree(), links_.positions());
  if (cuts_.empty()) {
    return {};
  }
  const BodyMotions& bodies = poses_.bodies();
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    place_joint(cut, bodies.body(cut.a), bodies.body(cut.b), cuts_[c]);
  }
  columns_.set_positions(links_, poses_, cuts_, a_, smallest_);
  if (!solver_.decompose(a_, smallest_, generic_rank_)) {
    return {false, name_of_first_row(*mechanism_), "the matrix of the cut joints is not finite, its trace is",
            a_.trace()};
  }
  return {};
}

void ClosedLinks::close(std::span<double> rates) {
  solver_.solve(multipliers_);
  columns_.set_impulses(multipliers_, links_);
  links_.sweep_impulses(change_);
  for (std::size_t i = 0; i < change_.size(); ++i) {
    rates[i] += change_[i];
  }
}

void ClosedLinks::project_velocities(std::span<double> u) {
  const BodyMotions& bodies = poses_.bodies();
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    const Vec6 relative = bodies.velocity_at(cut.b, cuts_[c].point) - bodies.velocity_at(cut.a, cuts_[c].point);
    for (int i = 0; i < cut.nc; ++i) {
      multipliers_[cut.row_offset + i] = -cuts_[c].d.col(i).dot(relative);
    }
  }
  close(u);
  poses_.set_velocities(links_.tree(), u);
}

void ClosedLinks::set_right_side() {
  const LinkTree& tree = links_.tree();
  const BodyMotions& bodies = poses_.bodies();
  // Phi'' of the free motion at O_k of the cut joint: rates of rows are those of their O.
  const auto end = [&](int body, const Vec3& point, Vec6& rate) {
    CutEnd place;
    rate.setZero();
    if (const int row = body < 0 ? -1 : tree.bodies()[index_of(body)].row; row >= 0) {
      const LinkPoses::Row& frame = poses_.row(index_of(row));
      const LinkElimination::Motion& motion = links_.motion(index_of(row));
      place = {bodies.body(body), frame.velocity};
      const Vec3 turning = frame.axes * Vec3(motion.angular.x, motion.angular.y, motion.angular.z);
      rate << frame.axes * Vec3(motion.linear.x, motion.linear.y, motion.linear.z) +
                  turning.cross(point - frame.origin),
          turning;
    } else if (body >= 0) {
      place.body = bodies.body(body);
    }
    return place;
  };
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    Vec6 rate_a;
    Vec6 rate_b;
    const CutEnd a = end(cut.a, cuts_[c].point, rate_a);
    const CutEnd b = end(cut.b, cuts_[c].point, rate_b);
    set_cut_right_side(cut, cuts_[c], a, b, baumgarte_, multipliers_);
    const Vec6 relative = rate_b - rate_a;
    for (int i = 0; i < cut.nc; ++i) {
      multipliers_[cut.row_offset + i] -= cuts_[c].d.col(i).dot(relative);
    }
  }
}

RhsStatus ClosedLinks::finite(std::span<const double> accelerations) const {
  for (const Joint& joint : mechanism_->tree_joints()) {
    for (int i = 0; i < joint.nu; ++i) {
      if (const double value = accelerations[index_of(joint.u_offset + i)]; !std::isfinite(value)) {
        return {false, joint.name, "the acceleration of the joint is not finite, it is", value};
      }
    }
  }
  return {};
}

RhsStatus ClosedLinks::evaluate(double t, std::span<const double> q, std::span<const double> state_velocities,
                                std::span<double> u, std::span<double> accelerations) {
  if (const RhsStatus status = set_positions(q); !status.ok) {
    return status;
  }
  std::copy(state_velocities.begin(), state_velocities.end(), u.begin());
  poses_.set_velocities(links_.tree(), u);
  if (projects_ && !cuts_.empty()) {
    project_velocities(u);
  }
  const BodyMotions& bodies = poses_.bodies();
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const Joint& cut = mechanism_->cut_joints()[c];
    set_joint_rates(cut, bodies.body(cut.a), bodies.body(cut.b), cuts_[c]);
  }
  loads_.evaluate(t, q, u, bodies, cuts_);
  poses_.collect(links_.tree(), [this](int body) -> const Vec6& { return loads_.body_wrench(body); });
  links_.set_velocities(u);
  links_.sweep_loads(view(loads_.joint_forces()), poses_.wrenches());
  links_.sweep_accelerations(accelerations);
  if (!cuts_.empty()) {
    set_right_side();
    close(accelerations);
  }
  return finite(accelerations);
}

std::string refuse_closed_links(const Mechanism& mechanism) {
  const auto joints = mechanism.tree_joints();
  if (mechanism.rheonomic()) {
    return "there are prescribed motions";
  }
  if (!mechanism.couplings().empty()) {
    return "there are couplings";
  }
  if (std::any_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.type == JointType::screw; })) {
    return "there are screws";
  }
  return {};
}

}  // namespace mbdbench
