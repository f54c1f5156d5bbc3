#pragma once
/// \file
/// Factors of the rows that are closed at one place, a lane a state: what SemidefiniteSolver decides and computes, with
/// the same scaling, pivots and limits, lane by lane, without exchanging rows.
///
///   A_s = s A s = L L^T,  L = E L_1,  A^+ = H^T H,  H = L_1^-1 (E^T E)^-1 E^T s
///
/// with L_1 the rows of L that were pivots, in their order. A column whose pivot counts as zero is zero, and so is its
/// row of H: every lane has a rank of its own. A lane in which a row or a pivot is so close to a limit that rounding
/// could decide is doubtful: who asked takes the state alone.
///
/// Cost: 2 m^2 r operations for m rows and rank r, and as many selections.
#include "formulations/batches/lane_positions.hpp"
#include "formulations/kernels/square_root.hpp"
#include "formulations/parts/lanes/loop_data.hpp"

namespace mbdbench::loop_sweeps {

using namespace kernels;
using lane_sweeps::LaneVerdict;

// Packs start uninitialised, as everywhere in kernels.
// NOLINTBEGIN(cppcoreguidelines-pro-type-member-init)

/// \returns `yes` in lanes where a < b, `no` in others, also where one of both is not a number.
template <int W>
MBDBENCH_KERNEL Pack<W, W> where_less(const Pack<W, W>& a, const Pack<W, W>& b, const Pack<W, W>& yes,
                                      const Pack<W, W>& no) {
  Pack<W, W> result;
  result.value = a.value < b.value ? yes.value : no.value;
  return result;
}

/// Pivots at or below this count as zero (SemidefiniteSolver), and which ones rounding may put on either side: pivots
/// are rounding of 1, divided by those of closings further outboard.
inline constexpr double kSmallestPivot = 1e-12;
inline constexpr double kZeroForSure = 1e-14;
inline constexpr double kPivotForSure = 1e-10;
/// Diagonal entries this close to their limit, as a share of it: sums of squares of numbers that may have lost half of
/// their digits.
inline constexpr double kCloseToLimit = 1e-3;

/// Pivots of rows this alike may be chosen either way, and left over is what is above this.
inline constexpr double kAlike = 1e-6;
inline constexpr double kLeftOver = 1e-13;

template <typename T>
struct ClosingLanes {
  int m;
  int most;
  T* a;         ///< m x m, lower triangle; then L
  T* l;         ///< m rows of `most`
  T* pivots;    ///< L_1, `most` rows of `most`, its diagonal inverted
  T* gram;      ///< Cholesky factor of E^T E, likewise
  T* diagonal;  ///< what is left of it; m
  T* scale;     ///< m
  T* left;      ///< 1 where a row has not been a pivot; m
  T* column;    ///< m
  T* counted;   ///< 1 where the pivot counts; `most`

  MBDBENCH_KERNEL ClosingLanes(T* memory, int rows, int limit) : m(rows), most(limit) {
    a = memory;
    l = a + m * m;
    pivots = l + m * m;
    gram = pivots + m * m;
    diagonal = gram + m * m;
    scale = diagonal + m;
    left = scale + m;
    column = left + m;
    counted = column + m;
  }

  /// Scales A by the largest diagonal entry of every group of one unit.
  MBDBENCH_KERNEL void scale_rows(const T* smallest, const int* units, int unit_count, LaneVerdict<T>& verdict) {
    T* const largest = column;  // not in use yet
    const T zero = T(0.0);
    for (int g = 0; g < unit_count; ++g) {
      largest[g] = zero;
    }
    for (int i = 0; i < m; ++i) {
      const T entry = a[i * m + i];
      verdict.see(entry);
      const T over = entry - smallest[i];
      const T band = T(kCloseToLimit) * smallest[i];
      verdict.see_pivot(where_less(over * over, band * band, T(-1.0), T(1.0)));
      left[i] = where_less(zero, over, T(1.0), zero);
      largest[units[i]] = where_less(largest[units[i]], left[i] * entry, entry, largest[units[i]]);
    }
    for (int g = 0; g < unit_count; ++g) {
      largest[g] = square_root(T(1.0) / where_less(zero, largest[g], largest[g], T(1.0)));
    }
    for (int i = 0; i < m; ++i) {
      scale[i] = left[i] * largest[units[i]];
    }
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j <= i; ++j) {
        a[i * m + j] = a[i * m + j] * scale[i] * scale[j];
      }
      diagonal[i] = where_less(zero, left[i], a[i * m + i], T(-1.0));
    }
  }

  MBDBENCH_KERNEL void factorise(LaneVerdict<T>& verdict) {
    T apart = T(1.0);  // how far apart the pivots of a step have been from the next best ones, as a share
    for (int k = 0; k < most; ++k) {
      T best = diagonal[0];
      T next = T(-1.0);
      T index = T(0.0);
      for (int j = 0; j < m; ++j) {
        column[j] = a[j * m];
      }
      T* const row = pivots + k * most;
      for (int j = 0; j < k; ++j) {
        row[j] = l[j];
      }
      for (int i = 1; i < m; ++i) {
        const T entry = diagonal[i];
        for (int j = 0; j < m; ++j) {
          column[j] = where_less(best, entry, j <= i ? a[i * m + j] : a[j * m + i], column[j]);
        }
        for (int j = 0; j < k; ++j) {
          row[j] = where_less(best, entry, l[i * most + j], row[j]);
        }
        index = where_less(best, entry, T(i), index);
        next = where_less(best, entry, best, where_less(next, entry, entry, next));
        best = where_less(best, entry, entry, best);
      }
      const T counts = where_less(T(kSmallestPivot), best, T(1.0), T(0.0));
      verdict.see(best);
      apart = smaller(where_less(T(kSmallestPivot), best, T(1.0) - next / best, T(1.0)), apart);
      verdict.see_pivot(where_less(T(kZeroForSure), best, where_less(best, T(kPivotForSure), T(-1.0), T(1.0)), T(1.0)));
      counted[k] = counts;
      const T inverse = T(1.0) / square_root(where_less(T(0.5), counts, best, T(1.0)));
      const T factor = counts * inverse;
      for (int j = 0; j < k; ++j) {
        row[j] = row[j] * counts;
      }
      row[k] = inverse;
      for (int i = 0; i < m; ++i) {
        // Rows that were pivots before have nothing left but rounding.
        const T entry = column[i] * factor * left[i];
        l[i * most + k] = entry;
        column[i] = entry;
      }
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j <= i; ++j) {
          a[i * m + j] -= column[i] * column[j];
        }
        const T away = (T(i) - index) * (T(i) - index);
        left[i] = where_less(away, T(0.25), T(0.0), left[i]);
        diagonal[i] = where_less(T(0.5), left[i], a[i * m + i], T(-1.0));
      }
    }
    // Which rows are left over matters where these would still count: where loops are open.
    T rest = T(0.0);
    for (int i = 0; i < m; ++i) {
      rest = where_less(rest, diagonal[i], diagonal[i], rest);
    }
    verdict.see_pivot(where_less(apart, T(kAlike), where_less(T(kLeftOver), rest, T(-1.0), T(1.0)), T(1.0)));
  }

  /// E over L, then the factor of E^T E, one on its diagonal where a pivot does not count.
  MBDBENCH_KERNEL void express() {
    for (int k = most; k-- > 0;) {
      const T inverse = pivots[k * most + k];
      for (int i = 0; i < m; ++i) {
        T entry = l[i * most + k];
        for (int j = k + 1; j < most; ++j) {
          entry -= l[i * most + j] * pivots[j * most + k];
        }
        l[i * most + k] = entry * inverse;
      }
    }
    for (int k = 0; k < most; ++k) {
      for (int j = 0; j <= k; ++j) {
        T sum = j == k ? T(1.0) - counted[k] : T(0.0);
        for (int i = 0; i < m; ++i) {
          sum += l[i * most + k] * l[i * most + j];
        }
        for (int i = 0; i < j; ++i) {
          sum -= gram[k * most + i] * gram[j * most + i];
        }
        gram[k * most + j] = j == k ? T(1.0) / square_root(sum) : sum * gram[j * most + j];
      }
    }
  }

  /// \param half receives H, `most` rows of m
  MBDBENCH_KERNEL void write_half(T* half) {
    T* const x = column;
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < most; ++k) {
        T entry = l[i * most + k] * scale[i];
        for (int j = 0; j < k; ++j) {
          entry -= gram[k * most + j] * x[j];
        }
        x[k] = entry * gram[k * most + k];
      }
      for (int k = most; k-- > 0;) {
        T entry = x[k];
        for (int j = k + 1; j < most; ++j) {
          entry -= gram[j * most + k] * x[j];
        }
        x[k] = entry * gram[k * most + k];
      }
      for (int k = 0; k < most; ++k) {
        T entry = x[k];
        for (int j = 0; j < k; ++j) {
          entry -= pivots[k * most + j] * x[j];
        }
        x[k] = entry * pivots[k * most + k];
        half[k * m + i] = x[k];
      }
    }
  }
};

// NOLINTEND(cppcoreguidelines-pro-type-member-init)

}  // namespace mbdbench::loop_sweeps
