#include "experiments/ensembles/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "mechanisms/model/description/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr MotionColumnChoice kVelocities = {.velocities = true};

std::vector<std::string> state_names(const Formulation& formulation) {
  std::vector<std::string> names;
  std::transform(formulation.layout().begin(), formulation.layout().end(), std::back_inserter(names),
                 [](const StateComponent& component) { return component.name; });
  return names;
}

void add_markers(const Mechanism& mechanism, std::initializer_list<const char*> what, std::vector<std::string>& names) {
  for (const Marker& marker : mechanism.markers()) {
    for (const char* const quantity : what) {
      names.push_back(fmt::format("{}_{}", quantity, marker.name));
    }
  }
}

}  // namespace

std::vector<std::string> all_quantities(Formulation& formulation) {
  std::vector<std::string> names = state_names(formulation);
  names.insert(names.end(), {"kinetic", "potential", "total"});
  add_markers(formulation.mechanism(), {"x", "y", "z", "vx", "vy", "vz"}, names);
  const MotionColumns velocities(formulation, kVelocities);
  names.insert(names.end(), velocities.names().begin(), velocities.names().end());
  return names;
}

std::vector<std::string> default_quantities(Formulation& formulation) {
  std::vector<std::string> names = state_names(formulation);
  names.emplace_back("total");
  add_markers(formulation.mechanism(), {"x", "y", "z"}, names);
  return names;
}

std::vector<std::string> chosen_quantities(Formulation& formulation, const std::vector<std::string>& chosen) {
  if (chosen.empty()) {
    return default_quantities(formulation);
  }
  const std::vector<std::string> all = all_quantities(formulation);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (std::find(all.begin(), all.end(), chosen[i]) == all.end()) {
      throw std::invalid_argument(fmt::format("--quantities: the members of this ensemble have no quantity '{}'; {}",
                                              chosen[i], suggest_name(chosen[i], all, "there are")));
    }
    if (std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(i), chosen[i]) !=
        chosen.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw std::invalid_argument(fmt::format("--quantities: '{}' is given twice", chosen[i]));
    }
  }
  return chosen;
}

QuantitySampler::QuantitySampler(Formulation& formulation, const std::vector<std::string>& names,
                                 std::vector<double> times)
    : formulation_(formulation), velocities_(formulation, kVelocities), times_(std::move(times)) {
  const std::vector<std::string> all = all_quantities(formulation);
  const std::size_t state = formulation.state_size();
  const std::size_t observed = all.size() - velocities_.names().size();
  for (const std::string& name : names) {
    const auto place = static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
    places_.push_back(place);
    observes_ = observes_ || (place >= state && place < observed);
    takes_velocities_ = takes_velocities_ || place >= observed;
  }
  samples_.reserve(names.size() * times_.size());
}

bool QuantitySampler::sample(double t, std::span<const double> x) {
  // With two times methods give every step.
  if (next_ == times_.size() || t != times_[next_]) {
    return true;
  }
  ++next_;
  row_.assign(x.begin(), x.end());
  if (observes_) {
    if (const RhsStatus status = formulation_.observe(t, x, observation_); !status.ok) {
      throw std::runtime_error(
          fmt::format("the energies and markers at t = {} cannot be computed: {}", t, status.message()));
    }
  }
  row_.insert(row_.end(),
              {observation_.energies.kinetic, observation_.energies.potential, observation_.energies.total()});
  observation_.marker_positions.resize(formulation_.mechanism().markers().size(), Vec3::Zero());
  observation_.marker_velocities.resize(formulation_.mechanism().markers().size(), Vec3::Zero());
  for (std::size_t i = 0; i < observation_.marker_positions.size(); ++i) {
    row_.insert(row_.end(), observation_.marker_positions[i].begin(), observation_.marker_positions[i].end());
    row_.insert(row_.end(), observation_.marker_velocities[i].begin(), observation_.marker_velocities[i].end());
  }
  if (takes_velocities_) {
    velocities_.append(t, x, row_);
  }
  std::transform(places_.begin(), places_.end(), std::back_inserter(samples_),
                 [this](std::size_t place) { return row_[place]; });
  return true;
}

}  // namespace mbdbench
