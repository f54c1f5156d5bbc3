#include "formulations/batches/state_batch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

namespace {

// Of a message of MPI, whose lengths are integers of 31 bits.
constexpr std::size_t kLargestMessage = std::size_t{1} << 30U;

/// \returns a failure with the joint of the first number that is not finite, else a status that is fine.
/// \param reason static text
RhsStatus status_of_numbers(std::span<const StateComponent> layout, std::span<const double> numbers,
                            std::string_view reason) {
  const auto wrong =
      std::find_if_not(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
  if (wrong == numbers.end()) {
    return {};
  }
  return {false, layout[index_of(wrong - numbers.begin())].joint, reason, *wrong};
}

}  // namespace

RhsStatus status_of_state(std::span<const StateComponent> layout, std::span<const double> x) {
  return status_of_numbers(layout, x, "a number of the state is not finite, it is");
}

StateBatch::StateBatch(Formulation& formulation, int threads, ProcessExchange* processes, BatchRates wanted)
    : formulation_(&formulation), processes_(processes), wanted_(wanted), team_(threads) {
  for (int i = 1; i < team_.size(); ++i) {
    clones_.push_back(formulation.clone());
  }
  // No states: workspaces are made here, and not by the threads of the first call.
  formulation.rhs_batch(0.0, {}, {}, {});
  for (const auto& clone : clones_) {
    clone->rhs_batch(0.0, {}, {}, {});
  }
}

std::vector<std::size_t> StateBatch::shares(std::size_t count) const {
  const std::size_t lanes = index_of(formulation_->batch_lanes());
  const std::size_t portions = (count + lanes - 1) / lanes;
  const std::size_t processes = processes_ == nullptr ? 1 : index_of(processes_->size());
  std::vector<std::size_t> bounds(processes + 1);
  for (std::size_t r = 0; r <= processes; ++r) {
    bounds[r] = std::min(count, portions * r / processes * lanes);
  }
  return bounds;
}

void StateBatch::rhs(double t, std::span<const double> states, std::span<double> rates, std::span<RhsStatus> statuses) {
  if (processes_ == nullptr) {
    compute(t, states, rates, statuses);
    return;
  }
  const std::size_t size = formulation_->state_size();
  // Whole portions: lanes hold the same states as on one process.
  const std::size_t lanes = index_of(formulation_->batch_lanes());
  const std::size_t most =
      lanes * std::max<std::size_t>(1, kLargestMessage / (lanes * std::max<std::size_t>(1, size) * sizeof(double)));
  for (std::size_t first = 0; first < statuses.size(); first += most) {
    const std::size_t count = std::min(most, statuses.size() - first);
    rhs_of_message(t, states.subspan(first * size, count * size), rates.subspan(first * size, count * size),
                   statuses.subspan(first, count));
  }
}

void StateBatch::rhs_of_message(double t, std::span<const double> states, std::span<double> rates,
                                std::span<RhsStatus> statuses) {
  const std::size_t size = formulation_->state_size();
  const std::vector<std::size_t> bounds = shares(statuses.size());
  const std::size_t first = bounds[index_of(processes_->process())];
  const std::size_t count = bounds[index_of(processes_->process()) + 1] - first;
  compute(t, states.subspan(first * size, count * size), rates.subspan(first * size, count * size),
          statuses.subspan(first, count));
  if (wanted_ == BatchRates::everywhere) {
    send(t, states, rates, statuses);
  }
}

void StateBatch::compute(double t, std::span<const double> states, std::span<double> rates,
                         std::span<RhsStatus> statuses) {
  const std::size_t size = formulation_->state_size();
  const std::size_t lanes = index_of(formulation_->batch_lanes());
  const std::size_t count = statuses.size();
  const std::size_t portions = (count + lanes - 1) / lanes;
  team_.run([&](const TeamMember& member) {
    const std::size_t index = index_of(member.index);
    const std::size_t members = index_of(member.count);
    const std::size_t first = portions * index / members * lanes;
    const std::size_t last = std::min(count, portions * (index + 1) / members * lanes);
    if (first < last) {
      Formulation& own = index == 0 ? *formulation_ : *clones_[index - 1];
      compute_share(own, t, states.subspan(first * size, (last - first) * size),
                    rates.subspan(first * size, (last - first) * size), statuses.subspan(first, last - first));
    }
  });
}

void StateBatch::compute_share(Formulation& own, double t, std::span<const double> states, std::span<double> rates,
                               std::span<RhsStatus> statuses) const {
  const std::size_t before = own.states_alone();
  own.rhs_batch(t, states, rates, statuses);
  if (own.states_alone() == before) {
    return;  // lanes tell of what is not finite, and a look at all numbers takes time
  }
  const std::size_t size = formulation_->state_size();
  for (std::size_t k = 0; k < statuses.size(); ++k) {
    const RhsStatus own_reason = statuses[k];
    if (own_reason.ok || own_reason.joint.empty()) {
      statuses[k] = status_of_state(own.layout(), states.subspan(k * size, size));
    }
    if (statuses[k].ok) {
      statuses[k] = own_reason.ok ? status_of_numbers(own.layout(), rates.subspan(k * size, size),
                                                      "a rate of the state is not finite, it is")
                                  : own_reason;
    }
  }
}

void StateBatch::send(double t, std::span<const double> states, std::span<double> rates,
                      std::span<RhsStatus> statuses) {
  const std::size_t size = formulation_->state_size();
  const std::vector<std::size_t> own = shares(statuses.size());
  std::vector<std::size_t> bounds = own;
  std::vector<std::byte> failed(statuses.size());
  for (std::size_t k = 0; k < statuses.size(); ++k) {
    failed[k] = std::byte{static_cast<unsigned char>(statuses[k].ok ? 0 : 1)};
  }
  processes_->share(failed, bounds);
  std::transform(bounds.begin(), bounds.end(), bounds.begin(),
                 [&](std::size_t bound) { return bound * size * sizeof(double); });
  processes_->share(std::as_writable_bytes(rates.first(statuses.size() * size)), bounds);
  const std::size_t first = own[index_of(processes_->process())];
  const std::size_t last = own[index_of(processes_->process()) + 1];
  for (std::size_t k = 0; k < statuses.size(); ++k) {
    if (k >= first && k < last) {
      continue;
    }
    statuses[k] = RhsStatus();
    if (failed[k] != std::byte{0}) {
      // Names and reasons are views of what each process has: it asks for itself.
      compute_share(*formulation_, t, states.subspan(k * size, size), rates.subspan(k * size, size),
                    statuses.subspan(k, 1));
    }
  }
}

std::size_t StateBatch::further_calls() const {
  return std::accumulate(clones_.begin(), clones_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& clone) { return sum + clone->rhs_calls(); });
}

std::size_t StateBatch::further_states_alone() const {
  return std::accumulate(clones_.begin(), clones_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& clone) { return sum + clone->states_alone(); });
}

}  // namespace mbdbench
