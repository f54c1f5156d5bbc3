/// \file
/// Rings in series: planar closed loops, each hung on the one above, for assembly trees with many loops in a row.
///
/// Every ring is a regular polygon of `links` links (1 m, 1 kg, J_C = diag(1, 1, 1) kg m^2) joined by revolute joints
/// about z. The first ring hangs by the middle of its first link on the ground at the origin; the next one, by the
/// middle of its first link, on the middle of the ring's link 1 + links / 2 (rounded down). Bodies are numbered ring by
/// ring and clockwise round each ring; the joint that returns to the ring's first link is the cut. All rings lie in the
/// x-y plane, below one another; the whole starts turned by the parameter `angle` about the origin, without which the
/// motion would be symmetric. Gravity 9.81 m/s^2 along -y, at rest. Marker `tip` in the middle of the link on which the
/// next ring would hang. Each ring adds links - 2 degrees of freedom and 3 redundant constraints.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"

namespace mbdbench {
namespace {

/// \returns the corners of a ring, clockwise from the start of its first link and back to it. \param middle of the
/// first link \param direction of the first link
std::vector<Pivot> ring_corners(const Pivot& middle, double direction, std::int64_t links) {
  const double turn = 2.0 * std::numbers::pi / static_cast<double>(links);
  const double circumradius = 0.5 / std::sin(0.5 * turn);
  const double inradius = 0.5 / std::tan(0.5 * turn);
  const Pivot centre = middle + inradius * Pivot(std::sin(direction), -std::cos(direction));
  std::vector<Pivot> corners;
  for (std::int64_t k = 0; k < links; ++k) {
    const double angle = direction + 0.5 * std::numbers::pi + turn * (0.5 - static_cast<double>(k));
    corners.emplace_back(centre + circumradius * Pivot(std::cos(angle), std::sin(angle)));
  }
  corners.push_back(corners.front());
  return corners;
}

MechanismDescription make_rings(const Parameters& parameters) {
  const std::int64_t links = parameters.integer("links");
  const double angle = parameters.number("angle");
  PlanarLinkage linkage("rings", {});
  std::string inboard = kGround;
  Pivot middle = Pivot::Zero();
  for (std::int64_t ring = 0; ring < parameters.integer("rings"); ++ring) {
    const std::vector<Pivot> corners = ring_corners(middle, angle, links);
    std::vector<std::string> bodies = {linkage.add_link(inboard, middle, corners[0], corners[1])};
    const std::vector<std::string> others = linkage.add_chain(bodies.front(), std::span(corners).subspan(1));
    bodies.insert(bodies.end(), others.begin(), others.end());
    linkage.close(bodies.back(), bodies.front(), corners.back());
    const auto lowest = static_cast<std::size_t>(links / 2);
    inboard = bodies[lowest];
    middle = 0.5 * (corners[lowest] + corners[lowest + 1]);
  }
  linkage.mark("tip", inboard, middle);
  return linkage.take();
}

}  // namespace

MechanismEntry rings_entry() {
  static const std::array<ParameterSpecification, 3> parameters = {
      {{"rings", std::int64_t{3}, "number of rings", 1, 10'000},
       {"links", std::int64_t{8}, "links of each ring", 4, 1000},
       {"angle", 0.1, "initial turn of the whole about the origin, rad", -3.2, 3.2}}};
  return {"rings", "planar rings of links, each hung on the one above", "generated", parameters, make_rings};
}

}  // namespace mbdbench
