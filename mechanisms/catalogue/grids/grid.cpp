/// \file
/// A square grid of plates joined by spherical joints (spherical_grid.hpp): width of assembly trees grows like the
/// side.
#include <array>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/grids/spherical_grid.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_grid(const Parameters& parameters) {
  const std::int64_t side = parameters.integer("side");
  return spherical_grid("grid", side, side);
}

}  // namespace

MechanismEntry grid_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"side", std::int64_t{3}, "plates on each side; side^2 bodies", 1, 300}}};
  return {"grid", "square grid of plates joined by spherical joints", "generated", parameters, make_grid};
}

}  // namespace mbdbench
