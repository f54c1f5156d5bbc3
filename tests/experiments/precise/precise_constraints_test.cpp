/// \file
/// All that holds and loads mechanisms, in 113 bits: accelerations against dense, momenta against accelerations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/precise/motion/precise_motion.hpp"
#include "experiments/precise/states/precise_states.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/verification/reference/verification_states.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/catalogue/trees/random_source.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/support/random_states.hpp"

namespace mbdbench::precise::constraints {
namespace {

Reals reals(const Eigen::VectorXd& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// \returns the largest error of a formulation's x' at moving states, of coordinates and of the others over the
/// largest; nothing where 113 bits do not know its states.
std::optional<double> error_of(const std::string& word, const Mechanism& mechanism, int states) {
  const FormulationChoice choice = choose_formulation(formulation_registry(), word);
  const auto formulation = make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options);
  if (!refuse_precise_states(*formulation, choice.parameters).empty()) {
    return std::nullopt;
  }
  const StateRules rules = state_rules(*formulation, choice.parameters);
  const TreeNumbers numbers(mechanism);
  PreciseMotion motion(mechanism, numbers);
  double worst = 0.0;
  for (const VerificationState& state : draw_verification_states(mechanism, states, 7).states) {
    Eigen::VectorXd x(static_cast<Eigen::Index>(formulation->state_size()));
    Eigen::VectorXd found(x.size());
    EXPECT_TRUE(formulation->pack(state.t, view(state.q), view(state.u), view(x)).ok);
    EXPECT_TRUE(formulation->rhs(state.t, view(std::as_const(x)), view(found)).ok) << word << ", " << mechanism.name();
    Eigen::VectorXd expected(x.size());
    const Reals rates = state_rates(motion, rules, state.t, reals(x));
    EXPECT_EQ(rates.size(), static_cast<std::size_t>(x.size()));
    std::transform(rates.begin(), rates.end(), expected.begin(),
                   [](const Real& rate) { return rate.convert_to<double>(); });
    const Eigen::Index nq = mechanism.q_size();
    for (const auto& [first, count] : {std::pair(Eigen::Index{0}, nq), std::pair(nq, x.size() - nq)}) {
      const double size = expected.segment(first, count).lpNorm<Eigen::Infinity>();
      const double error = (found - expected).segment(first, count).lpNorm<Eigen::Infinity>();
      worst = std::max(worst, error / std::max(size, 1e-3));  // nothing moves so slowly
    }
  }
  return worst;
}

// Prescribed motions of tree and cut joints, rods, points on lines and planes, couplings, rolling, constraints of
// velocities, and every kind of load.
TEST(PreciseConstraints, HaveTheRatesOfDense) {
  const std::uint64_t seed = test::seed_of_run(1);
  std::vector<std::string> keys;
  for (const MechanismEntry& entry : mechanism_registry()) {
    keys.emplace_back(entry.key);
  }
  for (std::uint64_t k = seed; k < seed + 30; ++k) {
    keys.push_back(fmt::format("random_closed:seed={},bodies={},cuts={}", k, 3 + k % 6, 1 + k % 3));
    keys.push_back(fmt::format("random_tree:seed={},bodies={},motions={}", k, 2 + k % 6, k % 3));
  }
  // What rolls, bushings, couplings, constraints of velocities.
  for (const auto& file : std::filesystem::directory_iterator(MBDBENCH_SOURCE_DIR "/examples/mechanisms")) {
    if (file.path().extension() == ".toml") {
      keys.push_back(file.path().string());
    }
  }
  double worst = 0.0;
  std::map<std::string, std::size_t> compared;
  std::set<JointType> cuts;
  std::size_t driven = 0;
  for (const std::string& key : keys) {
    const Mechanism mechanism = find_mechanism(default_registries(), key);
    if (mechanism.body_count() > 30) {
      continue;
    }
    ASSERT_EQ(refuse_precise_motion(mechanism), "") << key;
    // dense rounds by its condition, of up to 1e6 here; another term would show at 1e-3.
    for (const char* const word : {"dense", "dense-momentum"}) {
      if (const std::optional<double> error = error_of(word, mechanism, 2)) {
        EXPECT_LT(*error, 1e-8) << word << " on " << key;
        worst = std::max(worst, *error);
        ++compared[word];
      }
    }
    for (const Joint& joint : mechanism.cut_joints()) {
      cuts.insert(joint.type);
    }
    driven += mechanism.rheonomic() ? 1 : 0;
  }
  fmt::print("seed {}: {} of {} mechanisms in momenta, largest difference {:.1e}, {} types of cut joints, {} driven\n",
             seed, compared["dense-momentum"], compared["dense"], worst, cuts.size(), driven);
  EXPECT_GE(compared["dense"], 90U);
  EXPECT_GE(compared["dense-momentum"], 90U);
  EXPECT_GE(cuts.size(), 9U);
  EXPECT_GE(driven, 10U);
}

// What Baumgarte's constants make of a screw's turn is not known, so that no right formulation fails for it.
TEST(PreciseConstraints, RefuseConstantsThatPullAtCutScrews) {
  const Mechanism mechanism = find_mechanism(default_registries(), "random_closed:seed=1234,screws=1");
  for (const char* const word : {"bae-haug", "bae-haug[alpha=5,beta=5]"}) {
    const FormulationChoice choice = choose_formulation(formulation_registry(), word);
    const auto formulation = make_formulation(formulation_registry(), *choice.entry, mechanism, choice.options);
    EXPECT_EQ(refuse_precise_states(*formulation, choice.parameters).find("cut screws") != std::string::npos,
              word != std::string("bae-haug"))
        << word;
  }
}

}  // namespace
}  // namespace mbdbench::precise::constraints
