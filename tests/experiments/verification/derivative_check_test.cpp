/// \file
/// `verify` compares exact derivatives: right ones pass on open trees of all joints, planted defects fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/registries/formulation_choice.hpp"
#include "experiments/verification/derivatives/tangent_directions.hpp"
#include "experiments/verification/verification.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/model/kinematics/vector_view.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench {
namespace {

/// What is wrong with the derivatives of a formulation.
enum class Defect { none, entry, digits, along, weights, failure };

/// `aba` with derivatives that are wrong in one place; `entry`: the sign of the largest one, in all three ways to them;
/// `digits`: likewise the tenth digit.
class WrongDerivatives final : public test::ForwardingFormulation {
 public:
  WrongDerivatives(std::unique_ptr<Formulation> right, Defect defect)
      : ForwardingFormulation(std::move(right)), defect_(defect) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<WrongDerivatives>(right().clone(), defect_);
  }
  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override {
    if (defect_ == Defect::failure) {
      return {false, "joint1", "no derivative here", 1.0};
    }
    const RhsStatus status = right().jacobian(t, x, derivatives);
    if (wrong_alike()) {
      const auto largest = std::max_element(derivatives.begin(), derivatives.end(),
                                            [](double a, double b) { return std::abs(a) < std::abs(b); });
      *largest *= defect_ == Defect::entry ? -1.0 : 1.0 + 1e-10;
    }
    return status;
  }
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override {
    if (wrong_alike()) {
      return Formulation::jacobian_vector(t, x, direction, product);
    }
    const RhsStatus status = right().jacobian_vector(t, x, direction, product);
    product.back() *= defect_ == Defect::along ? 1.0 + 1e-6 : 1.0;
    return status;
  }
  RhsStatus vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                            std::span<double> product) override {
    if (wrong_alike()) {
      return Formulation::vector_jacobian(t, x, weights, product);
    }
    const RhsStatus status = right().vector_jacobian(t, x, weights, product);
    product.front() *= defect_ == Defect::weights ? 1.0 + 1e-6 : 1.0;
    return status;
  }
  [[nodiscard]] std::string without_jacobian() const override { return right().without_jacobian(); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    return right().rhs(t, x, xdot);
  }

 private:
  [[nodiscard]] bool wrong_alike() const { return defect_ == Defect::entry || defect_ == Defect::digits; }
  Defect defect_;
};

constexpr char kOfTrees[] = "aba";
constexpr char kOfLoops[] = "bae-haug";
constexpr char kOfIndependent[] = "naudet-reduced";
constexpr char kOfAllJoints[] = "naudet-acc";

template <Defect kDefect, const char* kRight = kOfTrees>
FormulationEntry entry_with(std::string_view key) {
  FormulationEntry entry = *find_formulation(formulation_registry(), kRight);
  entry.key = key;
  entry.options = {};
  entry.make = [](const Mechanism& mechanism, const Parameters& /*options*/,
                  const Execution& /*execution*/) -> std::unique_ptr<Formulation> {
    const auto& all = formulation_registry();
    return std::make_unique<WrongDerivatives>(make_formulation(all, *find_formulation(all, kRight), mechanism, ""),
                                              kDefect);
  };
  return entry;
}

std::vector<VerificationResult> verified(const std::vector<std::string>& mechanisms,
                                         const std::vector<std::string>& formulations, bool derivatives = true) {
  Registries registries = default_registries();
  registries.formulations.push_back(entry_with<Defect::none>("user_right"));
  registries.formulations.push_back(entry_with<Defect::entry>("user_entry"));
  registries.formulations.push_back(entry_with<Defect::digits>("user_digits"));
  registries.formulations.push_back(entry_with<Defect::digits, kOfLoops>("user_digits_of_loops"));
  registries.formulations.push_back(entry_with<Defect::digits, kOfIndependent>("user_digits_of_independent"));
  registries.formulations.push_back(entry_with<Defect::digits, kOfAllJoints>("user_digits_of_all"));
  registries.formulations.push_back(entry_with<Defect::along>("user_along"));
  registries.formulations.push_back(entry_with<Defect::weights>("user_weights"));
  registries.formulations.push_back(entry_with<Defect::failure>("user_failure"));
  registries.formulations.push_back(entry_with<Defect::weights, kOfLoops>("user_weights_of_loops"));
  VerificationOptions options;
  options.mechanisms = mechanisms;
  options.formulations = formulations;
  options.derivatives = derivatives;
  return verify(registries, options, [](std::size_t, std::size_t) { return true; });
}

TEST(DerivativeCheck, RightDerivativesPassInVelocitiesAndInMomenta) {
  const std::vector<std::string> open = {"pendulum:8",
                                         "pendulum_xyz:5",
                                         "robot_arm",
                                         "humanoid",
                                         "random_tree:seed=4,loads=0",
                                         "random_tree:seed=7,loads=0",
                                         "balanced_tree",
                                         "random_tree:seed=6,loads=0,motions=2"};
  const std::vector<std::string> with = {"aba", "naudet", "naudet-acc", "bae-haug"};
  for (const VerificationResult& result : verified(open, with)) {
    SCOPED_TRACE(result.mechanism + ", " + result.formulation);
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::passed)
        << result.derivative.component << " " << result.derivative.error << " " << result.failure;
    EXPECT_LE(result.derivative.limit, 1e-6) << "a limit that finds nothing";
  }
}

/// States of these have tables that bend within the steps of central differences; those of one side agree, or
/// differences are too uncertain to tell: no verdict, but no failure either.
TEST(DerivativeCheck, KinksOfLoadsWithinTheStepsAreNoFailures) {
  const std::vector<std::string> bent = {"random_tree:seed=117,bodies=12,motions=1",
                                         "random_closed:seed=218,bodies=5,cuts=3",
                                         "random_closed:seed=300,bodies=6,cuts=1"};
  for (const VerificationResult& result : verified(bent, {"bae-haug", "dense-momentum", "hdca"})) {
    SCOPED_TRACE(result.mechanism + ", " + result.formulation);
    EXPECT_NE(result.derivative.outcome, CheckOutcome::failed)
        << result.derivative.component << " " << result.derivative.error << " " << result.failure;
  }
  for (const VerificationResult& result : verified({bent[0]}, {"user_entry"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::failed) << "either side shows a wrong sign";
  }
}

/// Their states have coordinates of cut joints, and velocities of these or numbers that say which joints depend.
TEST(DerivativeCheck, RightDerivativesPassInStatesOfAllJoints) {
  for (const VerificationResult& result :
       verified({"four_bar", "five_bar", "slider_crank", "bricard", "random_closed:seed=5,bodies=6,cuts=2"},
                {"naudet", "naudet[switching=off]", "naudet-acc", "naudet-reduced", "naudet-acc-reduced"})) {
    SCOPED_TRACE(result.mechanism + ", " + result.formulation);
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::passed)
        << result.derivative.component << " " << result.derivative.error << " " << result.failure;
    EXPECT_LE(result.derivative.limit, 1e-5) << "a limit that finds nothing";
  }
}

void expect_both_passed(const std::vector<std::string>& mechanisms, const std::vector<std::string>& formulations) {
  for (const VerificationResult& result : verified(mechanisms, formulations)) {
    SCOPED_TRACE(result.mechanism + ", " + result.formulation);
    for (const BlockCheck* const block : {&result.derivative, &result.parameter}) {
      EXPECT_EQ(block->outcome, CheckOutcome::passed)
          << block->component << " " << block->error << " " << result.failure;
      EXPECT_LE(block->limit, 1e-4) << "a limit that finds nothing";
    }
  }
}

/// Rows of `bricard` and `bennett` repeat others, inertias of `squeezer` are tiny.
TEST(DerivativeCheck, RightDerivativesPassInAbsoluteCoordinates) {
  expect_both_passed({"squeezer", "bricard", "bennett", "quadruped", "random_closed:seed=5,bodies=6,cuts=2"},
                     {"dca-alm", "dca-alm-proj", "dca-alm[passes=conjugate]"});
}

/// With a penalty that leaves its digits; with a larger one differences are held to what its rounding leaves of them.
TEST(DerivativeCheck, RightDerivativesPassOfThePrintedPenalties) {
  expect_both_passed({"pendulum:3", "bennett", "coupled_loops", "random_tree:seed=7"},
                     {"dca-alm-printed[alpha=1e2,iterations=200]"});
  for (const VerificationResult& result : verified({"star", "loop8", "car_axis"}, {"dca-alm-printed"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::passed) << result.mechanism << ": " << result.derivative.error;
  }
}

TEST(DerivativeCheck, RightDerivativesPassOfPrintedEquationsAndInWorldAxes) {
  expect_both_passed({"squeezer", "four_bar", "quadruped", "double_loop", "random_tree:seed=7"},
                     {"hdca-printed", "bae-haug-printed[alpha=3,beta=5]"});
  expect_both_passed({"pendulum:3", "quadruped", "random_tree:seed=7", "random_tree:seed=2,bodies=7,motions=1,loads=0",
                      "random_tree:seed=3,bodies=7,screws=1,loads=0"},
                     {"naudet[kernel=general]"});
}

TEST(DerivativeCheck, FormulationsWithoutDerivativesAreNotAsked) {
  for (const VerificationResult& result :
       verified({"four_bar"}, {"hdca[gauge=reset]", "hdca[gauge=none,leaf=body,cut_axes=body]"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::not_compared) << result.mechanism << ", " << result.formulation;
    EXPECT_NE(result.outcome(), CheckOutcome::failed);
  }
}

TEST(DerivativeCheck, MechanismsWithoutRowsOrFreedomsAndSingularPositionsPass) {
  const std::string folder = std::string(MBDBENCH_SOURCE_DIR) + "/tests/experiments/mechanisms/";
  for (const VerificationResult& result :
       verified({folder + "free_cut_joint.toml", folder + "welded_twice.toml", folder + "flat_parallelogram.toml"},
                {"dense", "bae-haug", "dca"})) {
    EXPECT_NE(result.outcome(), CheckOutcome::failed)
        << result.mechanism << ", " << result.formulation << ": " << result.failure;
  }
}

/// Products lose the square of a condition of 2e3 there, by which each is as far from itself a rounding of the state
/// away: that is no failure, a wrong product is one.
TEST(DerivativeCheck, NearlyParallelRowsTellRoundingFromWrongProducts) {
  const std::string rod = std::string(MBDBENCH_SOURCE_DIR) + "/tests/experiments/mechanisms/parallel_rows.toml";
  for (const VerificationResult& result : verified({rod}, {"dense", "dca", "bae-haug", "hdca", "naudet-acc"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::passed)
        << result.formulation << ": " << result.derivative.component << " " << result.derivative.error;
  }
  for (const VerificationResult& result : verified({rod}, {"user_weights_of_loops"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::failed);
    EXPECT_NE(result.derivative.component.find(" of vector_jacobian"), std::string::npos);
  }
}

TEST(DerivativeCheck, FindsWhatIsWrong) {
  const std::vector<std::string> mechanisms = {"pendulum:4", "random_tree:seed=4,loads=0"};
  const std::vector<std::pair<std::string, std::string>> expected = {{"user_entry", " by 113 bits"},
                                                                     {"user_digits", " by 113 bits"},
                                                                     {"user_along", " of jacobian_vector"},
                                                                     {"user_weights", " of vector_jacobian"}};
  for (const auto& [formulation, where] : expected) {
    for (const VerificationResult& result : verified(mechanisms, {formulation})) {
      SCOPED_TRACE(result.mechanism + ", " + result.formulation);
      EXPECT_EQ(result.outcome(), CheckOutcome::failed);
      EXPECT_EQ(result.derivative.outcome, CheckOutcome::failed);
      EXPECT_NE(result.derivative.component.find(where), std::string::npos) << result.derivative.component;
      ASSERT_TRUE(result.worst);
      EXPECT_EQ(result.worst->what.rfind("derivative of ", 0), 0U) << result.worst->what;
      for (const BlockCheck* const block : {&result.velocity, &result.rate, &result.energy}) {
        EXPECT_LE(block->outcome, CheckOutcome::passed) << "x' itself is right";
      }
    }
    for (const VerificationResult& result : verified(mechanisms, {formulation}, false)) {
      EXPECT_EQ(result.derivative.outcome, CheckOutcome::not_compared);
      EXPECT_EQ(result.outcome(), CheckOutcome::passed);
    }
  }
  for (const VerificationResult& result : verified(mechanisms, {"user_right"})) {
    EXPECT_EQ(result.outcome(), CheckOutcome::passed) << result.mechanism;
  }
  for (const VerificationResult& result : verified(mechanisms, {"user_failure"})) {
    EXPECT_EQ(result.outcome(), CheckOutcome::failed);
    EXPECT_NE(result.failure.find("derivatives: joint 'joint1'"), std::string::npos) << result.failure;
  }
}

// Differences in double precision find a wrong sign, the reference of 113 bits the tenth digit, where it is known.
TEST(DerivativeCheck, TheReferenceOf113BitsFindsWhatDifferencesDoNot) {
  for (const VerificationResult& result : verified({"four_bar", "double_loop"}, {"user_digits_of_loops"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::failed) << result.mechanism;
    EXPECT_NE(result.derivative.component.find(" by 113 bits"), std::string::npos) << result.derivative.component;
  }
  // Momenta of independent coordinates, and velocities of all joints.
  for (const VerificationResult& result :
       verified({"four_bar", "double_loop"}, {"user_digits_of_independent", "user_digits_of_all"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::failed) << result.mechanism << ", " << result.formulation;
    EXPECT_NE(result.derivative.component.find(" by 113 bits"), std::string::npos) << result.derivative.component;
  }
  // Formulas, tables, markers, friction and stops; prescribed motions.
  for (const VerificationResult& result :
       verified({"random_tree:seed=4", "random_tree:seed=12,motions=2"}, {"user_digits"})) {
    EXPECT_EQ(result.derivative.outcome, CheckOutcome::failed) << result.mechanism;
    EXPECT_NE(result.derivative.component.find(" by 113 bits"), std::string::npos) << result.derivative.component;
  }
}

// A row says with what its derivatives were compared, and why with no more.
TEST(DerivativeCheck, SaysWhichReferenceJudged) {
  // Loops of which rows repeat others, whose momenta each formulation divides in its own way without the tangent gauge.
  const std::vector<VerificationResult> results = verified({"random_closed:seed=22"}, {"bae-haug", "hdca-printed"});
  const VerificationResult& precise = results[0];
  EXPECT_EQ(derivative_reference(precise, precise.derivative), "113 bits");
  EXPECT_EQ(derivative_reference(precise, precise.parameter), "113 bits");
  EXPECT_EQ(precise.derivative.precise_directions, precise.derivative.directions);
  EXPECT_EQ(precise.without_113_bits, "");
  const VerificationResult& others = results[1];
  EXPECT_EQ(derivative_reference(others, others.derivative), "differences");
  EXPECT_NE(others.without_113_bits.find("rows that repeat others"), std::string::npos) << others.without_113_bits;
  for (const Record& record : verification_records(results)) {
    const bool derivatives = record.quantity.find("derivative_error") != std::string::npos;
    const char* const expected = record.formulation == "bae-haug" ? ", by 113 bits" : ", by differences alone: each";
    EXPECT_EQ(record.note.find(expected) != std::string::npos, derivatives) << record.quantity << ": " << record.note;
  }
  for (const VerificationResult& result : verified({"four_bar"}, {"hdca[gauge=reset]"})) {
    EXPECT_EQ(derivative_reference(result, result.derivative), "-") << "nothing was compared";
  }
  // States at which a table bends have no derivative, and count as such.
  BlockCheck partly;
  partly.directions = 12;
  partly.precise_directions = 7;
  EXPECT_EQ(derivative_reference(precise, partly), "113 bits (7 of 12)");
  partly.precise_directions = 0;
  EXPECT_EQ(derivative_reference(precise, partly), "113 bits (0 of 12)");
}

TEST(DerivativeCheck, TheCommandShowsAColumnAndLeavesItOutOnRequest) {
  const CommandLineCall call = call_program({"verify", "-m", "pendulum:4", "-f", "aba"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("deriv."), std::string::npos) << call.output;
  EXPECT_NE(call.output.find("deriv. by  verdict"), std::string::npos) << call.output;
  EXPECT_NE(call.output.find("113 bits   passed"), std::string::npos) << call.output;
  const CommandLineCall differences = call_program({"verify", "-m", "random_closed:seed=22", "-f", "hdca-printed"});
  EXPECT_NE(differences.output.find("differences  passed"), std::string::npos) << differences.output;
  EXPECT_NE((differences.output + differences.errors).find("no derivatives by 113 bits of hdca-printed: each"),
            std::string::npos)
      << differences.output;
  EXPECT_EQ(call_program({"verify", "-m", "pendulum:4", "-f", "aba", "--no-derivatives"}).exit_code, 0);
}

// Directions of closed mechanisms stay on the constraints to first order: what is left is of second order in the step.
TEST(DerivativeCheck, DirectionsAreAlongTheConstraints) {
  for (const std::string key : {"four_bar", "double_loop", "bricard", "random_closed:seed=5", "slider_crank"}) {
    SCOPED_TRACE(key);
    const Mechanism mechanism = make_mechanism(mechanism_registry(), key);
    const auto& all = formulation_registry();
    VerificationReference reference(mechanism, *find_formulation(all, "dense"),
                                    *find_formulation(all, "dense-momentum"));
    const VerificationStates states = draw_verification_states(mechanism, 2, 3);
    TangentDirections directions(mechanism);
    RandomSource random(1);
    Kinematics kinematics(mechanism);
    PrescribedMotions motions(mechanism);
    for (const VerificationState& state : states.states) {
      const Reference values = reference.at(state);
      ASSERT_EQ(values.failure, "");
      const TangentDirection along = directions.draw(values, random);
      ASSERT_GT(along.q.size(), 0);
      EXPECT_GT(along.q.cwiseAbs().maxCoeff(), 1e-3);
      const auto residuals = [&](double s) {
        const Eigen::VectorXd q = state.q + s * along.q;
        const Eigen::VectorXd u = state.u + s * along.u;
        kinematics.set_positions(view(q));
        kinematics.set_velocities(view(u));
        motions.evaluate(state.t);
        Eigen::VectorXd both(2 * mechanism.constraint_size());
        Eigen::VectorXd position(mechanism.constraint_size());
        Eigen::VectorXd rate(mechanism.constraint_size());
        constraint_residual(kinematics, view(q), motions.positions(), view(position));
        constraint_rate_residual(kinematics, view(u), motions.velocities(), view(rate));
        both << position, rate;
        return both;
      };
      constexpr double kStep = 1e-4;
      const Eigen::VectorXd slope = (residuals(kStep) - residuals(-kStep)) / (2.0 * kStep);
      // Third derivatives times the square of the step, and rounding over it; speeds of some 1/s.
      const double size = std::max(1.0, along.u.cwiseAbs().maxCoeff() * std::max(1.0, state.u.cwiseAbs().maxCoeff()));
      EXPECT_LT(slope.cwiseAbs().maxCoeff(), 1e-5 * size);
    }
  }
}

}  // namespace
}  // namespace mbdbench
