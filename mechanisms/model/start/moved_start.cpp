#include "mechanisms/model/start/moved_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/model/mechanism.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kMostTold = 8;

void add_values(std::vector<StartValue>& values, const Mechanism& mechanism, std::size_t joint_index, bool rate) {
  const Joint& joint = mechanism.tree_joints()[joint_index];
  const int count = rate ? joint.nu : joint.nq;
  for (int i = 0; i < count; ++i) {
    // Of free joints the displacements stand last, in q behind a quaternion.
    const int component = rate ? i : i - (joint.nq - joint.nu);
    const std::string suffix = count == 1 ? "" : fmt::format(".{}", i + 1);
    values.push_back({.name = fmt::format("{}.{}{}", rate ? 'v' : 'q', joint.name, suffix),
                      .joint = joint_index,
                      .component = static_cast<std::size_t>(i),
                      .rate = rate,
                      .unit = component < 0 ? 1.0 : mechanism.scales().columns[joint.u_offset + component],
                      .place = (rate ? joint.u_offset : joint.q_offset) + i});
  }
}

}  // namespace

TypedStart::TypedStart(const MechanismDescription& description) {
  for (const JointDescription& joint : description.joints) {
    q0.push_back(!joint.dependent && !joint.q0.empty());
    v0.push_back(!joint.dependent && !joint.v0.empty());
  }
}

double StartValue::distance(double from, double to, double largest_rate) const {
  const double difference = std::abs(to - from);
  return difference == 0.0 ? 0.0 : difference / (unit * (rate ? largest_rate : 1.0));
}

std::vector<StartValue> start_values(const Mechanism& mechanism) {
  std::vector<StartValue> values;
  for (std::size_t k = 0; k < mechanism.tree_joints().size(); ++k) {
    add_values(values, mechanism, k, false);
    add_values(values, mechanism, k, true);
  }
  return values;
}

double largest_start_rate(const Mechanism& mechanism, const Eigen::VectorXd& u) {
  return std::max(mechanism.scales().rate, mechanism.scales().largest_rate(u));
}

std::vector<MovedValue> moved_values(const Mechanism& mechanism, const TypedStart& typed,
                                     const Eigen::VectorXd& q_given, const Eigen::VectorXd& u_given) {
  std::vector<MovedValue> moved;
  if (q_given == mechanism.q0() && u_given == mechanism.u0()) {
    return moved;
  }
  const double rate = std::max(largest_start_rate(mechanism, u_given), largest_start_rate(mechanism, mechanism.u0()));
  for (StartValue& value : start_values(mechanism)) {
    const double from = value.in(q_given, u_given);
    const double to = value.in(mechanism.q0(), mechanism.u0());
    if ((value.rate ? typed.v0 : typed.q0)[value.joint] && value.distance(from, to, rate) > kWorthTelling) {
      moved.push_back({std::move(value.name), from, to});
    }
  }
  return moved;
}

std::string moved_text(std::string_view occasion, std::span<const MovedValue> moved) {
  if (moved.empty()) {
    return {};
  }
  std::vector<MovedValue> values(moved.begin(), moved.end());
  std::stable_partition(values.begin(), values.end(), [](const MovedValue& value) { return value.was_set; });
  std::string text = fmt::format("{},", occasion);
  for (std::size_t i = 0; i < std::min(values.size(), kMostTold); ++i) {
    text += fmt::format("{} {}{} moved from {:.9g} to {:.9g}", i == 0 ? "" : ",", values[i].name,
                        values[i].was_set ? " (set)" : "", values[i].from, values[i].to);
  }
  return values.size() <= kMostTold ? text : fmt::format("{}, and {} more", text, values.size() - kMostTold);
}

std::string moved_start_text(const Mechanism& mechanism) {
  const bool loops =
      !mechanism.cut_joints().empty() || !mechanism.couplings().empty() || !mechanism.velocity_constraints().empty();
  return moved_text(fmt::format("to {} of mechanism '{}' at the start",
                                loops ? "close the loops" : "follow the prescribed motions", mechanism.name()),
                    mechanism.moved_start());
}

}  // namespace mbdbench
