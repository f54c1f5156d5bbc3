/// \file
/// States that are functions of those of the tree's joints, in 113 bits: against what formulations pack, their rates,
/// and their exact derivatives.
#include "experiments/precise/states/precise_state_map.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "experiments/precise/precise_changes.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::precise::state_map {
namespace {

/// Conditions of 1e3 and of the choice of dependent joints, which rounding of states is multiplied by.
constexpr double kRounding = 1e-9;

double difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
}

Eigen::VectorXd rounded(const Reals& numbers) {
  Eigen::VectorXd found(static_cast<Eigen::Index>(numbers.size()));
  std::transform(numbers.begin(), numbers.end(), found.begin(),
                 [](const Real& one) { return one.convert_to<double>(); });
  return found;
}

/// Of differences of fourth order: truncation leaves 1e-24, rounding 1e-28.
constexpr double kRateStep = 1e-6;
/// Loops of doubles are open by some 1e-16, and there coordinates of cut joints move otherwise than their velocities
/// say.
constexpr double kOpenLoops = 1e-15;

/// \returns by how much the map's rates miss differences of its own states along the motion, relative.
double error_of_rates(const PreciseStateMap& map, PreciseMotion& motion, double t, const JointMotionState& at,
                      std::span<const double> near) {
  const Reals rates = map.moving(motion, t, at, near).rates;
  const Reals qdot = motion.coordinate_rates(at.q, at.u);
  const Reals udot = motion.accelerations(t, at.q, at.u);
  const auto after = [&](double steps) {
    Reals q(at.q.begin(), at.q.end());
    Reals u(at.u.begin(), at.u.end());
    const Real step = steps * kRateStep;
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] += step * qdot[i];
    }
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] += step * udot[i];
    }
    return map.state(motion, t, {q, u}, near);
  };
  const Reals ahead = after(1.0);
  const Reals behind = after(-1.0);
  const Reals far_ahead = after(2.0);
  const Reals far_behind = after(-2.0);
  Real largest = 1.0;
  Real error = 0.0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Real slope = (8 * (ahead[i] - behind[i]) - (far_ahead[i] - far_behind[i])) / (Real(12) * Real(kRateStep));
    largest = std::max(largest, Real(abs(rates[i])));
    error = std::max(error, Real(abs(slope - rates[i])));
  }
  return Real(error / largest).convert_to<double>();
}

TEST(PreciseStateMap, HasTheStatesRatesAndDerivativesOfFormulations) {
  const std::uint64_t seed = test::seed_of_run(1);
  RandomSource random(static_cast<std::int64_t>(seed));
  std::vector<std::string> keys = {"four_bar:angle=0.3", "double_loop:angle=0.2", "slider_crank", "five_bar"};
  for (std::uint64_t k = seed; k < seed + 6; ++k) {
    keys.push_back(fmt::format("random_closed:seed={},bodies={},cuts={}", k, 4 + k % 4, 1 + k % 2));
  }
  std::size_t compared = 0;
  double worst = 0.0;
  double worst_of_rates = 0.0;
  for (const std::string& key : keys) {
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    for (const char* const word :
         {"naudet", "naudet[switching=off]", "naudet-reduced", "naudet-acc", "naudet-acc-reduced", "dca-alm"}) {
      const FormulationChoice choice = choose_formulation(formulation_registry(), word);
      if (!refusal_of(*choice.entry, mechanism).empty()) {
        continue;
      }
      const auto formulation = choice.entry->make(mechanism, choice.parameters, {});
      if (!formulation->without_jacobian().empty() || begins_with_joint_states(*formulation)) {
        continue;
      }
      SCOPED_TRACE(fmt::format("{} on {}, seed {}", word, key, seed));
      ASSERT_EQ(refuse_precise_states(*formulation, choice.parameters), "");
      const PreciseChanges changes(*formulation, choice.parameters);
      ASSERT_TRUE(changes.maps());
      const VerificationState state = draw_verification_states(mechanism, 1, 3).states.back();
      Eigen::VectorXd x(static_cast<Eigen::Index>(formulation->state_size()));
      Eigen::VectorXd rates(x.size());
      ASSERT_TRUE(formulation->pack(state.t, view(state.q), view(state.u), view(x)).ok);
      ASSERT_TRUE(formulation->rhs(state.t, view(std::as_const(x)), view(rates)).ok);
      PreciseStateMap map(*formulation);
      map.choose(view(std::as_const(x)));
      const TreeNumbers numbers(mechanism);
      PreciseMotion motion(mechanism, numbers);
      const Reals q(state.q.begin(), state.q.end());
      const Reals u(state.u.begin(), state.u.end());
      EXPECT_LT(difference(x, rounded(map.state(motion, state.t, {q, u}, view(std::as_const(x))))), kRounding);
      EXPECT_LT(difference(rates, rounded(map.moving(motion, state.t, {q, u}, view(std::as_const(x))).rates)),
                kRounding);
      const double of_rates = error_of_rates(map, motion, state.t, {q, u}, view(std::as_const(x)));
      EXPECT_LT(of_rates, kOpenLoops);
      worst_of_rates = std::max(worst_of_rates, of_rates);
      const Eigen::MatrixXd basis = tangent_directions(mechanism, state.q, state.u).directions;
      Eigen::VectorXd along = Eigen::VectorXd::Zero(basis.rows());
      for (Eigen::Index k = 0; k < basis.cols(); ++k) {
        along += random.uniform(-1.0, 1.0) * basis.col(k);
      }
      const Eigen::VectorXd q_change = along.head(state.q.size());
      const Eigen::VectorXd u_change = along.tail(state.u.size());
      const auto change = changes.along_motion(state.t, {view(state.q), view(state.u), view(q_change), view(u_change)},
                                               view(std::as_const(x)));
      ASSERT_TRUE(change);
      Eigen::VectorXd product(x.size());
      ASSERT_TRUE(
          formulation
              ->jacobian_vector(state.t, view(std::as_const(x)), view(std::as_const(change->state)), view(product))
              .ok);
      const double error = difference(product, change->rates);
      EXPECT_LT(error, kRounding);
      EXPECT_GT(change->rates.lpNorm<Eigen::Infinity>(), 1e-3) << "a comparison of nothing";
      worst = std::max(worst, error);
      ++compared;
    }
  }
  fmt::print("seed {}: {} compared, largest error of derivatives {:.1e}, of rates against differences {:.1e}\n", seed,
             compared, worst, worst_of_rates);
  EXPECT_GE(compared, 25U);
}

/// A tangent direction of a mechanism at a state, in q and in u.
struct Tangent {
  Eigen::VectorXd q;
  Eigen::VectorXd u;
};

Tangent tangent_at(const Mechanism& mechanism, const VerificationState& state, RandomSource& random) {
  const Eigen::MatrixXd basis = tangent_directions(mechanism, state.q, state.u).directions;
  Eigen::VectorXd along = Eigen::VectorXd::Zero(basis.rows());
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    along += random.uniform(-1.0, 1.0) * basis.col(k);
  }
  return {along.head(state.q.size()), along.tail(state.u.size())};
}

// Which components depend stands in a state as a number of up to 1e15: beside it changes of others are no rounding.
TEST(PreciseStateMap, SmallChangesBesideTheNumberOfAChoiceCount) {
  constexpr double kSmall = 1e-9;
  const Mechanism mechanism = make_mechanism(mechanism_registry(), "grid:side=3");
  const FormulationChoice choice = choose_formulation(formulation_registry(), "naudet");
  const auto formulation = choice.entry->make(mechanism, choice.parameters, {});
  const PreciseChanges changes(*formulation, choice.parameters);
  const VerificationState state = draw_verification_states(mechanism, 1, 3).states.back();
  RandomSource random(5);
  const Tangent along = tangent_at(mechanism, state, random);
  Eigen::VectorXd x(static_cast<Eigen::Index>(formulation->state_size()));
  ASSERT_TRUE(formulation->pack(state.t, view(state.q), view(state.u), view(x)).ok);
  EXPECT_GT(x.lpNorm<Eigen::Infinity>(), 1e6) << "nothing is compared";
  const auto change_along = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& u) {
    return changes.along_motion(state.t, {view(state.q), view(state.u), view(q), view(u)}, view(std::as_const(x)));
  };
  const auto whole = change_along(along.q, along.u);
  const auto small = change_along(kSmall * along.q, kSmall * along.u);
  ASSERT_TRUE(whole && small);
  // 1e-34 over the step of 1e-11, a billionth of the direction, momenta of some tens.
  EXPECT_LT((small->state / kSmall - whole->state).lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_LT((small->rates / kSmall - whole->rates).lpNorm<Eigen::Infinity>(),
            1e-10 * whole->rates.lpNorm<Eigen::Infinity>());
}

}  // namespace
}  // namespace mbdbench::precise::state_map
