/// \file
/// What a study makes of several steps or tolerances: orders, controls of an integrator's own, figures by integrators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/files/formats/csv_file.hpp"
#include "experiments/records/line_fit.hpp"
#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/readers/study_reader.hpp"
#include "experiments/studies/runner/observation/pose_samples.hpp"
#include "experiments/studies/runner/study_runner.hpp"
#include "experiments/studies/verdicts/study_records.hpp"
#include "mechanisms/io/file_error.hpp"
#include "tests/experiments/temporary_directory.hpp"

namespace mbdbench::studies {
namespace {

constexpr const char* kControls = R"toml(name = "controls"
end = 1.0
samples = 1
integrators = ["ode45", "gauss4", "rk2"]
tolerances = [1e-4, 1e-6]
steps = [0.02, 0.01, 0.005]
observe = ["evaluations", "energy_error", "order(position_error)"]
[variants]
"DCA" = "dca"
[[mechanisms]]
mechanism = "pendulum:2"
[mechanisms.integrators]
gauss4 = [0.02, 0.01]
rk2 = [0.02, 0.01, 0.005]
)toml";

class StudyControlsTest : public testing::Test {
 protected:
  Study read(const std::string& text) const {
    const auto file = directory_.path() / "study.toml";
    std::ofstream(file) << text;
    return read_study(registries_, file);
  }

  void expect_refused(const std::string& text, const std::string& part) const {
    try {
      read(text);
      FAIL() << "accepted: " << text;
    } catch (const FileError& error) {
      EXPECT_GT(error.line(), 0U);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

  StudyResults run(const Study& study) const {
    const auto results =
        run_study(registries_, study, {.output = directory_.path(), .jobs = 1, .quiet = true, .stop_requested = {}});
    EXPECT_TRUE(results);
    return results.value_or(StudyResults{});
  }

  Registries registries_ = default_registries();
  TemporaryDirectory directory_;
};

TEST(LineFitTest, LineThroughPoints) {
  const std::vector<double> x = {0.0, 1.0, 2.0, 3.0};
  const LineFit exact = fit_line(x, std::vector<double>{1.0, 3.0, 5.0, 7.0});
  EXPECT_NEAR(exact.slope, 2.0, 1e-15);
  EXPECT_NEAR(exact.offset, 1.0, 1e-15);
  EXPECT_NEAR(exact.slope_uncertainty, 0.0, 1e-15);
  // Deviations (1, -1, -1, 1) from the line: residual 4, two degrees of freedom, sum of squares of x 5.
  const LineFit scattered = fit_line(x, std::vector<double>{2.0, 2.0, 4.0, 8.0});
  EXPECT_NEAR(scattered.slope, 2.0, 1e-15);
  EXPECT_NEAR(scattered.slope_uncertainty, std::sqrt(4.0 / 2.0 / 5.0), 1e-15);
}

TEST(PoseDifferencesTest, OrientationsDifferByTheAngle) {
  Poses a;
  a.centres = {Vec3::Zero()};
  a.rotations = {Mat3::Identity()};
  Poses b = a;
  b.rotations = {Eigen::AngleAxisd(0.3, Vec3(1.0, 2.0, 2.0).normalized()).toRotationMatrix()};
  EXPECT_NEAR(differences({a}, {b}).orientation, 0.3, 1e-14);
}

TEST_F(StudyControlsTest, OrdersAreSlopesOverTheControlsOfEachIntegrator) {
  const Study study = read(kControls);
  ASSERT_EQ(study.cells().size(), 5U) << "ode45 is not named, 0.005 is not gauss4's";
  const StudyResults results = run(study);
  const Observer error = parse_observer("position_error");
  const Observer order = parse_observer("order(position_error)");
  const auto number = [&](std::size_t integrator, std::size_t control, const Observer& observer) {
    const Measured measured = results.of({0, 0, integrator, control}, observer);
    EXPECT_TRUE(measured.usable()) << measured.note;
    return measured.value;
  };
  // Controls: two tolerances, then the steps. The coarsest has no slope.
  EXPECT_EQ(results.of({0, 0, 2, 2}, order).state, CellState::refused);
  EXPECT_NEAR(number(2, 3, order), std::log2(number(2, 2, error) / number(2, 3, error)), 1e-12);
  EXPECT_NEAR(number(2, 4, order), 0.5 * std::log2(number(2, 2, error) / number(2, 4, error)), 1e-12)
      << "of three equidistant points the slope is that through the outer ones";
  EXPECT_NEAR(number(2, 4, order), 2.0, 0.1);
  EXPECT_NEAR(number(1, 3, order), 4.0, 0.1);
}

TEST_F(StudyControlsTest, BadControlsAndFamiliesSayWhatWouldBeRight) {
  const std::string declared = kControls;
  expect_refused(declared + "gauss6 = [0.02]\n", "there is no integrator 'gauss6'");
  expect_refused(declared + "ode45 = [1e-5]\n", "1e-05 is not among the study's tolerances and steps");
  const std::string figure = declared + "[[figures]]\nname = \"f\"\ntitle = \"t\"\ncurves = [\"evaluations\"]\n";
  expect_refused(figure + "against = \"position_error\"\n", "needs families");
  expect_refused(figure + "against = \"positon_error\"\n", "position_error");
  expect_refused(declared +
                     "[[figures]]\nname = \"f\"\ntitle = \"t\"\ncurves = [\"energy_error\"]\n"
                     "families = { all = [\"ode45\", \"rk2\"] }\n",
                 "does not run every integrator of the family");
  expect_refused(figure +
                     "families = { all = [\"ode45\", \"ode45\", \"ode45\", \"ode45\", \"ode45\", \"ode45\", "
                     "\"ode45\", \"ode45\", \"ode45\"] }\n",
                 "9 curves in one panel");
  std::string cost = declared;
  cost.replace(cost.find("order(position_error)"), 21, "order(evaluations)");
  expect_refused(cost, "should read order(position_error)");
}

TEST_F(StudyControlsTest, AFigureByIntegratorsShowsEachWithItsOwnStepInWindows) {
  std::string declared = kControls;
  declared.insert(declared.find("[variants]"), "windows = 4\n");
  const Study study = read(declared +
                           "[[figures]]\nname = \"f\"\ntitle = \"t\"\ncurves = [\"energy_error\"]\n"
                           "families = { all = [\"rk2\", \"gauss4\"] }\n"
                           "[[figures]]\nname = \"g\"\ntitle = \"t\"\ncurves = [\"evaluations\"]\n"
                           "against = \"orientation_error\"\nfamilies = { all = [\"rk2\", \"gauss4\"] }\n");
  const std::vector<CellKey> cells = study.curve_cells(study.figures[0], 0);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0], (CellKey{0, 0, 1, 2})) << "gauss4 stands first in the study's list";
  const auto json = study_json(study);
  EXPECT_EQ(json["figures"][0]["files"][0][1], "pendulum_2_DCA_rk2_0_02");
  EXPECT_EQ(json["figures"][1]["abscissa"], "orientation_error");
  EXPECT_EQ(json["mechanisms"][0]["own_controls"]["gauss4"].size(), 2U);
  const StudyResults results = run(study);
  EXPECT_TRUE(results.of(cells[0], parse_observer("orientation_error")).usable()) << "the figure needs it";
  const CsvTable curve = read_csv(directory_.path() / study.curve_file(cells[1]));
  ASSERT_EQ(curve.rows.size(), 4U);
  EXPECT_EQ(std::stod(curve.rows[0][0]), 0.125) << "the middle of the first quarter";
  double largest = 0.0;
  for (const auto& row : curve.rows) {
    largest = std::max(largest, std::abs(std::stod(row[1])));
  }
  EXPECT_EQ(largest, results.of(cells[1], parse_observer("energy_error")).value);
}

}  // namespace
}  // namespace mbdbench::studies
