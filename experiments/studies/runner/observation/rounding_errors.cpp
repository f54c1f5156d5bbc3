#include "experiments/studies/runner/observation/rounding_errors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>

#include "experiments/precise/motion/precise_motion.hpp"
#include "experiments/precise/precise_changes.hpp"
#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "experiments/verification/reference/verification_states.hpp"

namespace mbdbench::studies {
namespace {

constexpr std::uint64_t kSeed = 20040306;
constexpr double kDisplaced = 0.05;  // rad or m
constexpr int kDirections = 8;
constexpr int kMostJacobianBodies = 256;  // half a second

/// \returns the largest |a - b| over the largest |b|; NaN where one is not a number.
double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double own = std::abs(a[i] - b[i]);
    difference = std::isnan(own) ? own : std::max(difference, own);
    if (std::isnan(difference)) {
      return difference;  // of which no comparison would tell
    }
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

/// \returns a number from -1 to 1: the same on every machine, which the library's distributions are not.
double drawn(std::mt19937_64& engine) {
  return std::ldexp(static_cast<double>(engine() >> 11), -52) - 1.0;
}

Measured number_or_failure(double value) {
  return std::isfinite(value) ? Measured::number(value) : Measured::failed("it is not a number");
}

/// \returns the places of u in the state; none where it has momenta or absolute velocities.
std::vector<std::size_t> joint_velocities(const Formulation& formulation) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < formulation.layout().size(); ++i) {
    if (formulation.layout()[i].name.starts_with("v.")) {
      places.push_back(i);
    }
  }
  return places;
}

}  // namespace

RoundingErrors::RoundingErrors(const Mechanism& mechanism)
    : mechanism_(mechanism),
      q_(mechanism.q0().data(), mechanism.q0().data() + mechanism.q_size()),
      u_(static_cast<std::size_t>(mechanism.u_size())) {
  std::mt19937_64 engine(kSeed);
  for (const Joint& joint : mechanism.tree_joints()) {
    if (has_coordinate_rates(joint.type)) {
      for (int i = 0; i < joint.nq; ++i) {
        q_[static_cast<std::size_t>(joint.q_offset + i)] += kDisplaced * drawn(engine);
      }
    }
  }
  std::generate(u_.begin(), u_.end(), [&engine] { return drawn(engine); });
}

Measured RoundingErrors::acceleration(Formulation& formulation) {
  if (mechanism_.constrained()) {
    return Measured::refused("its state is drawn, and would open loops and leave prescribed motions and couplings");
  }
  if (const std::string refusal = precise::refuse_precise_motion(mechanism_); !refusal.empty()) {
    return Measured::refused(refusal);
  }
  const std::vector<std::size_t> velocities = joint_velocities(formulation);
  if (velocities.size() != u_.size()) {
    return Measured::refused("its state has no joint velocities");
  }
  std::vector<double> x(formulation.layout().size());
  std::vector<double> xdot(x.size());
  if (const RhsStatus packed = formulation.pack(0.0, q_, u_, x); !packed.ok) {
    return Measured::failed(packed.message());
  }
  if (const RhsStatus status = formulation.rhs(0.0, x, xdot); !status.ok) {
    return Measured::failed(status.message());
  }
  if (!reference_) {
    reference_ = precise::precise_accelerations(mechanism_, 0.0, q_, u_);
  }
  std::vector<double> found;
  found.reserve(velocities.size());
  std::transform(velocities.begin(), velocities.end(), std::back_inserter(found),
                 [&](std::size_t place) { return xdot[place]; });
  return number_or_failure(relative_difference(found, *reference_));
}

Measured RoundingErrors::velocity(Formulation& formulation) const {
  if (!joint_velocities(formulation).empty()) {
    return Measured::refused("its state has the joint velocities themselves");
  }
  std::vector<double> x(formulation.layout().size());
  std::vector<double> q(q_.size());
  std::vector<double> u(u_.size());
  for (const RhsStatus& status : {formulation.pack(0.0, q_, u_, x), formulation.unpack(0.0, x, q, u)}) {
    if (!status.ok) {
      return Measured::failed(status.message());
    }
  }
  return number_or_failure(relative_difference(u, u_));
}

RoundingErrors::DirectedState RoundingErrors::directed_state() const {
  std::mt19937_64 engine(kSeed);
  const auto numbers = [&engine](Eigen::Index rows) {
    Eigen::MatrixXd matrix(rows, kDirections);
    std::generate(matrix.data(), matrix.data() + matrix.size(), [&engine] { return drawn(engine); });
    return matrix;
  };
  if (!mechanism_.constrained()) {
    return {q_, u_, numbers(mechanism_.q_size() + mechanism_.u_size())};
  }
  const VerificationState state = draw_verification_states(mechanism_, 1, kSeed).states.back();
  const Eigen::MatrixXd basis = tangent_directions(mechanism_, state.q, state.u).directions;
  return {{state.q.begin(), state.q.end()}, {state.u.begin(), state.u.end()}, basis * numbers(basis.cols())};
}

Measured RoundingErrors::jacobian(Formulation& formulation, const Parameters& options) const {
  for (const std::string& refusal :
       {formulation.without_jacobian(), precise::refuse_precise_changes(formulation, options, kMostJacobianBodies)}) {
    if (!refusal.empty()) {
      return Measured::refused(refusal);
    }
  }
  if (!precise::begins_with_joint_states(formulation)) {
    return Measured::refused("its states are not those of the tree's joints");
  }
  const DirectedState state = directed_state();
  const std::size_t size = formulation.state_size();
  std::vector<double> x(size);
  std::vector<double> rows(size * size);
  for (const RhsStatus& status : {formulation.pack(0.0, state.q, state.u, x), formulation.jacobian(0.0, x, rows)}) {
    if (!status.ok) {
      return Measured::failed(status.message());
    }
  }
  const precise::PreciseChanges changes(formulation, options);
  std::vector<double> found;
  std::vector<double> expected;
  for (Eigen::Index k = 0; k < state.directions.cols(); ++k) {
    const std::span<const double> direction(state.directions.col(k).data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * size);
      found.push_back(std::inner_product(direction.begin(), direction.end(), row, 0.0));
    }
    const Eigen::VectorXd change = changes.along(0.0, x, direction);
    expected.insert(expected.end(), change.begin(), change.end());
  }
  return number_or_failure(relative_difference(found, expected));
}

}  // namespace mbdbench::studies
