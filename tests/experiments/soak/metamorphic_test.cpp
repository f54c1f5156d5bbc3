/// \file
/// The metamorphic runner finds what is wrong in every class, and nothing where nothing is wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/metamorphic/metamorphic_run.hpp"
#include "tests/experiments/command_line_call.hpp"
#include "tests/experiments/temporary_directory.hpp"
#include "tests/support/forwarding_formulation.hpp"

namespace mbdbench::metamorphic {
namespace {

constexpr std::int64_t kSeed = 11;

/// `dense` with a little more of something.
class WrongFormulation final : public test::ForwardingFormulation {
 public:
  WrongFormulation(std::unique_ptr<Formulation> right, bool crashes)
      : ForwardingFormulation(std::move(right)), crashes_(crashes) {}
  [[nodiscard]] std::unique_ptr<Formulation> clone() const override {
    return std::make_unique<WrongFormulation>(right().clone(), crashes_);
  }

 protected:
  RhsStatus evaluate(double t, std::span<const double> x, std::span<double> xdot) override {
    if (crashes_) {
      std::abort();
    }
    const RhsStatus status = right().rhs(t, x, xdot);
    xdot.back() += 0.01;
    return status;
  }

 private:
  bool crashes_;
};

template <bool kCrashes>
Registries registries_with_wrong_one() {
  Registries registries = default_registries();
  FormulationEntry entry = registries.formulations.entries.front();
  entry.key = "wrong";
  entry.make = [](const Mechanism& mechanism, const Parameters& options,
                  const Execution& execution) -> std::unique_ptr<Formulation> {
    return std::make_unique<WrongFormulation>(
        formulation_registry().entries.front().make(mechanism, options, execution), kCrashes);
  };
  registries.formulations.push_back(entry);
  return registries;
}

Verdict quietly(const Registries& registries, const Case& drawn, const std::string& formulation) {
  const TemporaryDirectory directory;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Verdict verdict = compare(registries, drawn, formulation, directory / "files");
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  return verdict;
}

/// Geometry and a centre of mass that the other tellings do not have.
void spoil(Case& drawn) {
  Telling& last = drawn.tellings.back();
  const double length = drawn.map.length;
  last.told.bodies[0].com += length * Vec3(0.02, 0.03, 0.01);
  last.told.joints[0].frame_a.position += length * Vec3(0.01, 0.0, 0.02);
  drawn.special += 0.1;
}

class MetamorphicClassTest : public testing::TestWithParam<std::string> {};

TEST_P(MetamorphicClassTest, AgreesAsToldAndNotWhenATellingIsWrong) {
  const Registries registries = default_registries();
  const bool leaves = GetParam() == "threads" || GetParam() == "leaves";
  const std::string formulation = leaves ? "hdca" : "dense";
  // What is refused as told proves nothing, and a spoilt telling may mean the same: draw on.
  for (std::int64_t seed = kSeed; seed < kSeed + 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case drawn = draw_case(GetParam(), seed, 2);
    Verdict verdict = quietly(registries, drawn, formulation);
    if (verdict.outcome == Outcome::refused) {
      continue;
    }
    EXPECT_TRUE(verdict.outcome == Outcome::agreed || verdict.outcome == Outcome::integration) << verdict.what;
    if (GetParam() == "balance") {
      verdict = quietly(registries_with_wrong_one<false>(), drawn, "wrong");
    } else {
      if (GetParam() == "samples") {
        // Rows that nobody asked for; what interpolation does wrong is shown below.
        drawn.tellings.back().plan.every *= 0.5;
      }
      spoil(drawn);
      verdict = quietly(registries, drawn, formulation);
    }
    // A loop that the wrong telling leaves open is refused by the model.
    if (verdict.outcome == Outcome::disagreed || verdict.what.find("cannot be assembled") != std::string::npos) {
      return;
    }
  }
  FAIL() << "no wrong telling was noticed";
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const Relation& relation : relations()) {
    names.emplace_back(relation.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, MetamorphicClassTest, testing::ValuesIn(class_names()),
                         [](const auto& relation) { return relation.param; });

TEST(MetamorphicJudgeTest, SeesEveryOutputThatDiffers) {
  Case drawn = draw_case("names", kSeed, 2);
  const TemporaryDirectory directory;
  testing::internal::CaptureStdout();
  const Answer right = answer_of(default_registries(), drawn.tellings[0], "dense", directory / "files");
  testing::internal::GetCapturedStdout();
  ASSERT_TRUE(same_motion(drawn, {right, right}).empty());
  const auto first_output = [&](const auto& change) {
    Answer wrong = right;
    change(wrong);
    const std::vector<Deviation> found = same_motion(drawn, {right, wrong});
    return found.empty() ? std::string("nothing") : found.front().output;
  };
  EXPECT_EQ(first_output([](Answer& a) { a.start_shift = 1e-8; }), "start");
  EXPECT_EQ(first_output([](Answer& a) { a.start_speed_shift = 1e-7; }), "start velocity");
  EXPECT_EQ(first_output([](Answer& a) { a.accelerations[1].x() += 1e-4; }), "acceleration");
  EXPECT_EQ(first_output([](Answer& a) { a.imbalance = 1e-5; }), "balance of a body");
  EXPECT_EQ(first_output([](Answer& a) { a.linear_gap = 1e-5; }), "linear gap of a joint");
  EXPECT_EQ(first_output([](Answer& a) { a.angular_gap = 1e-5; }), "angular gap of a joint");
  EXPECT_EQ(first_output([](Answer& a) { a.status = "inaccurate"; }), "verdict");
  EXPECT_EQ(first_output([](Answer& a) { a.samples.pop_back(); }), "samples");
  EXPECT_EQ(first_output([](Answer& a) { a.samples[1].t += 1e-6; }), "sample times");
  EXPECT_EQ(first_output([](Answer& a) { a.samples[2].points[3].y() += 1e-4; }), "motion");
  EXPECT_EQ(first_output([](Answer& a) { a.samples[2].velocities[3].y() += 1e-2; }), "velocities");
  EXPECT_EQ(first_output([](Answer& a) { a.samples[2].kinetic *= 1.001; }), "kinetic energy");
  EXPECT_EQ(first_output([](Answer& a) { a.samples[2].points[0].x() = std::numeric_limits<double>::quiet_NaN(); }),
            "motion");
}

TEST(MetamorphicJudgeTest, SamplesInsideStepsMayNotBeMuchWorseThanEnds) {
  Case drawn = draw_case("samples", kSeed, 1);
  Sample sample;
  sample.points = {Vec3::Zero()};
  Answer run;
  run.samples.assign(8, sample);
  Answer end;
  end.samples.assign(2, sample);
  std::vector<Answer> answers = {run, run, end, end};
  EXPECT_TRUE(drawn.judge(drawn, answers).empty());
  answers[1].samples[3].points[0].x() = 1e-5;
  EXPECT_EQ(drawn.judge(drawn, answers).at(0).output, "error of samples");
}

TEST(MetamorphicRunTest, AnInterruptedOrCrashedFormulationLeavesTheOthers) {
  RunOptions options;
  options.comparisons = 4;
  options.relations = {"balance"};
  options.formulations = {"wrong", "dense"};
  options.quiet = true;
  const TemporaryDirectory directory;
  options.working = directory / "working";
  const Report report = run_metamorphic(registries_with_wrong_one<true>(), options);
  const Count& count = report.counts.at("balance");
  EXPECT_EQ(count.disagreed, 2);
  EXPECT_EQ(count.agreed, 2);
  EXPECT_EQ(report.disagreements.at(0).what, "crashed with signal 6");
}

TEST(MetamorphicCommandTest, FindsNothingFromAFixedSeed) {
  const TemporaryDirectory directory;
  const std::vector<std::string> arguments = {"soak",
                                              "--metamorphic",
                                              "--comparisons",
                                              "30",
                                              "--seed",
                                              "1",
                                              "--jobs",
                                              "2",
                                              "--quiet",
                                              "--formulation",
                                              "hdca",
                                              "--output",
                                              (directory / "out").string()};
  const CommandLineCall call = call_program(arguments);
  EXPECT_EQ(call.exit_code, 0) << call.output << call.errors;
  const nlohmann::json json = nlohmann::json::parse(content_of(directory / "out" / "metamorphic.json"));
  EXPECT_GE(json.at("compared"), 30);
  EXPECT_TRUE(std::filesystem::exists(directory / "out" / "metamorphic.csv"));
}

TEST(MetamorphicCommandTest, WritesTheTellingsOfADisagreement) {
  const TemporaryDirectory directory;
  const CommandLineCall call =
      call_program(registries_with_wrong_one<false>(),
                   {"soak", "--metamorphic", "--comparisons", "4", "--class", "names", "--formulation", "wrong",
                    "--quiet", "--output", (directory / "out").string()});
  EXPECT_EQ(call.exit_code, 1);
  const std::filesystem::path failures = directory / "out" / "failures";
  ASSERT_TRUE(std::filesystem::exists(failures)) << call.output;
  const std::filesystem::path first = *std::filesystem::directory_iterator(failures);
  EXPECT_TRUE(std::filesystem::exists(first / "telling0.toml"));
  EXPECT_TRUE(std::filesystem::exists(first / "telling1.toml"));
  EXPECT_NE(content_of(first / "commands.sh").find("mbdbench simulate --mechanism telling1.toml"), std::string::npos);
}

}  // namespace
}  // namespace mbdbench::metamorphic
