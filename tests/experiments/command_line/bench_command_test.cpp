/// \file
/// `mbdbench bench`.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "experiments/records/record.hpp"
#include "experiments/registries/registries.hpp"
#include "formulations/dense/dense.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench {
namespace {

/// A right-hand side that fails with a reason.
class FailingFormulation final : public test::ForwardingFormulation {
 public:
  using ForwardingFormulation::ForwardingFormulation;

  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<FailingFormulation>(right().clone());
  }

 protected:
  RhsStatus evaluate(double /*t*/, std::span<const double> /*x*/, std::span<double> /*xdot*/) override {
    return {false, "joint2", "a pivot is not positive", -0.25};
  }
};

TEST(BenchCommand, SaysWhyThereIsNoTime) {
  Registries registries = default_registries();
  FormulationEntry failing = dense_entry();
  failing.key = "user_failing";
  failing.make = [](const Mechanism& mechanism, const Parameters& options,
                    const Execution& execution) -> std::unique_ptr<Formulation> {
    return std::make_unique<FailingFormulation>(dense_entry().make(mechanism, options, execution));
  };
  registries.formulations.push_back(failing);
  const CommandLineCall call =
      call_program(registries, {"bench", "-m", "pendulum:2", "-f", "user_failing", "--repetitions", "1"});
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_NE(call.output.find("FAILED: the right-hand side at the initial state: joint 'joint2': a pivot is not "
                             "positive (-0.25)"),
            std::string::npos)
      << call.output;
}

TEST(BenchCommand, TimesManyStatesAtATime) {
  const TemporaryDirectory directory;
  const CommandLineCall call = call_program({"bench", "-m", "robot_arm", "-f", "aba", "-f", "dense", "--batch", "20",
                                             "--repetitions", "2", "-o", directory.path().string()});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("times of one of 20 states at a time"), std::string::npos) << call.output;
  const std::vector<Record> records = read_records(directory / "timings.csv");
  ASSERT_EQ(records.size(), 2U);
  for (const Record& record : records) {
    EXPECT_EQ(record.quantity, "time_per_state");
    EXPECT_EQ(record.parameters, "batch=20");
  }
}

TEST(BenchCommand, RefusesABatchOfNoStates) {
  const CommandLineCall call = call_program({"bench", "-m", "robot_arm", "--batch", "0"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_NE(call.errors.find("--batch"), std::string::npos) << call.errors;
}

TEST(BenchCommand, TimesDerivativesWhereThereAreAny) {
  const CommandLineCall call = call_program(
      {"bench", "-m", "four_bar", "-f", "dca", "-f", "hdca[gauge=reset]", "--derivatives", "--repetitions", "1"});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("in right-hand sides"), std::string::npos) << call.output;
  EXPECT_NE(call.output.find("which has no derivatives: take tangent"), std::string::npos) << call.output;
  EXPECT_EQ(call.output.find("FAILED"), std::string::npos) << call.output;
  EXPECT_EQ(call_program({"bench", "-m", "robot_arm", "--derivatives", "--batch", "8"}).exit_code, 2);
  const CommandLineCall none =
      call_program({"bench", "-m", "four_bar", "-f", "aba", "-f", "hdca[gauge=reset]", "--derivatives"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.errors.find("not one time was measured"), std::string::npos) << none.errors;
  const CommandLineCall loops =
      call_program({"bench", "-m", "four_bar", "-f", "dense", "-f", "naudet", "--derivatives", "--repetitions", "1"});
  EXPECT_EQ(loops.exit_code, 0) << loops.errors;
  EXPECT_EQ(loops.output.find("FAILED"), std::string::npos) << loops.output;
}

TEST(BenchCommand, TimesAnyFormulationOnAnyMechanism) {
  const TemporaryDirectory directory;
  const CommandLineCall call =
      call_program({"bench", "-m", "pendulum:8", "-m", "four_bar", "-f", "hdca", "-f", "hdca[ground=leaf]", "-f", "aba",
                    "--repetitions", "3", "-o", directory.path().string()});
  EXPECT_EQ(call.exit_code, 0) << call.errors;
  EXPECT_NE(call.output.find("refused: it has closed loops"), std::string::npos) << call.output;
  const std::vector<Record> records = read_records(directory / "timings.csv");
  ASSERT_EQ(records.size(), 6U);
  for (const Record& record : records) {
    SCOPED_TRACE(record.mechanism + " " + record.formulation);
    const bool refused = record.mechanism == "four_bar" && record.formulation == "aba";
    EXPECT_EQ(record.value.has_value(), !refused) << record.note;
    if (!refused) {
      // On a busy machine a time may be disturbed.
      EXPECT_EQ(record.verdict == Verdict::not_measured, record.note.starts_with("disturbed")) << record.note;
      EXPECT_NE(record.note.find("processor share"), std::string::npos);
      EXPECT_NE(record.note.find("3 repetitions"), std::string::npos);
    }
    if (!refused && record.verdict != Verdict::not_measured) {
      EXPECT_GT(*record.value, 1e-8);
      EXPECT_LT(*record.value, 1e-2);
    }
  }
  EXPECT_EQ(call_program({"bench", "-f", "hdca"}).exit_code, 2);
  EXPECT_EQ(call_program({"bench", "-m", "pendulum", "-f", "hdcca"}).exit_code, 2);
}

}  // namespace
}  // namespace mbdbench
