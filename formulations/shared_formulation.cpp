#include "formulations/shared_formulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbdbench {
namespace {

std::vector<StateComponent> whole_layout(const Formulation& whole) {
  return {whole.layout().begin(), whole.layout().end()};
}

}  // namespace

SharedFormulation::SharedFormulation(std::unique_ptr<Formulation> whole, PartMaker make_part,
                                     ProcessExchange* processes)
    : Formulation(whole->mechanism(), whole_layout(*whole)),
      whole_(std::move(whole)),
      make_part_(std::move(make_part)),
      processes_(processes),
      part_(make_part_()),
      bounds_(1, 0),
      order_(state_size()),
      own_(part_->state_size()),
      rates_(state_size()) {
  const std::size_t size = processes == nullptr ? 1 : static_cast<std::size_t>(processes->size());
  const std::size_t process = processes == nullptr ? 0 : static_cast<std::size_t>(processes->process());
  std::vector<std::size_t> counts(size, own_.size());
  if (processes != nullptr) {
    std::vector<std::size_t> places;
    for (std::size_t r = 0; r <= size; ++r) {
      places.push_back(r * sizeof(std::size_t));
    }
    processes->share(std::as_writable_bytes(std::span(counts)), places);
  }
  static_assert(sizeof(std::size_t) == sizeof(double), "numbers of components and rates have the same bounds");
  for (const std::size_t count : counts) {
    bounds_.push_back(bounds_.back() + count * sizeof(double));
  }
  std::copy(part_->components().begin(), part_->components().end(),
            order_.begin() + static_cast<std::ptrdiff_t>(bounds_[process] / sizeof(double)));
  if (processes != nullptr) {
    processes->share(std::as_writable_bytes(std::span(order_)), bounds_);
  }
}

std::unique_ptr<Formulation> SharedFormulation::clone() const {
  return std::make_unique<SharedFormulation>(whole_->clone(), make_part_, processes_);
}

RhsStatus SharedFormulation::evaluate(double t, std::span<const double> x, std::span<double> xdot) {
  const std::size_t process = processes_ == nullptr ? 0 : static_cast<std::size_t>(processes_->process());
  const std::span<const std::size_t> own = part_->components();
  for (std::size_t i = 0; i < own.size(); ++i) {
    own_[i] = x[own[i]];
  }
  const RhsStatus status =
      part_->rhs(t, own_, std::span(rates_).subspan(bounds_[process] / sizeof(double), own_.size()));
  if (!status.ok) {
    return status;
  }
  if (processes_ != nullptr) {
    processes_->share(std::as_writable_bytes(std::span(rates_)), bounds_);
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    xdot[order_[i]] = rates_[i];
  }
  // Every process has the rates of all now: what overflows in one part is told by all.
  for (std::size_t i = 0; i < xdot.size(); ++i) {
    if (!std::isfinite(xdot[i])) {
      return {false, layout()[i].joint, "a rate of its state is not finite, it is", xdot[i]};
    }
  }
  return status;
}

}  // namespace mbdbench
