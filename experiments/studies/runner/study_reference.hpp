#pragma once
/// \file
/// The motion that errors of a study are measured against.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/pose_samples.hpp"

namespace mbdbench::studies {

/// Poses at the sample times, from `dense` with an eighth-order method, and how far a second run in other variables by
/// another method (`dense-momentum`, Adams) is from them, both at the tolerance 1e-13; where one of them does not come
/// through or leaves its branch at a singular position, at 1e-11, 1e-9 or 1e-8; where momenta do not come through, with
/// `dca-alm-proj` as the second.
struct StudyReference {
  std::vector<Poses> poses;
  PoseDifferences uncertainty;
  double tolerance = 0.0;
  std::string check;    ///< the second run's formulation and integrator
  std::string failure;  ///< why there is none; empty otherwise
};

/// \param samples equal intervals
StudyReference make_reference(const Registries& registries, const StudyMechanism& mechanism, int samples);

/// Round trip through the journal.
nlohmann::json to_json(const StudyReference& reference);
StudyReference reference_from_json(const nlohmann::json& json);

}  // namespace mbdbench::studies
