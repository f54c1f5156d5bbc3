#include "experiments/precise/loops/precise_loops.hpp"

#include <algorithm>
#include <utility>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::precise {
namespace {

/// Relative to the largest pivot: rows that repeat others have pivots of the square of the rounding of positions in
/// double precision, 1e-32; others have some 1e-12 where mechanisms are not singular.
constexpr double kRepeated = 1e-20;
/// Of the row's wrench and the axes: what is left of a row that the tree keeps by itself.
constexpr double kNothing = 1e-28;

}  // namespace

PreciseLoops::PreciseLoops(const PreciseTree& tree) : tree_(&tree), own_(tree.mechanism()), motions_(tree.mechanism()) {
  const Mechanism& mechanism = tree.mechanism();
  if (mechanism.generic_rank().rank > 0) {  // otherwise there is no pivot to compare others with
    for (const Joint& joint : mechanism.cut_joints()) {
      cut_rows_ += cuts_.emplace_back(joint).count();
    }
  }
}

void PreciseLoops::add_end(const PreciseCut& cut, Eigen::Index first, int body, double sign) {
  for (int k = body; k >= 0; k = tree_->mechanism().tree_joints()[index_of(k)].a) {
    const Joint& joint = tree_->mechanism().tree_joints()[index_of(k)];
    jacobian_.block(first, joint.u_offset, cut.count(), joint.nu) +=
        Real(sign) * RealMatrix(cut.wrenches().transpose() * tree_->body(k).axes.columns());
  }
}

void PreciseLoops::place(double t, std::span<const Real> q) {
  motions_.evaluate(t);
  jacobian_ = RealMatrix::Zero(rows(), tree_->mechanism().u_size());
  Eigen::Index first = 0;
  for (PreciseCut& cut : cuts_) {
    cut.place(tree_->body(cut.joint().a), tree_->body(cut.joint().b));
    add_end(cut, first, cut.joint().b, 1.0);
    add_end(cut, first, cut.joint().a, -1.0);
    first += cut.count();
  }
  own_.place(q);
  jacobian_.bottomRows(own_.count()) = own_.jacobian();
}

void PreciseLoops::move(std::span<const Real> u, std::span<const Real> qdot) {
  u_ = as_vector(u);
  for (PreciseCut& cut : cuts_) {
    cut.move(tree_->body(cut.joint().a), tree_->body(cut.joint().b));
  }
  own_.move(qdot);
}

RealVector PreciseLoops::prescribed(std::span<const double> motions) const {
  RealVector values = RealVector::Zero(rows());
  Eigen::Index first = 0;
  for (const PreciseCut& cut : cuts_) {
    for (const FollowingRow& one : cut.following()) {
      values[first + one.row] = motions[one.motion];
    }
    first += cut.count();
  }
  values.tail(own_.count()) = own_.prescribed(motions);
  return values;
}

RealVector PreciseLoops::openings() const {
  RealVector openings(rows());
  Eigen::Index first = 0;
  for (const PreciseCut& cut : cuts_) {
    openings.segment(first, cut.count()) = cut.openings(tree_->body(cut.joint().a), tree_->body(cut.joint().b));
    for (const FollowingRow& one : cut.following()) {
      Real& opening = openings[first + one.row];
      opening -= motions_.positions()[one.motion];
      if (one.turns) {
        const Real& turn = whole_turn();
        opening -= turn * floor(opening / turn + Real(0.5));
      }
    }
    first += cut.count();
  }
  openings.tail(own_.count()) = own_.openings(motions_.positions());
  return openings;
}

RealVector PreciseLoops::rates() const {
  RealVector all = time_rates();
  Eigen::Index first = 0;
  for (const PreciseCut& cut : cuts_) {
    const Spatial relative = tree_->body(cut.joint().b).velocity - tree_->body(cut.joint().a).velocity;
    all.segment(first, cut.count()) += cut.wrenches().transpose() * relative;
    first += cut.count();
  }
  all.tail(own_.count()) += own_.jacobian() * u_;
  return all;
}

RealVector PreciseLoops::accelerations(std::span<const Real> udot) const {
  RealVector all = -prescribed(motions_.accelerations());
  Eigen::Index first = 0;
  for (const PreciseCut& cut : cuts_) {
    const TreeBody& a = tree_->body(cut.joint().a);
    const TreeBody& b = tree_->body(cut.joint().b);
    const Spatial relative = b.acceleration - a.acceleration;
    all.segment(first, cut.count()) += cut.wrenches().transpose() * relative + cut.bias(a, b);
    first += cut.count();
  }
  all.tail(own_.count()) += own_.jacobian() * as_vector(udot) + own_.jacobian_rate() * u_;
  return all;
}

std::vector<Spatial> PreciseLoops::sums(const RealVector& multipliers,
                                        const RealMatrix& (PreciseCut::*columns)() const) const {
  std::vector<Spatial> sums(tree_->mechanism().bodies().size(), Spatial(Spatial::Zero()));
  Eigen::Index first = 0;
  for (const PreciseCut& cut : cuts_) {
    const Spatial wrench = (cut.*columns)() * multipliers.segment(first, cut.count());
    first += cut.count();
    if (cut.joint().b >= 0) {
      sums[index_of(cut.joint().b)] += wrench;
    }
    if (cut.joint().a >= 0) {
      sums[index_of(cut.joint().a)] -= wrench;
    }
  }
  return sums;
}

std::vector<Spatial> PreciseLoops::wrenches(const RealVector& multipliers) const {
  return sums(multipliers, &PreciseCut::wrenches);
}

std::vector<Spatial> PreciseLoops::wrench_rates(const RealVector& multipliers) const {
  return sums(multipliers, &PreciseCut::wrench_rates);
}

RealVector PreciseLoops::own_force_rates(const RealVector& multipliers) const {
  return own_.jacobian_rate().transpose() * multipliers.tail(own_.count());
}

void LoopSolver::factorise(PreciseTree& tree, const PreciseLoops& loops) {
  const RealMatrix& jacobian = loops.jacobian();
  rows_ = jacobian.rows();
  kept_.clear();
  for (Eigen::Index row = 0; jacobian.cols() > 0 && row < rows_; ++row) {
    if (jacobian.row(row).cwiseAbs().maxCoeff() > Real(kNothing)) {
      kept_.push_back(row);
    }
  }
  const auto count = static_cast<Eigen::Index>(kept_.size());
  mobile_.resize(jacobian.cols(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const RealVector row = jacobian.row(kept_[index_of(k)]).transpose();
    const Reals moved = tree.accelerations({{row.data(), index_of(row.size())}, false});
    mobile_.col(k) = Eigen::Map<const RealVector>(moved.data(), row.size());
  }
  RealMatrix mobility(count, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    mobility.row(k) = jacobian.row(kept_[index_of(k)]) * mobile_;
  }
  if (count > 0) {
    mobility_.setThreshold(Real(kRepeated));
    mobility_.compute(mobility);
  }
}

LoopSolver::Correction LoopSolver::remove(const RealVector& excess) const {
  RealVector own(static_cast<Eigen::Index>(kept_.size()));
  for (Eigen::Index k = 0; k < own.size(); ++k) {
    own[k] = -excess[kept_[index_of(k)]];
  }
  Correction found{Reals(index_of(mobile_.rows()), Real(0.0)), RealVector::Zero(rows_)};
  if (own.size() == 0) {
    return found;
  }
  const RealVector multipliers = mobility_.solve(own);
  const RealVector change = mobile_ * multipliers;
  std::copy(change.begin(), change.end(), found.x.begin());
  for (Eigen::Index k = 0; k < own.size(); ++k) {
    found.y[kept_[index_of(k)]] = multipliers[k];
  }
  return found;
}

}  // namespace mbdbench::precise
