#include "formulations/assembly/coupled_joints.hpp"

#include "mechanisms/model/description/index_of.hpp"

namespace mbdbench {
namespace {

// A holds squares: singular values down to 1e-6 of what nothing holds count.
constexpr double kZeroPivot = 1e-12;

}  // namespace

CoupledJoints::CoupledJoints(const Mechanism& mechanism, std::size_t multipliers)
    : mechanism_(&mechanism), answers_(mechanism.couplings().size()) {
  const auto count = static_cast<Eigen::Index>(answers_.size());
  for (std::size_t c = 0; c < answers_.size(); ++c) {
    Answer& answer = answers_[c];
    answer.forces.resize(index_of(mechanism.u_size()));
    for (const Coupling::Term& term : mechanism.couplings()[c].terms) {
      answer.forces[index_of(term.u)] = term.factor;
    }
    answer.u.resize(answer.forces.size());
    answer.multipliers.resize(multipliers);
    answer.bodies.resize(mechanism.bodies().size(), Vec6::Zero());
  }
  lower_.setZero(count, count);
  pivots_.setZero(count);
  nu_.setZero(count);
}

void CoupledJoints::decompose() {
  const Eigen::Index count = nu_.size();
  for (Eigen::Index i = 0; i < count; ++i) {
    const Coupling& coupling = mechanism_->couplings()[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j <= i; ++j) {
      double entry = coupling.rate(answers_[static_cast<std::size_t>(j)].u);
      for (Eigen::Index k = 0; k < j; ++k) {
        entry -= lower_(i, k) * pivots_[k] * lower_(j, k);
      }
      if (j == i) {
        pivots_[i] = entry > kZeroPivot * answers_[static_cast<std::size_t>(i)].mobility ? entry : 0.0;
      } else {
        lower_(i, j) = pivots_[j] > 0.0 ? entry / pivots_[j] : 0.0;
      }
    }
  }
}

void CoupledJoints::solve(std::span<const double> u, std::span<const double> right) {
  const Eigen::Index count = nu_.size();
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto c = static_cast<std::size_t>(i);
    nu_[i] = right[c] - mechanism_->couplings()[c].rate(u);
    for (Eigen::Index j = 0; j < i; ++j) {
      nu_[i] -= lower_(i, j) * nu_[j];
    }
  }
  for (Eigen::Index i = count; i-- > 0;) {
    nu_[i] = pivots_[i] > 0.0 ? nu_[i] / pivots_[i] : 0.0;
    for (Eigen::Index j = i + 1; j < count; ++j) {
      nu_[i] -= pivots_[i] > 0.0 ? lower_(j, i) * nu_[j] : 0.0;
    }
  }
}

void CoupledJoints::add_to(std::span<double> u, std::span<double> multipliers, std::span<Vec6> bodies) const {
  for (std::size_t c = 0; c < answers_.size(); ++c) {
    const double nu = nu_[static_cast<Eigen::Index>(c)];
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] += nu * answers_[c].u[i];
    }
    for (std::size_t i = 0; i < multipliers.size(); ++i) {
      multipliers[i] += nu * answers_[c].multipliers[i];
    }
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      bodies[k] += nu * answers_[c].bodies[k];
    }
  }
}

void CoupledJoints::add_forces(std::span<double> forces) const {
  for (std::size_t c = 0; c < answers_.size(); ++c) {
    for (const Coupling::Term& term : mechanism_->couplings()[c].terms) {
      forces[index_of(term.u)] += term.factor * nu_[static_cast<Eigen::Index>(c)];
    }
  }
}

}  // namespace mbdbench
