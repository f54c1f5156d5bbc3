#include "experiments/precise/precise_motion.hpp"

#include <Eigen/QR>
#include <stdexcept>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// Relative to the largest pivot: rows that repeat others have pivots of the square of the rounding of positions in
/// double precision, 1e-32; others have some 1e-12 where mechanisms are not singular.
constexpr double kRepeated = 1e-20;

}  // namespace

std::string refuse_precise_motion(const Mechanism& mechanism) {
  for (const Joint& joint : mechanism.cut_joints()) {
    if (!is_known(joint.type)) {
      return "the reference of 113 bits does not know cut joint '" + joint.name + "'";
    }
  }
  if (mechanism.rheonomic()) {
    return "the reference of 113 bits knows no prescribed motions";
  }
  const MechanismDescription& given = mechanism.description();
  if (!given.couplings.empty() || !given.velocity_constraints.empty()) {
    return "the reference of 113 bits knows no couplings and no constraints of velocities";
  }
  const std::string load = unknown_loads(mechanism);
  return load.empty() ? load : "the reference of 113 bits does not know " + load;
}

PreciseMotion::PreciseMotion(const Mechanism& mechanism, const TreeNumbers& numbers)
    : tree_(mechanism, numbers), no_forces_(index_of(mechanism.u_size()), Real(0.0)) {
  if (const std::string refusal = refuse_precise_motion(mechanism); !refusal.empty()) {
    throw std::invalid_argument(refusal);
  }
  if (mechanism.generic_rank().rank == 0) {
    return;  // cut joints that repeat joints of the tree: there is no pivot to compare others with
  }
  for (const Joint& joint : mechanism.cut_joints()) {
    Cut& cut = cuts_.emplace_back();
    cut.a = joint.a;
    cut.b = joint.b;
    cut.first = rows_;
    rows_ += 6 - joint.nu;
  }
}

void PreciseMotion::set_cuts() {
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    Cut& cut = cuts_[k];
    const Joint& joint = tree_.mechanism().cut_joints()[k];
    const TreeBody& a = tree_.body(cut.a);
    const TreeBody& b = tree_.body(cut.b);
    const Matrix axes_a = a.rotation * orthonormal(joint.rotation_a);
    const Matrix axes_b = b.rotation * orthonormal(joint.rotation_b);
    const JointAxes axes(joint, axes_a, axes_b, b.origin + b.rotation * precise(joint.position_b));
    const RealMatrix columns = axes.columns();
    const Eigen::HouseholderQR<RealMatrix> factors(columns);
    const RealMatrix all = factors.householderQ() * RealMatrix::Identity(6, 6);
    cut.complement = all.rightCols(6 - joint.nu);
    cut.bias.setZero();
    if (joint.nu > 0) {
      const RealVector rates = factors.solve(RealVector(b.velocity - a.velocity));
      for (int i = 0; i < joint.nu; ++i) {
        cut.bias += axes.rate(i, a.velocity, b.velocity) * rates[i];
      }
    }
  }
}

RealVector PreciseMotion::gaps(bool velocities) const {
  RealVector gaps(rows_);
  for (const Cut& cut : cuts_) {
    Spatial gap = tree_.body(cut.b).acceleration - tree_.body(cut.a).acceleration;
    if (velocities) {
      gap -= cut.bias;
    }
    gaps.segment(cut.first, cut.complement.cols()) = cut.complement.transpose() * gap;
  }
  return gaps;
}

Reals PreciseMotion::solution(const RealVector& multipliers, const PreciseTree::Loads& loads) {
  std::vector<Spatial> wrenches(tree_.mechanism().bodies().size(), Spatial(Spatial::Zero()));
  for (const Cut& cut : cuts_) {
    const Spatial wrench = cut.complement * multipliers.segment(cut.first, cut.complement.cols());
    if (cut.b >= 0) {
      wrenches[index_of(cut.b)] += wrench;
    }
    if (cut.a >= 0) {
      wrenches[index_of(cut.a)] -= wrench;
    }
  }
  PreciseTree::Loads all = loads;
  all.wrenches = wrenches;
  return tree_.accelerations(all);
}

Reals PreciseMotion::accelerations(double t, std::span<const Real> q, std::span<const Real> u) {
  tree_.place(q);
  tree_.move(u);
  const Reals forces = tree_.joint_forces(t, q, u);
  const PreciseTree::Loads loads = {forces, {}, true};
  if (rows_ == 0) {
    return tree_.accelerations(loads);
  }
  set_cuts();
  tree_.accelerations(loads);
  const RealVector missing = gaps(true);
  RealMatrix mobility(rows_, rows_);
  for (Eigen::Index k = 0; k < rows_; ++k) {
    solution(RealVector::Unit(rows_, k), {no_forces_, {}, false});
    mobility.col(k) = gaps(false);
  }
  Eigen::CompleteOrthogonalDecomposition<RealMatrix> factors;
  factors.setThreshold(Real(kRepeated));
  factors.compute(mobility);
  return solution(factors.solve(RealVector(-missing)), loads);
}

PreciseMotion::MomentumRates PreciseMotion::momentum_rates(double t, std::span<const Real> q, std::span<const Real> p) {
  if (rows_ > 0) {
    throw std::logic_error("precise momenta are those of open trees");
  }
  tree_.place(q);
  const Reals u = tree_.accelerations({p, {}, false});
  tree_.move(u);
  return {tree_.coordinate_rates(q, u), tree_.momentum_rates(tree_.joint_forces(t, q, u))};
}

Reals PreciseMotion::velocities(std::span<const Real> q, std::span<const Real> p) {
  tree_.place(q);
  return tree_.accelerations({p, {}, false});
}

Reals PreciseMotion::momenta(std::span<const Real> q, std::span<const Real> u) {
  tree_.place(q);
  tree_.move(u);
  return tree_.momenta();
}

}  // namespace mbdbench::precise
