/// \file
/// Limits: requesting output must not change a count. The prototypes' energy errors are known to two digits, the
/// largest kinetic energy to four: half a unit of the last one.
#include <array>
#include <filesystem>
#include <string>

#include "experiments/chadaj2015/parts.hpp"
#include "experiments/chadaj2015/pendulum_case.hpp"
#include "experiments/chadaj2015/published.hpp"
#include "experiments/files/csv_stream.hpp"
#include "experiments/monitors/energy_monitor.hpp"
#include "experiments/simulation/time_span.hpp"
#include "experiments/simulation/trajectory_writer.hpp"

namespace mbdbench::chadaj2015 {
namespace {

// Longer than either first step, so that requesting the output times caps nothing; the count is recorded as proof.
constexpr double kOutputStep = 0.01;
constexpr double kFourDigits = 0.5 / kLargestKineticEnergy;

/// The energy error at every accepted step, where no interpolation adds to it.
class EnergyErrorWriter : public OdeSink {
 public:
  EnergyErrorWriter(const std::filesystem::path& file, const EnergyMonitor& monitor)
      : monitor_(monitor), stream_(file, {}, {"t", "energy_error"}) {}

  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
  bool step(double t, std::span<const double> /*x*/, const OdeStatistics& /*so_far*/) override {
    const std::array row = {t, monitor_.final_error()};
    stream_.write(row);
    return true;
  }
  void finish() { stream_.finish(); }

 private:
  const EnergyMonitor& monitor_;
  CsvStream stream_;
};

}  // namespace

PartResult figures_part(const Registries& registries, std::string_view formulation,
                        const std::filesystem::path& output) {
  const std::filesystem::path directory = output / "trajectories";
  std::filesystem::create_directories(directory);
  const std::string name(formulation);
  PendulumCase pendulum(registries, formulation);
  EnergyMonitor energy(pendulum.formulation());
  EnergyErrorWriter errors(directory / (name + "_energy_error.csv"), energy);
  TrajectoryWriter trajectory(directory / (name + ".csv"), pendulum.formulation());
  // The monitor comes first: the writer of errors reads it.
  SinkChain sinks({&energy, &errors, &trajectory});
  const SimulationResult result =
      pendulum.run(integrator_of(registries, "ode45"), kTolerance, times_of({0.0, kEnd, kOutputStep}), sinks);
  errors.finish();
  trajectory.finish();

  PartResult part;
  const PendulumRecordMaker maker(formulation, "ode45", tolerance_text(kTolerance) + ";output_step=0.01");
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("function_evaluations", "1", result));
    return part;
  }
  const PrototypeRun& prototype = prototype_run(pendulum.rate_kind());
  const double published = published_run(pendulum.rate_kind()).function_evaluations;
  part.records = {
      maker.compared("function_evaluations", "1", static_cast<double>(result.ode.statistics.nfevals),
                     {published, kPaper, 0.0, "requested output must not change the steps"}),
      maker.compared("largest_energy_error", "J", energy.largest_error(),
                     {prototype.largest_energy_error, kPrototype,
                      prototype.energy_error_uncertainty / prototype.largest_energy_error, "known to two digits"}),
      maker.measured("final_energy_error", "J", energy.final_error()),
      maker.compared("largest_kinetic_energy", "J", energy.largest_kinetic_energy(),
                     {kLargestKineticEnergy, kPrototype, kFourDigits, "known to four digits"}),
  };
  return part;
}

PartResult stand_in_part(const Registries& registries, const std::filesystem::path& output) {
  const std::filesystem::path directory = output / "trajectories";
  std::filesystem::create_directories(directory);
  PendulumCase pendulum(registries, "dense");
  EnergyMonitor energy(pendulum.formulation());
  TrajectoryWriter trajectory(directory / "dense_rkf45.csv", pendulum.formulation());
  SinkChain sinks({&energy, &trajectory});
  const SimulationResult result =
      pendulum.run(integrator_of(registries, "rkf45"), kTolerance, times_of({0.0, kEnd, kOutputStep}), sinks);
  trajectory.finish();
  PartResult part;
  const PendulumRecordMaker maker("dense", "rkf45", tolerance_text(kTolerance) + ";output_step=0.01");
  part.records.push_back(result.succeeded() ? maker.measured("largest_energy_error", "J", energy.largest_error())
                                            : maker.failed("largest_energy_error", "J", result));
  return part;
}

}  // namespace mbdbench::chadaj2015
