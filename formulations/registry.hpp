#pragma once
/// \file
/// All formulations of the suite, in the order in which they are listed to users.
#include <span>
#include <string_view>
#include <vector>

#include "formulations/execution/execution.hpp"
#include "formulations/formulation_part.hpp"

namespace mbdbench {

/// Formulations, and how those that are made from them are executed.
struct FormulationRegistry {
  std::vector<FormulationEntry> entries;
  Execution execution = execution_of_environment();

  /// As a container of its entries.
  [[nodiscard]] auto begin() { return entries.begin(); }
  [[nodiscard]] auto begin() const { return entries.begin(); }
  [[nodiscard]] auto end() { return entries.end(); }
  [[nodiscard]] auto end() const { return entries.end(); }
  [[nodiscard]] std::size_t size() const { return entries.size(); }
  [[nodiscard]] FormulationEntry* data() { return entries.data(); }
  [[nodiscard]] const FormulationEntry* data() const { return entries.data(); }
  [[nodiscard]] const FormulationEntry& operator[](std::size_t i) const { return entries[i]; }
  void push_back(const FormulationEntry& entry) { entries.push_back(entry); }
};

/// \returns the suite's own formulations.
const FormulationRegistry& formulation_registry();

/// \returns the entry with this key, or nullptr.
const FormulationEntry* find_formulation(std::span<const FormulationEntry> registry, std::string_view key);

/// \returns the formulation with options read from text ("alpha=5,beta=5").
/// \throws ParameterError for bad options, ModelError when the mechanism is refused (naming formulations that treat
/// it).
std::unique_ptr<Formulation> make_formulation(const FormulationRegistry& registry, const FormulationEntry& entry,
                                              const Mechanism& mechanism, std::string_view options = {});

/// Asks the formulation itself: makes it, with options read from text, and evaluates x' at the initial state. Costs
/// what these cost, of `dense` O(n^3). \returns why it refuses the mechanism or has no x' there; empty where it has
std::string start_failure(const FormulationRegistry& registry, const FormulationEntry& entry,
                          const Mechanism& mechanism, std::string_view options = {});

/// \returns the formulations that can be divided among processes, with the option it takes: "hdca[leaf=subchain], ...".
std::string divisible_formulations(std::span<const FormulationEntry> registry);

/// \returns the part of one of several processes, with options read from text.
/// \throws ParameterError for bad options, ModelError when it cannot be divided so (naming formulations that can)
std::unique_ptr<FormulationPart> make_formulation_part(const FormulationRegistry& registry,
                                                       const FormulationEntry& entry, const Mechanism& mechanism,
                                                       std::string_view options, ProcessExchange& processes);

/// What one of several processes evaluates: its slice of the state, or, holding all of it, its share of the work.
struct ProcessFormulation {
  std::unique_ptr<FormulationPart> part;
  std::unique_ptr<Formulation> whole;  ///< where there is no part; right-hand sides are calls of all processes together
  std::string why_whole;               ///< why the state is not divided; empty where nobody asked
};

/// \returns whether the options ask for a state that is divided (leaf=subchain, processes=R).
bool asks_for_parts(const FormulationEntry& entry, std::string_view options);

/// \returns the part of one of several processes where the state can be divided, otherwise the whole formulation;
/// options that ask for parts get nothing else. \param whole_state whether whoever integrates needs it \throws as both
/// of the others
ProcessFormulation make_process_formulation(const FormulationRegistry& registry, const FormulationEntry& entry,
                                            const Mechanism& mechanism, std::string_view options, bool whole_state,
                                            ProcessExchange& processes);

/// \returns the formulation whose parts the processes evaluate together while all hold the whole state
/// (shared_formulation.hpp). All processes call it together. \throws as both of the others
std::unique_ptr<Formulation> make_shared_formulation(const FormulationRegistry& registry, const FormulationEntry& entry,
                                                     const Mechanism& mechanism, std::string_view options,
                                                     ProcessExchange& processes);

}  // namespace mbdbench
