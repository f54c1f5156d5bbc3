#include "experiments/gradients/steps/step_tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrators/vector_operations.hpp"

namespace mbdbench::gradients {

Stepper::Stepper(Formulation& formulation, const StepMethod& method, std::vector<std::size_t> wanted)
    : formulation_(&formulation),
      method_(&method),
      implicit_(method.is_implicit() ? make_implicit_step(method, formulation) : nullptr),
      wanted_(std::move(wanted)),
      rates_(method.stage_count() * formulation.state_size()),
      raw_(formulation.state_size()) {
  const std::span<const StateComponent> layout = formulation.layout();
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (layout[i].kind == StateKind::quaternion) {
      quaternions_.push_back(i);
      i += 3;
    }
  }
}

void Stepper::step(const StepInterval& interval, std::span<const double> x, const StepRecord& record,
                   std::span<double> x_new) {
  if (implicit_ != nullptr) {
    std::copy_n(x.begin(), record.start.size(), record.start.begin());
    implicit_->solve(interval, x, record.stages, rates_, x_new);
  } else {
    step_explicitly(interval, x, record, x_new);
  }
  for (std::size_t i = 0; i < method_->stage_count(); ++i) {
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      record.rates[i * wanted_.size() + k] = rates_[i * x.size() + wanted_[k]];
    }
  }
  if (!all_finite(x_new)) {
    throw RunFailure(fmt::format("t = {}: the state is not finite; choose a shorter step", interval.end));
  }
  settle(interval.end, record.lengths, x_new);
}

void Stepper::step_explicitly(const StepInterval& interval, std::span<const double> x, const StepRecord& record,
                              std::span<double> x_new) {
  const std::size_t size = x.size();
  const double h = interval.size;
  const std::span<double> rates = rates_;
  for (std::size_t i = 0; i < method_->stage_count(); ++i) {
    const std::span<double> at = record.stages.subspan(i * size, size);
    if (i == 0) {
      std::copy(x.begin(), x.end(), at.begin());
    } else {
      advance_by(x, h, method_->stages[i], rates, at, method_->order);
    }
    const double time = method_->time_of(i, interval);
    if (!all_finite(at)) {
      throw RunFailure(fmt::format("t = {}: the state is not finite; choose a shorter step", time));
    }
    require_run(formulation_->rhs(time, at, rates.subspan(i * size, size)), time);
  }
  advance_by(x, h, method_->weights, rates, x_new, method_->order);
}

void Stepper::settle(double t, std::span<double> lengths, std::span<double> x_new) {
  std::fill(lengths.begin(), lengths.end(), 0.0);
  std::copy(x_new.begin(), x_new.end(), raw_.begin());
  if (!formulation_->after_step(t, x_new)) {
    return;
  }
  for (std::size_t k = 0; k < quaternions_.size(); ++k) {
    const std::span<double> e = std::span(raw_).subspan(quaternions_[k], 4);
    if (std::equal(e.begin(), e.end(), x_new.begin() + static_cast<std::ptrdiff_t>(quaternions_[k]))) {
      continue;
    }
    lengths[k] = std::hypot(std::hypot(e[0], e[1]), std::hypot(e[2], e[3]));
    std::for_each(e.begin(), e.end(), [length = lengths[k]](double& number) { number /= length; });
  }
  if (!std::equal(raw_.begin(), raw_.end(), x_new.begin())) {
    throw std::invalid_argument(
        "this formulation changes the ends of steps by more than the length of quaternions (a projection on "
        "constraints, another choice of joints); gradients of runs do not differentiate that; option "
        "projection=velocities or projection=off leaves it out");
  }
}

}  // namespace mbdbench::gradients
