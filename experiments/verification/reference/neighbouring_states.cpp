#include "experiments/verification/reference/neighbouring_states.hpp"

#include <algorithm>
#include <array>

#include "mechanisms/model/kinematics/kinematics.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"

namespace mbdbench {
namespace {

// Enough that a choice which hangs on rounding falls both ways.
constexpr int kSteps = 12;
// Of the time in which the state changes: second differences of a smooth motion are its square.
constexpr double kStepOfTimeScale = 1e-3;

/// One step of the classical method of order four. \returns whether all right-hand sides could be had
bool advance(Formulation& formulation, double t, double step, Eigen::VectorXd& x) {
  struct Stage {
    double at;
    double weight;
  };
  constexpr std::array<Stage, 4> kStages = {{{0.0, 1.0 / 6.0}, {0.5, 1.0 / 3.0}, {0.5, 1.0 / 3.0}, {1.0, 1.0 / 6.0}}};
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(x.size());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(x.size());
  for (const Stage& stage : kStages) {
    const Eigen::VectorXd at = x + stage.at * step * rates;
    if (!formulation.rhs(t + stage.at * step, view(at), view(rates)).ok) {
      return false;
    }
    sum += stage.weight * rates;
  }
  x += step * sum;
  return true;
}

/// \returns the largest second difference of some entries over their largest value; 0 where all are zero.
double relative_roughness(const std::vector<Eigen::VectorXd>& rates, Eigen::Index first, Eigen::Index size) {
  double largest = 0.0;
  double roughest = 0.0;
  for (std::size_t k = 0; k < rates.size() && size > 0; ++k) {
    largest = std::max(largest, rates[k].segment(first, size).cwiseAbs().maxCoeff());
    if (k > 1) {
      const Eigen::VectorXd second = rates[k] - 2.0 * rates[k - 1] + rates[k - 2];
      roughest = std::max(roughest, second.segment(first, size).cwiseAbs().maxCoeff());
    }
  }
  return largest > 0.0 ? roughest / largest : 0.0;
}

}  // namespace

NeighbouringStates neighbouring_states(Formulation& velocity_form, Formulation& momentum_form, double t,
                                       const Eigen::VectorXd& x, const Eigen::VectorXd& mu, double time_scale) {
  const double step = kStepOfTimeScale * time_scale;
  const Mechanism& mechanism = velocity_form.mechanism();
  Kinematics kinematics(mechanism);
  Jacobians jacobians(mechanism);
  NeighbouringStates result;
  std::vector<Eigen::VectorXd> rates;
  Eigen::VectorXd now = x;
  Eigen::VectorXd momenta(x.size());
  for (int k = 0; k <= kSteps; ++k) {
    NeighbouringState state;
    state.t = t + k * step;
    state.q = now.head(mechanism.q_size());
    state.u = now.tail(mechanism.u_size());
    rates.emplace_back(x.size());
    if (!momentum_form.pack(state.t, view(state.q), view(state.u), view(momenta)).ok ||
        !velocity_form.rhs(state.t, view(now), view(rates.back())).ok) {
      return {};
    }
    kinematics.set_positions(view(state.q));
    jacobians.set_positions(kinematics);
    state.p = momenta.tail(mechanism.u_size()) - jacobians.constraints().transpose() * mu;
    result.states.push_back(std::move(state));
    if (k < kSteps && !advance(velocity_form, t + k * step, step, now)) {
      return {};
    }
  }
  // A mechanism that moves uniformly or not at all has momenta that do not: theirs bend like the square of the step.
  result.roughness = std::max({kStepOfTimeScale * kStepOfTimeScale, relative_roughness(rates, 0, mechanism.q_size()),
                               relative_roughness(rates, mechanism.q_size(), mechanism.u_size())});
  return result;
}

}  // namespace mbdbench
