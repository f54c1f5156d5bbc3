/// \file
/// The two coupled loops of [Malczyk2012, Sect. 4]: eight bodies, ten joints.
///
/// Links of a = 0.2 m, 1 kg, J_C = diag(0.25, 0.25, 0.25) kg m^2, revolute joints about z, gravity 9.81 m/s^2 along -y,
/// at rest. Bodies 1 to 4 are the five-bar linkage `rect` (five_bar.cpp); bodies 5 to 8 form a rhombus that hangs on
/// the centre of body 3 with a half-opening of 55 deg from the vertical: both its upper joints lie there (joints 6 and
/// 10 of the paper). Cut joints: joint9 (body 4 on the ground, joint 5 of the paper) and joint10 (body 8 on body 3).
/// Marker K at the lower end of the rhombus. 4 degrees of freedom, 6 redundant constraints. The paper's figure is lost;
/// the geometry is ours.
#include <array>
#include <cmath>
#include <numbers>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"

namespace mbdbench {
namespace {

constexpr double kRodLength = 0.2;
constexpr double kHalfDiagonalAngle = 55.0 * std::numbers::pi / 180.0;

MechanismDescription make_coupled_loops(const Parameters& /*parameters*/) {
  const double a = kRodLength;
  const std::array<Pivot, 5> upper = {{{0.0, 0.0}, {0.0, a}, {a, a}, {2.0 * a, a}, {2.0 * a, 0.0}}};
  const Pivot centre = 0.5 * (upper[2] + upper[3]);
  const double s = a * std::sin(kHalfDiagonalAngle);
  const double c = a * std::cos(kHalfDiagonalAngle);
  const std::array<Pivot, 5> lower = {
      {centre, centre + Pivot(-s, -c), centre + Pivot(0.0, -2.0 * c), centre + Pivot(s, -c), centre}};
  PlanarLinkage linkage("coupled_loops", {1.0, 0.25 * Mat3::Identity()});
  const std::vector<std::string> first = linkage.add_chain(kGround, upper);
  const std::vector<std::string> second = linkage.add_chain(first[2], lower);
  linkage.close(first.back(), kGround, upper.back());
  linkage.close(second.back(), first[2], centre);
  linkage.mark("K", second[1], lower[2]);
  return linkage.take();
}

}  // namespace

MechanismEntry coupled_loops_entry() {
  return {"coupled_loops", "planar five-bar linkage with a rhombus hung on it", "Malczyk2012", {}, make_coupled_loops};
}

}  // namespace mbdbench
