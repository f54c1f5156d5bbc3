#pragma once
/// \file
/// The sweeps over a block of sub-chains: compiled once an instruction set (chain_sweeps_for_sets.cpp).
///
/// Accelerations: angular velocities of the lanes are scanned and exchanged, then inward (velocity products recomputed
/// from the outboard end), columns, C; closing; outward. Momenta: inward with the turn and the first moment of the
/// lane, columns, C; closing; outward (velocities), inward once more (momenta and their rates). Velocities are
/// projected by the sweeps of momenta.
#include "formulations/subchains/chains/lane_view.hpp"
#include "formulations/subchains/chains/multiply_adds.hpp"
#include "formulations/subchains/chains/right_side_sweeps.hpp"

namespace mbdbench::chain_sweeps {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

template <typename T>
bool set_turns(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  return set_all_turns(block.length + 1, block.offsets, block.angles, block.turns);
}

/// \tparam kMotions whether linear velocities are asked for too, with the way over the lane
template <bool kMotions, typename T>
void scan_rates(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const T zero = static_cast<T>(0.0);
  // Columns of the turn from the first link's frame to the current one's, and the angular velocity of the current link
  // against the link inboard of the lane.
  LinkVector<T> x{static_cast<T>(1.0), zero, zero};
  LinkVector<T> y{zero, static_cast<T>(1.0), zero};
  LinkVector<T> omega{zero, zero, block.rates[0]};
  LinkVector<T> lever{zero, zero, zero};  // from O of the first link, and its velocity if that link only turns there
  LinkVector<T> linear{zero, zero, zero};
  for (int i = 1; i <= block.length; ++i) {
    const LinkConstants<T>& link = block.links[i];
    const T c = block.turns[i].cosine;
    const T s = block.turns[i].sine;
    if constexpr (kMotions) {
      linear = rotated_outward(link, c, s, moved_outward(link, linear, omega));
      lever = rotated_outward(link, c, s, {lever.x + link.px, lever.y + link.py, lever.z});
    }
    x = rotated_outward(link, c, s, x);
    y = rotated_outward(link, c, s, y);
    omega = rotated_outward(link, c, s, omega);
    if (i < block.length) {
      omega.z += block.rates[i];
    }
  }
  *block.scan = {x, y, omega};
  if constexpr (kMotions) {
    const auto along = [&lever](const LinkVector<T>& axis)
                           MBDBENCH_INLINED { return axis.x * lever.x + axis.y * lever.y + axis.z * lever.z; };
    *block.levers = {along(x), along(y), along({x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x})};
    *block.drift = linear;
  }
}

template <typename T>
void scan_levers(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const T zero = static_cast<T>(0.0);
  LinkVector<T> lever{zero, zero, zero};
  for (int i = block.length; i > 0; --i) {
    const LinkConstants<T>& link = block.links[i];
    lever = rotated_inward(link, block.turns[i].cosine, block.turns[i].sine, lever);
    lever.x += link.px;
    lever.y += link.py;
  }
  *block.levers = lever;
}

/// A row of numbers, one a lane.
template <typename T>
struct RowOfLanes {
  MBDBENCH_KERNEL static T load_from(const Row& row) { return static_cast<T>(row.at[0]); }
};
template <int W>
struct RowOfLanes<Pack<8, W>> {
  MBDBENCH_KERNEL static Pack<8, W> load_from(const Row& row) { return load<W>(row); }
};

/// A unit wrench in some lanes.
template <int kUnit, typename T>
MBDBENCH_KERNEL LinkWrench<T> unit_wrench(const ColumnStart& start) {
  const T zero = static_cast<T>(0.0);
  const T one = RowOfLanes<T>::load_from(start.lanes);
  return {kUnit == 0 ? one : zero, kUnit == 1 ? one : zero, kUnit == 2 ? one : zero,
          kUnit == 3 ? one : zero, kUnit == 4 ? one : zero, kUnit == 5 ? one : zero};
}

/// Columns `first` to `first` + 2 of X over the whole lane: gains, X and v.
template <int kFirst, bool kProducts, typename T>
MBDBENCH_KERNEL void sweep_columns(const LaneView<T>& block) {
  constexpr int kCount = 3;
  LinkWrench<T> column[kCount];
  T v[kCount];
  const ColumnStart* start = block.starts;
  {
    const LinkConstants<T>& next = block.links[block.length];
    const T c = block.turns[block.length].cosine;
    const T s = block.turns[block.length].sine;
    unrolled<0, kCount>([&](auto k) MBDBENCH_INLINED {
      column[k] = carried_inward(next, c, s, unit_wrench<kFirst + k, T>(*start));
      v[k] = static_cast<T>(0.0);
    });
  }
  ++start;
  int next_start = start == block.last_start ? -1 : start->position;
  for (int i = block.length - 1;; --i) {
    if (i == next_start) {  // the end of an arm that a cut joint holds
      unrolled<0, kCount>([&](auto k) MBDBENCH_INLINED { add_wrench(unit_wrench<kFirst + k, T>(*start), column[k]); });
      ++start;
      next_start = start == block.last_start ? -1 : start->position;
    }
    LinkSweep<T>& sweep = block.sweeps[i];
    unrolled<0, kCount>([&](auto k) MBDBENCH_INLINED {
      sweep.gains.of[kFirst + k] = pass_joint(sweep.rule, column[k], v[k]);
      if constexpr (kProducts) {
        v[k] += power(column[k], sweep.product);
      }
    });
    if (i == 0) {
      break;
    }
    const LinkConstants<T>& link = block.links[i];
    const T c = block.turns[i].cosine;
    const T s = block.turns[i].sine;
    unrolled<0, kCount>([&](auto k) MBDBENCH_INLINED { column[k] = carried_inward_without_nz(link, c, s, column[k]); });
  }
  unrolled<0, kCount>([&](auto k) MBDBENCH_INLINED {
    block.node->column[kFirst + k] = column[k];
    block.node->free[kFirst + k] = v[k];
  });
}

template <typename T>
MBDBENCH_KERNEL void sweep_compliance(const LaneView<T>& block) {
  Compliance<T> c;
  unrolled<0, 21>([&](auto k) MBDBENCH_INLINED { c.entry[k] = static_cast<T>(0.0); });
  for (int i = 0; i < block.length; ++i) {
    add_compliance(block.sweeps[i].gains, block.sweeps[i].pivot, c);
  }
  block.node->compliance = c;
}

template <typename T>
MBDBENCH_KERNEL ArticulatedInertia<T> no_inertia() {
  const T zero = static_cast<T>(0.0);
  return {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
          zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
}

template <typename T>
double sweep_accelerations_inward(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const T zero = static_cast<T>(0.0);
  ArticulatedInertia<T> inertia = no_inertia<T>();
  LinkWrench<T> wrench{zero, zero, zero, zero, zero, zero};
  T smallest = static_cast<T>(1e300);
  // Angular velocity of the link, recomputed from the lane's end inward.
  LinkVector<T> omega = rotated_inward(block.links[block.length], block.turns[block.length].cosine,
                                       block.turns[block.length].sine, block.exchange->omega);
  ProjectedInertia<T> rest;
  for (int i = block.length - 1;; --i) {
    const LinkConstants<T>& link = block.links[i];
    LinkSweep<T>& sweep = block.sweeps[i];
    const T c = block.turns[i].cosine;
    const T s = block.turns[i].sine;
    const T rate = block.rates[i];
    add_rigid(link, inertia);
    inertia.czz += block.padding[i];
    add_wrench(needed_wrench(link, omega), wrench);
    omega.z -= rate;
    const LinkVector<T> inboard = rotated_inward(link, c, s, omega);
    sweep.product = velocity_product(link, c, s, inboard, omega, rate);
    omega = inboard;
    sweep.pivot = inertia.czz;
    rest = eliminate_joint(inertia, block.forces[i], wrench, sweep.rule, smallest);
    add_velocity_product(rest, sweep.product, wrench);
    if (i == 0) {
      break;
    }
    inertia = carried_inward(link, c, s, rest);
    wrench = carried_inward(link, c, s, wrench);
  }
  block.node->inertia = rest;
  block.node->wrench = wrench;
  sweep_columns<0, true>(block);
  sweep_columns<3, true>(block);
  sweep_compliance(block);
  return smallest_lane(smallest);
}

template <typename T>
void set_nodes(const ChainBlock& data, ChainNode* nodes) {
  const LaneNode<T>& lane = *lanes_of<T>(data).node;
  const ProjectedInertia<T>& m = lane.inertia;
  const LinkWrench<T>& f = lane.wrench;
  constexpr int kRows = sizeof(ChainNode) / sizeof(Row);
  const auto put = [&](Row& row, const T* n0, const T* n1, const T* n2, const T* n3, const T* n4, const T* n5,
                       const T* n6) MBDBENCH_INLINED {
    const T* const numbers[8] = {n0, n1, n2, n3, n4, n5, n6, nullptr};
    set_rows(numbers, &row, kRows);
  };
  ChainNode& node = *nodes;
  const T* const none = nullptr;
  put(node.inertia[0], &m.axx, &m.axy, &m.axz, &m.bxx, &m.bxy, none, none);
  put(node.inertia[1], &m.axy, &m.ayy, &m.ayz, &m.byx, &m.byy, none, none);
  put(node.inertia[2], &m.axz, &m.ayz, &m.azz, &m.bzx, &m.bzy, none, none);
  put(node.inertia[3], &m.bxx, &m.byx, &m.bzx, &m.cxx, &m.cxy, none, none);
  put(node.inertia[4], &m.bxy, &m.byy, &m.bzy, &m.cxy, &m.cyy, none, none);
  put(node.inertia[5], none, none, none, none, none, none, none);
  put(node.wrench, &f.fx, &f.fy, &f.fz, &f.nx, &f.ny, &f.nz, none);
  const T* v = lane.free;
  put(node.free, v, v + 1, v + 2, v + 3, v + 4, v + 5, none);
  const LinkWrench<T>* x = lane.column;
  unrolled<0, 6>([&](auto i) MBDBENCH_INLINED {
    put(node.transposed[i], &x[i].fx, &x[i].fy, &x[i].fz, &x[i].nx, &x[i].ny, &x[i].nz, v + i);
    const T* first = &x[0].fx + i;
    put(node.across[i], first, first + 6, first + 12, first + 18, first + 24, first + 30, none);
    const T* c = lane.compliance.entry;
    const auto at = [&](int j) { return c + (i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i); };
    put(node.compliance[i], at(0), at(1), at(2), at(3), at(4), at(5), none);
  });
}

/// What a lane's end gives a link: the rest of its rule is corrected by the distal wrench.
template <typename T>
MBDBENCH_KERNEL T corrected(const LinkSweep<T>& sweep, const LinkWrench<T>& w) {
  const ColumnGains<T>& y = sweep.gains;
  return (y.of[0] * w.fx + y.of[1] * w.fy + y.of[2] * w.fz) + (y.of[3] * w.nx + y.of[4] * w.ny + y.of[5] * w.nz);
}

template <typename T>
void sweep_accelerations_outward(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const LinkWrench<T> distal = block.exchange->wrench;
  LinkVector<T> linear = block.exchange->linear;
  LinkVector<T> angular = block.exchange->angular;
  for (int i = 0;; ++i) {
    const LinkSweep<T>& sweep = block.sweeps[i];
    linear.x += sweep.product.centripetal.x;
    linear.y += sweep.product.centripetal.y;
    linear.z += sweep.product.centripetal.z;
    angular.x += sweep.product.turned_x;
    angular.y += sweep.product.turned_y;
    const T inherited = angular.z;
    angular.z = recovered(sweep.rule, linear, angular) - corrected(sweep, distal);
    block.results[i] = angular.z - inherited;
    if (i + 1 == block.length) {
      break;
    }
    const LinkConstants<T>& next = block.links[i + 1];
    const T c = block.turns[i + 1].cosine;
    const T s = block.turns[i + 1].sine;
    linear = rotated_outward(next, c, s, moved_outward(next, linear, angular));
    angular = rotated_outward(next, c, s, angular);
  }
}

template <typename T>
double sweep_momenta_inward(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const T zero = static_cast<T>(0.0);
  ArticulatedInertia<T> inertia = no_inertia<T>();
  LinkWrench<T> momentum{zero, zero, zero, zero, zero, zero};
  T smallest = static_cast<T>(1e300);
  // First moment of the lane's links, those outboard of it counted where they hang, and the turn from the next lane.
  const LinkConstants<T>& outboard = block.links[block.length];
  const T c_next = block.turns[block.length].cosine;
  const T s_next = block.turns[block.length].sine;
  LinkVector<T> moment{outboard.outboard_mass * outboard.px, outboard.outboard_mass * outboard.py, zero};
  LinkVector<T> x = rotated_inward(outboard, c_next, s_next, {static_cast<T>(1.0), zero, zero});
  LinkVector<T> y = rotated_inward(outboard, c_next, s_next, {zero, static_cast<T>(1.0), zero});
  ProjectedInertia<T> rest;
  for (int i = block.length - 1;; --i) {
    const LinkConstants<T>& link = block.links[i];
    LinkSweep<T>& sweep = block.sweeps[i];
    const T c = block.turns[i].cosine;
    const T s = block.turns[i].sine;
    add_rigid(link, inertia);
    inertia.czz += block.padding[i];
    moment.x += link.hx;
    moment.y += link.hy;
    moment.z += link.hz;
    sweep.pivot = inertia.czz;
    rest = eliminate_joint(inertia, block.rates[i], momentum, sweep.rule, smallest);
    if (i == 0) {
      break;
    }
    inertia = carried_inward(link, c, s, rest);
    momentum = carried_inward(link, c, s, momentum);
    moment = rotated_inward(link, c, s, moment);
    moment.x += link.outboard_mass * link.px;
    moment.y += link.outboard_mass * link.py;
    x = rotated_inward(link, c, s, x);
    y = rotated_inward(link, c, s, y);
  }
  block.node->inertia = rest;
  block.node->wrench = momentum;
  *block.scan = {x, y, moment};
  sweep_columns<0, false>(block);
  sweep_columns<3, false>(block);
  sweep_compliance(block);
  return smallest_lane(smallest);
}

template <typename T>
void sweep_velocities_outward(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  const LinkWrench<T> distal = block.exchange->wrench;
  LinkVector<T> linear = block.exchange->linear;
  LinkVector<T> angular = block.exchange->angular;
  for (int i = 0;; ++i) {
    const LinkSweep<T>& sweep = block.sweeps[i];
    const T inherited = angular.z;
    angular.z = recovered(sweep.rule, linear, angular) - corrected(sweep, distal);
    block.results[i] = angular.z - inherited;
    block.motions[i] = {linear, angular};
    if (i + 1 == block.length) {
      break;
    }
    const LinkConstants<T>& next = block.links[i + 1];
    const T c = block.turns[i + 1].cosine;
    const T s = block.turns[i + 1].sine;
    linear = rotated_outward(next, c, s, moved_outward(next, linear, angular));
    angular = rotated_outward(next, c, s, angular);
  }
}

/// \tparam kLoads whether wrenches act on the lanes' distal handles
template <bool kLoads, typename T>
void sweep_momentum_rates(const ChainBlock& data) {
  const LaneView<T> block = lanes_of<T>(data);
  LinkWrench<T> momentum = block.exchange->wrench;
  LinkWrench<T> load = block.exchange->load;
  LinkVector<T> moment = block.exchange->moment;
  LinkVector<T> gravity = block.exchange->gravity;
  for (int i = block.length - 1; i >= 0; --i) {
    {
      const LinkConstants<T>& outboard = block.links[i + 1];
      const T c = block.turns[i + 1].cosine;
      const T s = block.turns[i + 1].sine;
      momentum = carried_inward(outboard, c, s, momentum);
      if constexpr (kLoads) {
        load = carried_inward(outboard, c, s, load);
      }
      moment = rotated_inward(outboard, c, s, moment);
      moment.x += outboard.outboard_mass * outboard.px;
      moment.y += outboard.outboard_mass * outboard.py;
      gravity = rotated_inward(outboard, c, s, gravity);
    }
    const LinkConstants<T>& link = block.links[i];
    const LinkVector<T>& v = block.motions[i].linear;
    const LinkVector<T>& w = block.motions[i].angular;
    add_wrench(rigid_momentum(link, v, w), momentum);
    moment.x += link.hx;
    moment.y += link.hy;
    moment.z += link.hz;
    // H^T (Q^ - Sdot Pbar) + Hdot^T Pbar in the link's frame [Chadaj2015, Eq. (45)].
    T rate = block.forces[i] + (moment.x * gravity.y - moment.y * gravity.x) - (v.x * momentum.fy - v.y * momentum.fx) -
             (w.x * momentum.ny - w.y * momentum.nx);
    if constexpr (kLoads) {
      rate += load.nz;
    }
    block.momentum_rates[i] = rate;
  }
}

/// \returns the sweeps in registers of W doubles.
template <int W>
ChainSweeps sweeps() {
  using T = Pack<ChainSweeps::kLanes, W>;
  return {set_turns<T>,
          scan_rates<false, T>,
          scan_rates<true, T>,
          scan_levers<T>,
          sweep_accelerations_inward<T>,
          sweep_momenta_inward<T>,
          sweep_biases_outward<T>,
          sweep_right_sides_inward<true, T>,
          sweep_right_sides_inward<false, T>,
          set_nodes<T>,
          set_right_sides<T>,
          sweep_accelerations_outward<T>,
          sweep_velocities_outward<T>,
          sweep_momentum_rates<false, T>,
          sweep_momentum_rates<true, T>,
          add_loads<T>,
          close_handle<W>,
          open_plain<W>,
          close_tip<W>,
          open_with_tip<W>,
          MultiplyAdds<T>::run,
          MultiplyAdds<T>::kOperations};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::chain_sweeps
