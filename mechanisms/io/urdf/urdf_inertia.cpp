#include "mechanisms/io/urdf/urdf_inertia.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/model/validation/validation.hpp"

namespace mbdbench::urdf {
namespace {

constexpr std::array kEntries = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

std::string entries_text(const Mat3& inertia) {
  const std::array values = {inertia(0, 0), inertia(0, 1), inertia(0, 2), inertia(1, 1), inertia(1, 2), inertia(2, 2)};
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // As many digits as the check of the triangle inequality needs, and some.
    text += fmt::format("{}{}=\"{:.9g}\"", i == 0 ? "" : " ", kEntries[i], values[i] + 0.0);
  }
  return text;
}

Mat3 steiner(double mass, const Vec3& lever) {
  return mass * (lever.squaredNorm() * Mat3::Identity() - lever * lever.transpose());
}

}  // namespace

bool MassProperties::regular() const {
  return mass > 0.0 && inertia_is_definite(inertia);
}

Mat3 nearest_inertia(const Mat3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
  Vec3 moments = solver.eigenvalues();  // smallest first
  // Onto the plane largest = sum of the other two; beyond its edge, where the smallest is negative, onto that edge.
  const double excess = std::max(0.0, moments[2] - moments[0] - moments[1]) / 3.0;
  moments += excess * Vec3(1.0, 1.0, -1.0);
  if (moments[0] < 0.0) {
    const double both = std::max(0.0, 0.5 * (solver.eigenvalues()[1] + solver.eigenvalues()[2]));
    moments = Vec3(0.0, both, both);
  }
  moments[0] = std::max(moments[0], 1e-6 * moments.maxCoeff());
  return solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose();
}

MassProperties read_inertial(const XMLElement& inertial, const std::string& link, Findings& findings) {
  const std::string owner = fmt::format("<inertial> of link '{}'", link);
  const std::size_t before = findings.error_count();
  const XMLElement* const mass = child(inertial, "mass", owner, findings);
  const XMLElement* const inertia = child(inertial, "inertia", owner, findings);
  const Pose frame = origin(inertial, findings);
  MassProperties read;
  read.com = frame.position;
  if (mass != nullptr) {
    read.mass = number(*mass, "value", findings).value_or(1.0);
    if (read.mass < 0.0) {
      findings.error(line_of(*mass),
                     fmt::format("link '{}': mass = {}, but a mass is positive and finite (kg)", link, read.mass));
    }
  }
  if (inertia == nullptr) {
    return read;
  }
  std::array<double, 6> entry = {};
  std::transform(kEntries.begin(), kEntries.end(), entry.begin(),
                 [&](const char* which) { return number(*inertia, which, findings).value_or(0.0); });
  const auto& [xx, xy, xz, yy, yz, zz] = entry;
  Mat3 own;
  own << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  const Mat3 turn = frame.rotation.toRotationMatrix();
  const Mat3 turned = turn * own * turn.transpose();
  read.inertia = 0.5 * (turned + turned.transpose());
  if (findings.error_count() != before) {
    return read;
  }
  if (const std::string fault = inertia_fault(own); !fault.empty()) {
    findings.error(line_of(*inertia), fmt::format("link '{}': {}; the nearest that a rigid body can have: {}", link,
                                                  fault, entries_text(nearest_inertia(own))));
  }
  return read;
}

void add(MassProperties& sum, const MassProperties& other, const Pose& pose) {
  const double mass = sum.mass + other.mass;
  const Vec3 place = pose.position + pose.rotation * other.com;
  const Mat3 turn = pose.rotation.toRotationMatrix();
  const Vec3 com = mass > 0.0 ? Vec3((sum.mass * sum.com + other.mass * place) / mass) : sum.com;
  const Mat3 inertia = sum.inertia + steiner(sum.mass, sum.com - com) + turn * other.inertia * turn.transpose() +
                       steiner(other.mass, place - com);
  sum = {mass, com, 0.5 * (inertia + inertia.transpose())};
}

}  // namespace mbdbench::urdf
