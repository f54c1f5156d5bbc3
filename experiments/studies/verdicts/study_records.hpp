#pragma once
/// \file
/// What a study has measured as records, and the file that plots and tables take names, labels, order and units from.
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "experiments/records/record.hpp"
#include "experiments/studies/runner/study_results.hpp"

namespace mbdbench::studies {

/// \returns one record a number, a refusal or a failure, in the study's order; times apart.
RecordSet study_records(const Study& study, const StudyResults& results);

/// \param engines that its variants name, with their versions
/// \returns the content of study.json.
nlohmann::ordered_json study_json(const Study& study, const std::vector<StudyEngine>& engines = {});

/// Adds what a study's figures must know of its results: whether all are there, and machines that times are of where
/// there are several.
void add_results(nlohmann::ordered_json& study_json, const StudyResults& results);

}  // namespace mbdbench::studies
