#include "formulations/derivatives/loops/slopes/turning_slopes.hpp"

#include <algorithm>
#include <utility>

#include "formulations/derivatives/loops/joint_place.hpp"
#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Where turns and spins of a and b stand among the slopes of a cut joint (load_slopes.hpp).
constexpr int kTurns[] = {3, 9};
constexpr int kSpins[] = {15, 21};

}  // namespace

TurningSlopes::TurningSlopes(const Mechanism& mechanism)
    : turned_(mechanism.tree_joints()),
      by_turn_(mechanism.bodies().size()),
      by_spin_(mechanism.bodies().size()),
      by_displacement_(mechanism.u_size()),
      by_velocity_(mechanism.u_size()),
      by_coordinate_(mechanism.q_size()),
      by_rate_(mechanism.q_size()),
      unused_(mechanism.u_size()) {}

void TurningSlopes::set(const FollowedAngle& angle, const Kinematics& kinematics, const CutReferences& near,
                        std::span<const double> q, const Eigen::VectorXd& u) {
  const Joint& cut = kinematics.mechanism().cut_joints()[index_of(angle.cut)];
  // The rate of an angle knows no places, and so none of the common point.
  const CutComponent own = cut_component(angle.cut, angle.component, kinematics, near, Vec3::Zero());
  std::fill(by_turn_.begin(), by_turn_.end(), Vec3::Zero());
  std::fill(by_spin_.begin(), by_spin_.end(), Vec3::Zero());
  const int ends[] = {cut.a, cut.b};
  for (int end = 0; end < 2; ++end) {
    if (ends[end] >= 0) {
      by_turn_[index_of(ends[end])] += own.v_slopes.segment<3>(kTurns[end]).transpose();
      by_spin_[index_of(ends[end])] += own.v_slopes.segment<3>(kSpins[end]).transpose();
    }
  }
  sweep_inward(kinematics, u);
  // u = T q', dtheta = T dq; at held q' u changes by -T dN u.
  by_rate_.setZero();
  turned_.add_weights_of_turns(q, by_velocity_, view(by_rate_));
  turned_.set_weights(q, view(std::as_const(by_rate_)), u, view(by_coordinate_), unused_);
  by_coordinate_ = -by_coordinate_;
  turned_.add_weights_of_turns(q, by_displacement_, view(by_coordinate_));
}

void TurningSlopes::sweep_inward(const Kinematics& kinematics, const Eigen::VectorXd& u) {
  for (std::size_t k = by_turn_.size(); k-- > 0;) {
    const Joint& joint = kinematics.mechanism().tree_joints()[k];
    const SpatialColumns& h = kinematics.tree_joint(static_cast<int>(k)).h;
    Vec3 of_inboard = Vec3::Zero();
    for (int i = 0; i < joint.nu; ++i) {
      const Vec3 axis = h.col(i).tail<3>();
      by_velocity_[joint.u_offset + i] = axis.dot(by_spin_[k]);
      (is_fixed_outboard(joint, i) ? by_turn_[k] : of_inboard) += u[joint.u_offset + i] * axis.cross(by_spin_[k]);
    }
    for (int i = 0; i < joint.nu; ++i) {
      by_displacement_[joint.u_offset + i] = h.col(i).tail<3>().dot(by_turn_[k]);
    }
    if (joint.a >= 0) {
      by_turn_[index_of(joint.a)] += by_turn_[k] + of_inboard;
      by_spin_[index_of(joint.a)] += by_spin_[k];
    }
  }
}

}  // namespace mbdbench
