#include "experiments/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "experiments/available_memory.hpp"
#include "experiments/formulation_check.hpp"
#include "experiments/mechanism_source.hpp"
#include "experiments/memory_message.hpp"
#include "mechanisms/model/name_suggestion.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kDefaultMechanisms = 30;

const FormulationEntry& require_formulation(const std::vector<FormulationEntry>& formulations, std::string_view key) {
  if (const FormulationEntry* const entry = find_formulation(formulations, key)) {
    return *entry;
  }
  std::vector<std::string> keys;
  std::transform(formulations.begin(), formulations.end(), std::back_inserter(keys),
                 [](const FormulationEntry& entry) { return std::string(entry.key); });
  throw std::invalid_argument(
      fmt::format("unknown formulation '{}'; {}", key, suggest_name(key, keys, "formulations")));
}

/// A formulation with its options, and as the user named it.
struct ChosenFormulation {
  const FormulationEntry* entry;
  Parameters options;
  std::string name;
};

/// \param word "hdca" or "hdca[ground=leaf,loops=proximal]"
ChosenFormulation chosen_formulation(const Registries& registries, const std::string& word) {
  const std::size_t bracket = word.find('[');
  if (bracket != std::string::npos && word.back() != ']') {
    throw std::invalid_argument(
        fmt::format("formulation '{}' has options that do not end; give it as KEY[option=value,...]", word));
  }
  const FormulationEntry& entry = require_formulation(registries.formulations, word.substr(0, bracket));
  const std::string options = bracket == std::string::npos ? "" : word.substr(bracket + 1, word.size() - bracket - 2);
  return {&entry, parse_parameters(entry.options, options, fmt::format("formulation '{}'", entry.key)), word};
}

std::vector<ChosenFormulation> chosen_formulations(const Registries& registries,
                                                   const std::vector<std::string>& words) {
  std::vector<ChosenFormulation> chosen;
  std::transform(words.begin(), words.end(), std::back_inserter(chosen),
                 [&](const std::string& word) { return chosen_formulation(registries, word); });
  if (words.empty()) {
    std::transform(
        registries.formulations.begin(), registries.formulations.end(), std::back_inserter(chosen),
        [&](const FormulationEntry& entry) { return chosen_formulation(registries, std::string(entry.key)); });
  }
  return chosen;
}

/// \returns the check; nothing where the formulation refuses the mechanism, with the reason. Options may refuse what
/// the formulation itself treats.
std::unique_ptr<FormulationCheck> make_check(const ChosenFormulation& formulation, const Mechanism& mechanism,
                                             VerificationReference& reference, std::string& refusal) {
  refusal = formulation.entry->refusal(mechanism);
  if (!refusal.empty()) {
    return nullptr;
  }
  try {
    return std::make_unique<FormulationCheck>(*formulation.entry, formulation.options, mechanism, reference);
  } catch (const ModelError& error) {
    if (formulation.name == formulation.entry->key) {
      throw;  // its refusal should have told
    }
    refusal = error.what();
    return nullptr;
  }
}

bool has_mechanism(const Registries& registries, std::string_view key) {
  return std::any_of(registries.mechanisms.begin(), registries.mechanisms.end(),
                     [key](const MechanismEntry& entry) { return entry.key == key; });
}

/// All chosen formulations on one mechanism.
void verify_mechanism(const Mechanism& mechanism, const std::vector<ChosenFormulation>& formulations,
                      const FormulationEntry& dense, const FormulationEntry& dense_momentum,
                      const VerificationOptions& options, std::vector<VerificationResult>& results) {
  require_memory(dense, mechanism, 2.0);  // the references, in velocities and in momenta
  const VerificationStates states = draw_verification_states(mechanism, options.states, options.seed);
  VerificationReference reference(mechanism, dense, dense_momentum);
  std::vector<VerificationResult> rows;
  std::vector<std::unique_ptr<FormulationCheck>> checks;
  for (const ChosenFormulation& formulation : formulations) {
    VerificationResult& row = rows.emplace_back();
    row.mechanism = mechanism.name();
    row.formulation = formulation.name;
    row.skipped = states.skipped;
    row.is_reference = formulation.entry->key == dense.key || formulation.entry->key == dense_momentum.key;
    checks.push_back(
        with_memory_message(fmt::format("mechanism '{}' in formulation '{}'", mechanism.name(), formulation.name),
                            [&] { return make_check(formulation, mechanism, reference, row.refusal); }));
  }
  for (const VerificationState& state : states.states) {
    const Reference values = reference.at(state);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!checks[i] || !rows[i].failure.empty()) {
        continue;
      }
      if (!values.failure.empty()) {
        rows[i].failure = "no reference: " + values.failure;
        continue;
      }
      checks[i]->compare(values, rows[i]);
    }
  }
  std::move(rows.begin(), rows.end(), std::back_inserter(results));
}

}  // namespace

std::string_view to_string(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::not_compared:
      return "not compared";
    case CheckOutcome::reference:
      return "reference";
    case CheckOutcome::passed:
      return "passed";
    case CheckOutcome::ill_conditioned:
      return "ill-conditioned";
    case CheckOutcome::failed:
      break;
  }
  return "FAILED";
}

void BlockCheck::add(double state_error, double tolerance, double largest_limit) {
  const double state_limit = std::min(tolerance, largest_limit);
  CheckOutcome state_outcome = CheckOutcome::failed;
  if (state_error <= state_limit) {
    state_outcome = CheckOutcome::passed;
  } else if (state_error <= tolerance) {
    state_outcome = CheckOutcome::ill_conditioned;
  }
  // Written so that an error that is not a number is worse than any other.
  const bool worse_ratio = !(state_error * limit <= error * state_limit);
  if (state_outcome > outcome || (state_outcome == outcome && worse_ratio)) {
    error = state_error;
    limit = state_limit;
    outcome = state_outcome;
  }
}

CheckOutcome VerificationResult::outcome() const {
  if (!refusal.empty()) {
    return CheckOutcome::not_compared;
  }
  if (!failure.empty()) {
    return CheckOutcome::failed;
  }
  const CheckOutcome untouched = is_reference ? CheckOutcome::reference : CheckOutcome::not_compared;
  return std::max({untouched, velocity.outcome, rate.outcome, reaction.outcome, acceleration.outcome, energy.outcome});
}

std::vector<std::string> default_verification_mechanisms(const Registries& registries) {
  std::vector<std::string> mechanisms;
  for (const MechanismEntry& entry : registries.mechanisms) {
    mechanisms.emplace_back(entry.key);
  }
  // Trees and closed mechanisms of growing size; every second of each with gravity only, so that energy is conserved.
  for (int i = 2; mechanisms.size() < kDefaultMechanisms && i <= static_cast<int>(kDefaultMechanisms); ++i) {
    const int loads = i / 2 % 2;
    const int motions = i % 6 == 0 ? 2 : 0;
    if (i % 2 == 0 && has_mechanism(registries, "random_tree")) {
      mechanisms.push_back(fmt::format("random_tree:seed={},bodies={},loads={},motions={}", i, 2 + i, loads, motions));
    } else if (i % 2 == 1 && has_mechanism(registries, "random_closed")) {
      mechanisms.push_back(fmt::format("random_closed:seed={},bodies={},cuts={},loads={}", i, 2 + i, 1 + i % 3, loads));
    }
  }
  return mechanisms;
}

std::vector<VerificationResult> verify(const Registries& registries, const VerificationOptions& options,
                                       const std::function<bool(std::size_t, std::size_t)>& mechanism_done) {
  const FormulationEntry& dense = require_formulation(registries.formulations, "dense");
  const FormulationEntry& dense_momentum = require_formulation(registries.formulations, "dense-momentum");
  const std::vector<ChosenFormulation> formulations = chosen_formulations(registries, options.formulations);
  // Read before the first is compared: a slip in the last name should not cost the work on the others.
  std::vector<Mechanism> mechanisms;
  for (const std::string& word :
       options.mechanisms.empty() ? default_verification_mechanisms(registries) : options.mechanisms) {
    mechanisms.push_back(find_mechanism(registries, word));
  }
  std::vector<VerificationResult> results;
  for (std::size_t i = 0; i < mechanisms.size(); ++i) {
    verify_mechanism(mechanisms[i], formulations, dense, dense_momentum, options, results);
    if (!mechanism_done(i + 1, mechanisms.size())) {
      break;
    }
  }
  return results;
}

std::vector<Record> verification_records(const std::vector<VerificationResult>& results) {
  std::vector<Record> records;
  for (const VerificationResult& result : results) {
    Record record;
    record.experiment = "verify";
    record.mechanism = result.mechanism;
    record.formulation = result.formulation;
    record.unit = "1";
    if (!result.refusal.empty() || !result.failure.empty() || result.outcome() == CheckOutcome::reference) {
      record.quantity = "relative_error";
      record.verdict = result.failure.empty() ? Verdict::no_published_value : Verdict::failed;
      record.note = !result.failure.empty()   ? result.failure
                    : !result.refusal.empty() ? "refused: " + result.refusal
                                              : "the reference itself: nothing independent to compare with";
      records.push_back(std::move(record));
      continue;
    }
    record.source = "dense, dense-momentum";
    const std::array<std::pair<const char*, const BlockCheck*>, 5> blocks = {
        {{"velocity_error", &result.velocity},
         {"rate_error", &result.rate},
         {"reaction_error", &result.reaction},
         {"acceleration_error", &result.acceleration},
         {"energy_rate", &result.energy}}};
    for (const auto& [quantity, block] : blocks) {
      if (block->outcome == CheckOutcome::not_compared) {
        continue;
      }
      record.quantity = quantity;
      record.value = block->error;
      record.verdict = block->outcome == CheckOutcome::passed   ? Verdict::within_limit
                       : block->outcome == CheckOutcome::failed ? Verdict::not_reproduced
                                                                : Verdict::no_published_value;
      record.note =
          fmt::format("limit {:.2g}, condition {:.2g}, {} states{}", block->limit, result.condition, result.states,
                      block->outcome == CheckOutcome::ill_conditioned ? ", ill-conditioned" : "");
      records.push_back(record);
    }
  }
  return records;
}

}  // namespace mbdbench
