#include "experiments/monitors/coupling_watch.hpp"

#include <cstddef>

#include "experiments/monitors/keep_largest.hpp"
#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {

CouplingWatch::CouplingWatch(const Mechanism& mechanism)
    : mechanism_(&mechanism), errors_(mechanism.couplings().size()) {}

void CouplingWatch::observe(std::span<const double> q, std::span<const double> u) {
  if (!started_) {
    for (std::size_t i = 0; i < errors_.size(); ++i) {
      const Coupling& coupling = mechanism_->couplings()[i];
      errors_[i].initial_residual = coupling.residual(q);
      for (const Coupling::Term& term : coupling.terms) {
        q0_.push_back(q[index_of(term.q)]);
      }
    }
    started_ = true;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    const Coupling& coupling = mechanism_->couplings()[i];
    CouplingError& error = errors_[i];
    keep_largest(error.residual_change, coupling.residual(q) - error.initial_residual);
    keep_largest(error.rate_residual, coupling.rate(u));
    for (const Coupling::Term& term : coupling.terms) {
      const double position = q[index_of(term.q)];
      keep_largest(error.term_change, term.factor * (position - q0_[next++]));
      keep_largest(error.term, term.factor * position);
      keep_largest(error.term_rate, term.factor * u[index_of(term.u)]);
    }
  }
}

}  // namespace mbdbench
