/// \file
/// The spatial slider-crank of [Malczyk2008, Sect. 3.1], with the data of [Haug1989].
///
/// - crank: revolute about x at (0, 0.1, 0.12) m; 0.12 kg, J_C = diag(1e-4, 1e-5, 1e-4) kg m^2, centre of mass on its
///   axis, the pin at 0.08 m along z at angle 0.
/// - slider: prismatic along x, at (0.2, 0, 0) at the start (coordinate 0); 2 kg, J_C = diag(1e-4, 1e-4, 1e-4) kg m^2.
/// - rod: 0.3 m from the slider to the pin at (0, 0.1, 0.2); 0.5 kg, J_C = diag(4e-3, 4e-4, 4e-3) kg m^2, centre of
/// mass at
///   half the length, y along the rod. A universal joint joins it to the slider: first axis z fixed in the slider,
///   second axis fixed in the rod, z x rod at the start; a spherical joint, the cut, to the crank's pin.
/// Gravity 9.81 m/s^2 along -z. The crank starts at angle 0 with 6 rad/s, the slider with 0.24 m/s. The paper drives
/// the crank with n(t) = 0.01 exp(-t) N m: parameter `torque` is the factor. Marker `pin`. One degree of freedom, no
/// redundant constraint.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>

#include "mechanisms/catalogue/entries.hpp"

namespace mbdbench {
namespace {

const Vec3 kCrankBearing(0.0, 0.1, 0.12);
const Vec3 kPin(0.0, 0.1, 0.2);
const Vec3 kSlider(0.2, 0.0, 0.0);

/// \returns the rod's axes at the start as columns in world axes: x along the universal joint's second axis, y along
/// it.
Mat3 rod_axes() {
  Mat3 axes;
  axes.col(1) = (kPin - kSlider).normalized();
  axes.col(0) = Vec3::UnitZ().cross(axes.col(1)).normalized();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

MechanismDescription make_slider_crank(const Parameters& parameters) {
  const Mat3 rod = rod_axes();
  const Vec3 pin_on_rod(0.0, (kPin - kSlider).norm(), 0.0);
  MechanismDescription description;
  description.name = "slider_crank";
  description.bodies = {{"crank", 0.12, Vec3::Zero(), Vec3(1e-4, 1e-5, 1e-4).asDiagonal()},
                        {"slider", 2.0, Vec3::Zero(), 1e-4 * Mat3::Identity()},
                        {"rod", 0.5, 0.5 * pin_on_rod, Vec3(4e-3, 4e-4, 4e-3).asDiagonal()}};

  JointDescription crank;
  crank.name = "crank";
  crank.b = "crank";
  crank.axis = Vec3::UnitX();
  crank.frame_a.position = kCrankBearing;
  crank.v0 = {6.0};

  JointDescription slider;
  slider.name = "slider";
  slider.type = JointType::prismatic;
  slider.b = "slider";
  slider.axis = Vec3::UnitX();
  slider.frame_a.position = kSlider;
  slider.v0 = {0.24};
  slider.dependent = true;

  JointDescription universal;
  universal.name = "universal";
  universal.type = JointType::universal;
  universal.a = "slider";
  universal.b = "rod";
  universal.axis = Vec3::UnitZ();
  universal.axis2 = rod.col(0);
  // Joint axes are the world's at the start.
  const Eigen::Quaterniond to_rod(rod.transpose());
  universal.frame_b.rotation = Eigen::Vector4d(to_rod.w(), to_rod.x(), to_rod.y(), to_rod.z());
  universal.dependent = true;

  JointDescription pin;
  pin.name = "pin";
  pin.type = JointType::spherical;
  pin.cut = true;
  pin.a = "crank";
  pin.b = "rod";
  pin.frame_a.position = kPin - kCrankBearing;
  pin.frame_b.position = pin_on_rod;

  description.joints = {crank, slider, universal, pin};
  if (const double torque = parameters.number("torque"); torque != 0.0) {
    description.joint_loads.push_back({"drive", "crank", 0, ExpressionLaw{fmt::format("{}*exp(-t)", torque)}});
  }
  description.markers.push_back({"pin", "crank", pin.frame_a.position});
  return description;
}

}  // namespace

MechanismEntry slider_crank_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"torque", 0.01, "driving torque on the crank at t = 0, N m; it decays as exp(-t)", -1e3, 1e3}}};
  return {"slider_crank", "spatial slider-crank, universal and spherical joint on the rod", "Malczyk2008", parameters,
          make_slider_crank};
}

}  // namespace mbdbench
