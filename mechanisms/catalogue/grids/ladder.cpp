/// \file
/// Loops in series: two rows of plates joined along the rows and across by spherical joints (spherical_grid.hpp).
///
/// `loops` loops of four bodies and four joints, neighbours sharing a cross joint (the rung): 2 (loops + 1) bodies, one
/// cut joint a loop, 3 loops + 6 degrees of freedom.
#include <array>

#include "mechanisms/catalogue/entries.hpp"
#include "mechanisms/catalogue/grids/spherical_grid.hpp"

namespace mbdbench {
namespace {

MechanismDescription make_ladder(const Parameters& parameters) {
  return spherical_grid("ladder", 2, parameters.integer("loops") + 1);
}

}  // namespace

MechanismEntry ladder_entry() {
  static const std::array<ParameterSpecification, 1> parameters = {
      {{"loops", std::int64_t{4}, "number of loops; 2 (loops + 1) bodies", 1, 10'000}}};
  return {"ladder", "loops in series: two rows of plates joined by spherical joints", "generated", parameters,
          make_ladder};
}

}  // namespace mbdbench
