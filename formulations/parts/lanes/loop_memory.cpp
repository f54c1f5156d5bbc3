#include "formulations/parts/lanes/loop_memory.hpp"

#include <algorithm>

#include "formulations/parts/part_plan.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// \returns how many packs so many structures of packs have.
template <typename Structure>
std::size_t packs_for(std::size_t count) {
  return count * sizeof(Structure) / sizeof(double);
}

}  // namespace

double* LoopMemory::packs(std::size_t count) {
  memory_.push_back(aligned_memory(std::max<std::size_t>(1, count) * index_of(lanes_)));
  return memory_.back().get();
}

void LoopMemory::reserve_side(PartRightSide<double>& side, const LoopData& data, const LoopSizes& sizes) {
  using kernels::AccelerationRow;
  using kernels::LinkVector;
  using kernels::LinkWrench;
  using kernels::SphericalAccelerationRow;
  side.rows = reinterpret_cast<AccelerationRow<double>*>(packs(packs_for<AccelerationRow<double>>(sizes.rows)));
  side.spheres = reinterpret_cast<SphericalAccelerationRow<double>*>(
      packs(packs_for<SphericalAccelerationRow<double>>(sizes.spheres)));
  side.wrenches = reinterpret_cast<LinkWrench<double>*>(packs(6 * sizes.receivers));
  side.linear = reinterpret_cast<LinkVector<double>*>(packs(3 * sizes.receivers));
  side.angular = reinterpret_cast<LinkVector<double>*>(packs(3 * sizes.receivers));
  side.rates = packs(doubles(sizes.rates));
  side.wanted = packs(doubles(data.loop_count));
  side.multipliers = packs(doubles(data.loop_count));
  side.right = packs(index_of(sizes.rights));
}

void LoopMemory::reserve(LoopData& data, const LoopSizes& sizes) {
  using namespace kernels;
  const std::size_t rows = sizes.rows;
  const std::size_t balls = sizes.spheres;
  PartData<double>& part = data.part;
  part.cosines = data.tree.cosines;
  part.sines = data.tree.sines;
  part.slides = data.tree.slides;
  part.rotations = reinterpret_cast<const kernels::Matrix3<double>*>(data.tree.rotations);
  part.levers = reinterpret_cast<const LinkVector<double>*>(data.tree.levers);
  part.inertias =
      reinterpret_cast<ArticulatedInertia<double>*>(packs(packs_for<ArticulatedInertia<double>>(sizes.receivers)));
  part.turns = reinterpret_cast<TurnInertia<double>*>(packs(packs_for<TurnInertia<double>>(rows)));
  part.turn_gains = reinterpret_cast<JointGain<double>*>(packs(packs_for<JointGain<double>>(rows)));
  part.whole = reinterpret_cast<ArticulatedInertia<double>*>(packs(packs_for<ArticulatedInertia<double>>(rows)));
  part.slide_gains = reinterpret_cast<SlideGain<double>*>(packs(packs_for<SlideGain<double>>(rows)));
  part.screw_gains = reinterpret_cast<LinkWrench<double>*>(packs(6 * rows));
  part.inverses = packs(rows);
  part.spheres = reinterpret_cast<SphericalInertia<double>*>(packs(packs_for<SphericalInertia<double>>(balls)));
  part.sphere_gains = reinterpret_cast<kernels::Matrix3<double>*>(packs(9 * balls));
  part.columns = packs(6 * doubles(sizes.columns));
  part.along = packs(doubles(sizes.along));
  part.products = packs(doubles(sizes.products));
  part.halves = packs(index_of(sizes.halves));
  part.across = packs(doubles(sizes.across));
  memory_.push_back(aligned_memory(index_of(sizes.joints) * joint_size_ / sizeof(double) + 1));
  part.joints = reinterpret_cast<PassedJoint<double>*>(memory_.back().get());
  reserve_side(data.accelerations, data, sizes);
  data.accelerations.moves = true;
  data.accelerations.weighs = data.tree.wrenches == nullptr;
  reserve_side(data.impulses, data, sizes);
  data.poses = packs(18 * (rows + 1));
  data.origins = packs(3 * rows);
  data.directions = packs(45 * index_of(data.loop_count + sizes.carried));
  data.seen = packs(2);
  data.changes = packs(index_of(data.tree.u_count));
  data.turnings = packs(4 * sizes.receivers);
  const std::size_t most = index_of(sizes.most);
  data.matrices = packs(4 * most * most + 5 * most);
  data.smallest = packs(most);
}

}  // namespace mbdbench
