#pragma once
/// \file
/// The passes of this room for one width of registers. Compiled once an instruction set (linear_sweeps_for_sets.cpp),
/// inlined or named by the width for the reason that lane_sweeps.hpp has.
#include "formulations/derivatives/along_direction.hpp"
#include "formulations/derivatives/trees/tree_products.hpp"

namespace mbdbench::linear {

template <int W>
LinearSweeps sweeps() {
  LinearSweeps result;
  result.width = W;
  result.lanes = TreeProducts<W>::kLanes;
  result.linearise = [](const LinearData& data, const double* x) { return TreeSlopes<W>::linearise(data, x); };
  result.jacobian = [](const LinearData& data, const double* x, double* rows) {
    return TreeProducts<W>::jacobian(data, x, rows);
  };
  result.along = [](const LinearData& data, const double* x, const double* direction, double* product) {
    return AlongDirection<W>::run(data, x, direction, product);
  };
  result.weigh = [](const LinearData& data, const double* x, const double* weights, double* product) {
    return TreeWeights<W>::run(data, x, weights, product);
  };
  result.weighted_mass = [](const LinearData& data, const LinearParameter& mass) {
    return TreeWeights<W>::by_mass(data, mass);
  };
  result.by_parameter = [](const LinearData& data, const double* x, const LinearParameter& parameter, double* column) {
    return TreeProducts<W>::by_parameter(data, x, parameter, column);
  };
  return result;
}

}  // namespace mbdbench::linear
