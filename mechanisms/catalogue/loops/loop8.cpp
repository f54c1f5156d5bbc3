/// \file
/// Case 2 of [Chadaj2017, Sect. 3.1]: one closed loop of eight bodies.
///
/// Links as in four_bar.cpp through the pivots (0, 0), (0, -1), (0, -2), (1, -2), (2, -2), (3, -2), (4, -2), (4, -1),
/// (4, 0), revolute joints about z, gravity 9.81 m/s^2 along -y, at rest. The last pivot, on the ground, is the cut
/// joint (joint9). Marker K on the middle pivot (2, -2). 6 degrees of freedom, 3 redundant constraints. The geometry is
/// ours, see four_bar.cpp; the motion keeps the symmetry about x = 2. With an angle the outer pairs of links start
/// turned towards each other, and the middle pivot hangs below their ends.
#include <array>
#include <cmath>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_loop8(const Parameters& parameters) {
  const double angle = parameters.number("angle");
  const double in = std::sin(angle);
  const double down = std::cos(angle);
  // Of a link between an outer pair and the middle.
  const double across = 1.0 - in;
  const double sag = std::sqrt(1.0 - across * across);
  const std::array<Pivot, 9> pivots = {{{0.0, 0.0},
                                        {in, -down},
                                        {2.0 * in, -2.0 * down},
                                        {2.0 - across, -2.0 * down - sag},
                                        {2.0, -2.0 * (down + sag)},
                                        {2.0 + across, -2.0 * down - sag},
                                        {4.0 - 2.0 * in, -2.0 * down},
                                        {4.0 - in, -down},
                                        {4.0, 0.0}}};
  PlanarLinkage linkage("loop8", {});
  const std::vector<std::string> bodies = linkage.add_loop(pivots, parameters.text("cut") == "middle");
  linkage.mark("K", bodies[3], pivots[4]);
  return linkage.take();
}

}  // namespace

MechanismEntry loop8_entry() {
  static const std::array<ParameterSpecification, 2> parameters = {inward_angle_parameter(), cut_parameter()};
  return {"loop8", "planar closed loop of eight bodies (case 2)", "Chadaj2017", parameters, make_loop8};
}

}  // namespace mbdbench
