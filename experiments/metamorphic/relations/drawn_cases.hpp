#pragma once
/// \file
/// The draws behind the table of relations, and what several of them start from.
#include "experiments/metamorphic/drawn_mechanism.hpp"
#include "experiments/metamorphic/relation.hpp"

namespace mbdbench::metamorphic {

/// \returns what may be drawn: a loop in half of the mechanisms, some drives and couplings.
Drawing any_drawing(RandomSource& random, int bodies);
/// \returns a case of two tellings that must move alike.
Case two(const Told& base, const Told& twin);
/// \returns a frame whose origin lies within reach (m) along every axis, turned in any way.
Frame any_frame(RandomSource& random, double reach);
/// \returns a mechanism, and the same as `change` tells it.
template <typename Change>
Case retold(RandomSource& random, int bodies, const Change& change) {
  const Told base = draw_told(random, any_drawing(random, bodies));
  Told twin = base;
  change(twin);
  return two(base, twin);
}

// The draws, each of about so many bodies; relations.cpp says what every one is.
// of_mechanisms.cpp
Case names(RandomSource& random, int bodies);
Case frames(RandomSource& random, int bodies);
Case world(RandomSource& random, int bodies);
Case cuts(RandomSource& random, int bodies);
Case units(RandomSource& random, int bodies);
Case split(RandomSource& random, int bodies);
Case freed(RandomSource& random, int bodies);
Case chained(RandomSource& random, int bodies);
Case screw(RandomSource& random, int bodies);
Case gear(RandomSource& random, int bodies);
Case coupling_factor(RandomSource& random, int bodies);
Case driven_coupling(RandomSource& random, int bodies);
Case welded_twice(RandomSource& random, int bodies);
Case dependent_marks(RandomSource& random, int bodies);
// of_digits.cpp
Case hinge_twice(RandomSource& random, int bodies);
Case planar_digits(RandomSource& random, int bodies);
// of_loads.cpp
Case superposition(RandomSource& random, int bodies);
Case balance(RandomSource& random, int bodies);
Case drives_as_loads(RandomSource& random, int bodies);
Case law_of_cut(RandomSource& random, int bodies);
Case free_cut(RandomSource& random, int bodies);
Case formulas(RandomSource& random, int bodies);
// of_runs.cpp
Case backwards(RandomSource& random, int bodies);
Case restart(RandomSource& random, int bodies);
Case threads(RandomSource& random, int bodies);
Case leaves(RandomSource& random, int bodies);
Case time_shift(RandomSource& random, int bodies);
Case samples(RandomSource& random, int bodies);
Case tolerance(RandomSource& random, int bodies);
Case set_by_hand(RandomSource& random, int bodies);

}  // namespace mbdbench::metamorphic
