#pragma once
/// \file
/// A formulation as the user names it on every command and in every file: KEY or KEY[option=value,...].
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formulations/formulation.hpp"

namespace mbdbench {

/// A formulation with its options.
struct FormulationChoice {
  const FormulationEntry* entry = nullptr;
  std::string options;    ///< "alpha=5,beta=5", may be empty
  Parameters parameters;  ///< the same, read and completed
};

/// \param word "hdca", "hdca[ground=leaf,loops=proximal]"
/// \throws std::invalid_argument (ParameterError for options) saying what would be right
FormulationChoice choose_formulation(std::span<const FormulationEntry> registry, std::string_view word);

/// \returns the words, or where there is none the keys of all formulations.
std::vector<std::string> formulation_words(std::span<const FormulationEntry> registry,
                                           const std::vector<std::string>& words);

/// \returns the word that chooses it again.
std::string formulation_word(std::string_view key, std::string_view options);

}  // namespace mbdbench
