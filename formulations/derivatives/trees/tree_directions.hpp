#pragma once
/// \file
/// Directions of the state through a linearised tree, a lane a direction (tree_slopes.hpp).
#include "formulations/derivatives/direction_starts.hpp"
#include "formulations/derivatives/in_place.hpp"

namespace mbdbench::linear {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \tparam W doubles a register of the instruction set \tparam T a pack of registers, or double
template <int W, typename T>
struct TreeDirections {
  using O = LaneOffsets;
  static constexpr int kLanes = kernels::Lanes<T>::kCount;
  static constexpr bool kOne = kLanes == 1;
  // What is known of a node in one pass over the tree; without it the numbers are not set.
  enum Flag : unsigned char { starts = 1, moves = 2, reached = 4, lives = 8, weighs = 16, collected = 32 };

  static MBDBENCH_KERNEL T* lanes_of(const LinearData& data, int node) {
    return packs<T>(data.lanes) + static_cast<long>(kOne ? O::kSizeOfOne : O::kSize) * node;
  }
  static MBDBENCH_KERNEL bool has(const LinearData& data, int node, int flags) {
    return node >= 0 && (data.flags[node] & flags) != 0;
  }

  // ---- Where directions start.

  static MBDBENCH_KERNEL void clear(const LinearData& data) {
    for (int i = 0; i < data.node_count; ++i) {
      data.flags[i] = 0;
    }
  }

  // Nothing moves by a momentum alone.
  static MBDBENCH_KERNEL bool is_motion(const LinearData& data, int component) {
    return !data.momenta || component < data.q_count;
  }

  /// A block of as many directions as there are lanes. \param first its first register, counted through all blocks
  static MBDBENCH_KERNEL void start_block(const LinearData& data, int first) {
    using Starts = DirectionStarts<W>;
    constexpr int kRegisters = kLanes / W;
    for (int k = 0; k < kRegisters; ++k) {
      const int column = data.columns[first + k];
      Starts::set(data, column, packs<kernels::Pack<W, W>>(data.block) + k, kRegisters);
      for (int lane = 0; lane < W; ++lane) {
        const int component = Starts::component(data, column, lane);
        data.flags[data.directions[component].node] |= is_motion(data, component) ? starts | moves : starts;
      }
    }
    for (int k = 0; k < O::kStarts; ++k) {
      packs<T>(data.block)[O::kNode + k] = packs<T>(data.starts + static_cast<long>(O::kStarts * W) * first)[k];
    }
  }

  /// Of one direction: its node opens without any. \param i the node
  static MBDBENCH_KERNEL void open(const LinearData& data, int i) {
    if (!has(data, i, starts)) {
      data.flags[i] |= starts;
      for (int k = 0; k < O::kSizeOfOne; ++k) {
        lanes_of(data, i)[k] = 0.0;
      }
      const LinearNode& node = data.nodes[i];
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        data.torques[a] = 0.0;
        data.rates[a] = 0.0;
      }
    }
  }

  static MBDBENCH_KERNEL double* started_of(const LinearData& data, int i) { return lanes_of(data, i) + O::kStarted; }

  /// One direction that displaces a node.
  static MBDBENCH_KERNEL void start(const LinearData& data, int i, const Displacement<double>& displacement) {
    open(data, i);
    data.flags[i] |= moves;
    double* const own = started_of(data, i);
    in_place::put(displacement.motion, own + O::kMotion);
    in_place::put(displacement.turn, own + O::kTurn);
    in_place::put(displacement.wrench, own + O::kWrench);
    if (data.momenta) {
      in_place::put(displacement.moment, own + O::kMoment);
    }
  }

  /// What starts at one node, of all that starts side by side.
  struct Started {
    const LinearData& data;
    int node;
    T mask;

    MBDBENCH_KERNEL Started(const LinearData& all, int i, bool any) : data(all), node(i) {
      if constexpr (!kOne) {
        if (any) {
          mask = equal(O::kNode, i);
        }
      }
    }
    [[nodiscard]] MBDBENCH_KERNEL T equal(int what, int number) const {
      return where_equal(packs<T>(data.block)[what], T(static_cast<double>(number)));
    }
    MBDBENCH_KERNEL void add_to(LinkVector<T>& r, int offset) const {
      if constexpr (kOne) {
        in_place::add(started_of(data, node) + offset, r);
      } else {
        const T* const block = packs<T>(data.block) + offset;
        r.x += mask * block[0];
        r.y += mask * block[1];
        r.z += mask * block[2];
      }
    }
    MBDBENCH_KERNEL void add_to(Screw<T>& r, int offset) const {
      add_to(r.linear, offset);
      add_to(r.angular, offset + 3);
    }
    [[nodiscard]] MBDBENCH_KERNEL T torque(int axis) const {
      if constexpr (kOne) {
        return data.torques[axis];
      } else {
        return equal(O::kAxis, axis) * packs<T>(data.block)[O::kForce];
      }
    }
    [[nodiscard]] MBDBENCH_KERNEL T rate(int axis) const {
      if constexpr (kOne) {
        return data.rates[axis];
      } else {
        return equal(O::kAxis, axis) * packs<T>(data.block)[O::kRate];
      }
    }
  };

  // ---- Forward.

  /// All passes of what has started: changes of u' in accelerations; of u and p' in momenta.
  /// \param ahead called with every quasi-velocity some time before its change is wanted
  template <typename Ahead>
  static MBDBENCH_KERNEL void run(const LinearData& data, const Ahead& ahead) {
    carry(data);
    inward(data);
    outward(data, ahead);
    if (data.momenta) {
      collect(data);
    }
  }

  // Along a chain numbers stay in registers; memory has what other nodes than the next one want.

  /// Outward: what moves as one body with a direction, and what that asks of the axes.
  static MBDBENCH_KERNEL void carry(const LinearData& data) {
    Screw<T> motion = no_screw<T>();
    LinkVector<T> turn = none<T>();
    for (int i = 0; i < data.node_count; ++i) {
      const LinearNode& node = data.nodes[i];
      const bool moved = has(data, node.inboard, moves);
      const bool started = has(data, i, starts);
      if (!moved && !has(data, i, moves)) {
        continue;
      }
      data.flags[i] |= moves;
      T* const own = lanes_of(data, i);
      if (!moved) {
        in_place::clear(motion);
        in_place::clear(turn);
      } else {
        if (node.inboard + 1 != i) {
          const T* const inner = lanes_of(data, node.inboard);
          in_place::get(inner + O::kCarried, motion);
          in_place::get(inner + O::kCarriedTurn, turn);
        }
        in_place::move_outward(node.lever, motion);
      }
      const Started here(data, i, started);
      if (started) {
        here.add_to(motion, O::kMotion);
        here.add_to(turn, O::kTurn);
      }
      if (node.kept) {
        in_place::put(motion, own + O::kCarried);
        in_place::put(turn, own + O::kCarriedTurn);
      }
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        const LinearAxis& axis = data.axes[a];
        T torque = started ? here.torque(a) : T(0.0);
        subtract_dot(axis.composite.linear, motion.linear, torque);
        torque -= dot(axis.composite.angular, motion.angular);
        if (data.momenta) {
          T rate = started ? here.rate(a) : T(0.0);
          rate += dot(axis.coupling, motion) - dot(axis.composite.linear, turn);
          packs<T>(data.rates)[a] = rate;
        } else {
          subtract_dot(axis.turning, turn, torque);
        }
        packs<T>(data.torques)[a] = torque;
      }
    }
  }

  /// Inward: the second half of a solution with M, at nodes that anything reaches.
  static MBDBENCH_KERNEL void inward(const LinearData& data) {
    Screw<T> wrench = no_screw<T>();
    bool passed = false;  // whether `wrench` comes from the next node
    for (int i = data.node_count; i-- > 0;) {
      const LinearNode& node = data.nodes[i];
      const bool started = has(data, i, starts);
      const bool moved = has(data, i, moves);
      const bool asked = started || moved;
      const bool joined = has(data, i, reached);
      if (!asked && !joined && !passed) {
        continue;
      }
      data.flags[i] |= lives;
      if (!passed) {
        in_place::clear(wrench);
      }
      if (joined) {
        in_place::add(lanes_of(data, i) + O::kInward, wrench);
      }
      const Started here(data, i, started);
      for (int a = node.first_axis + node.axis_count; a-- > node.first_axis;) {
        const LinearAxis& axis = data.axes[a];
        T torque = moved ? packs<T>(data.torques)[a] : started ? here.torque(a) : T(0.0);
        subtract_along(axis, wrench, torque);
        packs<T>(data.torques)[a] = torque;
        add(axis.gain, torque, wrench);
      }
      passed = node.inboard >= 0 && node.inboard + 1 == i;
      if (node.inboard >= 0) {
        if (started) {
          here.add_to(wrench, O::kWrench);
        }
        in_place::move_inward(node.lever, wrench);
        if (!passed) {
          join(data, node.inboard, reached, wrench);
        }
      }
    }
  }

  static MBDBENCH_KERNEL void join(const LinearData& data, int node, unsigned char flag, const Screw<T>& more) {
    T* const there = lanes_of(data, node) + O::kInward;
    if (has(data, node, flag)) {
      in_place::add_there(more.linear, there);
      in_place::add_there(more.angular, there + 3);
    } else {
      in_place::put(more, there);
    }
    data.flags[node] |= flag;
  }

  /// Outward: the third; and of rates of momenta, S'_i . R + (I^C S'_i + S_i x* P) . Y + gravity, the part of Y.
  template <typename Ahead>
  static MBDBENCH_KERNEL void outward(const LinearData& data, const Ahead& ahead) {
    T* const changes = packs<T>(data.changes);
    Screw<T> motion = no_screw<T>();
    for (int i = 0; i < data.node_count; ++i) {
      const LinearNode& node = data.nodes[i];
      const bool touched = has(data, i, lives);
      const bool known = has(data, i, kOne ? starts | moves : moves);
      const bool inner_lives = has(data, node.inboard, lives);
      LinearAxis* const axes = data.axes + node.first_axis;
      for (int a = 0; a < node.axis_count; ++a) {
        ahead(axes[a].u);
      }
      if (!touched && !inner_lives) {
        for (int a = 0; a < node.axis_count; ++a) {
          changes[axes[a].u] = T(0.0);
          packs<T>(data.rates)[node.first_axis + a] = T(0.0);
        }
        continue;
      }
      data.flags[i] |= lives;
      if (!inner_lives) {
        in_place::clear(motion);
      } else {
        if (node.inboard + 1 != i) {
          in_place::get(lanes_of(data, node.inboard) + O::kOutward, motion);
        }
        in_place::move_outward(node.lever, motion);
      }
      for (int a = 0; a < node.axis_count; ++a) {
        const LinearAxis& axis = axes[a];
        T change = touched ? axis.inverse * packs<T>(data.torques)[node.first_axis + a] : T(0.0);
        subtract_dot(axis.gain.linear, motion.linear, change);
        change -= dot(axis.gain.angular, motion.angular);
        changes[axis.u] = change;
        // What both branches would multiply alike would be multiplied before them, and added by itself.
        if (axis.slides) {
          add(axis.z, axis.slide * change, motion.linear);
        } else {
          add(axis.z, change, motion.angular);
        }
      }
      if (node.kept) {
        in_place::put(motion, lanes_of(data, i) + O::kOutward);
      }
      for (int a = 0; data.momenta && a < node.axis_count; ++a) {
        const LinearAxis& axis = axes[a];
        T& rate = packs<T>(data.rates)[node.first_axis + a];
        const T more = dot(axis.coupling, motion) - axis.damping * changes[axis.u];
        rate = known ? rate + more : more;
      }
    }
  }

  /// Inward: of the rates of momenta the part of R, what the changes of u give outboard; and of the weight.
  static MBDBENCH_KERNEL void collect(const LinearData& data) {
    Screw<T> momentum = no_screw<T>();
    LinkVector<T> moment = none<T>();
    bool passed = false;
    bool passed_moment = false;
    for (int i = data.node_count; i-- > 0;) {
      if (!has(data, i, lives)) {
        passed = false;
        passed_moment = false;
        continue;
      }
      const LinearNode& node = data.nodes[i];
      T* const own = lanes_of(data, i);
      const bool joined = has(data, i, collected);
      if (!passed) {
        in_place::clear(momentum);
      }
      if (joined) {
        in_place::add(own + O::kInward, momentum);
      }
      const bool weighed = passed_moment || has(data, i, weighs);
      if (!passed_moment) {
        in_place::clear(moment);
      }
      if (has(data, i, weighs)) {
        in_place::add(own + O::kInwardMoment, moment);
      }
      for (int a = node.first_axis; (passed || joined) && a < node.first_axis + node.axis_count; ++a) {
        const LinearAxis& axis = data.axes[a];
        T& rate = packs<T>(data.rates)[a];
        rate += dot(axis.rate, momentum);
        if (weighed && !axis.slides) {
          rate += dot(axis.z, moment);
        }
      }
      passed = node.inboard >= 0 && node.inboard + 1 == i;
      passed_moment = false;
      if (node.inboard < 0) {
        continue;
      }
      for (int a = node.first_axis; a < node.first_axis + node.axis_count; ++a) {
        add(data.axes[a].composite, packs<T>(data.changes)[data.axes[a].u], momentum);
      }
      const bool started = has(data, i, starts);
      if (started) {
        const Started here(data, i, true);
        here.add_to(momentum, O::kWrench);
        here.add_to(moment, O::kMoment);
      }
      in_place::move_inward(node.lever, momentum);
      passed_moment = passed && (started || weighed);
      if (!passed) {
        join(data, node.inboard, collected, momentum);
        if (started || weighed) {
          T* const there = lanes_of(data, node.inboard) + O::kInwardMoment;
          if (has(data, node.inboard, weighs)) {
            in_place::add_there(moment, there);
          } else {
            in_place::put(moment, there);
          }
          data.flags[node.inboard] |= weighs;
        }
      }
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::linear
