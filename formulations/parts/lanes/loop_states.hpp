#pragma once
/// \file
/// What accelerations and momenta of many states of a mechanism with loops have in common, a lane a state: closing at
/// the positions, and one right side on the sweeps over a part (part_sweeps.hpp). A lane never leaves early: what fails
/// or is doubtful is seen at the end.
///
/// Inlined for the reason that lane_sweeps.hpp has.
#include "formulations/parts/lanes/closing_lanes.hpp"
#include "formulations/parts/lanes/cut_lanes.hpp"
#include "formulations/parts/sweeps/part_sweeps.hpp"

namespace mbdbench::loop_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \returns a view of memory of packs, from one that counts it in numbers.
template <typename View, typename Numbers>
MBDBENCH_KERNEL View in_packs(const Numbers& numbers) {
  return __builtin_bit_cast(View, numbers);
}

template <int W>
struct LoopStates {
  using T = Pack<W, W>;
  using Sweeps = part_sweeps::Sweeps<part_sweeps::StateLanes<W>>;
  using Part = PartData<T>;
  using Side = PartRightSide<T>;

  static MBDBENCH_KERNEL void prepare(const LoopData& data, const PassedJoint<double>* joints, int count) {
    const Part part = in_packs<Part>(data.part);
    for (int k = 0; k < count; ++k) {
      part.joints[k].direction_count = joints[k].direction_count;
      part.joints[k].directions[0].component = 5;  // of turns; others are described anew
    }
    RowPose<T>& ground = pose_at<T>(data, part.row_count);
    ground.axes = in_lanes<T>(kernels::Matrix3<double>{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
  }

  /// The part, whose sweeps tell a verdict what they see.
  static MBDBENCH_KERNEL Part part_with(const LoopData& data, LaneVerdict<T>& verdict) {
    Part part = in_packs<Part>(data.part);
    part.verdict = &verdict;
    return part;
  }

  /// What was seen in the passes before (LoopPasses).
  static MBDBENCH_KERNEL LaneVerdict<T>& seen(const LoopData& data) {
    return *reinterpret_cast<LaneVerdict<T>*>(data.seen);
  }

  /// A state whose own numbers or rates are not finite is not sound either.
  static MBDBENCH_KERNEL void judge(const LaneData& tree, LaneVerdict<T>& verdict) {
    for (int k = 0; k < tree.q_count + tree.u_count; ++k) {
      verdict.see(packs<T>(tree.rates)[k]);
      verdict.see(packs<T>(tree.state)[k]);
    }
    *packs<T>(tree.verdict) = verdict.result();
  }

  /// Inertias and loops, outboard ones first.
  static MBDBENCH_KERNEL void close_positions(const LoopData& data, const Part& part, LaneVerdict<T>& verdict) {
    clear_positions(data, part);
    start_cuts(data, part);
    eliminate(data, part, verdict);
  }

  static MBDBENCH_KERNEL void clear_positions(const LoopData& data, const Part& part) {
    for (int k = 0; k < data.cleared_row_count; ++k) {
      part.inertias[data.cleared_rows[k]] = lane_sweeps::no_inertia<T>();
    }
    clear(part.products, static_cast<long>(data.product_count) * kLoopLanes);
    for (int k = 0; k < data.cleared_place_count; ++k) {
      clear(part.columns + static_cast<long>(6 * data.cleared_places[k]) * kLoopLanes, 6L * kLoopLanes);
    }
  }

  static MBDBENCH_KERNEL void start_cuts(const LoopData& data, const Part& part) {
    for (int c = 0; c < data.cut_count; ++c) {
      if (data.cuts[c].apart < 0) {
        place_cut<T>(data, c);
      }
      if (data.columns_b[c] >= 0) {
        start_columns(data, part, c, data.cuts[c].b.row, data.columns_b[c], 1.0, false);
      }
      if (data.columns_a[c] >= 0) {
        start_columns(data, part, c, data.cuts[c].a.row, data.columns_a[c], -1.0,
                      data.columns_a[c] == data.columns_b[c]);
      }
    }
  }

  static MBDBENCH_KERNEL void eliminate(const LoopData& data, const Part& part, LaneVerdict<T>& verdict) {
    int last = part.row_count;
    for (int c = 0; c <= data.closing_count; ++c) {
      const bool at_link = c < data.closing_count && part.closings[c].row >= 0;
      const int first = at_link ? part.closings[c].row + 1 : 0;
      Sweeps::eliminate(part, first, last);
      last = first;
      if (c < data.closing_count) {
        close(data, part, c, verdict);
      }
    }
  }

  static MBDBENCH_KERNEL void clear(T* values, long count) {
    for (long i = 0; i < count; ++i) {
      values[i] = T(0.0);
    }
  }

  static MBDBENCH_KERNEL void close(const LoopData& data, const Part& part, int which, LaneVerdict<T>& verdict) {
    const LoopClosing& closing = part.closings[which];
    const LaneClosing& limits = data.closings[which];
    ClosingLanes<T> factors(packs<T>(data.matrices), closing.rows, limits.most);
    const int* block = data.closing_blocks + limits.first_block;
    int row = 0;
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      const int loop = part.closed_loops[l];
      const int rows = part.loop_rows[loop];
      int column = 0;
      for (int k = closing.first_loop; k <= l; ++k) {
        const T* const products = part.products + static_cast<long>(*block++) * kLoopLanes;
        const int columns = part.loop_rows[part.closed_loops[k]];
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < (k == l ? i + 1 : columns); ++j) {
            factors.a[(row + i) * closing.rows + column + j] = products[i * kLoopLanes + j];
          }
        }
        column += columns;
      }
      set_negligible(data, part, loop, packs<T>(data.smallest) + row);
      row += rows;
    }
    factors.scale_rows(packs<T>(data.smallest), data.units + limits.first_row, limits.unit_count, verdict);
    factors.factorise(verdict);
    factors.express();
    factors.write_half(part.halves + closing.half);
    if (closing.row >= 0) {
      Sweeps::close(part, which);
    }
  }

  /// What the way of a cut joint adds to the sums by which its rows count as zero.
  struct WaySize {
    T slides = T(0.0);
    T turns = T(0.0);
    T levers = T(0.0);
  };

  static MBDBENCH_KERNEL WaySize way_size(const LoopData& data, const Part& part, int loop) {
    const LinkVector<T>* const origins = reinterpret_cast<const LinkVector<T>*>(data.origins);
    WaySize size;
    for (int w = data.way_starts[loop]; w < data.way_starts[loop + 1]; ++w) {
      const int i = data.ways[w];
      const PassedJoint<T>& joint = part.joints[part.parts[i].joint];
      T turning = T(0.0);
      for (int d = 0; d < joint.direction_count; ++d) {
        (joint.directions[d].component < 3 ? size.slides : turning) += joint.directions[d].inverse;
      }
      size.turns += turning;
      const LinkVector<T> way = minus(place_of<T>(data, loop).point, origins[i]);
      const T least = T(data.cuts[loop].unit * data.cuts[loop].unit);
      const T square = dot(way, way);
      size.levers += turning * where_less(square, least, least, square);
    }
    return size;
  }

  /// The diagonal entries of C at which rows of a loop count as zero (PartRecursion::set_negligible).
  static MBDBENCH_KERNEL void set_negligible(const LoopData& data, const Part& part, int loop, T* smallest) {
    const T share = T(data.zero_row);
    if (loop >= data.cut_count) {
      T factors = T(0.0);
      for (int w = data.way_starts[loop]; w < data.way_starts[loop + 1]; ++w) {
        const PartRow& own = part.parts[data.ways[w]];
        factors += factor_size(part, own, part.joints[own.joint], loop);
      }
      smallest[0] = share * factors;
      return;
    }
    const WaySize size = way_size(data, part, loop);
    const CutPlace<T>& place = place_of<T>(data, loop);
    for (int row = 0; row < part.loop_rows[loop]; ++row) {
      smallest[row] = share * (dot(place.force[row], place.force[row]) * (size.slides + size.levers + size.levers) +
                               T(2.0) * dot(place.moment[row], place.moment[row]) * size.turns);
    }
  }

  static MBDBENCH_KERNEL T factor_size(const Part& part, const PartRow& own, const PassedJoint<T>& joint, int loop) {
    T sum = T(0.0);
    for (int p = own.first_pass; p < own.last_pass; ++p) {
      const LoopPass& through = part.passes[p];
      for (int d = 0; through.loop == loop && through.factors >= 0 && d < joint.direction_count; ++d) {
        const double factor = part.factors[through.factors + d];
        sum += T(factor * factor) * joint.directions[d].inverse;
      }
    }
    return sum;
  }

  static MBDBENCH_KERNEL T coupling_rate(const LoopData& data, int loop, const T* u) {
    const int coupling = loop - data.cut_count;
    T rate = T(0.0);
    for (int k = data.term_starts[coupling]; k < data.term_starts[coupling + 1]; ++k) {
      rate += T(data.terms[k].factor) * u[data.terms[k].u];
    }
    return rate;
  }

  static MBDBENCH_KERNEL T coupling_residual(const LoopData& data, int loop) {
    const int coupling = loop - data.cut_count;
    T sum = T(-data.coupling_values[coupling]);
    for (int k = data.term_starts[coupling]; k < data.term_starts[coupling + 1]; ++k) {
      sum += T(data.terms[k].factor) * packs<T>(data.tree.state)[data.terms[k].q];
    }
    return sum;
  }

  /// \returns what `driven` adds to the rate of a coupling.
  static MBDBENCH_KERNEL T prescribed_rate(const LoopData& data, int loop) {
    const int coupling = loop - data.cut_count;
    T rate = T(0.0);
    for (int k = data.term_starts[coupling]; k < data.term_starts[coupling + 1]; ++k) {
      if (data.terms[k].motion >= 0) {
        rate += T(data.terms[k].factor) * packs<T>(data.driven)[data.terms[k].motion];
      }
    }
    return rate;
  }

  /// The same rates of prescribed motions in all lanes. \returns them; nullptr where there are none
  static MBDBENCH_KERNEL const T* drive(const LoopData& data, const double* rates) {
    for (int m = 0; m < data.motion_count; ++m) {
      packs<T>(data.driven)[m] = T(rates[m]);
    }
    return data.motion_count > 0 ? packs<T>(data.driven) : nullptr;
  }

  static MBDBENCH_KERNEL void clear_wrenches(const Side& side, const int* rows, int count) {
    for (int k = 0; k < count; ++k) {
      side.wrenches[rows[k]] = lane_sweeps::no_wrench<T>();
    }
  }

  static MBDBENCH_KERNEL void solve(const LoopData& data, const Part& part, const Side& side) {
    solve_inward(data, part, side);
    Sweeps::outward(part, side);
  }

  /// As far as the multipliers of loops that are closed at the ground.
  static MBDBENCH_KERNEL void solve_inward(const LoopData& data, const Part& part, const Side& side) {
    clear(side.rates, static_cast<long>(data.rate_count) * kLoopLanes);
    Sweeps::inward(part, side);
    if (data.closing_count > 0 && part.closings[data.closing_count - 1].row < 0) {
      close_at_ground(part, part.closings[data.closing_count - 1], side);
    }
  }

  /// F = H^T H (w - v).
  static MBDBENCH_KERNEL void close_at_ground(const Part& part, const LoopClosing& closing, const Side& side) {
    for (int l = closing.first_loop; l < closing.last_loop; ++l) {
      clear(side.multipliers + static_cast<long>(part.closed_loops[l]) * kLoopLanes, kLoopLanes);
    }
    for (int i = 0; i < closing.rank; ++i) {
      const T* const half = part.halves + closing.half + static_cast<long>(i) * closing.rows;
      T sum = T(0.0);
      int row = 0;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const long at = static_cast<long>(part.closed_loops[l]) * kLoopLanes;
        for (int j = 0; j < part.loop_rows[part.closed_loops[l]]; ++j) {
          sum += half[row++] * (side.wanted[at + j] - side.rates[at + j]);
        }
      }
      row = 0;
      for (int l = closing.first_loop; l < closing.last_loop; ++l) {
        const long at = static_cast<long>(part.closed_loops[l]) * kLoopLanes;
        for (int j = 0; j < part.loop_rows[part.closed_loops[l]]; ++j) {
          side.multipliers[at + j] += half[row++] * sum;
        }
      }
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
