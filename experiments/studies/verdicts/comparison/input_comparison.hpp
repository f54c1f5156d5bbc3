#pragma once
/// \file
/// What two studies were made from, against one another: what differs, what has another name only, and which numbers
/// nobody can compare therefore.
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/records/record.hpp"

namespace mbdbench::studies {

/// From A to B.
struct InputComparison {
  bool known = false;                                  ///< whether both say what they were made from
  std::vector<std::string> differences;                ///< "mechanism 'arm.toml' is another one"
  std::vector<std::string> renamed;                    ///< "variant 'DCA' is called 'divide and conquer'"
  std::vector<std::string> rounded;                    ///< "mechanism 'arm'": differs by rounding alone, so is the same
  std::map<std::string, std::string> mechanism_names;  ///< as records have them; those that are called otherwise in B
  std::map<std::string, std::string> formulation_names;
  std::map<std::string, std::string> curve_files;  ///< of A in B, where both have the run
  /// Why numbers cannot be compared: of a mechanism, of a formulation, of quantities whose names hold a word.
  std::map<std::string, std::string> other_mechanisms;
  std::map<std::string, std::string> other_formulations;
  std::map<std::string, std::string> other_quantities;
  std::string nothing_comparable;  ///< why, where it holds of all
  bool verdicts_comparable = true;

  /// \returns the record of A as B would name it.
  [[nodiscard]] Record renamed_record(Record record) const;
  /// \param record of A \returns why its number cannot be compared with B's; empty where it can.
  [[nodiscard]] std::string obstacle(const Record& record) const;
  /// \returns whether B's study declares such a number at all.
  [[nodiscard]] bool is_declared(const Record& record) const;

  std::vector<std::string> declared_mechanisms;  ///< of B
  std::vector<std::string> declared_formulations;
  std::vector<std::string> declared_integrators;
  std::vector<std::string> declared_parameters;
  std::vector<std::string> declared_quantities;  ///< empty: of a command that has always the same
};

/// \param a, b contents of study.json; anything else, or one of an older program, leaves `known` false
InputComparison compare_inputs(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

/// The same of two folders, of studies (study.json) or of a command without one (inputs.json); of mechanisms whose
/// files differ the first line that does is told.
InputComparison compare_inputs(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace mbdbench::studies
