#pragma once
/// \file
/// The motion that errors of a study are measured against.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/study.hpp"
#include "experiments/studies/runner/observation/pose_samples.hpp"

namespace mbdbench::studies {

/// Poses at the sample times, from the first of Study::references, and how far the second is from them, both at the
/// tolerance 1e-13; where one of them does not come through or leaves its branch at a singular position, at 1e-11, 1e-9
/// or 1e-8; where the second does not come through, with the third in its place. Of a mechanism
/// with a frozen reference the file's two ways.
struct StudyReference {
  std::vector<Poses> poses;
  PoseDifferences uncertainty;
  std::string check;    ///< in words: what was compared with what
  std::string failure;  ///< why there is none; empty otherwise
};

StudyReference make_reference(const Registries& registries, const StudyMechanism& mechanism, const Study& study);

/// Round trip through the journal.
nlohmann::json to_json(const StudyReference& reference);
StudyReference reference_from_json(const nlohmann::json& json);

}  // namespace mbdbench::studies
