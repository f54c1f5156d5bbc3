#pragma once
/// \file
/// Bodies that roll without slip or are held by velocities alone, whose motion has a closed form.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/model/description/description.hpp"
#include "mechanisms/model/kinematics/spatial.hpp"

namespace mbdbench::test {

/// A body on a free joint `flight`, held by a joint `road` of this type on the ground.
inline MechanismDescription rolling_body(JointType type, double radius, double mass, const Vec3& inertia) {
  MechanismDescription description;
  description.name = "rolling body";
  description.bodies = {{"wheel", mass, Vec3::Zero(), inertia.asDiagonal()}};
  JointDescription flight;
  flight.name = "flight";
  flight.type = JointType::free;
  flight.b = "wheel";
  flight.q0 = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, radius};
  flight.v0 = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  JointDescription road;
  road.name = "road";
  road.type = type;
  road.b = "wheel";
  road.axis = Vec3::UnitZ();
  road.axis2 = type == JointType::rolling_disc ? Vec3::UnitZ() : Vec3::UnitX();
  road.radius = radius;
  road.cut = true;
  description.joints = {flight, road};
  description.markers = {{"centre", "wheel", Vec3::Zero()}};
  return description;
}

/// A disc that leans steadily and rolls round a circle: with the lean alpha of its axis e from the vertical n and the
/// turn Omega about n, the spin w3 about e follows from the balance of moments about the centre,
///   Omega c (B Omega s - A w3) = m r (r w3 Omega c + g s),   s = cos alpha, c = sin alpha,
/// with the moments A about e and B across it.
struct SteadyDisc {
  double mass = 2.0;
  double radius = 0.3;
  double along = 0.06;   // A
  double across = 0.12;  // B, not that of a thin disc: the equation does not ask
  double lean = 1.2;     // alpha
  double turn = 3.0;     // Omega
  double gravity = 9.81;

  [[nodiscard]] double s() const { return std::cos(lean); }
  [[nodiscard]] double c() const { return std::sin(lean); }
  [[nodiscard]] double spin() const {
    return (across * turn * turn * s() * c() - mass * gravity * radius * s()) /
           (turn * c() * (along + mass * radius * radius));
  }
  [[nodiscard]] Vec3 axis() const { return {c(), 0.0, s()}; }
  [[nodiscard]] Vec3 up() const { return {-s(), 0.0, c()}; }
  [[nodiscard]] Vec3 ahead() const { return axis().cross(up()); }
  [[nodiscard]] Vec3 angular_velocity() const { return spin() * axis() + turn * c() * up(); }
  [[nodiscard]] Vec3 velocity() const { return radius * spin() * ahead(); }
  /// Everything turns with Omega about the vertical.
  [[nodiscard]] Vec3 rate_of(const Vec3& vector) const { return (turn * Vec3::UnitZ()).cross(vector); }

  /// Body axes: z along the disc's axis, turned from the world's about y.
  [[nodiscard]] MechanismDescription description() const {
    MechanismDescription result = rolling_body(JointType::rolling_disc, radius, mass, Vec3(across, across, along));
    const Mat3 rotation = rotation_about(Vec3::UnitY(), lean);
    const Vec3 spins = rotation.transpose() * angular_velocity();
    const Vec3 place = radius * up();
    JointDescription& flight = result.joints[0];
    flight.q0 = {std::cos(0.5 * lean), 0.0, std::sin(0.5 * lean), 0.0, place.x(), place.y(), place.z()};
    flight.v0 = {spins.x(), spins.y(), spins.z(), velocity().x(), velocity().y(), velocity().z()};
    return result;
  }
};

/// A sleigh on a blade that does not slip sideways [Chaplygin]: x' = v cos theta, y' = v sin theta at the blade, the
/// centre of mass ahead of it by `ahead`: v' = ahead w^2, (J + m ahead^2) w' = -m ahead v w.
struct Sleigh {
  double mass = 2.0;
  double ahead = 0.4;
  double inertia = 0.5;
  double heading = 0.7;
  double speed = 1.5;
  double turn = 2.0;

  [[nodiscard]] MechanismDescription description() const {
    MechanismDescription result;
    result.name = "sleigh";
    result.bodies = {{"sleigh", mass, Vec3(ahead, 0.0, 0.0), Vec3(0.4, 0.3, inertia).asDiagonal()}};
    JointDescription ice;
    ice.name = "ice";
    ice.type = JointType::planar;
    ice.b = "sleigh";
    ice.q0 = {0.1, -0.2, heading};
    ice.v0 = {speed * std::cos(heading), speed * std::sin(heading), turn};
    result.joints = {ice};
    result.velocity_constraints = {
        {"blade", {{"ice", 0, ExpressionLaw{"-sin(q_ice_3)"}}, {"ice", 1, ExpressionLaw{"cos(q_ice_3)"}}}}};
    return result;
  }
};

/// Mechanisms held by constraints of velocities alone whose factors are constant, or depend on one coordinate, on
/// several, and on those of other joints: the sleigh; one that draws a second blade behind it on a hinge; a blade that
/// a prescribed motion makes slip; a free body; and a five-bar whose joints a cut joint ties, too.
/// \param five_bar its description
inline std::vector<MechanismDescription> held_by_blades(MechanismDescription five_bar) {
  std::vector<MechanismDescription> all = {Sleigh().description(), Sleigh().description(), Sleigh().description(),
                                           rolling_body(JointType::rolling_ball, 0.2, 1.5, Vec3(0.03, 0.02, 0.025)),
                                           std::move(five_bar)};
  MechanismDescription& train = all[1];
  train.bodies.push_back({"trailer", 1.0, Vec3(-0.4, 0.0, 0.1), Vec3(0.1, 0.2, 0.3).asDiagonal()});
  JointDescription hitch;
  hitch.name = "hitch";
  hitch.type = JointType::revolute;
  hitch.a = "sleigh";
  hitch.b = "trailer";
  hitch.axis = Vec3::UnitZ();
  hitch.frame_a.position = Vec3(-0.3, 0.0, 0.0);
  hitch.q0 = {0.4};
  hitch.v0 = {0.0};
  hitch.dependent = true;
  train.joints.push_back(hitch);
  train.joint_springs.push_back(
      {.name = "drawbar", .joint = "hitch", .component = 0, .stiffness = 3.0, .damping = 0.4, .rest = 0.1});
  const std::string both = "q_ice_3 + q_hitch";
  train.velocity_constraints.push_back({"trailing_blade",
                                        {{"ice", 0, ExpressionLaw{"-sin(" + both + ")"}},
                                         {"ice", 1, ExpressionLaw{"cos(" + both + ")"}},
                                         {"ice", 2, ExpressionLaw{"-0.7 - 0.2*cos(q_hitch)*sin(q_hitch)^2"}},
                                         {"hitch", 0, ConstantLaw{-0.7}}}});
  MechanismDescription& steered = all[2];
  steered.bodies.push_back({"feed", 1.0, Vec3::Zero(), Vec3(1.0, 1.0, 1.0).asDiagonal()});
  JointDescription slip;
  slip.name = "slip";
  slip.type = JointType::prismatic;
  slip.b = "feed";
  slip.axis = Vec3::UnitX();
  slip.motions = {{0, "0.1*(1 - cos(2*t))", "0.2*sin(2*t)", "0.4*cos(2*t)"}};
  steered.joints.push_back(slip);
  steered.velocity_constraints[0].terms.push_back({"slip", 0, ConstantLaw{-1.0}});
  MechanismDescription& flying = all[3];
  flying.joints.pop_back();
  flying.joints.front().q0 = {0.8, 0.6, 0.0, 0.0, 0.1, 0.2, 0.3};
  flying.velocity_constraints = {{"groove",
                                  {{"flight", 3, ExpressionLaw{"1 + q_flight_6*q_flight_7"}},
                                   {"flight", 4, ExpressionLaw{"exp(0.5*q_flight_5)"}},
                                   {"flight", 1, ConstantLaw{0.3}}}}};
  MechanismDescription& bars = all[4];
  const auto joint = [&](std::size_t which) { return bars.joints[which].name; };
  bars.velocity_constraints = {{"gear",
                                {{joint(0), 0, ExpressionLaw{"1 + 0.5*sin(q_" + joint(1) + ")"}},
                                 {joint(1), 0, ExpressionLaw{"cos(q_" + joint(0) + ")^2 - 0.3*q_" + joint(1)}}}}};
  return all;
}

}  // namespace mbdbench::test
