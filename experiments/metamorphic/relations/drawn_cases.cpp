#include "experiments/metamorphic/relations/drawn_cases.hpp"

namespace mbdbench::metamorphic {

Drawing any_drawing(RandomSource& random, int bodies) {
  Drawing drawing;
  drawing.bodies = bodies;
  drawing.loops = bodies >= 2 && random.chance(0.5) ? 1 : 0;
  drawing.drives = 0.2;
  drawing.couplings = 0.15;
  return drawing;
}

Case two(const Told& base, const Told& twin) {
  Case drawn;
  drawn.tellings = {{base, {}}, {twin, {}}};
  drawn.judge = same_motion;
  return drawn;
}

Frame any_frame(RandomSource& random, double reach) {
  const Eigen::Vector4d r = random.quaternion();
  return {random.point(reach), Eigen::Quaterniond(r[0], r[1], r[2], r[3]).normalized()};
}

}  // namespace mbdbench::metamorphic
