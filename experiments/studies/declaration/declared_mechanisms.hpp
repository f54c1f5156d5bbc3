#pragma once
/// \file
/// The mechanisms of a declaration: keys, files, and tables of their own settings.
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/registries/registries.hpp"
#include "experiments/studies/declaration/readers/declaration_table.hpp"
#include "experiments/studies/declaration/study.hpp"

namespace mbdbench::studies {

// With ten intervals MATLAB's methods, which cap the first step with the first interval, cap it as they do anyway.
inline constexpr double kDefaultSamples = 10.0;
inline constexpr double kMostSamples = 100000.0;

/// \returns what the key 'jacobian' of a study or of a mechanism says; nothing where it is not there.
/// \throws FileError for a word that is no choice
std::optional<JacobianChoice> read_jacobian_choice(const DeclarationTable& table);

/// Reads them into a study; all functions throw FileError.
class DeclaredMechanisms {
 public:
  /// \param file of the declaration, beside which files of mechanisms stand; all must outlive this
  DeclaredMechanisms(const Registries& registries, const std::filesystem::path& file, const DeclarationTable& table,
                     Study& study)
      : registries_(registries), file_(file), table_(table), study_(study) {}

  /// What can be read before the study's other lists.
  void read();
  /// What each mechanism takes of these lists, after they have been read.
  void choose();
  /// \returns the names of what is observed of a mechanism alone; empty: all.
  [[nodiscard]] const std::vector<LocatedText>& observed(std::size_t mechanism) const {
    return choices_[mechanism].observe;
  }

 private:
  /// What a mechanism's own table chooses of the lists that are read after it.
  struct MechanismChoice {
    bool some_variants = false;
    std::vector<LocatedText> variants;
    bool some_integrators = false;
    std::vector<LocatedText> integrators;
    std::vector<LocatedNumber> controls;
    std::vector<LocatedText> observe;
    std::vector<std::pair<LocatedText, std::vector<LocatedNumber>>> own_controls;
  };

  void add(const DeclarationTable& table, const LocatedText& word, std::string label, double end);
  [[nodiscard]] std::vector<std::size_t> controls_of(const StudyMechanism& mechanism,
                                                     const std::vector<LocatedNumber>& wanted) const;

  const Registries& registries_;
  const std::filesystem::path& file_;
  const DeclarationTable& table_;
  Study& study_;
  std::vector<MechanismChoice> choices_;
};

}  // namespace mbdbench::studies
