#pragma once
/// \file
/// The sweeps over a block of binary trees: included by one file an instruction set (binary_sweeps_*.cpp).
///
/// Momenta: turns and first moments are scanned, leaves and nodes made, closed above, opened; then u and p' of every
/// link by itself, gravity and first moments carried along. Accelerations: what angular velocities need, leaves and
/// nodes, closed above, opened; u'. The scans are passes along the lane, those of the papers' sums [Chadaj2017, Eq.
/// (70)-(76)] between lanes.
#include "formulations/binary_tree/binary_block.hpp"
#include "formulations/kernels/turns.hpp"

namespace mbdbench::binary_sweeps {

// Packs and rows start uninitialised: values that nobody reads would be stores in the innermost loops.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

using namespace kernels;  // NOLINT(google-build-using-namespace): a header of one purpose

/// A block's arrays as arrays of structures of lanes.
template <typename T>
struct BinaryView {
  int length;
  const LinkConstants<T>* links;
  const T* padding;
  const SineCosine<T>* turns;
  const T* rates;
  const T* forces;
  T* results;
  T* momentum_rates;
  TurnScan<T>* scan;
  const LaneExchange<T>* exchange;
  const BodyLeaf<T>* leaves;
  BodyInput<T>* inputs;
  TwoHandles<T>* stack;
  ClosedNode<T>* kept;
  T* sigma;
  const T* behind;
  T* distal;

  /// \returns the number of link i, that behind the lane included.
  [[nodiscard]] MBDBENCH_KERNEL const T& at(const T* numbers, int i) const { return i < length ? numbers[i] : *behind; }
  /// \returns 0 in lanes where nothing hangs on link i and links that only fill the lane come behind it.
  [[nodiscard]] MBDBENCH_KERNEL T hangs(int i) const {
    return i + 1 < length ? static_cast<T>(1.0) - padding[i + 1] : static_cast<T>(1.0);
  }
};

template <typename T>
MBDBENCH_KERNEL BinaryView<T> view_of(const BinaryBlock& b) {
  return {b.links.length,
          reinterpret_cast<const LinkConstants<T>*>(b.links.links),
          reinterpret_cast<const T*>(b.links.padding),
          reinterpret_cast<const SineCosine<T>*>(b.links.turns),
          reinterpret_cast<const T*>(b.links.rates),
          reinterpret_cast<const T*>(b.links.forces),
          reinterpret_cast<T*>(b.links.results),
          reinterpret_cast<T*>(b.links.momentum_rates),
          reinterpret_cast<TurnScan<T>*>(b.links.scan),
          reinterpret_cast<const LaneExchange<T>*>(b.links.exchange),
          reinterpret_cast<const BodyLeaf<T>*>(b.leaves),
          reinterpret_cast<BodyInput<T>*>(b.inputs),
          reinterpret_cast<TwoHandles<T>*>(b.stack),
          reinterpret_cast<ClosedNode<T>*>(b.kept),
          reinterpret_cast<T*>(b.sigma),
          reinterpret_cast<const T*>(b.behind),
          reinterpret_cast<T*>(b.distal)};
}

/// Turn and first moment of the lane's links, those outboard of it counted where they hang.
template <typename T>
MBDBENCH_KERNEL void scan_moments(const BinaryView<T>& block) {
  const T zero = static_cast<T>(0.0);
  LinkVector<T> x{static_cast<T>(1.0), zero, zero};
  LinkVector<T> y{zero, static_cast<T>(1.0), zero};
  LinkVector<T> moment{zero, zero, zero};
  for (int i = block.length;; --i) {
    const LinkConstants<T>& link = block.links[i];
    if (i < block.length) {
      moment.x += link.hx;
      moment.y += link.hy;
      moment.z += link.hz;
    }
    if (i == 0) {
      break;
    }
    const T c = block.turns[i].cosine;
    const T s = block.turns[i].sine;
    moment = rotated_inward(link, c, s, moment);
    moment.x += link.outboard_mass * link.px;
    moment.y += link.outboard_mass * link.py;
    x = rotated_inward(link, c, s, x);
    y = rotated_inward(link, c, s, y);
  }
  *block.scan = {x, y, moment};
}

/// H a - X H b: what the active parts of a link's two joints do to it.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> active_pair(const LinkConstants<T>& next, const T& own, const T& outboard) {
  const T zero = static_cast<T>(0.0);
  return {zero, zero, zero, zero, next.sin_alpha * outboard, own - next.cos_alpha * outboard};
}

/// Leaves and nodes. \param free_motion velocity or acceleration of link i besides sigma; \param own_product what its
/// own joint adds to it
template <typename T, typename FreeMotion>
MBDBENCH_KERNEL double assemble(const BinaryBlock& data, const BinaryView<T>& block, const FreeMotion& set_right) {
  T smallest = static_cast<T>(1e300);
  TwoHandles<T>* top = block.stack;
  ClosedNode<T>* kept = block.kept;
  for (const BinaryStep* step = data.steps; step != data.last_step; ++step) {
    if (step->middle < 0) {
      const int i = step->first;
      set_leaf_matrix(block.leaves[i], block.turns[i + 1].cosine, block.turns[i + 1].sine, *top);
      set_right(i, *top);
      ++top;
    } else {
      --top;
      close_node(top[-1], *top, *kept++, smallest);
    }
  }
  return smallest_lane(smallest);
}

template <typename T>
double assemble_momenta(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  scan_moments(block);
  return assemble(data, block, [&](int i, TwoHandles<T>& node) MBDBENCH_INLINED {
    const LinkConstants<T>& next = block.links[i + 1];
    const LinkTwist<T> v = moved_by(block.leaves[i], active_pair(next, block.rates[i], block.at(block.rates, i + 1)));
    set_right_side(v, next, block.turns[i + 1].cosine, block.turns[i + 1].sine, block.hangs(i), node);
  });
}

/// What angular velocities need, recomputed from the lane's end inward.
template <typename T>
MBDBENCH_KERNEL void set_inputs(const BinaryView<T>& block) {
  LinkVector<T> omega = rotated_inward(block.links[block.length], block.turns[block.length].cosine,
                                       block.turns[block.length].sine, block.exchange->omega);
  for (int i = block.length - 1; i >= 0; --i) {
    const LinkConstants<T>& link = block.links[i];
    const T c = block.turns[i].cosine;
    const T s = block.turns[i].sine;
    BodyInput<T>& input = block.inputs[i];
    input.needed = needed_wrench(link, omega);
    omega.z -= block.rates[i];
    const LinkVector<T> inboard = rotated_inward(link, c, s, omega);
    input.product = velocity_product(link, c, s, inboard, omega, block.rates[i]);
    omega = inboard;
  }
}

template <typename T>
double assemble_accelerations(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  set_inputs(block);
  return assemble(data, block, [&](int i, TwoHandles<T>& node) MBDBENCH_INLINED {
    const LinkConstants<T>& next = block.links[i + 1];
    const BodyInput<T>& input = block.inputs[i];
    LinkWrench<T> wrench = active_pair(next, block.forces[i], block.at(block.forces, i + 1));
    subtract_wrench(input.needed, wrench);
    set_right_side(moved_by(block.leaves[i], wrench), next, block.turns[i + 1].cosine, block.turns[i + 1].sine,
                   block.hangs(i), node);
    // D^T (V_b - V_a) = r, r = D^T of what the joint's rate adds.
    node.right[0] -= input.product.centripetal.x;
    node.right[1] -= input.product.centripetal.y;
    node.right[2] -= input.product.centripetal.z;
    node.right[3] -= input.product.turned_x;
    node.right[4] -= input.product.turned_y;
  });
}

template <typename T>
void disassemble(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  const ClosedNode<T>* kept = block.kept + (block.length - 1);
  for (const BinaryStep* step = data.last_step; step-- != data.steps;) {
    if (step->middle >= 0) {
      open_node(*--kept, block.sigma + kHandleRows * step->first, block.sigma + kHandleRows * step->last,
                block.sigma + kHandleRows * step->middle);
    }
  }
}

/// \returns D sigma + H a at handle i: what the inboard link gives link i.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> wrench_at(const BinaryView<T>& block, int i, const T& active) {
  const T* const sigma = block.sigma + kHandleRows * i;
  return {sigma[0], sigma[1], sigma[2], sigma[3], sigma[4], active};
}

template <typename T>
void momenta(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  LinkWrench<T> outboard = wrench_at(block, block.length, *block.behind);
  LinkVector<T> moment = block.exchange->moment;
  LinkVector<T> gravity = block.exchange->gravity;
  T turning = static_cast<T>(0.0);  // of the next link about its axis
  for (int i = block.length - 1; i >= 0; --i) {
    const LinkConstants<T>& next = block.links[i + 1];
    const T c = block.turns[i + 1].cosine;
    const T s = block.turns[i + 1].sine;
    moment = rotated_inward(next, c, s, moment);
    moment.x += next.outboard_mass * next.px;
    moment.y += next.outboard_mass * next.py;
    gravity = rotated_inward(next, c, s, gravity);
    const LinkConstants<T>& link = block.links[i];
    moment.x += link.hx;
    moment.y += link.hy;
    moment.z += link.hz;
    const LinkWrench<T> momentum = wrench_at(block, i, block.rates[i]);  // Pbar [Chadaj2017, Eq. (10)]
    LinkWrench<T> sum = momentum;
    subtract_wrench(carried_inward(next, c, s, outboard), sum);
    const LinkTwist<T> motion = moved_by(block.leaves[i], sum);
    const LinkVector<T>& v = motion.linear;
    const LinkVector<T>& w = motion.angular;
    const T given = next.cos_alpha * w.z - next.sin_alpha * w.y;
    (i + 1 < block.length ? block.results[i + 1] : *block.distal) = i + 1 < block.length ? turning - given : given;
    turning = w.z;
    // H^T (Q^ - Sdot Pbar) + Hdot^T Pbar in the link's frame [Chadaj2015, Eq. (41)], [Chadaj2017, Eq. (77)].
    block.momentum_rates[i] = (moment.x * gravity.y - moment.y * gravity.x) - (v.x * momentum.fy - v.y * momentum.fx) -
                              (w.x * momentum.ny - w.y * momentum.nx);
    outboard = momentum;
  }
  block.results[0] = turning;
}

template <typename T>
void accelerations(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  LinkWrench<T> outboard = wrench_at(block, block.length, *block.behind);
  T turning = static_cast<T>(0.0);
  for (int i = block.length - 1; i >= 0; --i) {
    const LinkConstants<T>& next = block.links[i + 1];
    const LinkWrench<T> wrench = wrench_at(block, i, block.forces[i]);
    LinkWrench<T> sum = wrench;
    subtract_wrench(carried_inward(next, block.turns[i + 1].cosine, block.turns[i + 1].sine, outboard), sum);
    subtract_wrench(block.inputs[i].needed, sum);
    const LinkVector<T> w = moved_by(block.leaves[i], sum).angular;
    const T given = next.cos_alpha * w.z - next.sin_alpha * w.y;
    (i + 1 < block.length ? block.results[i + 1] : *block.distal) = i + 1 < block.length ? turning - given : given;
    turning = w.z;
    outboard = wrench;
  }
  block.results[0] = turning;
}

/// \returns the sweeps in registers of W doubles.
template <int W>
constexpr BinarySweeps sweeps() {
  using T = Pack<ChainSweeps::kLanes, W>;
  return {assemble_momenta<T>, assemble_accelerations<T>, disassemble<T>, momenta<T>, accelerations<T>};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::binary_sweeps
