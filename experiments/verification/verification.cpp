#include "experiments/verification/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "experiments/registries/formulation_choice.hpp"
#include "experiments/registries/mechanism_source.hpp"
#include "experiments/registries/memory_demand.hpp"
#include "experiments/registries/memory_message.hpp"
#include "experiments/verification/formulation_check.hpp"

namespace mbdbench {
namespace {

constexpr std::size_t kDefaultMechanisms = 30;

/// A formulation as the user named it.
struct ChosenFormulation {
  FormulationChoice choice;
  std::string name;
};

ChosenFormulation chosen_formulation(const Registries& registries, const std::string& word) {
  return {choose_formulation(registries.formulations, word), word};
}

std::vector<ChosenFormulation> chosen_formulations(const Registries& registries,
                                                   const std::vector<std::string>& words) {
  std::vector<ChosenFormulation> all;
  for (const std::string& word : formulation_words(registries.formulations, words)) {
    all.push_back(chosen_formulation(registries, word));
  }
  return all;
}

/// \returns the check; nothing where the formulation refuses the mechanism or cannot be made, with the reason in the
/// row. Options, and other engines, may refuse what the registry's entry takes.
std::unique_ptr<FormulationCheck> make_check(const ChosenFormulation& formulation, const Mechanism& mechanism,
                                             const Execution& execution, VerificationReference& reference,
                                             bool derivatives, VerificationResult& row) {
  const FormulationEntry& entry = *formulation.choice.entry;
  row.refusal = refusal_of(entry, mechanism);
  if (!row.refusal.empty()) {
    return nullptr;
  }
  try {
    return std::make_unique<FormulationCheck>(entry, formulation.choice.parameters, mechanism, execution, reference,
                                              derivatives);
  } catch (const ModelError& error) {
    row.refusal = error.what();
  } catch (const std::runtime_error& error) {
    row.failure = error.what();
  }
  return nullptr;
}

bool has_mechanism(const Registries& registries, std::string_view key) {
  return std::any_of(registries.mechanisms.begin(), registries.mechanisms.end(),
                     [key](const MechanismEntry& entry) { return entry.key == key; });
}

/// The worst block of a row with its state.
void add_worst(VerificationResult& row, const std::vector<VerificationState>& states, VerificationReference& reference,
               FormulationCheck& check) {
  WorstComparison worst;
  // A state at which nothing could be compared is the one after those that were.
  auto place = std::min(static_cast<std::size_t>(row.states), states.size() - 1);
  worst.what = row.failure;
  if (row.failure.empty()) {
    const std::array<std::pair<const char*, const BlockCheck*>, 8> blocks = {
        {{"velocity", &row.velocity},
         {"rate", &row.rate},
         {"reaction", &row.reaction},
         {"acceleration", &row.acceleration},
         {"continuity", &row.continuity},
         {"power", &row.energy},
         {"derivative", &row.derivative},
         {"derivative by parameters", &row.parameter}}};
    const auto* const found = std::max_element(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second->outcome, a.second->error / a.second->limit) <
             std::pair(b.second->outcome, b.second->error / b.second->limit);
    });
    const BlockCheck& block = *found->second;
    place = static_cast<std::size_t>(block.state);
    worst.what = fmt::format("{}{}{}: error {:.2g}, limit {:.2g}", found->first, block.component.empty() ? "" : " of ",
                             block.component, block.error, block.limit);
  }
  worst.state = states[place];
  check.keep_state(reference.at(worst.state), worst);
  row.worst = std::move(worst);
}

/// \throws std::invalid_argument
void require_sizes(const VerificationState& state, const Mechanism& mechanism) {
  const bool gauge = state.gauge.size() == 0 || state.gauge.size() == mechanism.constraint_size();
  if (state.q.size() != mechanism.q_size() || state.u.size() != mechanism.u_size() || !gauge) {
    throw std::invalid_argument(
        fmt::format("the state has {} joint coordinates q and {} quasi-velocities u, mechanism '{}' {} and {}",
                    state.q.size(), state.u.size(), mechanism.name(), mechanism.q_size(), mechanism.u_size()));
  }
}

/// Everything that is compared on one mechanism exists at once. \throws MemoryRefusal
void require_fitting(const Mechanism& mechanism, const std::vector<ChosenFormulation>& formulations,
                     const FormulationEntry& dense, bool derivatives) {
  MemoryDemand demand;
  demand.add(dense, mechanism, 2.0);  // the references, in velocities and in momenta
  const FormulationEntry* largest = nullptr;
  for (const ChosenFormulation& formulation : formulations) {
    const FormulationEntry& entry = *formulation.choice.entry;
    const bool taken = refusal_of(entry, mechanism).empty();
    demand.add(entry, mechanism, taken ? 1.0 : 0.0);
    if (taken && (largest == nullptr || entry.memory.bytes(mechanism) > largest->memory.bytes(mechanism))) {
      largest = &entry;
    }
  }
  if (derivatives && largest != nullptr) {
    demand.add(*largest, mechanism);  // with other parameters, one at a time
  }
  demand.require();
}

/// All chosen formulations on one mechanism.
void verify_mechanism(const Mechanism& mechanism, const std::vector<ChosenFormulation>& formulations,
                      const FormulationEntry& dense, const FormulationEntry& dense_momentum, const Execution& execution,
                      const VerificationOptions& options, std::vector<VerificationResult>& results) {
  VerificationStates states;
  if (options.state) {
    states.states = {*options.state};
    states.states.front().gauge.conservativeResizeLike(Eigen::VectorXd::Zero(mechanism.constraint_size()));
  } else {
    states = draw_verification_states(mechanism, options.states, options.seed);
  }
  VerificationReference reference(mechanism, dense, dense_momentum);
  std::vector<VerificationResult> rows;
  std::vector<std::unique_ptr<FormulationCheck>> checks;
  for (const ChosenFormulation& formulation : formulations) {
    VerificationResult& row = rows.emplace_back();
    row.mechanism = mechanism.name();
    row.formulation = formulation.name;
    row.skipped = states.skipped;
    const std::string_view key = formulation.choice.entry->key;
    row.is_reference = key == dense.key || key == dense_momentum.key;
    checks.push_back(with_memory_message(
        fmt::format("mechanism '{}' in formulation '{}'", mechanism.name(), formulation.name),
        [&] { return make_check(formulation, mechanism, execution, reference, options.derivatives, row); }));
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
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (checks[i] && rows[i].outcome() >= CheckOutcome::ill_conditioned) {
      add_worst(rows[i], states.states, reference, *checks[i]);
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

bool BlockCheck::add(double state_error, double tolerance, double largest_limit) {
  const double state_limit = std::min(tolerance, largest_limit);
  CheckOutcome state_outcome = CheckOutcome::failed;
  if (state_error <= state_limit) {
    state_outcome = CheckOutcome::passed;
  } else if (state_error <= tolerance) {
    state_outcome = CheckOutcome::ill_conditioned;
  }
  // Written so that an error that is not a number is worse than any other.
  const bool worse_ratio = !(state_error * limit <= error * state_limit);
  const bool worst = state_outcome > outcome || (state_outcome == outcome && worse_ratio);
  if (worst) {
    error = state_error;
    limit = state_limit;
    outcome = state_outcome;
  }
  return worst;
}

CheckOutcome VerificationResult::outcome() const {
  if (!refusal.empty()) {
    return CheckOutcome::not_compared;
  }
  if (!failure.empty()) {
    return CheckOutcome::failed;
  }
  const CheckOutcome untouched = is_reference ? CheckOutcome::reference : CheckOutcome::not_compared;
  return std::max({untouched, velocity.outcome, rate.outcome, reaction.outcome, acceleration.outcome,
                   continuity.outcome, energy.outcome, derivative.outcome, parameter.outcome});
}

bool VerificationResult::only_imprecise() const {
  const auto small = [](const BlockCheck& block, double least) {
    return block.outcome != CheckOutcome::failed || block.error <= least;
  };
  return failure.empty() && small(velocity, kWrongTerm) && small(rate, kWrongTerm) && small(reaction, kWrongTerm) &&
         small(acceleration, kWrongTermInDifferences) && small(energy, kWrongTermInDifferences) &&
         small(continuity, 0.0) && small(derivative, kWrongTermInDifferences) &&
         small(parameter, kWrongTermInDifferences);
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

VerificationInputs read_verification_inputs(const Registries& registries, const VerificationOptions& options) {
  const std::vector<ChosenFormulation> formulations = chosen_formulations(registries, options.formulations);
  const FormulationEntry& dense = *choose_formulation(registries.formulations, "dense").entry;
  // Read before the first is compared: a slip in the last name should not cost the work on the others.
  VerificationInputs inputs;
  inputs.words = options.mechanisms.empty() ? default_verification_mechanisms(registries) : options.mechanisms;
  inputs.mechanisms.reserve(inputs.words.size());
  for (const std::string& word : inputs.words) {
    inputs.mechanisms.push_back(find_mechanism(registries, word));
  }
  if (options.state) {
    require_sizes(*options.state, inputs.mechanisms.front());
  }
  // All of them before the first: what is compared is not lost with one that cannot fit.
  for (const Mechanism& mechanism : inputs.mechanisms) {
    require_fitting(mechanism, formulations, dense, options.derivatives);
  }
  return inputs;
}

std::vector<VerificationResult> verify(const Registries& registries, const VerificationOptions& options,
                                       const VerificationInputs& inputs,
                                       const std::function<bool(std::size_t, std::size_t)>& mechanism_done) {
  const FormulationEntry& dense = *choose_formulation(registries.formulations, "dense").entry;
  const FormulationEntry& dense_momentum = *choose_formulation(registries.formulations, "dense-momentum").entry;
  const std::vector<ChosenFormulation> formulations = chosen_formulations(registries, options.formulations);
  std::vector<VerificationResult> results;
  for (std::size_t i = 0; i < inputs.mechanisms.size(); ++i) {
    const std::size_t before = results.size();
    verify_mechanism(inputs.mechanisms[i], formulations, dense, dense_momentum, registries.formulations.execution,
                     options, results);
    for (std::size_t row = before; row < results.size(); ++row) {
      results[row].word = inputs.words[i];
    }
    if (!mechanism_done(i + 1, inputs.mechanisms.size())) {
      break;
    }
  }
  return results;
}

std::vector<VerificationResult> verify(const Registries& registries, const VerificationOptions& options,
                                       const std::function<bool(std::size_t, std::size_t)>& mechanism_done) {
  return verify(registries, options, read_verification_inputs(registries, options), mechanism_done);
}

std::vector<VerificationResult> verify(const Registries& registries, const Mechanism& mechanism,
                                       const VerificationOptions& options) {
  const FormulationEntry& dense = *choose_formulation(registries.formulations, "dense").entry;
  const std::vector<ChosenFormulation> formulations = chosen_formulations(registries, options.formulations);
  require_fitting(mechanism, formulations, dense, options.derivatives);
  std::vector<VerificationResult> results;
  verify_mechanism(mechanism, formulations, dense, *choose_formulation(registries.formulations, "dense-momentum").entry,
                   registries.formulations.execution, options, results);
  return results;
}

std::string derivative_reference(const VerificationResult& result, const BlockCheck& block) {
  if (block.directions == 0) {
    return "-";
  }
  if (!result.without_113_bits.empty()) {
    return "differences";
  }
  return block.precise_directions == block.directions
             ? "113 bits"
             : fmt::format("113 bits ({} of {})", block.precise_directions, block.directions);
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
    const std::array<std::pair<const char*, const BlockCheck*>, 8> blocks = {
        {{"velocity_error", &result.velocity},
         {"rate_error", &result.rate},
         {"reaction_error", &result.reaction},
         {"acceleration_error", &result.acceleration},
         {"continuity_error", &result.continuity},
         {"energy_rate", &result.energy},
         {"derivative_error", &result.derivative},
         {"parameter_derivative_error", &result.parameter}}};
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
          fmt::format("limit {:.2g}, condition {:.2g}, {} states{}{}", block->limit, result.condition, result.states,
                      block->outcome == CheckOutcome::ill_conditioned ? ", ill-conditioned" : "",
                      result.unconverged > 0 ? fmt::format(", passes not converged at {}", result.unconverged) : "");
      if (block->directions > 0) {
        record.note += ", by " + derivative_reference(result, *block);
        record.note += result.without_113_bits.empty() ? std::string() : " alone: " + result.without_113_bits;
        record.note +=
            result.no_answer_of_113_bits.empty() ? std::string() : ", 113 bits failed " + result.no_answer_of_113_bits;
      }
      if (block == &result.parameter && !result.parameters_left_out.empty()) {
        record.note += ", without " + result.parameters_left_out;
      }
      records.push_back(record);
    }
  }
  return records;
}

}  // namespace mbdbench
