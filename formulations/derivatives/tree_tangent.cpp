#include "formulations/derivatives/tree_tangent.hpp"

#include <algorithm>
#include <cmath>

#include "formulations/derivatives/moderate_turn.hpp"
#include "formulations/kernels/dual.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kWidth = sizeof(kernels::Dual<1>) / sizeof(double);

}  // namespace

TreeTangent::TreeTangent(const Mechanism& mechanism, StateKind kind, const CutReferences* near,
                         const InstructionSet& set)
    : sweeps_(compiled_for(set, []<int W>() { return tangent::sweeps<W>(); })),
      tree_(mechanism, kind, kWidth, near, false) {}

bool TreeTangent::jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                                  std::span<double> product) {
  tree_.set_time(t);
  const LaneData& data = tree_.data();
  for (std::size_t k = 0; k < x.size(); ++k) {
    data.state[kWidth * k] = x[k];
    data.state[kWidth * k + 1] = direction[k];
  }
  for (const LinkRow& row : tree_.tree().rows()) {
    if (row.kind == RowKind::revolute || row.kind == RowKind::driven_revolute) {
      double& q = data.state[kWidth * index_of(row.q)];
      q = moderate_turn(q);
    }
  }
  std::fill_n(data.torques, kWidth * index_of(data.u_count), 0.0);
  for (int f = 0; f < data.force_count; ++f) {
    // Springs know the turns that were taken off: what pulls also pulls where the articulated inertia changes.
    const LaneForce& force = data.forces[f];
    const double taken = x[index_of(force.q)] - data.state[kWidth * index_of(force.q)];
    data.torques[kWidth * index_of(force.u)] -= force.stiffness * taken;
  }
  (tree_.has_momenta() ? sweeps_.momenta : sweeps_.accelerations)(data);
  bool finite = std::isfinite(data.verdict[1]);
  for (std::size_t k = 0; k < product.size(); ++k) {
    product[k] = data.rates[kWidth * k + 1];
    finite = finite && std::isfinite(product[k]);
  }
  return finite && data.verdict[0] > 0.0;
}

}  // namespace mbdbench
