// Directions of a tree: where each finds its numbers, and which go side by side.
#include <algorithm>

#include "formulations/derivatives/trees/tree_derivatives.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

/// \returns where registers start that have components [first, last), the last one over the one before it if they are
/// no multiple of a register. \param size of the state, which no register goes beyond
std::vector<int> registers_of(int first, int last, int width, int size) {
  std::vector<int> result;
  for (int k = first; k < last; k += width) {
    result.push_back(std::max(0, std::min({k, std::max(first, last - width), size - width})));
  }
  return result;
}

}  // namespace

void TreeDerivatives::add_directions() {
  constexpr std::size_t kLine = 8;
  memory_.push_back(aligned_memory(kLine));
  memory_.back().get()[6] = 1.0;
  const double* const unmoved = memory_.back().get();
  memory_.push_back(aligned_memory(4 * kLine * std::max<std::size_t>(1, tree_.tree().spherical().size())));
  data_.quaternions = memory_.back().get();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const LinearNode& node = nodes_[i];
    const LinkRow& row = tree_.tree().rows()[index_of(node.row)];
    const bool ball = node.axis_count == 3 && !node.free_slides;
    for (int a = 0; a < node.axis_count; ++a) {
      const LinearAxis& axis = axes_[index_of(node.first_axis + a)];
      LinearDirection direction;
      direction.node = static_cast<int>(i);
      direction.axis = node.first_axis + a;
      direction.axis_line = &axis.z.x;
      direction.composite = &node.composite.mass;
      direction.first = &node.both.linear.x;
      direction.velocity = data_.momenta ? &node.inherited.linear.x : unmoved;
      direction.total = data_.momenta ? &node.total.linear.x : unmoved;
      direction.force = data_.momenta ? 1.0 : -axis.damping;
      directions_[index_of(data_.q_count + axis.u)] = direction;
      direction.first = &node.inner.linear.x;
      direction.velocity = &node.inherited.linear.x;
      direction.total = &node.total.linear.x;
      direction.force = data_.momenta || ball ? 0.0 : -axis.stiffness;
      direction.rate = data_.momenta && !ball ? -axis.stiffness : 0.0;
      for (int c = 0; ball && a == 0 && c < 4; ++c) {
        direction.axis_line = data_.quaternions + kLine * index_of(4 * row.ordinal + c);
        directions_[index_of(row.q + c)] = direction;
      }
      if (!ball) {
        directions_[index_of(row.q + (node.free_slides ? 4 + a : 0))] = direction;
      }
    }
  }
  if (!directions_.empty()) {
    add_starts();
  }
}

void TreeDerivatives::set_columns() {
  const int size = static_cast<int>(directions_.size());
  const std::size_t together = index_of(sweeps_.lanes / sweeps_.width);
  columns_ = registers_of(0, size, sweeps_.width, size);
  if (together > 1 && !data_.momenta) {
    // A coordinate beside its quasi-velocity: both start at the same node. Momenta displace none: they keep apart.
    const std::vector<int> q = registers_of(0, data_.q_count, sweeps_.width, size);
    const std::vector<int> u = registers_of(data_.q_count, size, sweeps_.width, size);
    columns_.clear();
    for (std::size_t k = 0; k < std::max(q.size(), u.size()); ++k) {
      columns_.push_back(q[std::min(k, q.size() - 1)]);
      columns_.push_back(u[std::min(k, u.size() - 1)]);
    }
  }
  columns_.resize((columns_.size() + together - 1) / together * together, columns_.back());
  data_.columns = columns_.data();
  data_.register_count = static_cast<int>(columns_.size());
}

void TreeDerivatives::add_starts() {
  set_columns();
  const std::size_t width = index_of(sweeps_.width);
  const std::size_t lanes = index_of(sweeps_.lanes);
  memory_.push_back(aligned_memory(LaneOffsets::kStarts * width * columns_.size()));
  data_.starts = memory_.back().get();
  for (std::size_t lane = 0; lane < width * columns_.size(); ++lane) {
    const std::size_t component = std::min(index_of(columns_[lane / width]) + lane % width, directions_.size() - 1);
    const LinearDirection& direction = directions_[component];
    double* const own = data_.starts + LaneOffsets::kStarts * (lane - lane % lanes) + lane % lanes;
    // A momentum displaces no node.
    own[0] = data_.momenta && component >= index_of(data_.q_count) ? -1.0 : direction.node;
    own[lanes] = direction.axis;
    own[2 * lanes] = direction.force;
    own[3 * lanes] = direction.rate;
  }
}

}  // namespace mbdbench
