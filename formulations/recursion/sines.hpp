#pragma once
/// \file
/// Sines and cosines of all joint angles at once.
#include <span>

namespace mbdbench {

/// sin and cos of every angle, to about one unit in the last place. One loop without branches, which the compiler turns
/// into vector instructions; if any angle is huge (beyond 1e5) or not finite, all are left to the standard library.
/// \param sines, cosines as many entries as angles
void sines_and_cosines(std::span<const double> angles, std::span<double> sines, std::span<double> cosines);

}  // namespace mbdbench
