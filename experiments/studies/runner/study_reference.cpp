#include "experiments/studies/runner/study_reference.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "experiments/monitors/run_accuracy.hpp"
#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/needed_entries.hpp"
#include "experiments/simulation/simulation.hpp"

namespace mbdbench::studies {
namespace {

constexpr std::array kTightTolerances = {1e-13, 1e-11, 1e-9, 1e-8};
// Far above what any smooth motion of the catalogue needs; at a singular position 1e-13 may be out of reach.
constexpr std::size_t kMostEvaluationsOfReference = 300'000;

std::vector<Poses> tight_poses(const Registries& registries, const StudyMechanism& mechanism, const ReferenceRun& run,
                               double tolerance) {
  const FormulationChoice choice = choose_formulation(registries.formulations, run.formulation);
  const auto formulation =
      make_formulation(registries.formulations, *choice.entry, *mechanism.mechanism, choice.options);
  SimulationOptions options;
  options.ode.relative_tolerance = tolerance;
  options.absolute_tolerance = tolerance;
  options.ode.max_evaluations = kMostEvaluationsOfReference;
  const std::vector<double> times = sample_times(mechanism.end, mechanism.samples);
  PoseSampler poses(*formulation, times);
  RunAccuracy accuracy(*formulation);
  SinkChain chain({&poses, &accuracy});
  const SimulationResult result = simulate(*formulation, needed_integrator(registries, "study", run.integrator), times,
                                           initial_state(*formulation, 0.0), options, chain);
  if (!result.succeeded()) {
    throw std::runtime_error(result.message());
  }
  if (const auto& changes = accuracy.branches().changes(); !changes.empty()) {
    // The tighter the tolerance, the nearer to its own drift a run looks at a singular position.
    throw std::runtime_error(fmt::format("it leaves its branch at the singular position at t = {:.6g}", changes[0].t));
  }
  return poses.poses();
}

std::string failure_of(const ReferenceRun& run, double tolerance, const std::exception& error) {
  return fmt::format("no reference: {} with {} at {}: {}", run.formulation, run.integrator, tolerance, error.what());
}

StudyReference reference_at(const Registries& registries, const StudyMechanism& mechanism, const Study& study,
                            double tolerance) {
  StudyReference reference;
  try {
    reference.poses = tight_poses(registries, mechanism, study.references.front(), tolerance);
  } catch (const std::exception& error) {
    reference.failure = failure_of(study.references.front(), tolerance, error);
    return reference;
  }
  for (std::size_t i = 1; i < study.references.size(); ++i) {
    const ReferenceRun& check = study.references[i];
    try {
      const std::vector<Poses> poses = tight_poses(registries, mechanism, check, tolerance);
      reference.uncertainty = differences(reference.poses, poses);
      const ReferenceRun& first = study.references.front();
      reference.check = fmt::format("{}, {} against {}, {}, at {}", first.formulation, first.integrator,
                                    check.formulation, check.integrator, tolerance);
      reference.failure.clear();
      return reference;
    } catch (const std::exception& error) {
      reference.failure = failure_of(check, tolerance, error);
    }
  }
  return reference;
}

StudyReference frozen_reference(const Mechanism& mechanism, const FrozenReference& frozen) {
  Kinematics kinematics(mechanism);
  const auto poses_of = [&](const FrozenReference::Way& way) {
    std::vector<Poses> poses;
    poses.reserve(way.q.size());
    for (const std::vector<double>& q : way.q) {
      kinematics.set_positions(q);
      poses.push_back(poses_at(kinematics, q));
    }
    return poses;
  };
  StudyReference reference;
  reference.poses = poses_of(frozen.reference);
  reference.uncertainty = differences(reference.poses, poses_of(frozen.check));
  reference.check = fmt::format("{}: {} against {}", frozen.file, frozen.reference.name, frozen.check.name);
  return reference;
}

nlohmann::json numbers(std::span<const double> values) {
  return std::vector<double>(values.begin(), values.end());
}

}  // namespace

StudyReference make_reference(const Registries& registries, const StudyMechanism& mechanism, const Study& study) {
  if (mechanism.reference != nullptr) {
    return frozen_reference(*mechanism.mechanism, *mechanism.reference);
  }
  StudyReference reference;
  for (const double tolerance : kTightTolerances) {
    reference = reference_at(registries, mechanism, study, tolerance);
    if (reference.failure.empty()) {
      break;
    }
  }
  return reference;
}

nlohmann::json to_json(const StudyReference& reference) {
  nlohmann::json json = {{"failure", reference.failure},
                         {"check", reference.check},
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
    json["poses"].push_back({{"centres", centres}, {"rotations", rotations}, {"markers", markers}, {"q", poses.q}});
  }
  return json;
}

StudyReference reference_from_json(const nlohmann::json& json) {
  StudyReference reference;
  reference.failure = json.at("failure").get<std::string>();
  reference.check = json.at("check").get<std::string>();
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
    poses.q = entry.at("q").get<std::vector<double>>();
  }
  return reference;
}

}  // namespace mbdbench::studies
