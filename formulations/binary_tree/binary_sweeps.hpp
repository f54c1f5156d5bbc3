#pragma once
/// \file
/// The sweeps over a block of binary trees: compiled once an instruction set (binary_sweeps_for_sets.cpp).
///
/// Momenta: leaves and nodes are made, with turns and first moments of what they hold; closed above; opened, gravity
/// and first moments handed down; then u and p' of every link by itself. Accelerations: the same for angular velocities
/// first. No sweep runs along the links: kinematics and the papers' inward sums [Chadaj2015, Eq. (42)-(44)],
/// [Chadaj2017, Eq. (70)-(76)] are upward and downward passes of the same tree.
#include "formulations/binary_tree/binary_block.hpp"
#include "formulations/kernels/chains/turns.hpp"
#include "formulations/kernels/vectors.hpp"

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
  TurnScan<T>* scans;
  TurnScan<T>* passed;
  HandleVectors<T>* vectors;
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
          reinterpret_cast<TurnScan<T>*>(b.scans),
          reinterpret_cast<TurnScan<T>*>(b.passed),
          reinterpret_cast<HandleVectors<T>*>(b.vectors),
          reinterpret_cast<const T*>(b.behind),
          reinterpret_cast<T*>(b.distal)};
}

/// A turn with its third column.
template <typename T>
struct WholeTurn {
  MBDBENCH_KERNEL explicit WholeTurn(const TurnScan<T>& scan) : x(scan.x), y(scan.y), z(cross(scan.x, scan.y)) {}
  MBDBENCH_KERNEL LinkVector<T> operator*(const LinkVector<T>& r) const {
    return {x.x * r.x + y.x * r.y + z.x * r.z, x.y * r.x + y.y * r.y + z.y * r.z, x.z * r.x + y.z * r.y + z.z * r.z};
  }
  LinkVector<T> x, y, z;
};

/// The turn of one link: from the next link's frame to its own, and what it adds to a vector that comes from there.
template <typename T>
MBDBENCH_KERNEL TurnScan<T> link_scan(const BinaryView<T>& block, int i, const LinkVector<T>& added) {
  const LinkConstants<T>& next = block.links[i + 1];
  const SineCosine<T>& turn = block.turns[i + 1];
  const T zero = static_cast<T>(0.0);
  const T one = static_cast<T>(1.0);
  return {rotated_inward(next, turn.cosine, turn.sine, LinkVector<T>{one, zero, zero}),
          rotated_inward(next, turn.cosine, turn.sine, LinkVector<T>{zero, one, zero}), added};
}

/// First moment of a link, those outboard of it counted where they hang.
template <typename T>
MBDBENCH_KERNEL LinkVector<T> first_moment(const BinaryView<T>& block, int i) {
  const LinkConstants<T>& link = block.links[i];
  const LinkConstants<T>& next = block.links[i + 1];
  return {link.hx + next.outboard_mass * next.px, link.hy + next.outboard_mass * next.py, link.hz};
}

/// `inboard` becomes both parts together: r -> R_A (R_B r + c_B) + c_A.
template <typename T>
MBDBENCH_KERNEL void join_scans(TurnScan<T>& inboard, const TurnScan<T>& outboard) {
  const WholeTurn<T> turn(inboard);
  inboard = {turn * outboard.x, turn * outboard.y, plus(turn * outboard.carried, inboard.carried)};
}

/// H a - X H b: what the active parts of a link's two joints do to it.
template <typename T>
MBDBENCH_KERNEL LinkWrench<T> active_pair(const LinkConstants<T>& next, const T& own, const T& outboard) {
  const T zero = static_cast<T>(0.0);
  return {zero, zero, zero, zero, next.sin_alpha * outboard, own - next.cos_alpha * outboard};
}

/// Leaves and nodes. \param set_right gives leaf i its right side \tparam moments whether first moments are summed
template <bool kMoments, typename T, typename SetRight>
MBDBENCH_KERNEL double assemble(const BinaryBlock& data, const BinaryView<T>& block, const SetRight& set_right) {
  T smallest = static_cast<T>(1e300);
  TwoHandles<T>* top = block.stack;
  TurnScan<T>* scan = block.scans;
  TurnScan<T>* passed = block.passed;
  ClosedNode<T>* kept = block.kept;
  for (const BinaryStep* step = data.steps; step != data.last_step; ++step) {
    if (step->middle < 0) {
      const int i = step->first;
      set_leaf_matrix(block.leaves[i], block.turns[i + 1].cosine, block.turns[i + 1].sine, *top);
      set_right(i, *top);
      ++top;
      if constexpr (kMoments) {
        *scan++ = link_scan(block, i, first_moment(block, i));
      }
    } else {
      --top;
      close_node(top[-1], *top, *kept++, smallest);
      if constexpr (kMoments) {
        --scan;
        *passed = *scan;
        join_scans(scan[-1], *passed++);
      }
    }
  }
  if constexpr (kMoments) {
    *block.scan = block.scans[0];
  }
  return smallest_lane(smallest);
}

template <typename T>
double assemble_momenta(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  return assemble<true>(data, block, [&](int i, TwoHandles<T>& node) MBDBENCH_INLINED {
    const LinkConstants<T>& next = block.links[i + 1];
    const LinkTwist<T> v = moved_by(block.leaves[i], active_pair(next, block.rates[i], block.at(block.rates, i + 1)));
    set_right_side(v, next, block.turns[i + 1].cosine, block.turns[i + 1].sine, block.hangs(i), node);
  });
}

template <typename T>
void scan_rates(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  const T zero = static_cast<T>(0.0);
  TurnScan<T>* scan = block.scans;
  TurnScan<T>* passed = block.passed;
  for (const BinaryStep* step = data.steps; step != data.last_step; ++step) {
    if (step->middle < 0) {
      // The angular velocity inboard of a link is that outboard of it without its own rate.
      *scan++ = link_scan(block, step->first, {zero, zero, zero - block.rates[step->first]});
    } else {
      --scan;
      *passed = *scan;
      join_scans(scan[-1], *passed++);
    }
  }
  // The other way round for those that look outward: omega' = R^T omega - R^T c.
  const WholeTurn<T> turn(block.scans[0]);
  const LinkVector<T>& c = block.scans[0].carried;
  const auto back = [&](const LinkVector<T>& column)
                        MBDBENCH_INLINED { return zero - (column.x * c.x + column.y * c.y + column.z * c.z); };
  *block.scan = {
      {turn.x.x, turn.y.x, turn.z.x}, {turn.x.y, turn.y.y, turn.z.y}, {back(turn.x), back(turn.y), back(turn.z)}};
}

/// Hands down what crosses the handles, from the lane's distal one. \tparam kBoth moments and gravity, or angular
/// velocities in the place of moments
template <bool kBoth, typename T>
MBDBENCH_KERNEL void hand_down(const BinaryBlock& data, const BinaryView<T>& block) {
  const TurnScan<T>* passed = block.passed + (block.length - 1);
  for (const BinaryStep* step = data.last_step; step-- != data.steps;) {
    if (step->middle >= 0) {
      --passed;
      const WholeTurn<T> turn(*passed);
      const HandleVectors<T>& from = block.vectors[step->last];
      HandleVectors<T>& to = block.vectors[step->middle];
      to.moment = plus(turn * from.moment, passed->carried);
      if constexpr (kBoth) {
        to.gravity = turn * from.gravity;
      }
    }
  }
}

/// What angular velocities need, of every link by itself.
template <typename T>
MBDBENCH_KERNEL void set_inputs(const BinaryBlock& data, const BinaryView<T>& block) {
  block.vectors[block.length].moment = block.exchange->omega;
  hand_down<false>(data, block);
  for (int i = 0; i < block.length; ++i) {
    const LinkConstants<T>& next = block.links[i + 1];
    const LinkConstants<T>& link = block.links[i];
    const LinkVector<T> omega =
        rotated_inward(next, block.turns[i + 1].cosine, block.turns[i + 1].sine, block.vectors[i + 1].moment);
    BodyInput<T>& input = block.inputs[i];
    input.needed = needed_wrench(link, omega);
    const T& rate = block.rates[i];
    const LinkVector<T> carried{omega.x, omega.y, omega.z - rate};
    const T& c = block.turns[i].cosine;
    const T& s = block.turns[i].sine;
    input.product = velocity_product(link, c, s, rotated_inward(link, c, s, carried), carried, rate);
  }
}

template <typename T>
double assemble_accelerations(const BinaryBlock& data) {
  const BinaryView<T> block = view_of<T>(data);
  set_inputs(data, block);
  return assemble<false>(data, block, [&](int i, TwoHandles<T>& node) MBDBENCH_INLINED {
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
  block.vectors[block.length] = {block.exchange->moment, block.exchange->gravity};
  hand_down<true>(data, block);
  T turning = static_cast<T>(0.0);  // of the next link about its axis
  for (int i = block.length - 1; i >= 0; --i) {
    const LinkConstants<T>& next = block.links[i + 1];
    const T c = block.turns[i + 1].cosine;
    const T s = block.turns[i + 1].sine;
    const LinkVector<T> moment = plus(rotated_inward(next, c, s, block.vectors[i + 1].moment), first_moment(block, i));
    const LinkVector<T> gravity = rotated_inward(next, c, s, block.vectors[i + 1].gravity);
    const LinkWrench<T> momentum = wrench_at(block, i, block.rates[i]);  // Pbar [Chadaj2017, Eq. (10)]
    LinkWrench<T> sum = momentum;
    subtract_wrench(carried_inward(next, c, s, outboard), sum);
    const LinkTwist<T> motion = moved_by(block.leaves[i], sum);
    const LinkVector<T>& v = motion.linear;
    const LinkVector<T>& w = motion.angular;
    const T given = next.cos_alpha * w.z - next.sin_alpha * w.y;
    (i + 1 < block.length ? block.results[i + 1] : *block.distal) = i + 1 < block.length ? turning - given : given;
    turning = w.z;
    // H^T (Q^ - Sdot Pbar) + Hdot^T Pbar in the link's frame [Chadaj2015, Eq. (45)], [Chadaj2017, Eq. (77)].
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
BinarySweeps sweeps() {
  using T = Pack<ChainSweeps::kLanes, W>;
  return {scan_rates<T>, assemble_momenta<T>, assemble_accelerations<T>, disassemble<T>, momenta<T>, accelerations<T>};
}

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::binary_sweeps
