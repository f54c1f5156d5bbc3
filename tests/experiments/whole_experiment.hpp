#pragma once
/// \file
/// Runs of whole experiments for their tests, most of which are in suites named ...RunTest (see tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "experiments/records/record.hpp"
#include "experiments/registries/experiment.hpp"
#include "experiments/registries/registries.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench {

/// An experiment as the registry has it, such as `run_naudet2005`.
using Experiment = bool(ExperimentContext& context);

/// What a test chooses of a run.
struct WholeRun {
  bool quick = true;
  /// How often the experiment hears that it may go on when it asks; then the user wants it to stop. Without a value it
  /// runs to its end.
  std::optional<int> stop_after = {};
};

/// Runs an experiment with everything of the suite, or continues what is in the directory.
/// \returns what the experiment returns.
inline bool run_experiment(Experiment& experiment, const TemporaryDirectory& output, const WholeRun& run = {}) {
  const Registries registries = default_registries();
  int asked = 0;
  ExperimentContext context{.registries = registries,
                            .output = output.path(),
                            .quick = run.quick,
                            .stop_requested = [&] { return run.stop_after && ++asked > *run.stop_after; },
                            .quiet = true};
  return experiment(context);
}

/// Expects that nothing failed and that every verdict which the experiment asserts came out right.
inline void expect_reproduced(const std::vector<Record>& records) {
  EXPECT_FALSE(records.empty());
  for (const Record& record : records) {
    EXPECT_NE(record.verdict, Verdict::failed) << record.quantity << ": " << record.note;
    // A trend that is not followed is a finding.
    EXPECT_TRUE(record.verdict != Verdict::not_reproduced || record.limit.kind == LimitKind::trend)
        << record.formulation << ' ' << record.integrator << ' ' << record.parameters << ' ' << record.quantity << ' '
        << record.value.value_or(0.0);
  }
}

/// One run whose results the tests of a suite share because it takes seconds: quick and uninterrupted, unless the suite
/// has a `SetUpTestSuite` of its own.
template <Experiment& experiment>
class WholeExperimentTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory = std::make_unique<TemporaryDirectory>();
    run_to_end();
  }
  static void TearDownTestSuite() { directory.reset(); }

  /// Runs into `directory`, or continues what is there, and reads the records.
  static void run_to_end(const WholeRun& run = {}) {
    passed = run_experiment(experiment, *directory, run);
    records = read_records(*directory / "records.csv");
  }

  static inline std::unique_ptr<TemporaryDirectory> directory;
  static inline bool passed = false;  ///< what the experiment said at the end
  static inline std::vector<Record> records;
};

}  // namespace mbdbench
