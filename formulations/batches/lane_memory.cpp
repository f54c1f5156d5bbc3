#include "formulations/batches/lane_memory.hpp"

#include <algorithm>

#include "formulations/recursion/links/acceleration_sweeps.hpp"
#include "formulations/recursion/links/momentum_sweeps.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// \returns how many packs a structure of packs has, with momenta or with accelerations.
template <typename OfMomenta, typename OfAccelerations>
std::size_t packs_of(StateKind kind) {
  return (kind == StateKind::momentum ? sizeof(OfMomenta) : sizeof(OfAccelerations)) / sizeof(double);
}

}  // namespace

void LaneMemory::reserve(LaneData& data, StateKind kind, std::size_t width, const SharedRows& shared, bool wrenches) {
  const std::size_t rows = index_of(data.row_count);
  const std::size_t balls = index_of(shared.spheres);
  const std::size_t u_size = index_of(data.u_count);
  const std::size_t state = index_of(data.q_count) + u_size;
  const auto packs = [&](double* LaneData::*array, std::size_t count) {
    memory_.push_back(aligned_memory(std::max<std::size_t>(1, count) * width));
    data.*array = memory_.back().get();
  };
  using kernels::AccelerationRow;
  using kernels::GeneralMomentumRow;
  using kernels::MomentumRow;
  using kernels::SlideGain;
  using kernels::SphericalAccelerationRow;
  using kernels::SphericalMomentumRow;
  packs(&LaneData::state, state);
  packs(&LaneData::rates, state);
  packs(&LaneData::velocities, u_size);
  packs(&LaneData::torques, u_size);
  packs(&LaneData::cosines, rows);
  packs(&LaneData::sines, rows);
  packs(&LaneData::slides, rows);
  packs(&LaneData::rotations, 9 * balls);
  packs(&LaneData::levers, 3 * balls);
  packs(&LaneData::verdict, 1);
  packs(&LaneData::turns, rows * packs_of<MomentumRow<double>, AccelerationRow<double>>(kind));
  packs(&LaneData::general, index_of(shared.general) * packs_of<GeneralMomentumRow<double>, SlideGain<double>>(kind));
  packs(&LaneData::spheres, balls * packs_of<SphericalMomentumRow<double>, SphericalAccelerationRow<double>>(kind));
  packs(&LaneData::slots, index_of(data.slot_count) * packs_of<MomentumSlot<double>, AccelerationSlot<double>>(kind));
  if (wrenches) {
    packs(&LaneData::wrenches, 6 * rows);
  }
}

}  // namespace mbdbench
