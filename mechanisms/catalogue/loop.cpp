/// \file
/// The automatically generated closed loop of [Malczyk2008, Sect. 3.3]: a planar loop of n revolute joints.
///
/// The paper's body 1 is the ground, so n - 1 links move. The paper leaves the geometry out; ours: every link 1 m, 1
/// kg, J_C = diag(1, 1, 1) kg m^2, all pivots on a regular polygon with sides of 1 m, gravity 9.81 m/s^2 along -y, at
/// rest. The fixed side is vertical, from (0, -1) up to (0, 0), the polygon to the right of it: with a horizontal fixed
/// side above, n = 4 would hang in equilibrium. Two sub-chains start at the ends of the fixed side and meet in the cut
/// joint: body1.. from (0, 0), the others from (0, -1), of equal length for odd n, the first one longer by one link for
/// even n. Marker `tip` at the cut joint. n - 3 degrees of freedom, 3 redundant constraints.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/planar_linkage.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_loop(const Parameters& parameters) {
  const std::int64_t joints = parameters.integer("joints");
  const double circumradius = 0.5 / std::sin(std::numbers::pi / static_cast<double>(joints));
  const double inradius = 0.5 / std::tan(std::numbers::pi / static_cast<double>(joints));
  // Pivots clockwise from (0, 0) to (0, -1) on the circle about (inradius, -1/2).
  const auto pivot = [&](std::int64_t k) {
    const double angle = std::numbers::pi * (1.0 - static_cast<double>(2 * k + 1) / static_cast<double>(joints));
    return Pivot(inradius + circumradius * std::cos(angle), -0.5 + circumradius * std::sin(angle));
  };
  std::vector<Pivot> first;
  std::vector<Pivot> second;
  const std::int64_t meeting = joints / 2;
  for (std::int64_t k = 0; k <= meeting; ++k) {
    first.push_back(pivot(k));
  }
  for (std::int64_t k = joints - 1; k >= meeting; --k) {
    second.push_back(pivot(k));
  }
  PlanarLinkage linkage("loop", {});
  const std::string tip = linkage.add_chain(kGround, first).back();
  linkage.close(tip, linkage.add_chain(kGround, second).back(), first.back());
  linkage.mark("tip", tip, first.back());
  return linkage.take();
}

}  // namespace

MechanismEntry loop_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"joints", std::int64_t{9}, "number of joints; one link of as many is the ground", 4, 100'000}}};
  return {"loop", "planar loop of revolute joints, cut into two equal chains", "Malczyk2008", parameters, make_loop};
}

}  // namespace mbdbench
