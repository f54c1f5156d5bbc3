/// \file
/// `verify` compares exact derivatives by parameters: right ones pass on trees and loops, planted defects fail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/soak/random_mechanism.hpp"
#include "experiments/verification/reference/parameter_variation.hpp"
#include "experiments/verification/verification.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "mechanisms/io/mechanism_reader.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/formulations/derivatives/derivative_cases.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench::by_parameters {
namespace {

/// What is wrong with the derivatives by parameters.
enum class Defect {
  none,
  force,  // the sign of the largest entry of such a column
  mass,
  stiffness,
  damping,
  length,
  weights_of_forces,  // by a millionth
  weights_of_masses,
  weights_of_lengths,
  weights_of_the_state,
  unwritten_weights,
  failure,
  missing,
  missing_lengths,
  faint_mass,  // the largest entry of such columns, by a part of 1e-10
  faint_length,
  faint_rate_of_a_coordinate  // likewise, by masses
};

/// \returns whose columns are wrong.
std::optional<ParameterKind> spoilt(Defect defect) {
  switch (defect) {
    case Defect::force:
      return ParameterKind::joint_force;
    case Defect::mass:
    case Defect::faint_mass:
    case Defect::faint_rate_of_a_coordinate:
      return ParameterKind::mass;
    case Defect::stiffness:
      return ParameterKind::stiffness;
    case Defect::damping:
      return ParameterKind::damping;
    case Defect::length:
    case Defect::faint_length:
      return ParameterKind::length;
    default:
      return std::nullopt;
  }
}

class WrongParameters final : public test::ForwardingFormulation {
 public:
  WrongParameters(std::unique_ptr<Formulation> right, Defect defect)
      : ForwardingFormulation(std::move(right)), defect_(defect) {}

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<WrongParameters>(right().clone(), defect_);
  }
  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override {
    return right().jacobian(t, x, derivatives);
  }
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override {
    return right().jacobian_vector(t, x, direction, product);
  }
  RhsStatus vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                            std::span<double> product) override {
    return right().vector_jacobian(t, x, weights, product);
  }
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override {
    const bool lengths = std::any_of(parameters.begin(), parameters.end(),
                                     [](const RateParameter& one) { return one.kind == ParameterKind::length; });
    if (defect_ == Defect::missing || (defect_ == Defect::missing_lengths && lengths)) {
      return Formulation::parameter_jacobian(t, x, parameters, derivatives);
    }
    if (defect_ == Defect::failure) {
      return {false, "joint1", "no column here", 1.0};
    }
    const RhsStatus status = right().parameter_jacobian(t, x, parameters, derivatives);
    double* largest = nullptr;
    const bool first_row = defect_ == Defect::faint_rate_of_a_coordinate;
    for (std::size_t i = 0; i < (first_row ? parameters.size() : derivatives.size()); ++i) {
      double& entry = derivatives[i];
      if (parameters[i % parameters.size()].kind == spoilt(defect_) &&
          (largest == nullptr || std::abs(entry) > std::abs(*largest))) {
        largest = &entry;
      }
    }
    if (largest != nullptr) {
      const bool faint = defect_ == Defect::faint_mass || defect_ == Defect::faint_length || first_row;
      *largest *= faint ? 1.0 + 1e-10 : -1.0;
    }
    return status;
  }
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override {
    if (spoilt(defect_)) {
      return Formulation::weighted_derivatives(t, x, weights, product, by);  // wrong alike
    }
    std::vector<double> other(by.masses.size());
    const WeightsByParameter wanted = {by.forces, defect_ == Defect::unwritten_weights ? other : by.masses, by.lengths};
    const RhsStatus status = right().weighted_derivatives(t, x, weights, product, wanted);
    const auto spoil = [](std::span<double> all) {
      const auto largest =
          std::max_element(all.begin(), all.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
      *largest *= 1.0 + 1e-6;
    };
    if (defect_ == Defect::weights_of_forces) {
      spoil(by.forces);
    } else if (defect_ == Defect::weights_of_masses) {
      spoil(by.masses);
    } else if (defect_ == Defect::weights_of_lengths) {
      spoil(by.lengths);
    } else if (defect_ == Defect::weights_of_the_state) {
      spoil(product);
    }
    return status;
  }
  [[nodiscard]] std::string without_jacobian() const override { return right().without_jacobian(); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    return right().rhs(t, x, xdot);
  }

 private:
  Defect defect_;
};

struct BaeHaug {
  static constexpr const char* kKey = "bae-haug";
};
struct NaudetReduced {
  static constexpr const char* kKey = "naudet-reduced";
};

template <Defect kDefect, typename Right = BaeHaug>
FormulationEntry entry_with(std::string_view key) {
  FormulationEntry entry = *find_formulation(formulation_registry(), Right::kKey);
  entry.key = key;
  entry.options = {};
  entry.make = [](const Mechanism& mechanism, const Parameters& /*options*/,
                  const Execution& /*execution*/) -> std::unique_ptr<Formulation> {
    const auto& all = formulation_registry();
    return std::make_unique<WrongParameters>(make_formulation(all, *find_formulation(all, Right::kKey), mechanism, ""),
                                             kDefect);
  };
  return entry;
}

std::vector<VerificationResult> verified(const Mechanism& mechanism, const std::vector<std::string>& formulations) {
  Registries registries = default_registries();
  registries.formulations.push_back(entry_with<Defect::none>("user_right"));
  registries.formulations.push_back(entry_with<Defect::force>("user_force"));
  registries.formulations.push_back(entry_with<Defect::mass>("user_mass"));
  registries.formulations.push_back(entry_with<Defect::stiffness>("user_stiffness"));
  registries.formulations.push_back(entry_with<Defect::damping>("user_damping"));
  registries.formulations.push_back(entry_with<Defect::length>("user_length"));
  registries.formulations.push_back(entry_with<Defect::weights_of_forces>("user_weights_of_forces"));
  registries.formulations.push_back(entry_with<Defect::weights_of_masses>("user_weights_of_masses"));
  registries.formulations.push_back(entry_with<Defect::weights_of_lengths>("user_weights_of_lengths"));
  registries.formulations.push_back(entry_with<Defect::weights_of_the_state>("user_weights_of_the_state"));
  registries.formulations.push_back(entry_with<Defect::unwritten_weights>("user_unwritten_weights"));
  registries.formulations.push_back(entry_with<Defect::failure>("user_failure"));
  registries.formulations.push_back(entry_with<Defect::missing>("user_missing"));
  registries.formulations.push_back(entry_with<Defect::missing_lengths>("user_missing_lengths"));
  registries.formulations.push_back(entry_with<Defect::faint_mass>("user_faint_mass"));
  registries.formulations.push_back(entry_with<Defect::faint_length>("user_faint_length"));
  registries.formulations.push_back(entry_with<Defect::none, NaudetReduced>("user_right_momenta"));
  registries.formulations.push_back(
      entry_with<Defect::faint_rate_of_a_coordinate, NaudetReduced>("user_faint_rate_of_a_coordinate"));
  VerificationOptions options;
  options.formulations = formulations;
  options.states = 3;
  return verify(registries, mechanism, options);
}

Mechanism named(const std::string& key) {
  return make_mechanism(mechanism_registry(), key);
}

/// With a spring, a damper and a motor in every joint of the tree that can have them.
Mechanism with_springs(const std::string& key) {
  RandomSource random(3);
  return test::with_joint_loads(named(key).description(), random);
}

TEST(ParameterCheck, RightDerivativesPassOnTreesAndLoopsInVelocitiesAndInMomenta) {
  const std::vector<std::string> with = {"dense",
                                         "dense-momentum",
                                         "aba",
                                         "hdca",
                                         "dca",
                                         "bae-haug",
                                         "naudet",
                                         "naudet-reduced",
                                         "naudet-acc",
                                         "naudet-acc-reduced",
                                         "dense-momentum[gauge=none]"};
  std::vector<Mechanism> mechanisms;
  for (const char* const key :
       {"pendulum:5", "pendulum_xyz:3", "robot_arm", "slider_crank", "random_tree:seed=5",
        "random_tree:seed=6,motions=2", "random_closed:seed=4,bodies=6,cuts=1", "caterpillar"}) {
    mechanisms.push_back(named(key));
  }
  for (const char* const key : {"pendulum:4", "four_bar", "five_bar", "random_closed:seed=7,bodies=5,cuts=1,loads=0"}) {
    mechanisms.push_back(with_springs(key));
  }
  int compared = 0;
  for (const Mechanism& mechanism : mechanisms) {
    for (const VerificationResult& result : verified(mechanism, with)) {
      SCOPED_TRACE(result.mechanism + ", " + result.formulation);
      EXPECT_EQ(result.parameter.outcome, result.derivative.outcome)
          << result.parameter.component << " " << result.parameter.error << " " << result.failure;
      if (result.derivative.outcome == CheckOutcome::passed) {
        EXPECT_LE(result.parameter.limit, 1e-5) << "a limit that finds nothing";
        // Random loops may hold some links.
        EXPECT_TRUE(result.parameters_left_out.empty() || result.mechanism.rfind("random_closed", 0) == 0)
            << result.parameters_left_out;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 100);
}

TEST(ParameterCheck, FindsWrongColumns) {
  const std::vector<std::string> wrong = {"user_force", "user_mass", "user_stiffness", "user_damping", "user_length"};
  for (const char* const key : {"pendulum:4", "four_bar"}) {
    for (const VerificationResult& result : verified(with_springs(key), wrong)) {
      SCOPED_TRACE(result.mechanism + ", " + result.formulation);
      EXPECT_EQ(result.parameter.outcome, CheckOutcome::failed) << result.parameter.error << " " << result.failure;
      EXPECT_TRUE(result.parameter.component.ends_with(" by differences of parameters") ||
                  result.parameter.component.ends_with(" by 113 bits of parameters"))
          << result.parameter.component;
      EXPECT_EQ(result.outcome(), CheckOutcome::failed);
      ASSERT_TRUE(result.worst);
      EXPECT_EQ(result.worst->what.rfind("derivative by parameters of ", 0), 0U) << result.worst->what;
      EXPECT_FALSE(result.only_imprecise());
      EXPECT_EQ(result.derivative.outcome, CheckOutcome::passed) << "those by the state are right";
    }
  }
}

// What differences of doubles cannot see.
TEST(ParameterCheck, FindsTheTenthDigitOfColumns) {
  for (const char* const key : {"pendulum:4", "four_bar"}) {
    for (const VerificationResult& result : verified(with_springs(key), {"user_faint_mass", "user_faint_length"})) {
      SCOPED_TRACE(result.mechanism + ", " + result.formulation);
      EXPECT_EQ(result.parameter.outcome, CheckOutcome::failed) << result.parameter.error << " " << result.failure;
      EXPECT_TRUE(result.parameter.component.ends_with(" by 113 bits of parameters")) << result.parameter.component;
    }
  }
}

// Of mechanism 3168 of the soak columns that passes find are right to 1e-12.
TEST(ParameterCheck, FindsSmallErrorsInRatesOfIndependentCoordinates) {
  for (const Mechanism& mechanism :
       {with_springs("four_bar"), soak::draw_mechanism(default_registries().mechanisms, 3168)}) {
    const std::vector<VerificationResult> rows =
        verified(mechanism, {"user_right_momenta", "user_faint_rate_of_a_coordinate"});
    SCOPED_TRACE(mechanism.name());
    EXPECT_EQ(rows[0].parameter.outcome, CheckOutcome::passed) << rows[0].parameter.component << rows[0].failure;
    EXPECT_EQ(rows[0].parameter.precise_directions, rows[0].parameter.directions);
    EXPECT_EQ(rows[1].parameter.outcome, CheckOutcome::failed) << rows[1].parameter.error << " " << rows[1].failure;
    EXPECT_EQ(rows[1].parameter.component.substr(0, 13), "q.independent");
    EXPECT_TRUE(rows[1].parameter.component.ends_with(" by 113 bits of parameters")) << rows[1].parameter.component;
  }
}

TEST(ParameterCheck, FindsWrongWeights) {
  const std::vector<std::pair<std::string, std::string>> wrong = {{"user_weights_of_forces", "force "},
                                                                  {"user_weights_of_masses", "mass of "},
                                                                  {"user_weights_of_lengths", "length of "},
                                                                  {"user_weights_of_the_state", ""},
                                                                  {"user_unwritten_weights", "mass of "}};
  for (const char* const key : {"pendulum:4", "four_bar"}) {
    for (const auto& [formulation, where] : wrong) {
      for (const VerificationResult& result : verified(with_springs(key), {formulation})) {
        SCOPED_TRACE(result.mechanism + ", " + result.formulation);
        EXPECT_EQ(result.parameter.outcome, CheckOutcome::failed) << result.parameter.error << " " << result.failure;
        EXPECT_EQ(result.parameter.component.rfind(where, 0), 0U) << result.parameter.component;
        EXPECT_NE(result.parameter.component.find(" of weighted_derivatives"), std::string::npos)
            << result.parameter.component;
        EXPECT_EQ(result.derivative.outcome, CheckOutcome::passed);
      }
    }
  }
}

TEST(ParameterCheck, SaysWhatIsNotCompared) {
  const Mechanism mechanism = named("pendulum:4");
  const VerificationResult right = verified(mechanism, {"user_right"}).front();
  EXPECT_EQ(right.parameter.outcome, CheckOutcome::passed);
  EXPECT_EQ(right.parameters_left_out, "");
  const VerificationResult missing = verified(mechanism, {"user_missing"}).front();
  EXPECT_EQ(missing.parameter.outcome, CheckOutcome::not_compared);
  EXPECT_EQ(missing.outcome(), CheckOutcome::passed);
  EXPECT_EQ(missing.parameters_left_out, "all parameters: there are no exact derivatives");
  const VerificationResult shorter = verified(mechanism, {"user_missing_lengths"}).front();
  EXPECT_EQ(shorter.parameter.outcome, CheckOutcome::passed);
  EXPECT_EQ(shorter.parameters_left_out, "lengths: there are no exact derivatives");
  const VerificationResult failure = verified(mechanism, {"user_failure"}).front();
  EXPECT_EQ(failure.outcome(), CheckOutcome::failed);
  EXPECT_NE(failure.failure.find("derivatives by parameters: joint 'joint1': no column here"), std::string::npos)
      << failure.failure;
  const VerificationResult mobile = verified(named("bricard"), {"user_right"}).front();
  EXPECT_EQ(mobile.parameter.outcome, CheckOutcome::passed) << mobile.parameter.component;
  EXPECT_EQ(mobile.parameters_left_out, "lengths: the loops move by their lengths alone, with others they are rigid");
  for (const Record& record : verification_records({mobile})) {
    EXPECT_EQ(record.quantity == "parameter_derivative_error",
              record.note.find(", without lengths: the loops move") != std::string::npos)
        << record.quantity << ": " << record.note;
  }
  EXPECT_EQ(verified(named("four_bar"), {"hdca[gauge=reset]"}).front().parameter.outcome, CheckOutcome::not_compared);
}

/// It rolls on evenly: no length changes a rate, and of large terms that cancel rounding is left.
TEST(ParameterCheck, ASteadyMotionThatNoLengthChangesPasses) {
  const std::filesystem::path bicycle = std::filesystem::path(MBDBENCH_SOURCE_DIR) / "examples/mechanisms/bicycle.toml";
  const VerificationResult result = verified(load_mechanism(bicycle), {"dense"}).front();
  EXPECT_EQ(result.parameter.outcome, CheckOutcome::passed)
      << result.parameter.component << ": " << result.parameter.error << " of " << result.parameter.limit;
}

TEST(ParameterCheck, TheCommandShowsAColumnAndWhatIsLeftOut) {
  const CommandLineCall call = call_program({"verify", "-m", "bricard", "-m", "pendulum:3", "-f", "bae-haug"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("param."), std::string::npos) << call.output;
  EXPECT_NE(call.output.find("bricard: derivatives by parameters were compared without lengths: the loops move"),
            std::string::npos)
      << call.output;
}

/// All numbers of a loop with springs change at once, and it closes again; its own stays.
TEST(ParameterCheck, AVariationChangesEveryNumberInProportionToItsMultiple) {
  const Mechanism mechanism = with_springs("four_bar");
  const auto dense =
      make_formulation(formulation_registry(), *find_formulation(formulation_registry(), "dense"), mechanism, "");
  ParameterVariation variation(mechanism, *dense, 4e-3);
  EXPECT_EQ(variation.lengths_say_nothing(), "");
  EXPECT_EQ(variation.held_lengths(), 0U);
  const std::size_t springs = mechanism.description().joint_springs.size();
  EXPECT_EQ(variation.without_lengths(),
            static_cast<std::size_t>(mechanism.u_size()) + mechanism.bodies().size() + 2 * springs);
  const std::vector<std::optional<LinkLength>> links = link_lengths(mechanism);
  const auto lengths = std::count_if(links.begin(), links.end(), [](const auto& link) { return link.has_value(); });
  EXPECT_GE(lengths, 2);
  EXPECT_EQ(variation.parameters().size(), variation.without_lengths() + static_cast<std::size_t>(lengths));
  const Mechanism& nearer = variation.at(1e-3, true);
  const Mechanism& farther = variation.at(2e-3, true);
  EXPECT_EQ(&variation.at(1e-3, true), &nearer) << "made once";
  for (std::size_t k = 0; k < mechanism.bodies().size(); ++k) {
    const double own = mechanism.bodies()[k].mass;
    EXPECT_NE(nearer.bodies()[k].mass, own);
    EXPECT_NEAR(farther.bodies()[k].mass - own, 2.0 * (nearer.bodies()[k].mass - own), 1e-14 * own);
  }
  for (std::size_t k = 0; k < springs; ++k) {
    EXPECT_NE(nearer.description().joint_springs[k].stiffness, mechanism.description().joint_springs[k].stiffness);
    EXPECT_NE(nearer.description().joint_springs[k].damping, mechanism.description().joint_springs[k].damping);
  }
  EXPECT_EQ(nearer.description().joint_loads.size(),
            mechanism.description().joint_loads.size() + static_cast<std::size_t>(mechanism.u_size()));
  std::ptrdiff_t longer = 0;
  for (std::size_t k = 0; k < mechanism.description().joints.size(); ++k) {
    const Vec3 change =
        nearer.description().joints[k].frame_a.position - mechanism.description().joints[k].frame_a.position;
    longer += change.norm() > 0.0 ? 1 : 0;
    EXPECT_EQ(nearer.description().joints[k].dependent, mechanism.description().joints[k].dependent);
    EXPECT_TRUE(variation.at(1e-3, false).description().joints[k].frame_a.position ==
                mechanism.description().joints[k].frame_a.position);
  }
  EXPECT_EQ(longer, lengths);
  for (const VaryingParameter& one : variation.parameters()) {
    EXPECT_GT(one.size, 0.0) << one.parameter.name;
    EXPECT_GE(std::abs(one.change), 0.5 * one.size) << one.parameter.name;
    EXPECT_LE(std::abs(one.change), one.size) << one.parameter.name;
  }
}

}  // namespace
}  // namespace mbdbench::by_parameters
