#pragma once
/// \file
/// Another right side of matrices that a sweep inward has left: f and v alone, of accelerations or momenta, and loads
/// on p' (docs/understanding/formulations/sub_chains.md).
#include "formulations/subchains/chains/lane_view.hpp"

namespace mbdbench::chain_sweeps {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Velocity products of the lane while its joints and its proximal handle do not accelerate: the wrenches that its
/// links need for these accelerations, and the accelerations at the lane's end, as v.
template <typename T>
void sweep_biases_outward(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const T zero = static_cast<T>(0.0);
  LinkVector<T> linear{zero, zero, zero};
  LinkVector<T> angular{zero, zero, zero};
  LinkVector<T> carried = block.exchange->inboard_omega;
  LinkVector<T> inboard = rotated_inward(block.links[0], block.turns[0].cosine, block.turns[0].sine, carried);
  for (int i = 0;; ++i) {
    const LinkConstants<T>& link = block.links[i];
    const T c = block.turns[i].cosine;
    const T s = block.turns[i].sine;
    if (i > 0) {
      carried = rotated_outward(link, c, s, inboard);
      linear = rotated_outward(link, c, s, moved_outward(link, linear, angular));
      angular = rotated_outward(link, c, s, angular);
    }
    if (i == block.length) {
      break;
    }
    const T rate = block.rates[i];
    const VelocityProduct<T> product = velocity_product(link, c, s, inboard, carried, rate);
    linear.x += product.centripetal.x;
    linear.y += product.centripetal.y;
    linear.z += product.centripetal.z;
    angular.x += product.turned_x;
    angular.y += product.turned_y;
    inboard = carried;
    inboard.z += rate;
    LinkWrench<T> needed = needed_wrench(link, inboard);
    add_wrench(rigid_momentum(link, linear, angular), needed);
    block.biases[i] = needed;
  }
  T* const v = block.node->free;
  v[0] = linear.x;
  v[1] = linear.y;
  v[2] = linear.z;
  v[3] = angular.x;
  v[4] = angular.y;
  v[5] = angular.z;
}

/// Another right side of the same matrices: f and v alone. \tparam kBiases of accelerations, after
/// `sweep_biases_outward`; otherwise of momenta
template <bool kBiases, typename T>
void sweep_right_sides_inward(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const T zero = static_cast<T>(0.0);
  LinkWrench<T> wrench{zero, zero, zero, zero, zero, zero};
  T v[6];
  unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { v[k] = kBiases ? block.node->free[k] : zero; });
  for (int i = block.length - 1;; --i) {
    LinkSweep<T>& sweep = block.sweeps[i];
    if constexpr (kBiases) {
      add_wrench(block.biases[i], wrench);
    }
    const T moment = pass_right_side(kBiases ? block.forces[i] : block.rates[i], wrench, sweep.rule);
    unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { v[k] += sweep.gains.of[k] * moment; });
    if (i == 0) {
      break;
    }
    wrench = carried_inward(block.links[i], block.turns[i].cosine, block.turns[i].sine, wrench);
  }
  block.node->wrench = wrench;
  unrolled<0, 6>([&](auto k) MBDBENCH_INLINED { block.node->free[k] = v[k]; });
}

template <typename T>
void set_right_sides(const ChainBlock& data, ChainNode* nodes) {
  const LaneNode<T>& lane = *lanes_of<T>(data).node;
  constexpr int kRows = sizeof(ChainNode) / sizeof(Row);
  const LinkWrench<T>& f = lane.wrench;
  const T* const wrench[8] = {&f.fx, &f.fy, &f.fz, &f.nx, &f.ny, &f.nz, nullptr, nullptr};
  set_rows(wrench, &nodes->wrench, kRows);
  const T* v = lane.free;
  const T* const free[8] = {v, v + 1, v + 2, v + 3, v + 4, v + 5, nullptr, nullptr};
  set_rows(free, &nodes->free, kRows);
}

/// What acts on the lanes' distal handles besides, onto the rates of the momenta.
template <typename T>
void add_loads(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  LinkWrench<T> load = block.exchange->load;
  for (int i = block.length - 1; i >= 0; --i) {
    load = carried_inward(block.links[i + 1], block.turns[i + 1].cosine, block.turns[i + 1].sine, load);
    block.momentum_rates[i] += load.nz;
  }
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::chain_sweeps
