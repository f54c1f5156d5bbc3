#include "mechanisms/io/mjcf/mjcf_geometry.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench::mjcf {
namespace {

using urdf::line_of;

Vec3 vector_of(const std::vector<double>& values) {
  return {values[0], values[1], values[2]};
}

/// \returns the turn of the z axis to a direction, as MuJoCo makes it; the identity of no direction.
Eigen::Quaterniond turn_to(const Vec3& direction) {
  return direction.norm() > 0.0 ? Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), direction)
                                : Eigen::Quaterniond::Identity();
}

std::optional<Eigen::Quaterniond> euler_turn(const std::vector<double>& values, const AngleConvention& angles) {
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = angles.sequence.size() == 3 ? angles.sequence[i] : '?';
    const bool fixed = letter >= 'A' && letter <= 'Z';
    const int axis = static_cast<int>(fixed ? letter - 'X' : letter - 'x');
    if (axis < 0 || axis > 2) {
      return {};
    }
    const Eigen::Quaterniond one(Eigen::AngleAxisd(values[i] * angles.unit, Vec3::Unit(axis)));
    turn = fixed ? one * turn : turn * one;
  }
  return turn;
}

/// \returns principal moments over the mass, and the volume. \param size half lengths, as MuJoCo has them
struct Shape {
  double volume = 0.0;
  Vec3 moments = Vec3::Zero();
};

Shape ellipsoid(const Vec3& r) {
  const Vec3 s = r.cwiseAbs2();
  return {4.0 / 3.0 * std::numbers::pi * r.prod(), Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) / 5.0};
}

Shape box(const Vec3& half) {
  const Vec3 s = half.cwiseAbs2();
  return {8.0 * half.prod(), Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) / 3.0};
}

Shape cylinder(double r, double half) {
  const double across = r * r / 4.0 + half * half / 3.0;
  return {2.0 * std::numbers::pi * r * r * half, {across, across, r * r / 2.0}};
}

/// Cylinder and two half balls, whose centres are 3/8 r from their flat sides.
Shape capsule(double r, double half) {
  const Shape middle = cylinder(r, half);
  const double balls = 4.0 / 3.0 * std::numbers::pi * r * r * r;
  const double volume = middle.volume + balls;
  const double across = 2.0 * r * r / 5.0 + half * half + 3.0 / 4.0 * half * r;
  const Vec3 sum = middle.volume * middle.moments + balls * Vec3(across, across, 2.0 * r * r / 5.0);
  return {volume, sum / volume};
}

}  // namespace

Pose pose_of(const XMLElement& element, const std::string& childclass, const Defaults& defaults,
             const AngleConvention& angles, Findings& findings) {
  Pose pose;
  const auto read = [&](const char* attribute, std::size_t count) {
    return defaults.numbers(element, attribute, childclass, count, count);
  };
  if (const auto position = read("pos", 3)) {
    pose.position = vector_of(*position);
  }
  if (const auto quat = read("quat", 4)) {
    const Eigen::Quaterniond given((*quat)[0], (*quat)[1], (*quat)[2], (*quat)[3]);
    if (given.norm() > 0.0) {
      pose.rotation = given.normalized();
    } else {
      findings.error(line_of(element), fmt::format("<{}>: the quaternion quat is zero", element.Name()));
    }
  } else if (const auto turn = read("axisangle", 4)) {
    const Vec3 axis = vector_of(*turn);
    if (axis.norm() > 0.0) {
      pose.rotation = Eigen::AngleAxisd((*turn)[3] * angles.unit, axis.normalized());
    }
  } else if (const auto euler = read("euler", 3)) {
    if (const auto turned = euler_turn(*euler, angles)) {
      pose.rotation = *turned;
    } else {
      findings.error(line_of(element),
                     fmt::format("<compiler eulerseq=\"{}\">: wants three of x, y, z, X, Y, Z", angles.sequence));
    }
  } else if (const auto axes = read("xyaxes", 6)) {
    const Vec3 x = vector_of(*axes).normalized();
    const Vec3 second((*axes)[3], (*axes)[4], (*axes)[5]);
    const Vec3 y = (second - x.dot(second) * x).normalized();
    Mat3 matrix;
    matrix << x, y, x.cross(y);
    pose.rotation = Eigen::Quaterniond(matrix);
  } else if (const auto z = read("zaxis", 3)) {
    pose.rotation = turn_to(vector_of(*z));
  }
  if (!pose.rotation.coeffs().allFinite()) {
    findings.error(line_of(element), fmt::format("<{}>: its axes have no direction", element.Name()));
    pose.rotation.setIdentity();
  }
  return pose;
}

MassProperties inertial_of(const XMLElement& inertial, const std::string& body, const std::string& childclass,
                           const Defaults& defaults, const AngleConvention& angles, Findings& findings) {
  const std::size_t before = findings.error_count();
  const Pose pose = pose_of(inertial, childclass, defaults, angles, findings);
  MassProperties own;
  own.mass = defaults.number(inertial, "mass", childclass, -1.0);
  Mat3 inertia = Mat3::Zero();
  if (const auto full = defaults.numbers(inertial, "fullinertia", childclass, 6, 6)) {
    const auto& m = *full;
    inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  } else if (const auto diagonal = defaults.numbers(inertial, "diaginertia", childclass, 3, 3)) {
    inertia = vector_of(*diagonal).asDiagonal();
  }
  if (own.mass < 0.0) {
    findings.error(line_of(inertial), fmt::format("<inertial> of body '{}': needs a mass >= 0 (kg)", body));
  }
  if (const std::string fault = inertia_fault(inertia); !fault.empty() && findings.error_count() == before) {
    findings.error(line_of(inertial), fmt::format("body '{}': {}", body, fault));
  }
  MassProperties placed;
  own.inertia = inertia;
  add(placed, own, pose);
  return placed;
}

MassProperties geom_mass(const XMLElement& geom, const std::string& body, const std::string& childclass,
                         const Defaults& defaults, const AngleConvention& angles, Findings& findings) {
  const std::string type = defaults.text(geom, "type", childclass).value_or("sphere");
  const double given = defaults.number(geom, "mass", childclass, -1.0);
  const double density = defaults.number(geom, "density", childclass, 1000.0);
  const bool is_mesh = defaults.text(geom, "mesh", childclass).has_value();
  if (type == "plane" || type == "hfield" || given == 0.0 || (given < 0.0 && density == 0.0)) {
    return {};
  }
  const auto fail = [&](const std::string& message) {
    findings.error(line_of(geom), fmt::format("<geom> of body '{}': {}", body, message));
    return MassProperties{};
  };
  if (is_mesh || type == "mesh" || type == "sdf") {
    return fail(
        "meshes are not read, so that its mass is not known; give the body an <inertial>, as "
        "mujoco.mj_saveLastXML writes them with inertiafromgeom");
  }
  if (defaults.text(geom, "shellinertia", childclass).value_or("false") == "true") {
    return fail("shellinertia is not treated; give the body an <inertial>");
  }
  Pose pose = pose_of(geom, childclass, defaults, angles, findings);
  std::vector<double> size = defaults.numbers(geom, "size", childclass, 1, 3).value_or(std::vector<double>());
  if (const auto ends = defaults.numbers(geom, "fromto", childclass, 6, 6)) {
    const Vec3 from(vector_of(*ends));
    const Vec3 to((*ends)[3], (*ends)[4], (*ends)[5]);
    pose.position = 0.5 * (from + to);
    pose.rotation = turn_to(from - to);
    if (!size.empty()) {
      const double half = 0.5 * (to - from).norm();
      size = type == "box" || type == "ellipsoid" ? std::vector<double>{size[0], size[0], half}
                                                  : std::vector<double>{size[0], half};
    }
  }
  const std::size_t needed = type == "sphere" ? 1 : type == "capsule" || type == "cylinder" ? 2 : 3;
  if (size.size() < needed) {
    return fail(fmt::format("a {} needs {} number{} in size", type, needed, needed == 1 ? "" : "s"));
  }
  Shape shape;
  if (type == "sphere") {
    shape = ellipsoid(Vec3::Constant(size[0]));
  } else if (type == "capsule") {
    shape = capsule(size[0], size[1]);
  } else if (type == "cylinder") {
    shape = cylinder(size[0], size[1]);
  } else if (type == "box") {
    shape = box(vector_of(size));
  } else if (type == "ellipsoid") {
    shape = ellipsoid(vector_of(size));
  } else {
    return fail(
        fmt::format("there is no type '{}'; sphere, capsule, cylinder, box and ellipsoid have masses here", type));
  }
  MassProperties own;
  own.mass = given >= 0.0 ? given : density * shape.volume;
  own.inertia = (own.mass * shape.moments).asDiagonal();
  MassProperties placed;
  add(placed, own, pose);
  return placed;
}

}  // namespace mbdbench::mjcf
