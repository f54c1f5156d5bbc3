#pragma once
/// \file
/// Right-hand sides of an open tree over numbers with their derivatives along one direction: the sweeps of
/// lane_sweeps.hpp. TreeTangent sets them up; compiled once an instruction set (tangent_sweeps_for_sets.cpp).
#include "formulations/batches/lane_data.hpp"

namespace mbdbench {

/// The sweeps of one instruction set, over memory for two doubles a number.
struct TangentSweeps {
  void (*accelerations)(const LaneData&) = nullptr;  ///< of a state (q, u)
  void (*momenta)(const LaneData&) = nullptr;        ///< of a state (q, p)
};

namespace tangent {
/// \tparam W doubles a register: those of an instruction set (tangent_sweeps_for_sets.cpp)
template <int W>
TangentSweeps sweeps();
}  // namespace tangent

}  // namespace mbdbench
