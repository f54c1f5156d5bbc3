/// \file
/// Case 2 of [Chadaj2017, Sect. 3.1]: one closed loop of eight bodies.
///
/// Links as in four_bar.cpp through the pivots (0, 0), (0, -1), (0, -2), (1, -2), (2, -2), (3, -2), (4, -2), (4, -1),
/// (4, 0), revolute joints about z, gravity 9.81 m/s^2 along -y, at rest. The last pivot, on the ground, is the cut
/// joint (joint9). Marker K on the middle pivot (2, -2). 6 degrees of freedom, 3 redundant constraints. The geometry is
/// ours, see four_bar.cpp; the motion keeps the symmetry about x = 2.
#include <array>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/planar_linkage.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_loop8(const Parameters& /*parameters*/) {
  const std::array<Pivot, 9> pivots = {{{0.0, 0.0},
                                        {0.0, -1.0},
                                        {0.0, -2.0},
                                        {1.0, -2.0},
                                        {2.0, -2.0},
                                        {3.0, -2.0},
                                        {4.0, -2.0},
                                        {4.0, -1.0},
                                        {4.0, 0.0}}};
  PlanarLinkage linkage("loop8", {});
  const std::vector<std::string> bodies = linkage.add_chain(kGround, pivots);
  linkage.close(bodies.back(), kGround, pivots.back());
  linkage.mark("K", bodies[3], pivots[4]);
  return linkage.take();
}

}  // namespace

MechanismEntry loop8_entry() {
  return {"loop8", "planar closed loop of eight bodies (case 2)", "Chadaj2017", {}, make_loop8};
}

}  // namespace mbdbench
