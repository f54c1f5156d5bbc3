#pragma once
/// \file
/// Mechanisms whose steady motions have closed forms: pendula on a spindle, tops, rotors.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "mechanisms/model/description/description.hpp"

namespace mbdbench::test {

inline constexpr double kGravity = 9.81;

inline JointDescription hinge(const std::string& name, const std::string& a, const std::string& b, const Vec3& axis) {
  JointDescription joint;
  joint.name = name;
  joint.a = a;
  joint.b = b;
  joint.axis = axis;
  return joint;
}

/// A mass point on a rod without mass, hinged on the axis of a vertical spindle; at swing 0 it hangs.
struct SpindlePendulum {
  double length = 0.8;
  double mass = 1.7;
  double spindle = 0.0;  ///< inertia, kg m^2
  double swing = 0.6;    ///< at the start, rad

  [[nodiscard]] MechanismDescription description() const {
    MechanismDescription description;
    description.name = "spindle pendulum";
    description.gravity = Vec3(0.0, 0.0, -kGravity);
    description.bodies = {
        {"shaft", spindle > 0.0 ? 1.0 : 0.0, Vec3::Zero(), Vec3(spindle, spindle, spindle).asDiagonal()},
        {"bob", mass, Vec3(0.0, 0.0, -length), Mat3::Zero()}};
    description.joints = {hinge("spindle", kGround, "shaft", Vec3::UnitZ()),
                          hinge("swing", "shaft", "bob", -Vec3::UnitY())};
    description.joints[1].q0 = {swing};
    return description;
  }
};

/// A prescribed turn of constant speed.
inline PrescribedMotion constant_speed(double rate) {
  return {
      .component = 0, .position = fmt::format("{}*t", rate), .velocity = fmt::format("{}", rate), .acceleration = "0"};
}

/// A top that stands on a point, its axis along z of its own frame.
struct Top {
  double mass = 0.9;
  double height = 0.15;   ///< of its centre of mass
  double across = 0.03;   ///< I1 about the point
  double across2 = 0.03;  ///< about the other axis
  double along = 0.004;   ///< I3

  [[nodiscard]] double weight_moment() const { return mass * kGravity * height; }
  /// Of the spin's square, below which it does not sleep.
  [[nodiscard]] double threshold() const { return 4.0 * weight_moment() * across / (along * along); }

  [[nodiscard]] MechanismDescription on_ball_joint() const {
    MechanismDescription description = body();
    JointDescription ball = hinge("ball", kGround, "top", Vec3::UnitZ());
    ball.type = JointType::spherical;
    description.joints = {ball};
    return description;
  }

  /// Leans about x and y, then spins.
  [[nodiscard]] MechanismDescription in_gimbals() const {
    MechanismDescription description = body();
    description.bodies.insert(description.bodies.begin(), {"gimbal", 0.0, Vec3::Zero(), Mat3::Zero()});
    JointDescription lean = hinge("lean", kGround, "gimbal", Vec3::UnitX());
    lean.type = JointType::universal;
    lean.axis2 = Vec3::UnitY();
    description.joints = {lean, hinge("spin", "gimbal", "top", Vec3::UnitZ())};
    return description;
  }

  /// Euler's angles: turns about the vertical, leans, spins.
  [[nodiscard]] MechanismDescription precessing(double lean) const {
    MechanismDescription description = body();
    description.bodies.insert(description.bodies.begin(),
                              {{"fork", 0.0, Vec3::Zero(), Mat3::Zero()}, {"frame", 0.0, Vec3::Zero(), Mat3::Zero()}});
    description.joints = {hinge("precession", kGround, "fork", Vec3::UnitZ()),
                          hinge("lean", "fork", "frame", Vec3::UnitX()), hinge("spin", "frame", "top", Vec3::UnitZ())};
    description.joints[1].q0 = {lean};
    return description;
  }

 private:
  [[nodiscard]] MechanismDescription body() const {
    MechanismDescription description;
    description.name = "top";
    description.gravity = Vec3(0.0, 0.0, -kGravity);
    const double shift = mass * height * height;
    description.bodies = {
        {"top", mass, Vec3(0.0, 0.0, height), Vec3(across - shift, across2 - shift, along).asDiagonal()}};
    return description;
  }
};

/// A rotor in bearings.
inline MechanismDescription rotor(double inertia) {
  MechanismDescription description;
  description.name = "rotor";
  description.bodies = {{"wheel", 1.0, Vec3::Zero(), Vec3(inertia, inertia, inertia).asDiagonal()}};
  description.joints = {hinge("axle", kGround, "wheel", Vec3::UnitZ())};
  return description;
}

}  // namespace mbdbench::test
