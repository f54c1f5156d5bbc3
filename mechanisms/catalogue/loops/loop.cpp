/// \file
/// The automatically generated closed loop of [Malczyk2008, Sect. 3.3]: a planar loop of n revolute joints.
///
/// The paper's body 1 is the ground, so n - 1 links move. The paper leaves the geometry out; ours: every link 1 m, 1
/// kg, J_C = diag(1, 1, 1) kg m^2, all pivots on a regular polygon with sides of 1 m, gravity 9.81 m/s^2 along -y, at
/// rest. The fixed side is vertical, from (0, -1) up to (0, 0), the polygon to the right of it: with a horizontal fixed
/// side above, n = 4 would hang in equilibrium. Two sub-chains start at the ends of the fixed side and meet in the cut
/// joint: body1.. from (0, 0), the others from (0, -1), of equal length for odd n, the first one longer by one link for
/// even n, unless `cut` gives the first one another number of links. Marker `tip` on the pivot in the middle, where the
/// cut joint is as well unless told otherwise. n - 3 degrees of freedom, 3 redundant constraints.
///
/// `springs` spring-dampers (100 N/m, 1 N s/m, at rest at the start) connect the centres of mass of links that face
/// each other, wherever the loop is cut: they couple the sub-chains beside the cut joint [Malczyk2008, Sect. 4].
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"
#include "mechanisms/model/description/model_error.hpp"

namespace mbdbench {
namespace {

constexpr double kSpringStiffness = 100.0;  // N/m
constexpr double kDamping = 1.0;            // N s/m

/// Adds springs between links that face each other, evenly spread along the loop. \param bodies along the polygon
void add_springs(MechanismDescription& description, const std::vector<std::string>& bodies,
                 const std::vector<Pivot>& pivots, std::size_t count) {
  const std::size_t pairs = bodies.size() / 2;
  if (count > pairs) {
    throw ModelError({}, fmt::format("loop: springs={}: {} pairs of links face each other", count, pairs));
  }
  const Vec3 centre(0.5, 0.0, 0.0);  // of a link of 1 m, in its frame
  const auto middle = [&](std::size_t link) -> Pivot { return 0.5 * (pivots[link] + pivots[link + 1]); };
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t place = (2 * s + 1) * pairs / (2 * count);
    const std::size_t facing = bodies.size() - 1 - place;
    description.point_springs.push_back({fmt::format("spring{}", s + 1), bodies[place], bodies[facing], centre, centre,
                                         kSpringStiffness, kDamping, (middle(facing) - middle(place)).norm()});
  }
}

MechanismDescription make_loop(const Parameters& parameters) {
  const auto joints = static_cast<std::size_t>(parameters.integer("joints"));
  const auto cut = static_cast<std::size_t>(parameters.integer("cut"));
  if (cut + 2 > joints) {
    throw ModelError(
        {}, fmt::format("loop: cut={}: each sub-chain has one of the {} moving links at least", cut, joints - 1));
  }
  const auto sides = static_cast<double>(joints);
  const double circumradius = 0.5 / std::sin(std::numbers::pi / sides);
  const double inradius = 0.5 / std::tan(std::numbers::pi / sides);
  // Clockwise from (0, 0) to (0, -1) on the circle about (inradius, -1/2).
  std::vector<Pivot> pivots;
  for (std::size_t k = 0; k < joints; ++k) {
    const double angle = std::numbers::pi * (1.0 - static_cast<double>(2 * k + 1) / sides);
    pivots.emplace_back(inradius + circumradius * std::cos(angle), -0.5 + circumradius * std::sin(angle));
  }
  const std::size_t middle = joints / 2;
  const std::size_t meeting = cut == 0 ? middle : cut;
  PlanarLinkage linkage("loop", {});
  std::vector<std::string> bodies = linkage.add_chain(kGround, std::span(pivots).first(meeting + 1));
  const std::vector<Pivot> from_the_end(pivots.rbegin(), pivots.rend() - static_cast<std::ptrdiff_t>(meeting));
  const std::vector<std::string> others = linkage.add_chain(kGround, from_the_end);
  linkage.close(bodies.back(), others.back(), pivots[meeting]);
  bodies.insert(bodies.end(), others.rbegin(), others.rend());
  linkage.mark("tip", bodies[middle - 1], pivots[middle]);
  MechanismDescription description = linkage.take();
  add_springs(description, bodies, pivots, static_cast<std::size_t>(parameters.integer("springs")));
  return description;
}

}  // namespace

MechanismEntry loop_entry() {
  static const std::array<ParameterSpecification, 3> parameters = {
      {{"joints", std::int64_t{9}, "number of joints; one link of as many is the ground", 4, 100'000},
       {"cut", std::int64_t{0}, "links of the first sub-chain; 0: half of them", 0, 100'000},
       {"springs", std::int64_t{0}, "spring-dampers between links that face each other", 0, 50'000}}};
  return {"loop", "planar loop of revolute joints, cut into two chains", "Malczyk2008", parameters, make_loop};
}

}  // namespace mbdbench
