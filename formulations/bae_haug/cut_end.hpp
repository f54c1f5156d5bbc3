#pragma once
/// \file
/// The two bodies of a cut joint as each sub-chain tells the other, and what both make of them: D, its rate, gamma*.
#include <cstddef>
#include <span>
#include <vector>

#include "formulations/recursion/cut_rows.hpp"
#include "mechanisms/model/kinematics/kinematics.hpp"

namespace mbdbench {

/// Pose and velocity of the body at one end of the cut joint, and of the joint that leads to it.
struct CutEnd {
  Mat3 rotation = Mat3::Identity();
  Vec3 origin = Vec3::Zero();          ///< of the body's frame
  Vec3 com = Vec3::Zero();             ///< centre of mass
  Vec6 velocity = Vec6::Zero();        ///< [v_C; omega]
  Vec3 point_velocity = Vec3::Zero();  ///< of O_k

  /// Numbers of one end in a message.
  static constexpr std::size_t kSize = 24;
  /// \param message receives kSize numbers
  void write(std::span<double> message) const;
  /// \returns the end that `write` wrote.
  static CutEnd read(std::span<const double> message);
};

/// Handles, D and gamma* of the one cut joint between two sub-chains. Allocates nothing after construction.
class CutHandles {
 public:
  CutHandles(const Joint& joint, BaumgarteConstants baumgarte);

  /// Everything at the present ends.
  void place(const CutEnd& a, const CutEnd& b);

  /// \returns O of the joint, the handle of both bodies.
  [[nodiscard]] const Vec3& point() const { return state_.point; }
  /// \returns D, 6 x nc, world axes.
  [[nodiscard]] const SpatialColumns& directions() const { return state_.d; }
  /// \returns gamma* of one row [Malczyk2008, Eq. (7)], with what the handles' own motion along their bodies adds.
  [[nodiscard]] double right_side(Eigen::Index row) const { return right_side_[row]; }

 private:
  const Joint* joint_;
  BaumgarteConstants baumgarte_;
  JointKinematics state_;
  std::vector<double> residual_;
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 6, 1> right_side_;
};

}  // namespace mbdbench
