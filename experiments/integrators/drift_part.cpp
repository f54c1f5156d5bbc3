/// \file
/// Limit: on Kepler's problem the largest energy error of a symplectic method in the last tenth of the run is that of
/// the first tenth (Hairer2006, sect. IX.8), up to where the steps fall on the orbit: the error peaks at the
/// pericentre, which some tens of steps resolve, so that a fifth is allowed. A drift would make it about tenfold. The
/// pendulums move chaotically; there nothing is asserted.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/files/csv_stream.hpp"
#include "experiments/integrators/parts.hpp"
#include "experiments/records/line_fit.hpp"
#include "experiments/records/record_maker.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::integrator_study {
namespace {

constexpr std::array<std::string_view, 4> kSymplectic = {"implicit-midpoint", "gauss4", "gauss6", "stormer-verlet"};
constexpr double kGrowthLimit = 0.2;
constexpr std::size_t kWindows = 50;
/// The work is tried out on this share of the time.
constexpr double kTrialShare = 0.05;

/// Follows the energy error at accepted steps in windows of equal length: constant memory.
class EnergyWindows : public OdeSink {
 public:
  explicit EnergyWindows(const DriftCase& target) : target_(target), initial_(target.energy(0.0, target.x0)) {}

  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }

  bool step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) override {
    const double error = target_.energy(t, x) - initial_;
    const double place = t / target_.duration * static_cast<double>(kWindows);
    Window& window = windows_[std::min(kWindows - 1, static_cast<std::size_t>(place))];
    ++window.steps;
    window.mean += (error - window.mean) / static_cast<double>(window.steps);
    window.largest = std::max(window.largest, std::abs(error));
    return true;
  }

  /// \returns the largest error from one share of the time to another.
  [[nodiscard]] double largest(double from, double to) const {
    double found = 0.0;
    for (std::size_t i = 0; i < kWindows; ++i) {
      const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(kWindows);
      if (middle > from && middle < to) {
        found = std::max(found, windows_[i].largest);
      }
    }
    return found;
  }

  /// \returns the line through the windows' means: the drift is its slope.
  [[nodiscard]] LineFit line() const {
    std::vector<double> t;
    std::vector<double> mean;
    for (std::size_t i = 0; i < kWindows; ++i) {
      if (windows_[i].steps > 0) {
        t.push_back(time_of(i));
        mean.push_back(windows_[i].mean);
      }
    }
    return fit_line(t, mean);
  }

  void write(const std::filesystem::path& file) const {
    CsvStream stream(file, {"energy error at accepted steps, in windows around t"}, {"t", "mean", "largest"});
    for (std::size_t i = 0; i < kWindows; ++i) {
      if (windows_[i].steps > 0) {
        const std::array row = {time_of(i), windows_[i].mean, windows_[i].largest};
        stream.write(row);
      }
    }
    stream.finish();
  }

 private:
  struct Window {
    std::size_t steps = 0;
    double mean = 0.0;
    double largest = 0.0;
  };

  [[nodiscard]] double time_of(std::size_t window) const {
    return (static_cast<double>(window) + 0.5) / static_cast<double>(kWindows) * target_.duration;
  }

  const DriftCase& target_;
  double initial_;
  std::array<Window, kWindows> windows_{};
};

void set_accuracy(OdeOptions& options, const OdeEntry& integrator, double parameter) {
  if (integrator.adaptive) {
    options.relative_tolerance = parameter;
    options.absolute_tolerance = {parameter};
  } else {
    options.fixed_step = parameter;
  }
}

/// \returns three significant digits: enough to name a run.
double rounded(double value) {
  return std::stod(fmt::format("{:.2e}", value));
}

/// \returns the step or tolerance with which the method needs about the evaluations that the case allows.
double parameter_at_equal_cost(const DriftCase& target, const OdeEntry& integrator) {
  // Work goes with 1 / step, and with a small power of 1 / tolerance; each trial corrects what this leaves.
  constexpr int kTrials = 6;
  constexpr double kToleranceExponent = 7.0;
  constexpr double kClose = 0.03;
  const double wanted = kTrialShare * target.evaluations;
  const double exponent = integrator.adaptive ? kToleranceExponent : 1.0;
  const std::array tspan = {0.0, kTrialShare * target.duration};
  double parameter = integrator.adaptive ? 1e-8 : 10.0 * target.duration / target.evaluations;
  for (int trial = 0; trial < kTrials; ++trial) {
    OdeOptions options;
    options.max_evaluations = static_cast<std::size_t>(10.0 * wanted);
    set_accuracy(options, integrator, parameter);
    NullSink sink;
    const OdeResult result = integrator.solve(target.system, tspan, target.x0, options, sink);
    if (result.status != OdeStatus::ok && result.status != OdeStatus::evaluation_limit) {
      parameter *= 0.5;
      continue;
    }
    const double ratio = static_cast<double>(result.statistics.nfevals) / wanted;
    if (std::abs(ratio - 1.0) < kClose) {
      break;
    }
    parameter *= std::pow(ratio, exponent);
    if (integrator.adaptive) {
      parameter = std::clamp(parameter, 1e-13, 1e-2);
    }
  }
  return rounded(parameter);
}

void add_growth(PartResult& part, const RecordMaker& maker, const DriftCase& target, const OdeEntry& integrator,
                double growth) {
  const bool symplectic = std::find(kSymplectic.begin(), kSymplectic.end(), integrator.key) != kSymplectic.end();
  constexpr const char* kQuantity = "energy_error_growth";
  if (symplectic && target.regular) {
    part.records.push_back(
        maker.compared(kQuantity, "1", growth,
                       {1.0, expected_from("theory (Hairer2006, sect. IX.8)"), kGrowthLimit, "no secular drift"}));
  } else {
    part.records.push_back(maker.measured(kQuantity, "1", growth, "last tenth of the time over the first"));
  }
}

}  // namespace

PartResult drift_part(const DriftCase& target, const OdeEntry& integrator, const std::filesystem::path& output) {
  const double parameter = parameter_at_equal_cost(target, integrator);
  const std::string name = integrator.adaptive ? "tolerance" : "step";
  const RecordMaker maker({.experiment = std::string(kExperiment),
                           .mechanism = target.mechanism,
                           .formulation = target.formulation,
                           .integrator = std::string(integrator.key),
                           .parameters = fmt::format("duration={:.6g};{}={}", target.duration, name, parameter)});
  OdeOptions options;
  set_accuracy(options, integrator, parameter);
  EnergyWindows windows(target);
  const std::array tspan = {0.0, target.duration};
  const OdeResult result = integrator.solve(target.system, tspan, target.x0, options, windows);
  PartResult part;
  if (result.status != OdeStatus::ok) {
    part.records.push_back(maker.failed("largest_energy_error", target.energy_unit, result.message));
    return part;
  }
  std::filesystem::create_directories(output / "trajectories");
  std::string word = target.mechanism;
  std::replace(word.begin(), word.end(), ':', '_');
  windows.write(output / "trajectories" / fmt::format("drift_{}_{}.csv", word, integrator.key));
  const LineFit line = windows.line();
  const std::string rate = target.energy_unit == "1" ? "1/s" : target.energy_unit + "/s";
  part.records = {
      maker.measured("function_evaluations", "1", static_cast<double>(result.statistics.nfevals)),
      maker.measured("steps", "1", static_cast<double>(result.statistics.nsteps)),
      maker.measured("largest_energy_error", target.energy_unit, windows.largest(0.0, 1.0)),
      maker.measured("energy_drift", rate, line.slope, "least-squares line through the means of 50 windows"),
      maker.measured("energy_drift_uncertainty", rate, line.slope_uncertainty,
                     "standard error of that slope if the windows are independent"),
  };
  add_growth(part, maker, target, integrator, windows.largest(0.9, 1.0) / windows.largest(0.0, 0.1));
  return part;
}

}  // namespace mbdbench::integrator_study
