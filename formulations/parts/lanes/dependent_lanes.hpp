#pragma once
/// \file
/// What reduced momenta of loops need beside momenta [Naudet2005]: B^T p' (DependentJoints), a lane a state.
///
///   B^T p' = p' + Phi_q^T nu  with  Phi_d^T nu = -p'_d,  nu = 0 but in rows that are pivots of Phi_d
///
/// Every lane chooses its pivots among the rows as DependentJoints does. Where rows are redundant and two could be
/// chosen either way by rounding, a lane is doubtful, and so it is next to a singular position of the dependent joints.
///
/// Cost: m d^2 operations for d dependent components and m rows, and as many selections.
#include "formulations/parts/lanes/closing_lanes.hpp"
#include "formulations/parts/lanes/cut_lanes.hpp"

namespace mbdbench::loop_sweeps {

// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// Below this share of the largest pivot a state goes alone: ten times what stops it there (kDependentSingular).
inline constexpr double kDependentsForSure = 1e-9;

template <typename T>
MBDBENCH_KERNEL T magnitude(const T& value) {
  return where_less(value, T(0.0), -value, value);
}

template <typename T>
struct DependentLanes {
  int m;
  int d;
  T* phi;     ///< Phi_d,s, m rows of d; then multiples of pivots
  T* pivots;  ///< rows that were pivots, d of d, their own multiples before the diagonal, which is inverted
  T* index;   ///< which row each was; d
  T* left;    ///< 1 where a row has not been a pivot; m
  T* solution;

  MBDBENCH_KERNEL explicit DependentLanes(const LoopData& data) : m(data.dependent_rows), d(data.dependent_count) {
    phi = reinterpret_cast<T*>(data.dependent_matrices);
    pivots = phi + m * d;
    index = pivots + d * d;
    left = index + d;
    solution = left + m;
  }

  MBDBENCH_KERNEL void set_entries(const LoopData& data, const PartData<T>& part) {
    for (int k = 0; k < m * d; ++k) {
      phi[k] = T(0.0);
    }
    for (int r = 0; r < data.reach_count; ++r) {
      const LaneReach& reach = data.reaches[r];
      T* const to = phi + data.first_rows[reach.loop] * d + reach.column;
      if (reach.row < 0) {
        to[0] = T(reach.factor);
        continue;
      }
      const RowPose<T>& pose = pose_at<T>(data, reach.row);
      const CutPlace<T>& place = place_of<T>(data, reach.loop);
      const LinkVector<T> about = turned(pose.axes, in_lanes<T>(reach.about));
      const LinkVector<T> along = turned(pose_of<T>(data, reach.along_in).axes, in_lanes<T>(reach.along));
      const LinkVector<T> linear = plus(along, cross(about, minus(place.point, pose.origin)));
      for (int i = 0; i < part.loop_rows[reach.loop]; ++i) {
        const double factor = reach.factor * data.row_scales[data.first_rows[reach.loop] + i];
        to[i * d] = T(factor) * (dot(place.force[i], linear) + dot(place.moment[i], about));
      }
    }
  }

  MBDBENCH_KERNEL void factorise(LaneVerdict<T>& verdict) {
    T smallest = T(1e300);
    T largest = T(0.0);
    T apart = T(1.0);
    for (int i = 0; i < m; ++i) {
      left[i] = T(1.0);
    }
    for (int k = 0; k < d; ++k) {
      T* const row = pivots + k * d;
      T best = T(-1.0);
      T next = T(-1.0);
      T chosen = T(0.0);
      for (int i = 0; i < m; ++i) {
        const T size = where_less(T(0.5), left[i], magnitude(phi[i * d + k]), T(-1.0));
        for (int j = 0; j < d; ++j) {
          row[j] = where_less(best, size, phi[i * d + j], row[j]);
        }
        chosen = where_less(best, size, T(i), chosen);
        next = where_less(best, size, best, where_less(next, size, size, next));
        best = where_less(best, size, size, best);
      }
      verdict.see(row[k]);
      smallest = smaller(best, smallest);
      largest = where_less(largest, best, best, largest);
      apart = smaller(T(1.0) - next / best, apart);
      index[k] = chosen;
      row[k] = T(1.0) / row[k];
      for (int i = 0; i < m; ++i) {
        const T away = (T(i) - chosen) * (T(i) - chosen);
        left[i] = where_less(away, T(0.25), T(0.0), left[i]);
        const T multiple = phi[i * d + k] * row[k] * left[i];
        phi[i * d + k] = multiple;
        for (int j = k + 1; j < d; ++j) {
          phi[i * d + j] -= multiple * row[j];
        }
      }
    }
    verdict.see_pivot(smallest - T(kDependentsForSure) * largest);
    verdict.see_pivot(m > d ? apart - T(kAlike) : T(1.0));
  }

  /// nu of every loop. \param rates p'
  MBDBENCH_KERNEL void solve(const LoopData& data, const PartData<T>& part, const T* rates, T* multipliers) {
    for (int k = 0; k < d; ++k) {
      T sum = T(data.dependent_scales[k]) * rates[data.dependents[k]];
      for (int j = 0; j < k; ++j) {
        sum -= pivots[j * d + k] * solution[j];
      }
      solution[k] = sum * pivots[k * d + k];
    }
    for (int k = d; k-- > 0;) {
      for (int j = k + 1; j < d; ++j) {
        solution[k] -= pivots[j * d + k] * solution[j];
      }
    }
    for (int loop = 0; loop < data.loop_count; ++loop) {
      for (int i = 0; i < part.loop_rows[loop]; ++i) {
        const int row = data.first_rows[loop] + i;
        T sum = T(0.0);
        for (int k = 0; k < d; ++k) {
          const T away = (T(row) - index[k]) * (T(row) - index[k]);
          sum += where_less(away, T(0.25), solution[k], T(0.0));
        }
        multipliers[static_cast<long>(loop) * kLoopLanes + i] = T(-data.row_scales[row]) * sum;
      }
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
