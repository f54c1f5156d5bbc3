/// \file
/// Case 1 of [Chadaj2017, Sect. 3.1]: one closed loop of four bodies.
///
/// Links of 1 m, 1 kg, J_C = diag(1, 1, 1) kg m^2 through the pivots (0, 0), (0, -1), (1, -1), (2, -1), (2, 0),
/// revolute joints about z, gravity 9.81 m/s^2 along -y, at rest. The first and the last pivot are on the ground; the
/// last is the cut joint (joint5). Marker K on the middle pivot (1, -1). 2 degrees of freedom, 3 redundant constraints.
/// The paper gives masses and lengths; the figure with its geometry is lost, so the geometry is ours: the motion keeps
/// the symmetry about x = 1, as the paper says of all three cases.
#include <array>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/planar_linkage.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_four_bar(const Parameters& /*parameters*/) {
  const std::array<Pivot, 5> pivots = {{{0.0, 0.0}, {0.0, -1.0}, {1.0, -1.0}, {2.0, -1.0}, {2.0, 0.0}}};
  PlanarLinkage linkage("four_bar", {});
  const std::vector<std::string> bodies = linkage.add_chain(kGround, pivots);
  linkage.close(bodies.back(), kGround, pivots.back());
  linkage.mark("K", bodies[1], pivots[2]);
  return linkage.take();
}

}  // namespace

MechanismEntry four_bar_entry() {
  return {"four_bar", "planar closed loop of four bodies (case 1)", "Chadaj2017", {}, make_four_bar};
}

}  // namespace mbdbench
