#include "formulations/derivatives/loops/naudet/dependent_states.hpp"

#include <algorithm>
#include <numeric>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

AllJointStates::AllJointStates(const Mechanism& mechanism)
    : held_(index_of(mechanism.q_size())),
      independent_(index_of(mechanism.u_size())),
      q_(index_of(mechanism.q_size())) {
  std::iota(held_.begin(), held_.end(), 0);
  std::iota(independent_.begin(), independent_.end(), 0);
}

RhsStatus AllJointStates::read(std::span<const double> x) {
  std::copy_n(x.begin(), q_.size(), q_.begin());
  return {};
}

void AllJointStates::multipliers(std::span<const double> /*g*/, std::span<double> mu) {
  std::fill(mu.begin(), mu.end(), 0.0);
}

std::vector<double> spread(const DependentStates& states, std::span<const double> part) {
  std::vector<double> all(states.coordinates().size());
  const std::span<const int> held = states.held();
  for (std::size_t k = 0; k < held.size(); ++k) {
    all[index_of(held[k])] = part[k];
  }
  return all;
}

void gather(const DependentStates& states, std::span<const double> all, std::span<double> part) {
  const std::span<const int> held = states.held();
  for (std::size_t k = 0; k < held.size(); ++k) {
    part[k] = all[index_of(held[k])];
  }
}

std::span<const Joint> cuts_in(const DependentStates& states, const Mechanism& mechanism) {
  return states.solves_coordinates() ? std::span<const Joint>() : std::span<const Joint>(mechanism.cut_joints());
}

Eigen::MatrixXd motions_of(DependentStates& states, Eigen::Index size) {
  Eigen::MatrixXd motions = Eigen::MatrixXd::Identity(size, size);
  if (states.solves_coordinates()) {
    for (Eigen::Index c = 0; c < size; ++c) {
      states.complete({motions.col(c).data(), static_cast<std::size_t>(size)});
    }
  }
  return motions;
}

Eigen::MatrixXd closing_turns(DependentStates& states, const Eigen::MatrixXd& openings, Eigen::Index size) {
  Eigen::MatrixXd turns = Eigen::MatrixXd::Zero(size, openings.cols());
  for (Eigen::Index c = 0; c < openings.cols(); ++c) {
    states.add_correction({openings.col(c).data(), static_cast<std::size_t>(openings.rows())},
                          {turns.col(c).data(), static_cast<std::size_t>(size)});
  }
  return turns;
}

}  // namespace mbdbench
