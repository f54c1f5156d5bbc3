#include "experiments/gradients/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "mechanisms/model/description/index_of.hpp"
#include "mechanisms/model/description/name_suggestion.hpp"
#include "mechanisms/model/start/moved_start.hpp"

namespace mbdbench::gradients {
namespace {

void require_factor(const std::string& what, double factor) {
  if (!std::isfinite(factor)) {
    throw std::invalid_argument(fmt::format("objective: the factor of {} is {}; it must be finite", what, factor));
  }
}

/// Torques and forces of the joints that carry a marker for a force on it.
void collect_force(const Mechanism& mechanism, const Kinematics& kinematics, int body, const Vec3& point,
                   const Vec3& force, std::span<double> forces) {
  for (int k = body; k >= 0; k = mechanism.parent(k)) {
    const Joint& joint = mechanism.tree_joints()[index_of(k)];
    const JointKinematics& state = kinematics.tree_joint(k);
    const Vec3 torque = (point - state.point).cross(force);
    for (int i = 0; i < joint.nu; ++i) {
      forces[index_of(joint.u_offset + i)] +=
          state.h.col(i).head<3>().dot(force) + state.h.col(i).tail<3>().dot(torque);
    }
  }
}

}  // namespace

void add_by_coordinates(const Mechanism& mechanism, std::span<const double> q, std::span<const double> by_u,
                        std::span<double> by_q) {
  for (const Joint& joint : mechanism.tree_joints()) {
    const std::size_t first = index_of(joint.q_offset);
    const std::size_t first_u = index_of(joint.u_offset);
    if (has_coordinate_rates(joint.type)) {
      for (std::size_t i = 0; i < index_of(joint.nq); ++i) {
        by_q[first + i] += by_u[first_u + i];
      }
      continue;
    }
    // A change of the quaternion e turns by 2 e^-1 o de about the axes of b: the rates e' of unit turns, by 4 / |e|^2.
    const std::span<const double> e = q.subspan(first, index_of(joint.nq));
    const double scale = 4.0 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    std::array<double, 7> rates{};
    std::array<double, 6> turn{};
    for (std::size_t i = 0; i < 3; ++i) {
      turn[i] = scale * by_u[first_u + i];
    }
    coordinate_rates(joint, e, std::span(turn).first(index_of(joint.nu)), std::span(rates).first(e.size()));
    for (std::size_t i = 0; i < 4; ++i) {
      by_q[first + i] += rates[i];
    }
    for (std::size_t i = 4; i < e.size(); ++i) {
      by_q[first + i] += by_u[first_u + i - 1];
    }
  }
}

SquareSum::SquareSum(const Mechanism& mechanism, const StepTimes& times)
    : mechanism_(&mechanism), times_(times), kinematics_(mechanism), force_(index_of(mechanism.u_size())) {}

void SquareSum::add_track(const std::string& marker, std::span<const double> at, std::span<const double> places,
                          double factor) {
  const auto found = mechanism_->find_marker(marker);
  if (!found) {
    std::vector<std::string> known;
    std::transform(mechanism_->markers().begin(), mechanism_->markers().end(), std::back_inserter(known),
                   [](const Marker& one) { return one.name; });
    throw std::invalid_argument(fmt::format("objective: mechanism '{}' has no marker '{}'; {}", mechanism_->name(),
                                            marker, suggest_name(marker, known, "markers")));
  }
  require_factor("marker '" + marker + "'", factor);
  if (at.empty() || places.size() != 3 * at.size()) {
    throw std::invalid_argument(
        fmt::format("objective: marker '{}' has {} times and {} numbers of places; it needs x, y, z for every time",
                    marker, at.size(), places.size()));
  }
  std::vector<std::size_t> steps;
  for (std::size_t k = 0; k < at.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (!std::isfinite(places[3 * k + c])) {
        throw std::invalid_argument(
            fmt::format("objective: marker '{}' at time {}: {} is not a number; leave out times that were not measured",
                        marker, at[k], "xyz"[c]));
      }
    }
    try {
      steps.push_back(times_.index_of_time(at[k]));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("objective: marker '{}': {}", marker, error.what()));
    }
  }
  for (std::size_t k = 0; k < at.size(); ++k) {
    sights_.push_back({at[k], steps[k], *found, factor, Vec3(places[3 * k], places[3 * k + 1], places[3 * k + 2])});
  }
  std::stable_sort(sights_.begin(), sights_.end(), [](const Sight& a, const Sight& b) { return a.step < b.step; });
}

void SquareSum::add_target(const std::string& name, double value, double factor, bool running) {
  const std::vector<StartValue> all = start_values(*mechanism_);
  const auto found = std::find_if(all.begin(), all.end(), [&](const StartValue& one) { return one.name == name; });
  if (found == all.end()) {
    std::vector<std::string> known;
    std::transform(all.begin(), all.end(), std::back_inserter(known), [](const StartValue& one) { return one.name; });
    throw std::invalid_argument(fmt::format("objective: mechanism '{}' has no coordinate or velocity '{}'; {}",
                                            mechanism_->name(), name, suggest_name(name, known, "names")));
  }
  require_factor("'" + name + "'", factor);
  if (!std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("objective: the target of '{}' is {}; it must be finite", name, value));
  }
  targets_.push_back({index_of(found->place), found->rate, running, value, factor});
  needs_velocities_ = needs_velocities_ || found->rate;
  runs_ = runs_ || running;
}

void SquareSum::begin(const Mechanism& mechanism, const StepTimes& times) {
  kinematics_ = Kinematics(mechanism);
  if (!times.are_chosen()) {
    return;
  }
  times_ = times;  // which these numbers have
  for (Sight& sight : sights_) {
    sight.step = times_.index_of_time(sight.t);
  }
}

bool SquareSum::has_share(std::size_t step) const {
  return (runs_ && step > 0 && times_.weight_of(step) != 0.0) || (step == times_.count() && !targets_.empty()) ||
         !sights_at(step).empty();
}

std::span<const SquareSum::Sight> SquareSum::sights_at(std::size_t step) const {
  const auto first = std::lower_bound(sights_.begin(), sights_.end(), step,
                                      [](const Sight& sight, std::size_t wanted) { return sight.step < wanted; });
  const auto last = std::find_if(first, sights_.end(), [step](const Sight& sight) { return sight.step != step; });
  return {first, last};
}

double SquareSum::factor_at(const Target& target, std::size_t step) const {
  if (target.running) {
    return step == 0 ? 0.0 : target.factor * times_.weight_of(step);
  }
  return step == times_.count() ? target.factor : 0.0;
}

double SquareSum::share(const StepState& state) {
  double sum = 0.0;
  const std::span<const Sight> sights = sights_at(state.step);
  if (!sights.empty()) {
    kinematics_.set_positions(state.q);
  }
  for (const Sight& sight : sights) {
    const Marker& marker = mechanism_->markers()[index_of(sight.marker)];
    sum += sight.factor * (kinematics_.world_point(marker.body, marker.point) - sight.place).squaredNorm();
  }
  for (const Target& target : targets_) {
    if (const double factor = factor_at(target, state.step); factor != 0.0) {
      const double distance = (target.rate ? state.u : state.q)[target.place] - target.value;
      sum += factor * distance * distance;
    }
  }
  return sum;
}

void SquareSum::add_derivatives(const StepState& state, std::span<double> by_q, std::span<double> by_u) {
  const std::span<const Sight> sights = sights_at(state.step);
  if (!sights.empty()) {
    kinematics_.set_positions(state.q);
    std::fill(force_.begin(), force_.end(), 0.0);
    for (const Sight& sight : sights) {
      const Marker& marker = mechanism_->markers()[index_of(sight.marker)];
      const Vec3 point = kinematics_.world_point(marker.body, marker.point);
      collect_force(*mechanism_, kinematics_, marker.body, point, 2.0 * sight.factor * (point - sight.place), force_);
    }
    add_by_coordinates(*mechanism_, state.q, force_, by_q);
  }
  for (const Target& target : targets_) {
    if (const double factor = factor_at(target, state.step); factor != 0.0) {
      const double distance = (target.rate ? state.u : state.q)[target.place] - target.value;
      (target.rate ? by_u : by_q)[target.place] += 2.0 * factor * distance;
    }
  }
}

void SquareSum::add_length_derivatives(const StepState& state, std::span<const VariedLink> links,
                                       std::span<double> by_lengths) {
  const std::span<const Sight> sights = sights_at(state.step);
  if (!sights.empty()) {
    kinematics_.set_positions(state.q);
  }
  for (const Sight& sight : sights) {
    const Marker& marker = mechanism_->markers()[index_of(sight.marker)];
    const Vec3 force = 2.0 * sight.factor * (kinematics_.world_point(marker.body, marker.point) - sight.place);
    for (int body = marker.body; body >= 0; body = mechanism_->parent(body)) {
      for (std::size_t k = 0; k < links.size(); ++k) {
        if (links[k].tree_joint == body) {
          by_lengths[k] += force.dot(kinematics_.body(mechanism_->parent(body)).rotation * links[k].own.along);
        }
      }
    }
  }
}

void GivenDerivatives::begin(const Mechanism& mechanism, const StepTimes& times) {
  const std::size_t rows = times.count() + 1;
  const auto require = [rows](const char* name, std::size_t numbers, int columns) {
    if (numbers != 0 && numbers != rows * index_of(columns)) {
      throw std::invalid_argument(
          fmt::format("{}: there must be {} rows, one a step and one for the start", name, rows));
    }
  };
  require("by_q", by_q_.size(), mechanism.q_size());
  require("by_u", by_u_.size(), mechanism.u_size());
}

void GivenDerivatives::add_derivatives(const StepState& state, std::span<double> by_q, std::span<double> by_u) {
  for (std::size_t i = 0; i < by_q.size() && !by_q_.empty(); ++i) {
    by_q[i] += by_q_[state.step * by_q.size() + i];
  }
  for (std::size_t i = 0; i < by_u.size() && !by_u_.empty(); ++i) {
    by_u[i] += by_u_[state.step * by_u.size() + i];
  }
}

}  // namespace mbdbench::gradients
