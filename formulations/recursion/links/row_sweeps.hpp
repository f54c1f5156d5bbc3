#pragma once
/// \file
/// What the sweeps over the rows of a tree have in common (acceleration_sweeps.hpp, momentum_sweeps.hpp). Numbers T are
/// those of one state, or of a state a lane, or of a tree of equal form a lane. Inlined everywhere: the sweeps over
/// lanes are compiled once an instruction set (batches/lane_sweeps.hpp says why), and so see pointers alone.
///
/// Sweeps go over runs [first, last) of a LinkTree. Their Watch is asked whether they have to stop:
///
///   bool stops(int row, T pivot)   inward, at every row
///   bool breaks(int row, T value)  outward, where everything inboard is finite if the value is
#include <type_traits>

#include "formulations/kernels/constants.hpp"
#include "formulations/recursion/links/link_rows.hpp"

namespace mbdbench {

/// A tree at its positions.
/// \tparam C numbers of the constants: double, or T where every lane is a tree of its own
template <typename T, typename C = double>
struct RowData {
  const LinkRow* rows = nullptr;
  const kernels::LinkConstants<C>* links = nullptr;
  const SphericalAxes<C>* spherical = nullptr;
  const LinkSegment* segments = nullptr;
  const LinkRun* runs = nullptr;                 ///< with `starts`: all
  const kernels::RunStart<C>* starts = nullptr;  ///< by run, where every lane is a tree of its own
  const T* cosines = nullptr;                    ///< of theta, by row
  const T* sines = nullptr;
  const T* slides = nullptr;                       ///< d, by row
  const kernels::Matrix3<T>* rotations = nullptr;  ///< R of spherical and free rows, by ordinal
  const kernels::LinkVector<T>* levers = nullptr;  ///< O_k of those in the inboard row's frame

  [[nodiscard]] MBDBENCH_KERNEL decltype(auto) start_of(const LinkRun& run) const {
    if constexpr (std::is_same_v<C, double>) {
      return kernels::constant<T>(run.start);
    } else {
      return (starts[&run - runs]);
    }
  }
};

}  // namespace mbdbench
