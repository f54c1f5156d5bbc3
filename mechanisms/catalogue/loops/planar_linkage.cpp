#include "mechanisms/catalogue/loops/planar_linkage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbdbench {
namespace {

/// z component of a x b.
double cross(const Pivot& a, const Pivot& b) {
  return a.x() * b.y() - a.y() * b.x();
}

}  // namespace

PlanarLinkage::PlanarLinkage(std::string name, LinkProperties properties) : properties_(std::move(properties)) {
  description_.name = std::move(name);
  description_.gravity = Vec3(0.0, -9.81, 0.0);
  placements_.push_back({kGround, Pivot::Zero(), Pivot::UnitX()});
}

std::string PlanarLinkage::add_link(const std::string& inboard, const Pivot& start, const Pivot& end) {
  return add_link(inboard, start, start, end);
}

std::string PlanarLinkage::add_link(const std::string& inboard, const Pivot& joint_point, const Pivot& start,
                                    const Pivot& end) {
  const Pivot along = end - start;
  const double length = along.norm();
  std::string body = fmt::format("body{}", description_.bodies.size() + 1);
  description_.bodies.push_back({body, properties_.mass, Vec3(0.5 * length, 0.0, 0.0), properties_.inertia});
  placements_.push_back({body, start, along / length});
  description_.joints.push_back(joint(inboard, body, joint_point));
  return body;
}

std::vector<std::string> PlanarLinkage::add_chain(const std::string& inboard, std::span<const Pivot> pivots) {
  std::vector<std::string> bodies;
  for (std::size_t i = 0; i + 1 < pivots.size(); ++i) {
    bodies.push_back(add_link(i == 0 ? inboard : bodies.back(), pivots[i], pivots[i + 1]));
  }
  return bodies;
}

std::vector<std::string> PlanarLinkage::add_loop(std::span<const Pivot> pivots, bool cut_in_the_middle) {
  if (!cut_in_the_middle) {
    std::vector<std::string> bodies = add_chain(kGround, pivots);
    close(bodies.back(), kGround, pivots.back());
    return bodies;
  }
  const std::size_t middle = pivots.size() / 2;
  const std::vector<Pivot> from_the_end(pivots.rbegin(), pivots.rend() - static_cast<std::ptrdiff_t>(middle));
  std::vector<std::string> bodies = add_chain(kGround, pivots.first(middle + 1));
  const std::vector<std::string> others = add_chain(kGround, from_the_end);
  close(bodies.back(), others.back(), pivots[middle]);
  bodies.insert(bodies.end(), others.rbegin(), others.rend());
  return bodies;
}

void PlanarLinkage::close(const std::string& a, const std::string& b, const Pivot& pivot) {
  description_.joints.push_back(joint(a, b, pivot));
  description_.joints.back().cut = true;
}

void PlanarLinkage::mark(const std::string& marker, const std::string& body, const Pivot& point) {
  const Placement& place = placement(body);
  const Pivot offset = point - place.origin;
  description_.markers.push_back(
      {marker, body, Vec3(place.direction.dot(offset), cross(place.direction, offset), 0.0)});
}

const PlanarLinkage::Placement& PlanarLinkage::placement(const std::string& body) const {
  // From the end: mostly the newest bodies are asked for.
  return *std::find_if(placements_.rbegin(), placements_.rend(),
                       [&](const Placement& place) { return place.body == body; });
}

JointDescription PlanarLinkage::joint(const std::string& a, const std::string& b, const Pivot& pivot) {
  const Placement& inner = placement(a);
  const Placement& outer = placement(b);
  JointDescription joint;
  joint.name = fmt::format("joint{}", description_.joints.size() + 1);
  joint.a = a;
  joint.b = b;
  const Pivot offset_a = pivot - inner.origin;
  const Pivot offset_b = pivot - outer.origin;
  joint.frame_a.position = Vec3(inner.direction.dot(offset_a), cross(inner.direction, offset_a), 0.0);
  joint.frame_b.position = Vec3(outer.direction.dot(offset_b), cross(outer.direction, offset_b), 0.0);
  joint.q0 = {std::atan2(cross(inner.direction, outer.direction), inner.direction.dot(outer.direction))};
  return joint;
}

ParameterSpecification inward_angle_parameter() {
  return {"angle", 0.0, "initial turn of the outer links towards each other, rad", 0.0, 1.5};
}

ParameterSpecification cut_parameter() {
  return {"cut", std::string("ground"), "cut joint: the last one, on the ground, or the middle one", -1e300,
          1e300, {"ground", "middle"}};
}

}  // namespace mbdbench
