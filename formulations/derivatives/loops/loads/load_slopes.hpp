#pragma once
/// \file
/// How the wrenches of loads between two bodies change with the motions of these, in closed form.
///
/// With d_i + alpha_i x P_i for the displacement of a point P_i that is fixed in body i, and V_i + Omega_i x P_i for
/// its velocity; the wrench is that on body b about the common point, world axes.
#include <Eigen/Core>
#include <utility>

#include "formulations/derivatives/loops/passes/closed_data.hpp"
#include "mechanisms/model/loads/bushing.hpp"
#include "mechanisms/model/loads/cut_references.hpp"

namespace mbdbench {

/// By displacements [d; alpha] of a and of b, then by their velocities [V; Omega], as of LoopCut.
using WrenchSlopes = Eigen::Matrix<double, 6, linear::LoopCut::kSlopes>;

/// Of a force at a point of body b, and a torque, both held in world axes or in the body's. \param place less the
/// common point, as everywhere here
WrenchSlopes held_wrench_slopes(const Vec3& place, const Vec3& force, const Vec3& torque, bool in_body_axes);

/// \param bodies a and b \param motions with velocities. Not finite where the ends coincide and a direction is needed.
WrenchSlopes point_spring_slopes(const PointSpringDescription& spring, std::pair<int, int> bodies,
                                 const BodyMotions& motions, const Vec3& center);

WrenchSlopes bushing_slopes(const BushingDescription& description, const Bushing& bushing, const BodyMotions& motions,
                            const Vec3& center);

/// One component of a cut joint: its coordinate and velocity, the wrench on b of a unit force along it, and slopes of
/// all three.
struct CutComponent {
  using Row = Eigen::Matrix<double, 1, linear::LoopCut::kSlopes>;
  double q = 0.0;  ///< 0 of joints with a quaternion
  double v = 0.0;
  Row q_slopes = Row::Zero();
  Row v_slopes = Row::Zero();
  Vec6 wrench = Vec6::Zero();
  WrenchSlopes wrench_slopes = WrenchSlopes::Zero();
};

/// \param near where its angles are looked for
CutComponent cut_component(int cut, int component, const Kinematics& kinematics, const CutReferences& near,
                           const Vec3& center);

/// u of a cut joint, from the motions of its bodies (formulations/naudet/closed_dynamics.hpp), and slopes of that.
struct CutVelocitySlopes {
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> u;
  Eigen::Matrix<double, Eigen::Dynamic, linear::LoopCut::kSlopes, 0, 6, linear::LoopCut::kSlopes> slopes;
};

/// \param relative velocity of b less that of a, at the common point
CutVelocitySlopes cut_velocity_slopes(int cut, const Kinematics& kinematics, const Vec6& relative, const Vec3& center);

/// u' of a cut joint likewise, with slopes at held accelerations of the bodies, and its slopes by the acceleration of
/// b, which are less those by that of a.
struct CutAccelerationSlopes {
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> rates;
  Eigen::Matrix<double, Eigen::Dynamic, linear::LoopCut::kSlopes, 0, 6, linear::LoopCut::kSlopes> slopes;
  Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6> by_acceleration;
};

/// \param velocities of a and of b, at the common point \param pulled rate of the velocity of b less that of a, there
CutAccelerationSlopes cut_acceleration_slopes(int cut, const Kinematics& kinematics,
                                              const std::pair<Vec6, Vec6>& velocities, const Vec6& pulled,
                                              const Vec3& center);

}  // namespace mbdbench
