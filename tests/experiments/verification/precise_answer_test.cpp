/// \file
/// States without an answer of the reference of 113 bits: where it fails it is told and nothing ends, and a state that
/// means nothing is a defect of its formulation.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/verification/derivatives/precise_answer.hpp"
#include "experiments/verification/verification.hpp"
#include "formulations/registry.hpp"
#include "mechanisms/catalogue/catalogue.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench::no_answer {
namespace {

/// Its states say after t = 0 that all components depend. It knows better itself; the reference of 113 bits does not.
class SaysAllDepend final : public test::ForwardingFormulation {
 public:
  using ForwardingFormulation::ForwardingFormulation;

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    auto other = std::make_unique<SaysAllDepend>(right().clone());
    other->choice_ = choice_;
    return other;
  }
  RhsStatus pack(double t, std::span<const double> q, std::span<const double> u, std::span<double> x) override {
    const RhsStatus status = right().pack(t, q, u, x);
    choice_ = x.back();
    x.back() = t > 0.0 ? static_cast<double>((1U << u.size()) - 1U) : choice_;
    return status;
  }
  RhsStatus unpack(double t, std::span<const double> x, std::span<double> q, std::span<double> u) override {
    return right().unpack(t, corrected(x), q, u);
  }
  RhsStatus reactions(double t, std::span<const double> x, Reactions& reactions) override {
    return right().reactions(t, corrected(x), reactions);
  }
  void look_near(std::span<const double> x) override { right().look_near(corrected(x)); }
  RhsStatus jacobian(double t, std::span<const double> x, std::span<double> derivatives) override {
    return right().jacobian(t, corrected(x), derivatives);
  }
  RhsStatus jacobian_vector(double t, std::span<const double> x, std::span<const double> direction,
                            std::span<double> product) override {
    return right().jacobian_vector(t, corrected(x), direction, product);
  }
  RhsStatus vector_jacobian(double t, std::span<const double> x, std::span<const double> weights,
                            std::span<double> product) override {
    return right().vector_jacobian(t, corrected(x), weights, product);
  }
  RhsStatus parameter_jacobian(double t, std::span<const double> x, std::span<const RateParameter> parameters,
                               std::span<double> derivatives) override {
    return right().parameter_jacobian(t, corrected(x), parameters, derivatives);
  }
  RhsStatus weighted_derivatives(double t, std::span<const double> x, std::span<const double> weights,
                                 std::span<double> product, const WeightsByParameter& by) override {
    return right().weighted_derivatives(t, corrected(x), weights, product, by);
  }
  [[nodiscard]] std::string without_jacobian() const override { return right().without_jacobian(); }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    return right().rhs(t, corrected(x), xdot);
  }

 private:
  std::span<const double> corrected(std::span<const double> x) {
    x_.assign(x.begin(), x.end());
    x_.back() = choice_;
    return x_;
  }

  double choice_ = 0.0;
  std::vector<double> x_;
};

FormulationEntry says_all_depend() {
  FormulationEntry entry = *find_formulation(formulation_registry(), "naudet-reduced");
  entry.key = "user_choice";
  entry.options = {};
  entry.make = [](const Mechanism& mechanism, const Parameters& /*options*/,
                  const Execution& /*execution*/) -> std::unique_ptr<Formulation> {
    const auto& all = formulation_registry();
    return std::make_unique<SaysAllDepend>(
        make_formulation(all, *find_formulation(all, "naudet-reduced"), mechanism, ""));
  };
  return entry;
}

TEST(PreciseAnswer, AStateThatMeansNothingFailsItsFormulation) {
  Registries registries = default_registries();
  registries.formulations.push_back(says_all_depend());
  VerificationOptions options;
  options.formulations = {"user_choice", "naudet-reduced"};
  options.states = 2;
  std::vector<VerificationResult> rows = verify(registries, make_mechanism(mechanism_registry(), "four_bar"), options);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].outcome(), CheckOutcome::failed);
  EXPECT_EQ(rows[0].failure.rfind("its state at t = 0.", 0), 0U) << rows[0].failure;
  EXPECT_NE(rows[0].failure.find("fewer components independent"), std::string::npos) << rows[0].failure;

  VerificationResult& right = rows[1];
  EXPECT_EQ(right.outcome(), CheckOutcome::passed) << right.failure;
  EXPECT_EQ(right.no_answer_of_113_bits, "");
  EXPECT_EQ(derivative_reference(right, right.derivative), "113 bits");
  right.no_answer_of_113_bits = "at t = 0.5: no pivot";
  std::size_t told = 0;
  for (const Record& record : verification_records({right})) {
    told += record.note.find(", 113 bits failed at t = 0.5: no pivot") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(told, 2U) << "derivatives by the state and by parameters";
}

TEST(PreciseAnswer, AReferenceThatFailsIsToldOnceAndEndsNothing) {
  AnswerFailures failures;
  const auto fails = [](const char* why) { return [why]() -> std::optional<int> { throw std::runtime_error(why); }; };
  EXPECT_EQ(answer_of_113_bits([] { return std::optional(3); }, 0.25, failures), 3);
  EXPECT_EQ(failures.without, "");
  EXPECT_FALSE(answer_of_113_bits(fails("no pivot"), 0.5, failures));
  EXPECT_FALSE(answer_of_113_bits(fails("not again"), 0.75, failures));
  EXPECT_EQ(failures.without, "at t = 0.5: no pivot");
  EXPECT_EQ(failures.wrong, "");
  const auto defect = []() -> std::optional<int> { throw std::logic_error("a defect of the reference"); };
  EXPECT_THROW(answer_of_113_bits(defect, 0.5, failures), std::logic_error);
}

}  // namespace
}  // namespace mbdbench::no_answer
