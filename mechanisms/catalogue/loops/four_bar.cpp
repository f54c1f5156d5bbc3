/// \file
/// Case 1 of [Chadaj2017, Sect. 3.1]: one closed loop of four bodies.
///
/// Links of 1 m, 1 kg, J_C = diag(1, 1, 1) kg m^2 through the pivots (0, 0), (0, -1), (1, -1), (2, -1), (2, 0),
/// revolute joints about z, gravity 9.81 m/s^2 along -y, at rest. The first and the last pivot are on the ground; the
/// last is the cut joint (joint5), or the middle one. Marker K on the middle pivot (1, -1). 2 degrees of freedom, 3
/// redundant constraints. The paper gives masses and lengths; the figure with its geometry is lost, so the geometry is
/// ours: the motion keeps the symmetry about x = 1, as the paper says of all three cases. With an angle the outer links
/// start turned towards each other, and the middle pivot hangs below their ends.
#include <array>
#include <cmath>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_four_bar(const Parameters& parameters) {
  const double angle = parameters.number("angle");
  // Half the distance of the outer links' lower ends, and how far the middle pivot hangs below them.
  const double half = 1.0 - std::sin(angle);
  const double sag = std::sqrt(1.0 - half * half);
  const double low = -std::cos(angle);
  const std::array<Pivot, 5> pivots = {
      {{0.0, 0.0}, {1.0 - half, low}, {1.0, low - sag}, {1.0 + half, low}, {2.0, 0.0}}};
  PlanarLinkage linkage("four_bar", {});
  const std::vector<std::string> bodies = linkage.add_loop(pivots, parameters.text("cut") == "middle");
  linkage.mark("K", bodies[1], pivots[2]);
  return linkage.take();
}

}  // namespace

MechanismEntry four_bar_entry() {
  static const std::array<ParameterSpecification, 2> parameters = {inward_angle_parameter(), cut_parameter()};
  return {"four_bar", "planar closed loop of four bodies (case 1)", "Chadaj2017", parameters, make_four_bar};
}

}  // namespace mbdbench
