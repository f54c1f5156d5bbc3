#pragma once
/// \file
/// What a study's results were made from, kept beside them: without it nobody knows whether two folders may be
/// compared.
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

/// \returns what tells mechanisms apart: a digest of everything that the suite knows of one.
std::string mechanism_digest(const Mechanism& mechanism);

/// \param word as the user names it
/// \returns where a mechanism is written out, in the results' folder; empty for one of too many bodies to read.
std::filesystem::path mechanism_file(const std::string& word, const Mechanism& mechanism);
std::filesystem::path mechanism_file(const StudyMechanism& mechanism);

/// Writes a mechanism there, unless it has too many bodies. \param output folder of the results \throws WriteError
void write_mechanism_file(const std::string& word, const Mechanism& mechanism, const std::filesystem::path& output);

/// \param engines with their versions
/// \returns {"declaration", "quick", "files", "engines"} with digests.
nlohmann::ordered_json inputs_json(const Study& study, const std::vector<StudyEngine>& engines);

/// Writes the declaration, what it reads beside it, and its mechanisms to OUTPUT/inputs. \throws WriteError
void write_inputs(const Study& study, const std::filesystem::path& output);

}  // namespace mbdbench::studies
