/// \file
/// Observers of a study that depend on the mechanism: units of joint coordinates, freedom, energies over time.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/studies/declaration/observer_unit.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "experiments/studies/verdicts/study_records.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

class StudyObserversTest : public testing::Test {
 protected:
  Study read(const std::string& text) const {
    const auto file = directory_.path() / "study.toml";
    std::ofstream(file) << text;
    return read_study(registries_, file);
  }

  StudyResults run(const Study& study, const std::string& folder) const {
    const auto output = directory_.path() / folder;
    std::filesystem::create_directories(output);
    return run_study(registries_, study, {.output = output, .quiet = true, .stop_requested = {}}).value();
  }

  TemporaryDirectory directory_;
  Registries registries_ = default_registries();
};

constexpr const char* kJoints = R"toml(name = "joints"
end = 0.1
mechanisms = ["biped", "slider_crank"]
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["end_error(ankle1+knee1)", "joint_error(0.1)", "state(q.crank)", "state(q.slider)", "state(v.hip)", "position_drift"]
[variants]
"DCA" = "dca"
)toml";

TEST_F(StudyObserversTest, AnglesAreInRadiansAlone) {
  const Study study = read(kJoints);
  const auto unit = [&](std::size_t mechanism, const char* observer) {
    return unit_on(*study.mechanisms[mechanism].mechanism, parse_observer(observer));
  };
  EXPECT_EQ(unit(0, "end_error(ankle1+knee1)"), "rad");
  EXPECT_EQ(unit(0, "joint_error(0.1)"), "rad");
  EXPECT_EQ(unit(0, "state(v.hip)"), "rad/s");
  EXPECT_EQ(unit(1, "state(q.slider)"), "m");
  EXPECT_EQ(unit(1, "joint_error(0.1)"), "m, rad") << "hinges and a slide";
  EXPECT_EQ(unit(1, "end_error(nose)"), "m, rad") << "a joint that is not there";
  EXPECT_EQ(unit(1, "position_drift"), "m, rad") << "distances and angles of the cut joint";
  EXPECT_EQ(unit_in(study, parse_observer("state(q.crank)")), "rad") << "of the mechanisms that have it";
  EXPECT_EQ(unit_in(study, parse_observer("joint_error(0.1)")), "m, rad");
  const RecordSet part = study_records(study, run(study, "joints"));
  bool found = false;
  for (const Record& record : part.records) {
    if (record.mechanism == "biped" && record.quantity == "joint_error_0.1") {
      EXPECT_EQ(record.unit, "rad");
      found = true;
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(StudyObserversTest, FreedomIsCountedAndFound) {
  const Study study = read(R"toml(name = "freedom"
end = 0.2
mechanisms = ["five_bar:shape=rect", "coupled_loops", "pendulum:3"]
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["mobility", "degrees_of_freedom", "fewest_redundant_rows"]
[variants]
"DCA" = "dca[leaf=body,projection=off]"
"Naudet" = "naudet-acc"
)toml");
  const StudyResults results = run(study, "freedom");
  const auto value = [&](std::size_t mechanism, const char* observer) {
    return results.of({mechanism, 0, 0, 0}, parse_observer(observer)).value;
  };
  // [Malczyk2012, sections 4.2 and 4.3]: w = -1, two degrees of freedom, three redundant constraints; -2, four, six.
  EXPECT_EQ(value(0, "mobility"), -1.0);
  EXPECT_EQ(value(0, "degrees_of_freedom"), 2.0);
  EXPECT_EQ(value(0, "fewest_redundant_rows"), 3.0);
  EXPECT_EQ(value(1, "mobility"), -2.0);
  EXPECT_EQ(value(1, "degrees_of_freedom"), 4.0);
  EXPECT_EQ(value(1, "fewest_redundant_rows"), 6.0);
  EXPECT_EQ(value(2, "mobility"), 3.0);
}

TEST_F(StudyObserversTest, TheTotalEnergyIsACurve) {
  const Study study = read(R"toml(name = "energies"
end = 0.5
mechanisms = ["pendulum:2"]
integrators = ["ode45"]
tolerances = [1e-6]
observe = ["total_energy", "energy_error"]
[variants]
"DCA" = "dca"
[[figures]]
name = "energies"
title = "Energies"
curves = ["kinetic_energy", "potential_energy", "total_energy"]
)toml");
  const StudyResults results = run(study, "energies");
  EXPECT_TRUE(results.of({0, 0, 0, 0}, parse_observer("total_energy")).usable());
  const CsvTable table = read_csv(directory_.path() / "energies" / study.curve_file({0, 0, 0, 0}));
  ASSERT_EQ(table.columns.size(), 4U);
  ASSERT_GT(table.rows.size(), 3U);
  for (const auto& row : table.rows) {
    EXPECT_NEAR(std::stod(row[3]), std::stod(row[1]) + std::stod(row[2]), 1e-9);
  }
}

TEST_F(StudyObserversTest, CountsMayBeDrawnByIntervals) {
  const std::string counted = std::string(kJoints) +
                              "[[figures]]\nname = \"steps\"\ntitle = \"Steps\"\ncurves = [\"attempts\"]\n"
                              "mechanisms = [\"biped\"]\nevery = 0.01\n";
  EXPECT_EQ(study_json(read(counted))["figures"][0]["every"], 0.01);
  for (const auto& [from, to] :
       {std::pair{"\"attempts\"", "\"position_drift\""}, std::pair{"every = 0.01", "every = 0"}}) {
    std::string wrong = counted;
    wrong.replace(wrong.find(from), std::string(from).size(), to);
    EXPECT_THROW(read(wrong), FileError) << wrong;
  }
}

}  // namespace
}  // namespace mbdbench::studies
