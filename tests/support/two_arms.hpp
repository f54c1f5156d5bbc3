#pragma once
/// \file
/// A model that has most of what is read of MJCF, at a state at which MuJoCo 4.0.0 was asked.
#include <Eigen/Core>
#include <string>

namespace mbdbench {

inline const std::string kTwoArms = R"(<mujoco model="two arms">
  <compiler angle="degree" eulerseq="zyx"/>
  <option gravity="0 0 -9.8"/>
  <default>
    <geom density="500"/>
    <default class="arm">
      <joint axis="0 1 0" damping="0.2"/>
      <geom type="capsule" size="0.05"/>
      <default class="stiff"><joint stiffness="3" springref="30"/></default>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="cart" pos="0 0 1" childclass="arm">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.2 0.1 0.05" class="main"/>
      <body name="upper" pos="0.1 0 0" euler="20 10 30">
        <joint name="hip" class="stiff" pos="0 0 0.02"/>
        <joint name="yaw" axis="0 0 1" pos="0 0 0.02"/>
        <geom fromto="0 0 0 0.1 0 -0.5"/>
        <geom type="sphere" pos="0.1 0 -0.5" size="0.08" mass="0.7"/>
        <site name="end" pos="0.1 0 -0.6" quat="1 1 0 0"/>
        <body name="plate" pos="0 0.1 -0.2" axisangle="0 0 1 45">
          <geom type="cylinder" size="0.06 0.03"/>
          <geom type="ellipsoid" size="0.03 0.05 0.07" pos="0.1 0 0"/>
        </body>
        <body name="lower" pos="0.1 0 -0.6" xyaxes="1 1 0 -1 1 0">
          <joint name="knee" type="ball"/>
          <inertial pos="0.01 0.02 -0.2" mass="0.4" fullinertia="0.02 0.03 0.015 0.001 -0.002 0.003"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
)";

/// \returns rail, hip, yaw, and the ball's quaternion.
inline Eigen::VectorXd two_arms_q() {
  Eigen::VectorXd q(7);
  q << 0.3, 0.4, -0.5, 0.8, 0.2, -0.4, 0.4;
  q.tail<4>().normalize();
  return q;
}

/// \returns velocities in the same order, the ball's about the body's axes.
inline Eigen::VectorXd two_arms_u() {
  Eigen::VectorXd u(6);
  u << 0.5, -0.6, 0.7, 0.8, -0.9, 1.0;
  return u;
}

/// \returns MuJoCo's accelerations there.
inline Eigen::VectorXd two_arms_accelerations() {
  Eigen::VectorXd rates(6);
  rates << -1.8884298655240155, -12.626058913340417, -35.2327715624649, 25.393855465336994, 20.590880800851245,
      -3.7103593123663705;
  return rates;
}

}  // namespace mbdbench
