#include "formulations/batches/tree_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formulations/execution/instruction_set.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// Beyond it angles lose digits of a turn.
constexpr double kLargestAngle = 1e3;

std::size_t state_size(const Mechanism& mechanism) {
  return index_of(mechanism.q_size() + mechanism.u_size());
}

}  // namespace

TreeDerivatives::TreeDerivatives(const Mechanism& mechanism, StateKind kind, const CutReferences* near)
    : sweeps_(kernels_in_use(baseline_direction_sweeps, avx2_direction_sweeps, avx512_direction_sweeps)),
      tree_(mechanism, kind, index_of(sweeps_.width), near),
      x_(state_size(mechanism)) {}

bool TreeDerivatives::evaluate(double t, std::span<const double> x, std::span<double> rows) {
  tree_.set_time(t);
  const LaneData& data = tree_.data();
  std::copy(x.begin(), x.end(), x_.begin());
  for (const LinkRow& row : tree_.tree().rows()) {
    // Polynomials take no angle that large, and derivatives do not know of turns.
    if (double& q = x_[index_of(row.q)]; row.kind == RowKind::revolute && std::abs(q) > kLargestAngle) {
      q = std::remainder(q, 2.0 * std::numbers::pi);
    }
  }
  bool sound = true;
  for (int first = 0; first < static_cast<int>(x.size()); first += sweeps_.directions) {
    sweeps_.set_state(data, x_.data(), first);
    if (tree_.has_momenta()) {
      sweeps_.momenta(data);
    } else {
      sweeps_.accelerations(data);
    }
    sound = sweeps_.take(data, rows.data(), first) && sound;
  }
  return sound;
}

}  // namespace mbdbench
