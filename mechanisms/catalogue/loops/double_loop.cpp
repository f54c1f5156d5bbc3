/// \file
/// Case 3 of [Chadaj2017, Sect. 3.1]: two coupled closed loops of eight bodies in all.
///
/// Bodies 1 to 4 as in four_bar.cpp; bodies 5 to 8, of the same kind, through the pivots (0, -1), (0, -2), (1, -2),
/// (2, -2), (2, -1), from the lower end of body 1 to the lower end of body 4. Revolute joints about z, gravity 9.81
/// m/s^2 along -y, at rest. Cut joints: joint9 (body 4 on the ground) and joint10 (body 8 on body 4). Marker K on the
/// pivot (1, -1) between bodies 2 and 3. 10 joints, 4 degrees of freedom, 6 redundant constraints. The geometry is
/// ours, see four_bar.cpp; the motion keeps the symmetry about x = 1. With an angle the outer links of the upper loop
/// start turned towards each other, the lower loop hangs from their ends, and both middle pivots hang lower.
#include <array>
#include <cmath>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_double_loop(const Parameters& parameters) {
  const double angle = parameters.number("angle");
  const double half = 1.0 - std::sin(angle);  // of the distance of the outer links' lower ends
  const double sag = std::sqrt(1.0 - half * half);
  const double low = -std::cos(angle);
  const std::array<Pivot, 5> upper = {{{0.0, 0.0}, {1.0 - half, low}, {1.0, low - sag}, {1.0 + half, low}, {2.0, 0.0}}};
  const std::array<Pivot, 5> lower = {
      {upper[1], {1.0 - half, low - 1.0}, {1.0, low - 1.0 - sag}, {1.0 + half, low - 1.0}, upper[3]}};
  PlanarLinkage linkage("double_loop", {});
  const std::vector<std::string> first = linkage.add_chain(kGround, upper);
  const std::vector<std::string> second = linkage.add_chain(first.front(), lower);
  linkage.close(first.back(), kGround, upper.back());
  linkage.close(second.back(), first.back(), lower.back());
  linkage.mark("K", first[1], upper[2]);
  return linkage.take();
}

}  // namespace

MechanismEntry double_loop_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {inward_angle_parameter()};
  return {"double_loop", "two coupled planar loops of eight bodies (case 3)", "Chadaj2017", parameters,
          make_double_loop};
}

}  // namespace mbdbench
