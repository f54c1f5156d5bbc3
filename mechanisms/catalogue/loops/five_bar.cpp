/// \file
/// The five-bar linkage of [Malczyk2012, Sect. 4]: one closed loop of four moving bodies.
///
/// Links of a = 0.2 m, 1 kg, J_C = diag(0.25, 0.25, 0.25) kg m^2, revolute joints about z, gravity 9.81 m/s^2 along -y,
/// at rest. The last pivot, on the ground, is the cut joint (joint5). Marker K on the middle pivot. 2 degrees of
/// freedom, 3 redundant constraints. The paper's figure is lost; the geometry is ours:
/// - rect: pivots (0, 0), (0, a), (a, a), (2 a, a), (2 a, 0), standing on its legs; regular.
/// - rhombus: first and last pivot at the origin, hanging, half-opening 60 deg from the vertical. The symmetric motion
///   passes the folded state, where Phi_q loses rank, twice a swing.
/// - line: pivots at 0, a, 2 a, 3 a, 2 a on the x axis: it starts where Phi_q has lost rank, with one more
/// instantaneous
///   degree of freedom and one more redundant constraint.
#include <array>
#include <cmath>
#include <numbers>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/loops/planar_linkage.hpp"

namespace mbdbench {
namespace {

constexpr double kLength = 0.2;
constexpr double kHalfOpening = std::numbers::pi / 3.0;

/// Pivots in units of the link length.
std::array<Pivot, 5> pivots_of(const std::string& shape) {
  if (shape == "rhombus") {
    const double s = std::sin(kHalfOpening);
    const double c = std::cos(kHalfOpening);
    return {{{0.0, 0.0}, {-s, -c}, {0.0, -2.0 * c}, {s, -c}, {0.0, 0.0}}};
  }
  if (shape == "line") {
    return {{{0.0, 0.0}, {1.0, 0.0}, {2.0, 0.0}, {3.0, 0.0}, {2.0, 0.0}}};
  }
  return {{{0.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}, {2.0, 1.0}, {2.0, 0.0}}};
}

MechanismDescription make_five_bar(const Parameters& parameters) {
  std::array<Pivot, 5> pivots = pivots_of(parameters.text("shape"));
  for (Pivot& pivot : pivots) {
    pivot *= kLength;
  }
  PlanarLinkage linkage("five_bar", {1.0, 0.25 * Mat3::Identity()});
  const std::vector<std::string> bodies = linkage.add_chain(kGround, pivots);
  linkage.close(bodies.back(), kGround, pivots.back());
  linkage.mark("K", bodies[1], pivots[2]);
  return linkage.take();
}

}  // namespace

MechanismEntry five_bar_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"shape", std::string("rect"), "initial shape", -1e300, 1e300, {"rhombus", "rect", "line"}}}};
  return {"five_bar", "planar five-bar linkage, regular or through singular states", "Malczyk2012", parameters,
          make_five_bar};
}

}  // namespace mbdbench
