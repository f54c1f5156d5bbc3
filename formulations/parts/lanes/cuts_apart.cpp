#include "formulations/parts/lanes/cuts_apart.hpp"

#include <array>
#include <cstddef>

#include "formulations/parts/lanes/cut_lanes.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// Where structures of packs have what, in packs.
using Pose = loop_sweeps::RowPose<double>;
using Place = loop_sweeps::CutPlace<double>;
using Motion = loop_sweeps::CutMotion<double>;
constexpr std::size_t kPose = sizeof(Pose) / sizeof(double);
constexpr std::size_t kOrigin = offsetof(Pose, origin) / sizeof(double);
constexpr std::size_t kRowVelocity = offsetof(Pose, velocity) / sizeof(double);
constexpr std::size_t kOmega = offsetof(Pose, omega) / sizeof(double);
constexpr std::size_t kPlace = sizeof(Place) / sizeof(double);
constexpr std::size_t kForces = offsetof(Place, force) / sizeof(double);
constexpr std::size_t kMoments = offsetof(Place, moment) / sizeof(double);
constexpr std::size_t kPoint = offsetof(Place, point) / sizeof(double);
constexpr std::size_t kMotion = sizeof(Motion) / sizeof(double);
constexpr std::size_t kAsked = offsetof(Motion, asked) / sizeof(double);
constexpr std::size_t kWanted = offsetof(Motion, wanted) / sizeof(double);
constexpr std::size_t kForceRates = offsetof(Motion, force_rate) / sizeof(double);
constexpr std::size_t kMomentRates = offsetof(Motion, moment_rate) / sizeof(double);
constexpr std::size_t kVelocity = offsetof(Motion, velocity) / sizeof(double);

/// One lane of packs.
struct Lane {
  double* memory;
  std::size_t lanes;

  [[nodiscard]] double& at(std::size_t pack) const { return memory[pack * lanes]; }
  [[nodiscard]] Vec3 vector(std::size_t pack) const { return {at(pack), at(pack + 1), at(pack + 2)}; }
  void put(std::size_t pack, const Vec3& r) const {
    for (int i = 0; i < 3; ++i) {
      at(pack + index_of(i)) = r[i];
    }
  }
};

}  // namespace

std::size_t CutsApart::packs(const LoopConstants& constants) {
  return kMotion * index_of(constants.apart_count());
}

CutsApart::CutsApart(const Mechanism& mechanism, const LinkTree& tree, const LoopConstants& constants, StateKind kind,
                     std::size_t lanes)
    : mechanism_(&mechanism),
      tree_(&tree),
      constants_(&constants),
      kind_(kind),
      lanes_(lanes),
      states_(index_of(constants.apart_count()) * lanes),
      wanted_(Eigen::VectorXd::Zero(mechanism.closing_row_count())) {}

JointKinematics& CutsApart::state_of(std::size_t c, std::size_t lane) {
  return states_[index_of(constants_->cuts()[c].apart) * lanes_ + lane];
}

CutEnd CutsApart::end_of(int body, std::size_t lane, const LoopData& data) const {
  CutEnd end;
  if (body < 0) {
    return end;
  }
  const BodyOnRow& place = tree_->bodies()[index_of(body)];
  Mat3 axes = Mat3::Identity();
  Vec3 origin = Vec3::Zero();
  Vec3 omega = Vec3::Zero();
  if (place.row >= 0) {
    const Lane pose{data.poses + index_of(place.row) * kPose * lanes_ + lane, lanes_};
    axes << pose.vector(0).transpose(), pose.vector(3).transpose(), pose.vector(6).transpose();
    origin = pose.vector(kOrigin);
    end.point_velocity = pose.vector(kRowVelocity);
    omega = pose.vector(kOmega);
  }
  BodyKinematics& own = end.body;
  own.rotation = axes * place.rotation;
  own.origin = origin + axes * place.origin;
  own.com = own.origin + own.rotation * mechanism_->bodies()[index_of(body)].com;
  own.velocity << end.point_velocity + omega.cross(own.com - origin), omega;
  return end;
}

template <typename Work, typename Copy>
void CutsApart::for_lanes(std::size_t count, const Work& work, const Copy& copy) const {
  for (std::size_t c = 0; c < constants_->cuts().size(); ++c) {
    for (std::size_t lane = 0; constants_->cuts()[c].apart >= 0 && lane < lanes_; ++lane) {
      lane < count ? work(lane, c) : copy(lane, c);
    }
  }
}

void CutsApart::place(const PrescribedMotions& motions, std::size_t count, const LoopData& data) {
  for_lanes(
      count, [&](std::size_t lane, std::size_t c) { place_in(lane, c, motions, data); },
      [&](std::size_t lane, std::size_t c) {
        repeat(data.directions + c * kPlace * lanes_, kPlace, lane);
        repeat(motion_of(c, data), kMotion, lane);
      });
}

void CutsApart::repeat(double* packs, std::size_t count, std::size_t lane) const {
  for (std::size_t k = 0; k < count; ++k) {
    packs[k * lanes_ + lane] = packs[k * lanes_ + lane - 1];
  }
}

double* CutsApart::motion_of(std::size_t c, const LoopData& data) const {
  return data.cut_motions + index_of(constants_->cuts()[c].apart) * kMotion * lanes_;
}

void CutsApart::place_in(std::size_t lane, std::size_t c, const PrescribedMotions& motions, const LoopData& data) {
  const Joint& joint = mechanism_->cut_joints()[c];
  const LaneCut& cut = constants_->cuts()[c];
  JointKinematics& state = state_of(c, lane);
  place_joint(joint, end_of(joint.a, lane, data).body, end_of(joint.b, lane, data).body, state);
  std::array<double, 6> asked{};
  if (data.feedback != 0.0) {
    closure_residual(joint, state.axes_a, state.axes_b, state.displacement, asked);
    drive_residual(joint, motions.positions(), asked);
  }
  for (double& row : asked) {
    row *= -data.feedback;
  }
  for (const DrivenRow& driven : joint.driven) {
    asked[index_of(driven.row)] += motions.velocities()[index_of(driven.place)];
  }
  const Lane to{data.directions + c * kPlace * lanes_ + lane, lanes_};
  const Lane motion{motion_of(c, data) + lane, lanes_};
  for (int k = 0; k < cut.row_count; ++k) {
    const std::size_t row = index_of(k);
    to.put(kForces + 3 * row, state.d.col(cut.rows[k]).head<3>());
    to.put(kMoments + 3 * row, state.d.col(cut.rows[k]).tail<3>());
    motion.at(kAsked + row) = asked[index_of(cut.rows[k])];
  }
  to.put(kPoint, state.point);
}

void CutsApart::set_rates(const PrescribedMotions& motions, std::size_t count, const LoopData& data) {
  for_lanes(
      count, [&](std::size_t lane, std::size_t c) { set_rates_in(lane, c, motions, data); },
      [&](std::size_t lane, std::size_t c) { repeat(motion_of(c, data), kMotion, lane); });
}

void CutsApart::set_rates_in(std::size_t lane, std::size_t c, const PrescribedMotions& motions, const LoopData& data) {
  const Joint& joint = mechanism_->cut_joints()[c];
  const LaneCut& cut = constants_->cuts()[c];
  JointKinematics& state = state_of(c, lane);
  const CutEnd a = end_of(joint.a, lane, data);
  const CutEnd b = end_of(joint.b, lane, data);
  set_joint_rates(joint, a.body, b.body, state);
  const Lane motion{motion_of(c, data) + lane, lanes_};
  for (int k = 0; k < cut.row_count; ++k) {
    motion.put(kForceRates + 3 * index_of(k), state.d_rate.col(cut.rows[k]).head<3>());
    motion.put(kMomentRates + 3 * index_of(k), state.d_rate.col(cut.rows[k]).tail<3>());
  }
  motion.put(kVelocity, state.velocity);
  if (kind_ != StateKind::velocity) {
    return;
  }
  const BaumgarteConstants baumgarte{data.alpha, data.beta};
  set_cut_right_side(joint, state, a, b, baumgarte, wanted_);
  add_drive_right_side(joint, state, motions, baumgarte, wanted_);
  const double weightless = (cut.a.weightless ? 1.0 : 0.0) - (cut.b.weightless ? 1.0 : 0.0);
  for (int k = 0; k < cut.row_count; ++k) {
    motion.at(kWanted + index_of(k)) = wanted_[joint.row_offset + cut.rows[k]] -
                                       weightless * state.d.col(cut.rows[k]).head<3>().dot(mechanism_->gravity());
  }
}

}  // namespace mbdbench
