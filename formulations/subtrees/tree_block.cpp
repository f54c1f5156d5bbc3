#include "formulations/subtrees/tree_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "formulations/recursion/links/acceleration_sweeps.hpp"
#include "formulations/recursion/links/momentum_sweeps.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// One lane of a structure of packs.
template <typename Lane>
void write_lane(const Lane& value, double* to, std::size_t width, std::size_t lane) {
  double numbers[sizeof(Lane) / sizeof(double)];
  std::memcpy(numbers, &value, sizeof numbers);
  for (std::size_t k = 0; k < std::size(numbers); ++k) {
    to[k * width + lane] = numbers[k];
  }
}

template <typename Lane>
constexpr std::size_t numbers_of() {
  return sizeof(Lane) / sizeof(double);
}

}  // namespace

TreeBlock::TreeBlock(const LinkTree& tree, const TreeForm& form, std::size_t first, std::size_t width, StateKind kind)
    : width_(width),
      lanes_(std::min(width, index_of(form.lanes) - first)),
      slot_size_(kind == StateKind::momentum ? numbers_of<MomentumSlot<double>>()
                                             : numbers_of<AccelerationSlot<double>>()) {
  data_.row_count = static_cast<int>(form.rows.size());
  data_.run_count = static_cast<int>(form.runs.size());
  data_.slot_count = form.slots;
  data_.q_count = form.q_count;
  data_.u_count = form.u_count;
  data_.rows = form.rows.data();
  data_.runs = form.runs.data();
  data_.segments = form.segments.data();
  memory_.reserve(data_, kind, width, form.shared, false);
  take_constants(tree, form, first);
  take_positions(tree, form, first);
}

void TreeBlock::take_constants(const LinkTree& tree, const TreeForm& form, std::size_t first) {
  using kernels::LinkConstants;
  using kernels::RunStart;
  const auto memory = [&](std::size_t numbers) {
    constants_.push_back(aligned_memory(std::max<std::size_t>(1, numbers) * width_));
    return constants_.back().get();
  };
  double* const links = memory(form.rows.size() * numbers_of<LinkConstants<double>>());
  double* const spheres = memory(index_of(form.shared.spheres) * numbers_of<SphericalConstants>());
  double* const starts = memory(form.runs.size() * numbers_of<RunStart<double>>());
  double* const angles = memory(form.rows.size());
  double* const offsets = memory(form.rows.size());
  const std::vector<double> slides = tree.positions().slides;
  const std::size_t lanes = index_of(form.lanes);
  for (std::size_t lane = 0; lane < width_; ++lane) {
    const std::size_t member = std::min(first + lane, lanes - 1);
    for (std::size_t i = 0; i < form.rows.size(); ++i) {
      const std::size_t row = index_of(form.members[i * lanes + member]);
      write_lane(tree.links()[row], links + i * numbers_of<LinkConstants<double>>() * width_, width_, lane);
      angles[i * width_ + lane] = tree.offsets()[row];
      offsets[i * width_ + lane] = slides[row];
      if (is_sphere(form.rows[i].kind)) {
        write_lane(tree.spherical()[index_of(tree.rows()[row].ordinal)],
                   spheres + index_of(form.rows[i].ordinal) * numbers_of<SphericalConstants>() * width_, width_, lane);
      }
    }
    for (std::size_t r = 0; r < form.runs.size(); ++r) {
      write_lane(form.starts[r * lanes + member], starts + r * numbers_of<RunStart<double>>() * width_, width_, lane);
    }
  }
  data_.links = reinterpret_cast<const LinkConstants<double>*>(links);
  data_.spherical = reinterpret_cast<const SphericalConstants*>(spheres);
  data_.starts = starts;
  data_.angles = angles;
  data_.offsets = offsets;
}

void TreeBlock::take_positions(const LinkTree& tree, const TreeForm& form, std::size_t first) {
  q_places_.resize(index_of(form.q_count) * width_);
  u_places_.resize(index_of(form.u_count) * width_);
  const std::size_t lanes = index_of(form.lanes);
  for (std::size_t i = 0; i < form.rows.size(); ++i) {
    const LinkRow& own = form.rows[i];
    for (std::size_t lane = 0; lane < width_; ++lane) {
      const LinkRow& row = tree.rows()[index_of(form.members[i * lanes + std::min(first + lane, lanes - 1)])];
      for (int k = 0; k < coordinates_of(own.kind); ++k) {
        q_places_[index_of(own.q + k) * width_ + lane] = row.q + k;
      }
      for (int k = 0; k < velocities_of(own.kind); ++k) {
        u_places_[index_of(own.u + k) * width_ + lane] = row.u + k;
      }
    }
  }
}

void TreeBlock::copy_in(std::span<const double> values, const std::vector<int>& places, double* packs) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    packs[k] = values[index_of(places[k])];
  }
}

void TreeBlock::read_state(std::span<const double> q, std::span<const double> rates) const {
  copy_in(q, q_places_, data_.state);
  copy_in(rates, u_places_, data_.state + q_places_.size());
}

void TreeBlock::write(const double* packs, std::span<double> values) const {
  for (std::size_t k = 0; k < u_places_.size(); k += width_) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      values[index_of(u_places_[k + lane])] = packs[k + lane];
    }
  }
}

void TreeBlock::set_positions(const TreeSweeps& sweeps) const {
  if (sweeps.set_positions(data_)) {
    return;
  }
  for (std::size_t i = 0; i < index_of(data_.row_count); ++i) {  // angles beyond the polynomials
    const LinkRow& row = data_.rows[i];
    if (!is_sphere(row.kind)) {
      for (std::size_t k = i * width_; k < (i + 1) * width_; ++k) {
        const double turned = is_slide(row.kind) ? 0.0 : data_.state[index_of(row.q) * width_ + k - i * width_];
        data_.sines[k] = std::sin(data_.angles[k] + turned);
        data_.cosines[k] = std::cos(data_.angles[k] + turned);
      }
    }
  }
}

}  // namespace mbdbench
