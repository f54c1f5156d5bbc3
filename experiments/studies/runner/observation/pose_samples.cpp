#include "experiments/studies/runner/observation/pose_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mbdbench::studies {

Poses poses_at(const Kinematics& kinematics, std::span<const double> q) {
  Poses poses;
  const Mechanism& mechanism = kinematics.mechanism();
  for (int k = 0; k < mechanism.body_count(); ++k) {
    poses.centres.push_back(kinematics.body(k).com);
    poses.rotations.push_back(kinematics.body(k).rotation);
  }
  for (const Marker& marker : mechanism.markers()) {
    poses.markers.push_back(kinematics.world_point(marker.body, marker.point));
  }
  poses.q.assign(q.begin(), q.end());
  return poses;
}

PoseDifferences differences(const std::vector<Poses>& a, const std::vector<Poses>& b) {
  if (a.size() != b.size()) {
    throw std::invalid_argument(fmt::format("{} samples against {}", a.size(), b.size()));
  }
  PoseDifferences largest;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest.markers.resize(a[k].markers.size(), 0.0);
    for (std::size_t i = 0; i < a[k].centres.size(); ++i) {
      largest.position = std::max(largest.position, (a[k].centres[i] - b[k].centres[i]).norm());
      // |R_a - R_b|_F = 2 sqrt(2) sin(angle / 2).
      const double sine = (a[k].rotations[i] - b[k].rotations[i]).norm() / (2.0 * std::sqrt(2.0));
      largest.orientation = std::max(largest.orientation, 2.0 * std::asin(std::min(1.0, sine)));
    }
    for (std::size_t i = 0; i < a[k].markers.size(); ++i) {
      largest.markers[i] = std::max(largest.markers[i], (a[k].markers[i] - b[k].markers[i]).norm());
    }
  }
  return largest;
}

double joint_difference(const Poses& a, const Poses& b) {
  if (a.q.size() != b.q.size()) {
    throw std::invalid_argument(fmt::format("{} joint coordinates against {}", a.q.size(), b.q.size()));
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  }
  return largest;
}

std::vector<double> sample_times(double end, int samples) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(samples) + 1);
  for (int k = 0; k < samples; ++k) {
    times.push_back(end * static_cast<double>(k) / static_cast<double>(samples));
  }
  times.push_back(end);
  return times;
}

PoseSampler::PoseSampler(Formulation& formulation, std::vector<double> times)
    : formulation_(formulation),
      times_(std::move(times)),
      kinematics_(formulation.mechanism()),
      q_(static_cast<std::size_t>(formulation.mechanism().q_size())),
      u_(static_cast<std::size_t>(formulation.mechanism().u_size())) {}

bool PoseSampler::sample(double t, std::span<const double> x) {
  if (poses_.size() == times_.size() || t != times_[poses_.size()]) {
    return true;
  }
  const RhsStatus status = formulation_.unpack(t, x, q_, u_);
  if (!status.ok) {
    throw std::runtime_error(fmt::format("the poses at t = {} cannot be computed: {}", t, status.message()));
  }
  kinematics_.set_positions(q_);
  poses_.push_back(poses_at(kinematics_, q_));
  return true;
}

}  // namespace mbdbench::studies
