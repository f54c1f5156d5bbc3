// The sweeps over numbers with derivatives, compiled once for every instruction set (cmake/kernels.cmake).
#include "formulations/batches/lane_sweeps.hpp"
#include "formulations/derivatives/tangent_sweeps.hpp"
#include "formulations/kernels/dual.hpp"

namespace mbdbench::tangent {

template <int W>
TangentSweeps sweeps() {
  using Own = lane_sweeps::StateSweeps<kernels::Dual<W>>;
  return {[](const LaneData& data) { Own::accelerations(data); }, [](const LaneData& data) { Own::momenta(data); }};
}

template TangentSweeps sweeps<MBDBENCH_LANES>();

}  // namespace mbdbench::tangent
