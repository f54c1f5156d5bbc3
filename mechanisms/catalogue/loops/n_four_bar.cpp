/// \file
/// N four-bar linkages side by side, of the IFToMM library of benchmark problems [Gonzalez2006].
///
/// N + 1 upright bars at (k, 0), k = 0 .. N, hinged to the ground, and N horizontal rods that join their tops; every
/// bar and rod 1 kg, 1 m, uniform and thin; gravity 9.81 m/s^2 along -y. At the start all bars are upright and their
/// tops move with 1 m/s along +x. The cut joints lie at the far ends of the rods. Marker `top` on the last bar.
///
/// One degree of freedom, 3 N redundant constraints out of the plane. Once in a turn everything lies in one line, where
/// Phi_q loses rank.
#include <array>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_n_four_bar(const Parameters& parameters) {
  const std::int64_t n = parameters.integer("N");
  // About the centre of mass; thin, but what it is about the length does not enter plane motion.
  PlanarLinkage linkage("n_four_bar", {1.0, Mat3::Identity() / 12.0});
  std::vector<std::string> bars;
  const auto at = [](std::int64_t k, double height) { return Pivot(static_cast<double>(k), height); };
  for (std::int64_t k = 0; k <= n; ++k) {
    bars.push_back(linkage.add_link(kGround, at(k, 0.0), at(k, 1.0)));
  }
  for (std::int64_t k = 0; k < n; ++k) {
    const std::string rod = linkage.add_link(bars[static_cast<std::size_t>(k)], at(k, 1.0), at(k + 1, 1.0));
    linkage.close(rod, bars[static_cast<std::size_t>(k) + 1], at(k + 1, 1.0));
  }
  linkage.mark("top", bars.back(), at(n, 1.0));
  MechanismDescription description = linkage.take();
  for (JointDescription& joint : description.joints) {
    if (!joint.cut) {
      joint.v0 = {joint.a == kGround ? -1.0 : 1.0};  // the rods do not turn
    }
  }
  return description;
}

}  // namespace

MechanismEntry n_four_bar_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"N", std::int64_t{2}, "number of four-bar linkages; 2 N + 1 bodies", 1, 10'000}}};
  return {"n_four_bar", "four-bar linkages side by side, all in one line once in a turn", "Gonzalez2006", parameters,
          make_n_four_bar};
}

}  // namespace mbdbench
