#include "experiments/studies/study_reference.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "experiments/needed_entries.hpp"
#include "experiments/simulation.hpp"

namespace mbdbench::studies {
namespace {

constexpr std::array kTightTolerances = {1e-13, 1e-11, 1e-9};
// Far above what any smooth motion of the catalogue needs; at a singular position 1e-13 may be out of reach.
constexpr std::size_t kMostEvaluationsOfReference = 300'000;

struct TightRun {
  std::string_view formulation;
  std::string_view integrator;
};

constexpr std::array kTightRuns = {TightRun{"dense", "odeint-fehlberg78"}, TightRun{"dense-momentum", "ode113"}};

std::vector<Poses> tight_poses(const Registries& registries, const StudyMechanism& mechanism, int samples,
                               const TightRun& run, double tolerance) {
  const FormulationEntry& entry = needed_formulation(registries, "study", run.formulation);
  const auto formulation = make_formulation(registries.formulations, entry, *mechanism.mechanism);
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.ode.max_evaluations = kMostEvaluationsOfReference;
  PoseSampler poses(*formulation);
  const std::vector<double> times = sample_times(mechanism.end, samples);
  const SimulationResult result = simulate(*formulation, needed_integrator(registries, "study", run.integrator), times,
                                           initial_state(*formulation, 0.0), options, poses);
  if (!result.succeeded()) {
    throw std::runtime_error(result.message());
  }
  return poses.poses();
}

StudyReference reference_at(const Registries& registries, const StudyMechanism& mechanism, int samples,
                            double tolerance) {
  StudyReference reference;
  reference.tolerance = tolerance;
  std::array<std::vector<Poses>, kTightRuns.size()> runs;
  for (std::size_t i = 0; i < kTightRuns.size(); ++i) {
    try {
      runs[i] = tight_poses(registries, mechanism, samples, kTightRuns[i], tolerance);
    } catch (const std::exception& error) {
      reference.failure = fmt::format("no reference: {} with {} at {}: {}", kTightRuns[i].formulation,
                                      kTightRuns[i].integrator, tolerance, error.what());
      return reference;
    }
  }
  reference.uncertainty = differences(runs[0], runs[1]);
  reference.poses = std::move(runs[0]);
  return reference;
}

nlohmann::json numbers(std::span<const double> values) {
  return std::vector<double>(values.begin(), values.end());
}

}  // namespace

StudyReference make_reference(const Registries& registries, const StudyMechanism& mechanism, int samples) {
  StudyReference reference;
  for (const double tolerance : kTightTolerances) {
    reference = reference_at(registries, mechanism, samples, tolerance);
    if (reference.failure.empty()) {
      break;
    }
  }
  return reference;
}

nlohmann::json to_json(const StudyReference& reference) {
  nlohmann::json json = {{"failure", reference.failure},
                         {"tolerance", reference.tolerance},
                         {"position_uncertainty", reference.uncertainty.position},
                         {"orientation_uncertainty", reference.uncertainty.orientation},
                         {"marker_uncertainties", reference.uncertainty.markers},
                         {"poses", nlohmann::json::array()}};
  for (const Poses& poses : reference.poses) {
    nlohmann::json centres = nlohmann::json::array();
    nlohmann::json rotations = nlohmann::json::array();
    nlohmann::json markers = nlohmann::json::array();
    for (const Vec3& centre : poses.centres) {
      centres.push_back(numbers({centre.data(), 3}));
    }
    for (const Mat3& rotation : poses.rotations) {
      rotations.push_back(numbers({rotation.data(), 9}));
    }
    for (const Vec3& marker : poses.markers) {
      markers.push_back(numbers({marker.data(), 3}));
    }
    json["poses"].push_back({{"centres", centres}, {"rotations", rotations}, {"markers", markers}});
  }
  return json;
}

StudyReference reference_from_json(const nlohmann::json& json) {
  StudyReference reference;
  reference.failure = json.at("failure").get<std::string>();
  reference.tolerance = json.at("tolerance").get<double>();
  reference.uncertainty = {json.at("position_uncertainty").get<double>(),
                           json.at("orientation_uncertainty").get<double>(),
                           json.at("marker_uncertainties").get<std::vector<double>>()};
  for (const nlohmann::json& entry : json.at("poses")) {
    Poses& poses = reference.poses.emplace_back();
    for (const nlohmann::json& centre : entry.at("centres")) {
      poses.centres.emplace_back(centre.get<std::vector<double>>().data());
    }
    for (const nlohmann::json& rotation : entry.at("rotations")) {
      poses.rotations.emplace_back(rotation.get<std::vector<double>>().data());
    }
    for (const nlohmann::json& marker : entry.at("markers")) {
      poses.markers.emplace_back(marker.get<std::vector<double>>().data());
    }
  }
  return reference;
}

}  // namespace mbdbench::studies
