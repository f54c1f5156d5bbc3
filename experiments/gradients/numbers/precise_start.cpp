#include "experiments/gradients/numbers/precise_start.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <functional>
#include <stdexcept>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench::gradients {
namespace {

using precise::Real;
using precise::RealMatrix;
using precise::Reals;
using precise::RealVector;

/// Every step of Newton's method squares the error: of 1e-8 at first, as far as loops of doubles may be open, three
/// leave 1e-64.
constexpr int kMostNewtonSteps = 8;
constexpr double kSmallNewtonStep = 1e-28;

/// \returns the least change of some components that takes so much from Phi_q times all of them.
RealVector correction(const RealMatrix& jacobian, const std::vector<int>& components, const RealVector& excess) {
  RealMatrix columns(jacobian.rows(), static_cast<Eigen::Index>(components.size()));
  for (std::size_t i = 0; i < components.size(); ++i) {
    columns.col(static_cast<Eigen::Index>(i)) = jacobian.col(components[i]);
  }
  const RealVector own = columns.colPivHouseholderQr().solve(-excess);
  RealVector change = RealVector::Zero(jacobian.cols());
  for (std::size_t i = 0; i < components.size(); ++i) {
    change[components[i]] = own[static_cast<Eigen::Index>(i)];
  }
  return change;
}

void normalise_quaternions(const Mechanism& mechanism, Reals& q) {
  for (const Joint& joint : mechanism.tree_joints()) {
    if (has_quaternion(joint.type)) {
      const Eigen::Map<Eigen::Matrix<Real, 4, 1>> quaternion(q.data() + joint.q_offset);
      const Real length = quaternion.norm();
      std::for_each_n(q.begin() + joint.q_offset, 4, [&](Real& component) { component /= length; });
    }
  }
}

}  // namespace

PreciseStart::PreciseStart(const VariedNumbers& numbers, std::span<const double> values)
    : numbers_(&numbers), near_(numbers.start(values)), following_(numbers.following()) {}

PreciseRunStart PreciseStart::at(precise::PreciseMotion& motion, double t, const Reals& values) const {
  PreciseRunStart start{{near_.q.begin(), near_.q.end()}, {near_.u.begin(), near_.u.end()}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const VariedNumber& one = numbers_->numbers()[i];
    if (one.kind == VariedKind::start_position) {
      start.q[one.place] = values[i];
    } else if (one.kind == VariedKind::start_velocity) {
      start.u[one.place] = values[i];
    }
  }
  close(motion, t, start);
  return start;
}

void PreciseStart::close(precise::PreciseMotion& motion, double t, PreciseRunStart& start) const {
  Real last = following_.positions.empty() ? 0.0 : 1.0;
  for (int step = 0; step < kMostNewtonSteps && last > Real(kSmallNewtonStep); ++step) {
    motion.place(t, start.q);
    const precise::PreciseLoops& loops = motion.loops();
    const RealVector change = correction(loops.jacobian(), following_.positions, loops.openings());
    const Reals along = motion.coordinate_rates(start.q, Reals(change.begin(), change.end()));
    std::transform(along.begin(), along.end(), start.q.begin(), start.q.begin(), std::plus<>());
    normalise_quaternions(motion.mechanism(), start.q);
    last = change.cwiseAbs().maxCoeff();
  }
  if (last > Real(kSmallNewtonStep)) {
    throw std::invalid_argument("start of '" + motion.mechanism().name() + "': it does not close in 113 bits");
  }
  if (!following_.velocities.empty()) {
    motion.place(t, start.q);
    const RealMatrix& jacobian = motion.loops().jacobian();
    const Eigen::Map<RealVector> u(start.u.data(), static_cast<Eigen::Index>(start.u.size()));
    const RealVector change = correction(jacobian, following_.velocities, jacobian * u + motion.loops().time_rates());
    std::transform(start.u.begin(), start.u.end(), change.begin(), start.u.begin(), std::plus<>());
  }
}

}  // namespace mbdbench::gradients
