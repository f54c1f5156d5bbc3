#include "mechanisms/model/validation/validation.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "mechanisms/model/description/visible_text.hpp"

namespace mbdbench {
namespace {

// Inertias assembled from their parts differ from symmetry by rounding only.
constexpr double kAsymmetry = 1e-12;
// Data sheets and CAD programs print six digits, so each moment is wrong by up to 5e-6 of itself and the sum of three
// of them, exactly zero for a flat body, by up to 1e-5 of the largest.
constexpr double kTriangleSlack = 1e-5;
// Rounding of a normalised quaternion is a few 1e-16, as for the frames of joints.
constexpr double kUnitMarker = 1e-12;

void check_name(const std::string& name, const ElementReference& where, std::string_view kind) {
  if (name.empty()) {
    throw ModelError(where, fmt::format("{} number {} has no name: give it one, for example \"{}_{}\"", kind,
                                        where.index + 1, where.section, where.index + 1));
  }
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  bool fits = is_letter(name.front()) && name.size() <= kLongestName;
  for (const char c : name) {
    fits = fits && (is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0);
  }
  if (!fits) {
    throw ModelError(
        where, fmt::format("{} '{}': a name starts with a letter or _, goes on with letters, digits and _, and has "
                           "at most {} of them, because formulas and table headers use it",
                           kind, name, kLongestName));
  }
}

class UniqueNames {
 public:
  void add(const std::string& name, const ElementReference& where, std::string_view kind) {
    check_name(name, where, kind);
    if (!seen_.insert(name).second) {
      throw ModelError(where, fmt::format("{} '{}': the name is used twice; rename one of the two", kind, name));
    }
  }

 private:
  std::unordered_set<std::string> seen_;
};

template <typename Elements>
void check_names(const Elements& elements, const char* section, std::string_view kind, UniqueNames& names) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    names.add(elements[i].name, {section, i, "name"}, kind);
  }
}

/// Formulas write q_J_2 for the second coordinate of J and q_J_2 for the first of J_2.
void check_joint_variables(const std::vector<JointDescription>& joints) {
  std::set<std::string> names;
  for (const JointDescription& joint : joints) {
    names.insert(joint.name);
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    for (int component = 2; component <= position_count(joints[i].type); ++component) {
      const std::string second = fmt::format("{}_{}", joints[i].name, component);
      if (names.count(second) > 0) {
        throw ModelError(
            {"joints", i, "name"},
            fmt::format("joint '{}': its coordinate {} is called q_{} in formulas, like that of joint '{}'; "
                        "rename one of the two",
                        joints[i].name, component, second, second));
      }
    }
  }
}

/// \returns the principal moments over the largest entry, smallest first, and that entry: scaled so that the moments of
/// grains and of ships do not under- or overflow.
std::pair<Vec3, double> scaled_moments(const Mat3& inertia) {
  const double size = inertia.cwiseAbs().maxCoeff();
  return {
      Eigen::SelfAdjointEigenSolver<Mat3>(inertia / (size > 0.0 ? size : 1.0), Eigen::EigenvaluesOnly).eigenvalues(),
      size};
}

// Rounding of eigenvalues, relative to the largest.
constexpr double kZeroMoment = 4.0 * std::numeric_limits<double>::epsilon();

void check_body(const BodyDescription& body, std::size_t index) {
  if (body.name == kGround) {
    throw ModelError({"bodies", index, "name"}, "body 'ground': this name means the inertial frame; choose another");
  }
  if (!std::isfinite(body.mass) || body.mass < 0.0) {
    throw ModelError({"bodies", index, "mass"},
                     fmt::format("body '{}': mass = {}, but a mass is positive and finite (kg); it may be 0 where the "
                                 "body carries others",
                                 body.name, body.mass));
  }
  if (!body.com.allFinite()) {
    throw ModelError(
        {"bodies", index, "com"},
        fmt::format("body '{}': com holds a number that is not finite; give three lengths (m)", body.name));
  }
  if (!body.inertia.allFinite()) {
    throw ModelError(
        {"bodies", index, "inertia"},
        fmt::format("body '{}': inertia holds a number that is not finite; give moments in kg m^2", body.name));
  }
  if (const std::string fault = inertia_fault(body.inertia); !fault.empty()) {
    throw ModelError({"bodies", index, "inertia"}, fmt::format("body '{}': {}", body.name, fault));
  }
}

}  // namespace

std::string inertia_fault(const Mat3& inertia) {
  const auto [moments, size] = scaled_moments(inertia);
  const double asymmetry = (inertia - inertia.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > kAsymmetry * size) {
    return fmt::format("the inertia is not symmetric, entries differ by {:.3g}; make them equal", asymmetry);
  }
  const double largest = moments[2];
  if (moments[0] < -kZeroMoment * std::abs(largest)) {
    return fmt::format(
        "the inertia is not positive definite, its principal moments are {:.6g}, {:.6g}, {:.6g} kg m^2; "
        "none may be negative",
        size * moments[0], size * moments[1], size * moments[2]);
  }
  if (moments[0] + moments[1] < largest * (1.0 - kTriangleSlack)) {
    return fmt::format(
        "no rigid body has the principal moments {:.6g}, {:.6g}, {:.6g} kg m^2; the largest is at most "
        "the sum of the other two (is the inertia about the centre of mass?)",
        size * moments[0], size * moments[1], size * moments[2]);
  }
  return {};
}

bool inertia_is_definite(const Mat3& inertia) {
  const Vec3 moments = scaled_moments(inertia).first;
  return moments[0] > kZeroMoment * moments[2];
}

void validate_elements(const MechanismDescription& description) {
  for (const auto& [key, text] : {std::pair("name", &description.name), {"source", &description.source}}) {
    if (const std::string wrong = unseen_character(*text); !wrong.empty()) {
      throw ModelError({"", 0, key}, fmt::format("{} \"{}\" {}", key, visible_text(*text), wrong));
    }
  }
  for (const std::string& note : description.notes) {
    if (const std::string wrong = unseen_character(note); !wrong.empty()) {
      throw ModelError({"", 0, "notes"}, fmt::format("notes: \"{}\" {}", visible_text(note), wrong));
    }
  }
  if (!description.gravity.allFinite()) {
    throw ModelError({"", 0, "gravity"}, "gravity holds a number that is not finite; give three accelerations (m/s^2)");
  }
  if (description.bodies.empty()) {
    throw ModelError({"", 0, "bodies"},
                     "there is no body; a mechanism has at least one, with a joint that leads to it");
  }
  UniqueNames bodies;
  check_names(description.bodies, "bodies", "body", bodies);
  UniqueNames joints;
  check_names(description.joints, "joints", "joint", joints);
  check_joint_variables(description.joints);
  UniqueNames couplings;
  check_names(description.couplings, "couplings", "coupling", couplings);
  check_names(description.velocity_constraints, "velocity_constraints", "velocity constraint", couplings);
  UniqueNames markers;
  check_names(description.markers, "markers", "marker", markers);
  UniqueNames loads;
  check_names(description.joint_loads, "joint_loads", "joint load", loads);
  check_names(description.body_loads, "body_loads", "body load", loads);
  check_names(description.joint_springs, "joint_springs", "joint spring", loads);
  check_names(description.point_springs, "point_springs", "point spring", loads);
  check_names(description.bushings, "bushings", "bushing", loads);
  check_names(description.joint_frictions, "joint_frictions", "joint friction", loads);
  check_names(description.joint_stops, "joint_stops", "joint stop", loads);
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    check_body(description.bodies[i], i);
  }
  for (std::size_t i = 0; i < description.joints.size(); ++i) {
    validate_joint(description.joints[i], i);
  }
  for (std::size_t i = 0; i < description.markers.size(); ++i) {
    if (!description.markers[i].point.allFinite()) {
      throw ModelError({"markers", i, "point"}, fmt::format("marker '{}': point holds a number that is not finite",
                                                            description.markers[i].name));
    }
    if (!(std::abs(description.markers[i].rotation.norm() - 1.0) <= kUnitMarker)) {
      throw ModelError({"markers", i, "rotation"},
                       fmt::format("marker '{}': the quaternion rotation has the length {:.15g}, it must be 1 (within "
                                   "{:g}); divide it by its length and give all digits",
                                   description.markers[i].name, description.markers[i].rotation.norm(), kUnitMarker));
    }
  }
}

}  // namespace mbdbench
