/// \file
/// Figures 5 to 8, at the step 0.001 s that figure 8 names. No limits: the curves are lost.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "experiments/monitors/energy_monitor.hpp"
#include "experiments/naudet2005/biped_case.hpp"
#include "experiments/naudet2005/parts.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/trajectory_writer.hpp"

namespace mbdbench::naudet2005 {
namespace {

constexpr std::array<double, 2> kMotionInterval = {0.0, kEnd};
constexpr double kStep = 0.001;
// Long enough to pass the singular position.
constexpr double kBeyond = 1.0;
constexpr double kBeyondTolerance = 1e-9;

/// Largest residuals of the constraints at accepted steps.
class ViolationMonitor : public OdeSink {
 public:
  explicit ViolationMonitor(Formulation& formulation) : formulation_(formulation) {}

  bool sample(double /*t*/, std::span<const double> /*x*/) override { return true; }
  bool step(double t, std::span<const double> x, const OdeStatistics& /*so_far*/) override {
    const RhsStatus status = formulation_.observe(t, x, observation_);
    if (!status.ok) {
      throw std::runtime_error("the state cannot be observed: " + status.message());
    }
    position_ = std::max(position_, observation_.position_residual);
    velocity_ = std::max(velocity_, observation_.velocity_residual);
    return true;
  }
  /// \returns max |Phi|, m.
  [[nodiscard]] double position() const { return position_; }
  /// \returns max |Phi'|, m/s.
  [[nodiscard]] double velocity() const { return velocity_; }

 private:
  Formulation& formulation_;
  Observation observation_;
  double position_ = 0.0;
  double velocity_ = 0.0;
};

void add_motion(PartResult& part, const Registries& registries, const Form& form,
                const std::filesystem::path& directory) {
  BipedCase biped(registries, form);
  EnergyMonitor energy(biped.formulation());
  ViolationMonitor violation(biped.formulation());
  TrajectoryWriter trajectory(directory / (std::string(form.name) + ".csv"), biped.formulation());
  SinkChain sinks({&energy, &violation, &trajectory});
  const SimulationResult result =
      biped.run(needed_integrator(registries, kExperiment, "rkf45-fixed"), kMotionInterval, with_step(kStep), sinks);
  trajectory.finish();
  const RecordMaker maker = biped.records("rkf45-fixed", step_text(kStep) + ";output");
  if (!result.succeeded()) {
    part.records.push_back(maker.failed("largest_position_violation", "m", result.message()));
    return;
  }
  part.records.push_back(maker.measured("largest_position_violation", "m", violation.position()));
  part.records.push_back(maker.measured("largest_velocity_violation", "m/s", violation.velocity()));
  part.records.push_back(maker.measured("largest_energy_error", "J", energy.largest_error()));
}

/// How far a form gets in 1 s: the dependent links pass a common line on the way.
void add_singular_position(PartResult& part, const Registries& registries, const Form& form) {
  BipedCase biped(registries, form);
  NullSink sink;
  const std::array<double, 2> interval = {0.0, kBeyond};
  const SimulationResult result =
      biped.run(needed_integrator(registries, kExperiment, "ode45"), interval, with_tolerance(kBeyondTolerance), sink);
  part.records.push_back(biped.records("ode45", fmt::format("{};duration=1", tolerance_text(kBeyondTolerance)))
                             .measured("time_reached", "s", result.ode.t, result.message()));
}

}  // namespace

PartResult motion_part(const Registries& registries, const std::filesystem::path& output) {
  const std::filesystem::path directory = output / "trajectories";
  std::filesystem::create_directories(directory);
  PartResult part;
  for (const Form& form : kForms) {
    add_motion(part, registries, form, directory);
  }
  add_singular_position(part, registries, kHamilton);
  add_singular_position(part, registries, kHamiltonSwitching);
  return part;
}

}  // namespace mbdbench::naudet2005
